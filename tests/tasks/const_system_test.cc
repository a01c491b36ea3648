// Constituency parsing from text to models and back.
#include <gtest/gtest.h>

#include <set>

#include "hinge/core/error.h"
#include "hinge/corpus/brackets.h"
#include "hinge/learn/registry.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

std::string words_of(const std::string& trees) {
  std::string result;
  BracketReader reader(TextInput(trees, "trees"));
  for (BracketTree tree; reader.next(tree);) {
    for (std::size_t i = 0; i < tree.words.size(); ++i)
      result.append(i == 0 ? "" : " ").append(tree.words[i]);
    result += '\n';
  }
  return result;
}

struct Trained {
  std::unique_ptr<TrainingSet> set;
  ModelFile model;
};

Trained train_on(const std::string& trees, Options options) {
  options.emplace_back("hash_bits", "18");
  const bool neural =
      std::ranges::any_of(options, [](const auto& option) { return option.second.ends_with("neural"); });
  const std::string learner = neural ? "ops" : "perceptron";
  auto set = load_system("const", options, Source::of_text(trees, "trees"));
  const Weights w = train_quietly(set->task(), {.learner = learner, .options = {{"epochs", "5"}}}).weights;
  std::string bytes = model_of(*set, w, "const");
  return {std::move(set), ModelFile::from_bytes(std::move(bytes), "model")};
}

const std::string& sample() {
  static const std::string text = sample_text("const", 150, 1);
  return text;
}

class ConstSystem : public testing::TestWithParam<Options> {};

INSTANTIATE_TEST_SUITE_P(All, ConstSystem,
                         testing::Values(Options{}, Options{{"grammar", "none"}},
                                         Options{{"features", "basic"}}, Options{{"features", "lexical+aux"}},
                                         Options{{"features", "span+neural"}, {"hidden", "16"}},
                                         Options{{"tags", "gold"}},
                                         Options{{"vertical", "2"}, {"horizontal", "2"}}));

TEST_P(ConstSystem, LearnsItsTrainingDataAndScoresAgree) {
  const Trained trained = train_on(sample(), GetParam());
  const Evaluation evaluation = evaluate(trained.model, Source::of_text(sample(), "gold"));
  EXPECT_GT(evaluation.scores[0].second, 85.0);
  EXPECT_EQ(evaluation.scores, evaluate(trained.model, Source::of_text(sample(), "gold"), 2).scores);
}

TEST_P(ConstSystem, WritesATreePerLineWithTheSameWordsAtAnyNumberOfThreads) {
  const Trained trained = train_on(sample(), GetParam());
  const std::string fresh = sample_text("const", 30, 2);
  const std::string out = predict(trained.model, fresh);
  EXPECT_EQ(words_of(out), words_of(fresh));
  EXPECT_EQ(out, predict(trained.model, fresh, {}, 2));
  EXPECT_EQ(std::ranges::count(out, '\n'), 30);
}

TEST_P(ConstSystem, NBestListsBeginWithTheBestAndDiffer) {
  const Trained trained = train_on(sample(), GetParam());
  const std::string one = sample_text("const", 1, 3);
  const std::string best = predict(trained.model, one);
  const std::string list = predict(trained.model, one, {.n_best = 5});
  EXPECT_TRUE(list.starts_with("# 1 "));
  EXPECT_EQ(list.substr(list.find('\n') + 1, best.size()), best);
  std::set<std::string> trees;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = list.find('\n', at);
    if (list[at] == '(') {
      trees.insert(list.substr(at, end - at));
      ++lines;
    }
    at = end + 1;
  }
  EXPECT_EQ(trees.size(), lines);
}

TEST_P(ConstSystem, GivenPhrasesAreKept) {
  const Trained trained = train_on(sample(), GetParam());
  const std::string fresh = sample_text("const", 20, 4);
  PredictSettings settings;
  settings.constrain = true;
  // The whole gold tree is given, so its phrases all come back.
  const std::string out = predict(trained.model, predict(trained.model, fresh), settings);
  EXPECT_EQ(out, predict(trained.model, fresh));
}

TEST(ConstText, GivenPhrasesOverOneWordAreKept) {
  for (const char* grammar : {"rules", "none"}) {
    SCOPED_TRACE(grammar);
    std::string trees;
    for (int i = 0; i < 6; ++i)
      trees +=
          "(ROOT (S (NP (NN dogs)) (VP (VB bark))))\n(ROOT (S (NN dogs) (VP (VB bark))))\n(ROOT (S (NN dogs) "
          "(VB "
          "bark)))\n";
    const Trained trained = train_on(trees, {{"grammar", grammar}, {"folds", "1"}});
    PredictSettings settings;
    settings.constrain = true;
    const std::string both = "(ROOT (S (NP (NN dogs)) (VP (VB bark))))\n";
    EXPECT_EQ(predict(trained.model, "(NP (NN dogs)) (VP (VB bark))\n", settings), both);
    const std::string first = predict(trained.model, "(NP (NN dogs)) (VB bark)\n", settings);
    EXPECT_NE(first.find("(NP (NN dogs))"), std::string::npos) << first;
    const std::string odd = predict(trained.model, "(QP (NN dogs)) (VB bark)\n", settings);
    EXPECT_NE(odd.find("(QP (NN dogs))"), std::string::npos) << odd;
    settings.scores = true;
    EXPECT_EQ(predict(trained.model, "(QP (NN dogs)) (VB bark)\n", settings), odd);
    settings.scores = false;
  }
}

