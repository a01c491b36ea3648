// Data in memory and in files give the same models and predictions.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/builder.h"
#include "hinge/tasks/dep/model.h"
#include "hinge/tasks/registry.h"
#include "hinge/tasks/rerank/memory.h"
#include "hinge/tasks/rerank/model.h"
#include "hinge/tasks/tag/model.h"
#include "tests/support/memory.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

template <typename Data>
Source in_memory(Data data, const std::string& name = "the training data") {
  return {std::make_shared<const Data>(std::move(data)), name};
}

struct Learned {
  std::string bytes;
  Scores dev;
};

Learned learn(const std::string& task, const Options& options, const Source& train, const Source& dev,
              const std::string& learner = "perceptron") {
  const auto set = load_system(task, options, train);
  const Weights w = train_quietly(set->task(), {.learner = learner, .options = {{"epochs", "3"}}}).weights;
  return {model_of(*set, w, task), dev_scores(*set, dev, w)};
}

template <typename Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// ---- tag

TEST(Memory, CellsGiveTheModelOfTheFile) {
  const TemporaryFolder folder;
  const std::string train = sample_text("tag", 40, 1), dev = sample_text("tag", 15, 2);
  const std::string train_path = folder.write("train", train), dev_path = folder.write("dev", dev);
  const std::string values = folder.write("values.txt", "U:%x[0,0]\nU1:%lexicon[0,0,1,1]\nB\nB1:%x[0,1]\n");
  for (const Options& options : {Options{}, Options{{"features", values}}, Options{{"hash_bits", "10"}},
                                 Options{{"min_count", "2"}}}) {
    const Learned file = learn("tag", options, train_path, dev_path);
    const Learned memory =
        learn("tag", options, in_memory(cells_of(train, true)), in_memory(cells_of(dev, true)));
    EXPECT_EQ(memory.bytes, file.bytes);
    EXPECT_EQ(memory.dev, file.dev);
    const ModelFile model = ModelFile::from_bytes(file.bytes, "model");
    EXPECT_EQ(evaluate(model, in_memory(cells_of(dev, true))).scores, file.dev);
    EXPECT_EQ(evaluate(model, dev_path).scores, file.dev);
  }
}

TEST(Memory, AttributesGiveTheModelOfTheFile) {
  const TemporaryFolder folder;
  const auto train = attribute_sentences(30, 1), dev = attribute_sentences(10, 2);
  const std::string train_path = folder.write("train", attribute_text(train));
  const std::string dev_path = folder.write("dev", attribute_text(dev));
  for (const Options& options : {Options{{"format", "attributes"}}, Options{{"features", "attributes"}},
                                 Options{{"format", "attributes"}, {"hash_bits", "8"}}}) {
    const Learned file = learn("tag", options, train_path, dev_path);
    const Learned memory =
        learn("tag", options, in_memory(attributes_of(train, true)), in_memory(attributes_of(dev, true)));
    EXPECT_EQ(memory.bytes, file.bytes);
    EXPECT_EQ(memory.dev, file.dev);
    EXPECT_GT(file.dev[0].second, 30.0);
    const ModelFile model = ModelFile::from_bytes(file.bytes, "model");
    EXPECT_EQ(evaluate(model, in_memory(attributes_of(dev, true))).scores, file.dev);
  }
  // Attributes in memory need no format option.
  EXPECT_EQ(learn("tag", {}, in_memory(attributes_of(train, true)), dev_path).bytes,
            learn("tag", {{"format", "attributes"}}, train_path, dev_path).bytes);
}

TEST(Memory, DataOfAnotherTaskOrWithoutLabelsIsRefused) {
  const std::string text = sample_text("tag", 3, 1);
  const auto trees = [] { return in_memory(dep::Trees(true, true)); };
  const auto cells = [&](bool labelled) { return in_memory(cells_of(text, labelled)); };
  EXPECT_THROW(load_system("tag", {}, trees()), OptionError);
  EXPECT_THROW(load_system("dep", {}, cells(true)), OptionError);
  EXPECT_THROW(load_system("rerank", {}, cells(true)), OptionError);
  EXPECT_EQ(refusal([&] { load_system("tag", {}, cells(false)); }),
            "the training data: has no labels, but they are needed here; give one for every token");
  EXPECT_THROW(load_system("tag", {{"format", "attributes"}}, cells(true)), InputError);
  EXPECT_THROW(load_system("tag", {{"features", "attributes"}}, cells(true)), InputError);
  const auto sentences = attribute_sentences(3, 1);
  EXPECT_THROW(load_system("tag", {{"features", "pos"}}, in_memory(attributes_of(sentences, true))),
               OptionError);
  EXPECT_THROW(load_system("tag", {}, in_memory(tag::Sentences::of_cells(1, true))), InputError);
}

TEST(Memory, ATokenIsNamedWhereItIsWrong) {
  EXPECT_EQ(refusal([] {
              auto sentences = tag::Sentences::of_cells(2, true);
              sentences.add_cell("dog");
              sentences.add_cell("NN");
              sentences.add_label("B");
              sentences.end_token();
              sentences.end_sentence();
              sentences.add_cell("cat");
              sentences.add_label("B");
              sentences.end_token();
            }),
            "sentence 2, token 1: has 2 cells, but 3 were expected; give every token the same number");
  const auto token = [](bool labelled, const auto& fill) {
    return refusal([&] {
      auto sentences = tag::Sentences::of_attributes(labelled);
      fill(sentences);
      sentences.end_token();
      sentences.end_sentence();
    });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(
      token(false, [&](auto& s) { s.add_attribute("x", nan); }),
      "sentence 1, token 1: the value of attribute 'x' is nan, but a finite number (at most 3.4e38) was "
      "expected");
  EXPECT_NE(token(false, [&](auto& s) { s.add_attribute("x", 1e39); }), "");
  EXPECT_NE(token(false, [&](auto& s) { s.add_label("x"); }), "");
  EXPECT_NE(token(true, [&](auto&) {}), "");
  EXPECT_NE(token(true, [&](auto& s) { s.add_label(""); }), "");
  EXPECT_NE(token(false, [&](auto& s) { s.add_attribute("\xff", 1.0); }), "");
  EXPECT_NE(token(false, [&](auto& s) { s.add_attribute("\xc3", 1.0), s.add_attribute("\xa9", 1.0); }), "");
  EXPECT_NE(token(true, [&](auto& s) { s.add_label("\xc3"); }), "");
  EXPECT_EQ(token(true, [&](auto& s) { s.add_attribute("\xc3\xa9", 1.0), s.add_label("\xc3\xa9"); }), "");
  EXPECT_NE(refusal([] { tag::Sentences::of_cells(0, false); }), "");
}

// ---- dep

TEST(Memory, TreesGiveTheModelOfTheFile) {
  const TemporaryFolder folder;
  const std::string train = sample_text("dep", 12, 1), dev = sample_text("dep", 6, 2);
  const std::string train_path = folder.write("train.conllu", train);
  const std::string dev_path = folder.write("dev.conllu", dev);
  const Options small{{"features", "dep-plain"}, {"hash_bits", "12"}, {"label_bits", "10"}};
  for (const std::string order : {"1", "2"}) {
    Options options = small;
    options.emplace_back("order", order);
    const Learned file = learn("dep", options, train_path, dev_path);
    const Learned memory =
        learn("dep", options, in_memory(trees_of(train, true)), in_memory(trees_of(dev, true)));
    EXPECT_EQ(memory.bytes, file.bytes);
    EXPECT_EQ(memory.dev, file.dev);

    const ModelFile model = ModelFile::from_bytes(file.bytes, "model");
    EXPECT_EQ(evaluate(model, in_memory(trees_of(dev, true))).scores, file.dev);
    const dep::Parser parser(model);
    dep::Parser::Workspace workspace(parser);
    const dep::Trees sentences = trees_of(dev, false);
    DependencyReader predicted(folder.write("predicted.conllu", predict(model, dev)), /*annotated=*/true);
    for (std::size_t i = 0; i < sentences.sentences(); ++i) {
      ASSERT_TRUE(predicted.next());
      parser.score(sentences, i, workspace);
      const double best = parser.best(workspace);
      ASSERT_TRUE(std::ranges::equal(workspace.heads(), predicted.heads()));
      for (std::size_t m = 1; m <= predicted.words(); ++m)
        EXPECT_EQ(parser.labels().names()[workspace.labels()[m]], predicted.label(m));
      if (order == "2") continue;
      EXPECT_NEAR(parser.n_best(2, workspace)[0].score, best, 1e-3);
      const auto marginals = parser.marginals(workspace);
      for (std::size_t m = 1; m <= predicted.words(); ++m) {
        double sum = 0.0;
        for (std::size_t h = 0; h <= predicted.words(); ++h)
          sum += h == m ? 0.0 : marginals[h * workspace.stride() + m];
        EXPECT_NEAR(sum, 1.0, 1e-3);
      }
    }
  }
}

TEST(Memory, TreesAreCheckedAsInAFile) {
  const auto load = [](bool annotated, const std::vector<std::size_t>& heads) {
    return refusal([&] {
      dep::Trees trees(annotated, annotated);
      for (const std::size_t head : heads) {
        if (annotated)
          trees.add_word({.form = "a"}, head, "x");
        else
          trees.add_word({.form = "a"});
      }
      trees.end_sentence();
      load_system("dep", {}, in_memory(std::move(trees)));
    });
  };
  EXPECT_EQ(load(true, {0, 1}), "");
  EXPECT_EQ(load(true, {0, 5}).substr(0, 49), "the training data: sentence 1, token 2: the HEAD ");
  EXPECT_NE(load(true, {2, 1}), "");
  EXPECT_EQ(load(false, {0}),
            "the training data: has no heads, but they are needed here; give one for every word");
  EXPECT_NE(refusal([] { dep::Trees(false, false).add_word({.form = "a"}, 0, ""); }), "");
  EXPECT_NE(refusal([] { dep::Trees(true, false).add_word({.form = "a"}); }), "");
}

// ---- rerank

const std::vector<std::string> kReferences = {"a dog runs", "the cat sleeps on it"};

rerank::Lists lists(bool costs, bool references) {
  NBestBuilder builder;
  const std::string texts[2][2] = {{"dog a run", "a dog runs"}, {"the sofa", "the cat sleeps on it"}};
  for (std::uint64_t id = 0; id < 2; ++id) {
    for (std::size_t k = 0; k < 2; ++k) {
      Hypothesis hypothesis{.id = id, .text = texts[id][k], .entries = {}, .score = {}, .cost = {}};
      hypothesis.entries = {{builder.feature("lm"), k == 1 ? -3.0f : -2.5f - static_cast<float>(id)},
                            {builder.feature("tm"), static_cast<float>(1 - k)}};
      if (costs) hypothesis.cost = static_cast<float>(1 - k);
      builder.add(hypothesis, {});
    }
  }
  const std::vector<std::vector<std::string>> files{kReferences};
  return references ? rerank::Lists(builder.finish(), references_of(files)) : rerank::Lists(builder.finish());
}

TEST(Memory, ListsGiveTheModelOfTheFile) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("lists",
                   "0 ||| dog a run ||| lm= -2.5 tm= 1\n0 ||| a dog runs ||| lm= -3 tm= 0\n"
                   "1 ||| the sofa ||| lm= -3.5 tm= 1\n1 ||| the cat sleeps on it ||| lm= -3 tm= 0\n");
  const std::string refs = folder.write("refs", kReferences[0] + "\n" + kReferences[1] + "\n");
  for (const std::string ngrams : {"0", "3"}) {
    const Learned file =
        learn("rerank", {{"refs", refs}, {"dev_refs", refs}, {"ngrams", ngrams}}, path, path);
    const Learned memory =
        learn("rerank", {{"ngrams", ngrams}}, in_memory(lists(false, true)), in_memory(lists(false, true)));
    EXPECT_EQ(memory.bytes, file.bytes);
    EXPECT_EQ(memory.dev, file.dev);
    const ModelFile model = ModelFile::from_bytes(file.bytes, "model");
    Workers workers(2);
    const std::vector<double> scores = rerank::Reranker(model).scores(lists(false, false).lists, workers);
    EXPECT_EQ(predict(model, TemporaryFolder::read(path)), kReferences[0] + "\n" + kReferences[1] + "\n");
    EXPECT_LT(scores[0], scores[1]);
    EXPECT_LT(scores[2], scores[3]);
  }
}

TEST(Memory, ListsNeedCostsOrReferences) {
  EXPECT_THROW(load_system("rerank", {}, in_memory(lists(false, false))), OptionError);
  EXPECT_NO_THROW(load_system("rerank", {}, in_memory(lists(true, false))));
  EXPECT_THROW(references_of(std::vector<std::vector<std::string>>{{"a", "b"}, {"a"}}), InputError);
  NBestBuilder builder;
  Hypothesis hypothesis{.id = 0, .text = "a", .entries = {}, .score = {}, .cost = {}};
  hypothesis.entries = {{builder.feature("x"), std::numeric_limits<float>::quiet_NaN()}};
  builder.add(hypothesis, {});
  EXPECT_THROW(rerank::Lists(builder.finish()), InputError);
}

}  // namespace
}  // namespace hinge::test