TEST_P(ConstSystem, MarginalsAreProbabilitiesBehindTheLabels) {
  const Trained trained = train_on(sample(), GetParam());
  PredictSettings settings;
  settings.marginals = true;
  const std::string out = predict(trained.model, sample_text("const", 3, 5), settings);
  std::size_t found = 0;
  for (std::size_t at = out.find('='); at != std::string::npos; at = out.find('=', at + 1)) {
    const double p = std::stod(out.substr(at + 1));
    EXPECT_GE(p, 0.0);
    EXPECT_LE(p, 1.0);
    ++found;
  }
  EXPECT_GT(found, 5u);
  settings.marginals = false;
  settings.scores = true;
  EXPECT_NE(predict(trained.model, sample_text("const", 3, 5), settings).find('='), std::string::npos);
}

TEST_P(ConstSystem, ContinuedTrainingStartsFromTheModel) {
  const Trained trained = train_on(sample(), GetParam());
  const Weights w = trained.set->weights_of(trained.model);
  EXPECT_EQ(model_of(*trained.set, w, "const"),
            model_of(*trained.set, trained.set->weights_of(trained.model), "const"));
  EXPECT_GT(dev_scores(*trained.set, Source::of_text(sample(), "gold"), w)[0].second, 85.0);
}

TEST(ConstText, OddInputsAreParsedOrRefused) {
  const Trained trained = train_on(sample(), {});
  EXPECT_EQ(predict(trained.model, "\n"), "\n");
  EXPECT_EQ(words_of(predict(trained.model, "( see below )\n")), "-LRB- see below -RRB-\n");
  EXPECT_EQ(words_of(predict(trained.model, "zzzxq\n")), "zzzxq\n");
  std::string wide;
  for (int i = 0; i < 120; ++i) wide += i % 7 == 0 ? "zzz " : "the ";
  EXPECT_EQ(words_of(predict(trained.model, wide + "\n")), wide.substr(0, wide.size() - 1) + "\n");
  EXPECT_THROW(predict(trained.model, "(S (NP (NN a)\n"), InputError);
}

TEST(ConstText, DeepChainsAreKept) {
  std::string tree = "(NN dog)";
  for (int i = 0; i < 30; ++i) tree = "(X" + std::to_string(i) + " " + tree + ")";
  const std::string trees = "(ROOT " + tree + ")\n(ROOT (S (NN dog) (VBZ barks)))\n";
  const Trained trained = train_on(trees, {{"folds", "1"}});
  EXPECT_EQ(predict(trained.model, "dog\n"), "(ROOT " + tree + ")\n");
}

TEST(ConstText, DevScoresWithoutAGrammarAreThoseOfTheModelWithGoldTagsToo) {
  const std::string fresh = sample_text("const", 20, 9);
  const Trained trained = train_on(sample(), {{"tags", "gold"}, {"grammar", "none"}});
  const Weights w = trained.set->weights_of(trained.model);
  EXPECT_EQ(dev_scores(*trained.set, Source::of_text(fresh, "dev"), w),
            evaluate(trained.model, Source::of_text(fresh, "dev")).scores);
}

TEST(ConstText, ModelsOfGoldTagsWantTags) {
  const Trained trained = train_on(sample(), {{"tags", "gold"}});
  EXPECT_THROW(predict(trained.model, "plain words\n"), InputError);
}

TEST(ConstText, EveryLearnerThatFitsTrains) {
  const std::string trees = sample_text("const", 12, 6);
  for (const Options& options : {Options{{"hash_bits", "14"}}, Options{{"grammar", "none"}}}) {
    const auto set = load_system("const", options, Source::of_text(trees, "trees"));
    const auto f1 = [&](const Weights& w) {
      return dev_scores(*set, Source::of_text(trees, "gold"), w)[0].second;
    };
    const double untrained = f1(Weights(set->task().dimension()));
    for (const LearnerRow& row : learner_table()) {
      if (!row.suits(set->task())) continue;
      SCOPED_TRACE(std::string(row.name));
      const std::string epochs = row.kind == LearnerRow::Kind::kBatch ? "15" : "3";
      EXPECT_GT(
          f1(train_quietly(set->task(), {.learner = std::string(row.name), .options = {{"epochs", epochs}}})
                 .weights),
          untrained);
    }
  }
}

TEST(ConstText, LearnersOfLinearModelsRefuseTheNetwork) {
  const auto set = load_system("const", {{"features", "neural"}, {"hidden", "16"}},
                               Source::of_text(sample_text("const", 5, 6), "trees"));
  std::size_t refused = 0;
  for (const LearnerRow& row : learner_table()) refused += !row.suits(set->task());
  EXPECT_GE(refused, 5u);
  EXPECT_THROW(train_quietly(set->task(), {.learner = "dcd", .options = {}}), OptionError);
}

}  // namespace
}  // namespace hinge::test
