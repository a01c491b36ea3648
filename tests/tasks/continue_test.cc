// Training that continues from a model keeps what the new data lacks.
#include <gtest/gtest.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/tasks/registry.h"
#include "hinge/tasks/rerank/model.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

// Trains a perceptron model, and its first stage if there is one. With zero
// epochs: the weights of `before` with the features of the new data.
std::string learn(TaskChoice& choice, const std::string& path, const ModelFile* before, std::int64_t epochs) {
  const FirstStage first = choice.first_stage();
  if (first.task != nullptr) choice.set_first_stage(learn(*first.task, path, nullptr, 3));
  const auto set = choice.load(path);
  const std::string& task = choice.options().owner();
  if (epochs == 0) return model_of(*set, set->weights_of(*before), task);
  Workers workers(1);
  Quiet observer;
  const auto learner = configured("perceptron", {})->start(set->task(), workers);
  if (before != nullptr) learner->start_from(set->weights_of(*before));
  const TrainSettings settings{.epochs = epochs, .objective = ObjectiveWhen::kNever};
  return model_of(*set, train(set->task(), *learner, settings, workers, observer).weights, task);
}

// Trains on a file, continuing from `before` if that is given.
std::string learn(const std::string& task, const Options& options, const std::string& path,
                  const std::string& before = "", std::int64_t epochs = 3) {
  const auto choice = find_task(task).choose();
  for (const auto& [name, value] : options) choice->options().set(name, value);
  if (before.empty()) return learn(*choice, path, nullptr, epochs);
  const ModelFile model = ModelFile::from_bytes(before, "before");
  choice->continue_from(model);
  return learn(*choice, path, &model, epochs);
}

std::string predicted(const std::string& model, const std::string& text) {
  return predict(ModelFile::from_bytes(model, "model"), text, {.scores = true});
}

std::vector<std::string> labels_of(const std::string& model) {
  return ModelFile::from_bytes(model, "model").description().texts("labels");
}

std::string word(int id, const std::string& form, int head, const std::string& label) {
  return std::to_string(id) + "\t" + form + "\t_\tX\tX\t_\t" + std::to_string(head) + "\t" + label +
         "\t_\t_\n";
}

class ContinuedTagger : public testing::TestWithParam<Options> {};

// The two data sets share neither words nor labels, so nothing of the first changes.
TEST_P(ContinuedTagger, PredictsOldTextAsBefore) {
  const TemporaryFolder folder;
  Options options = GetParam();
  options.emplace_back("features", folder.write("templates", "Uw:%x[0,0]\nUs:%suffix[0,0,2]\nBw:%x[0,0]\n"));
  const std::string text = "the D\ncat N\nsat V\n\nthe D\ncat N\nsat V\n\na D\ncat N\nsat V\n\n";
  const std::string before = learn("tag", options, folder.write("first", text));
  const std::string second = folder.write("second", "quickly R\nand C\n\nquickly R\nand C\n\n");
  const std::string after = learn("tag", options, second, before);
  EXPECT_EQ(labels_of(after), (std::vector<std::string>{"D", "N", "V", "R", "C"}));
  EXPECT_EQ(predicted(after, text), predicted(before, text));
  EXPECT_NE(predicted(after, "quickly R\n\n").find("quickly R R "), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, ContinuedTagger,
                         testing::Values(Options{}, Options{{"min_count", "2"}}, Options{{"hash_bits", "16"}},
                                         Options{{"r", "0"}, {"kernel", "poly"}}),
                         [](const auto& instance) {
                           return instance.param.empty() ? std::string("Plain") : instance.param[0].first;
                         });

// Sorted lines of feature, label and weight, for features with this prefix.
std::vector<std::string> weights_of(const std::string& bytes, const std::string& begin = "") {
  const ModelFile model = ModelFile::from_bytes(bytes, "model");
  std::vector<std::string> all;
  for (const WeightLine& line : open_predictor(model)->heaviest(1000)) {
    if (line.feature.starts_with(begin))
      all.push_back(line.feature + " " + line.label + " " + std::to_string(line.weight));
  }
  std::ranges::sort(all);
  return all;
}

TEST(ContinueFrom, ATaggerKeepsTheNamesOfItsFeatures) {
  const TemporaryFolder folder;
  const Options options{{"features", "pos"}};
  const std::string before = learn("tag", options, folder.write("first", "the D\ncat N\n\n"));
  const std::string after = learn("tag", options, folder.write("second", "ran V\n\n"), before, 0);
  EXPECT_GT(weights_of(before).size(), 10u);
  EXPECT_EQ(weights_of(after), weights_of(before));
}

TEST(ContinueFrom, ATaggerReadsAttributesAsBefore) {
  const TemporaryFolder folder;
  const Options options{{"features", "attributes"}};
  const std::string text = "D\tw=the\nN\tw=cat:0.5\tlast\n\n";
  const std::string before = learn("tag", options, folder.write("first", text));
  const std::string after = learn("tag", options, folder.write("second", "N\tw=ran\n\n"), before);
  EXPECT_GT(weights_of(after, "w=ran").size(), 0u);
  EXPECT_EQ(predicted(after, text), predicted(before, text));
}

TEST(ContinueFrom, AutoMeansTheTemplatesOfTheModel) {
  const TemporaryFolder folder;
  const std::string text = "Rome B-LOC\nis O\n\n";
  const std::string before = learn("tag", {{"features", "ner"}}, folder.write("first", text));
  const std::string after = learn("tag", {}, folder.write("second", "was O\n\n"), before, 0);
  EXPECT_EQ(ModelFile::from_bytes(after, "after").description().text("templates"), "ner");
  EXPECT_EQ(predicted(after, text), predicted(before, text));
}

// Old text may violate constraints that the new data satisfies.
TEST(ContinueFrom, ATaggerWithoutConstraintsGetsNone) {
  const TemporaryFolder folder;
  const auto constraints = [](const std::string& model) {
    return ModelFile::from_bytes(model, "model").description().text("constraints");
  };
  const std::string broken =
      learn("tag", {{"features", "ner"}}, folder.write("first", "Rome I-LOC\nis O\n\n"));
  const std::string sound =
      learn("tag", {{"features", "ner"}}, folder.write("second", "Rome B-LOC\nis O\n\n"));
  EXPECT_EQ(constraints(broken), "none");
  EXPECT_EQ(constraints(sound), "iob2");
  EXPECT_EQ(constraints(learn("tag", {}, folder.path("second"), broken)), "none");
  EXPECT_EQ(constraints(learn("tag", {}, folder.path("second"), sound)), "iob2");
  EXPECT_EQ(constraints(learn("tag", {}, folder.path("first"), sound)), "none");
}

// A lexicon: which cells of another column occurred with a word in the training data.
TEST(ContinueFrom, ATaggerKeepsItsLexicon) {
  const TemporaryFolder folder;
  const Options options{{"features", folder.write("templates", "Ut:%lexicon[0,0,1,1]\n")}};
  const std::string text = "the x D\ncat y N\n\n";
  const std::string before = learn("tag", options, folder.write("first", text));
  const std::string after = learn("tag", options, folder.write("second", "the y N\n\n"), before, 0);
  EXPECT_EQ(predicted(after, text), predicted(before, text));
}

TEST(ContinueFrom, OtherTemplatesKeepTheFeaturesOfLinesThatStay) {
  const TemporaryFolder folder;
  const Options first{{"features", folder.write("one", "Uw:%x[0,0]\nUp:%prefix[0,0,1]\n")}};
  const Options second{{"features", folder.write("two", "Us:%suffix[0,0,1]\nUw:%x[0,0]\n")}};
  const std::string before = learn("tag", first, folder.write("first", "the D\ncat N\n\n"));
  const std::string after = learn("tag", second, folder.write("second", "ran V\n\n"), before, 0);
  EXPECT_LT(weights_of(after).size(), weights_of(before).size());
  EXPECT_EQ(weights_of(after), weights_of(before, "Uw:"));
  const Options none{{"features", folder.write("none", "Ux:%shape[0,0]\n")}};
  EXPECT_THROW(learn("tag", none, folder.path("second"), before, 0), ModelError);
}

TEST(ContinueFrom, AParserWithSeveralRootsKeepsThem) {
  const TemporaryFolder folder;
  const std::string two = folder.write("two", word(1, "a", 0, "root") + word(2, "b", 0, "root") + "\n");
  const std::string one = folder.write("one", word(1, "a", 0, "root") + word(2, "b", 1, "x") + "\n");
  const Options options{{"hash_bits", "8"}, {"label_bits", "8"}};
  const auto single = [](const std::string& model) {
    return ModelFile::from_bytes(model, "model").description().flag("single_root");
  };
  EXPECT_FALSE(single(learn("dep", options, one, learn("dep", options, two))));
  EXPECT_TRUE(single(learn("dep", options, one, learn("dep", options, one))));
}

class ContinuedParser : public testing::TestWithParam<Options> {};

TEST_P(ContinuedParser, PredictsOldTreesAsBefore) {
  const TemporaryFolder folder;
  Options options = GetParam();
  options.emplace_back("features",
                       folder.write("templates",
                                    "arc h.form m.form\nlabel m.form\n"
                                    "sibling h.form s.form m.form\ngrand g.form h.form m.form\n"));
  const std::string text =
      word(1, "the", 2, "det") + word(2, "cat", 3, "subj") + word(3, "sat", 0, "root") + "\n";
  const std::string new_text = word(1, "go", 0, "top") + word(2, "there", 1, "adv") + "\n";
  const std::string first = folder.write("first", text);
  const std::string second = folder.write("second", new_text);
  const std::string before = learn("dep", options, first, "", 10);
  const std::string after = learn("dep", options, second, before, 10);
  EXPECT_EQ(labels_of(after), (std::vector<std::string>{"det", "subj", "root", "top", "adv"}));
  EXPECT_EQ(predicted(after, text), predicted(before, text));
  EXPECT_EQ(predict(ModelFile::from_bytes(after, "after"), new_text), new_text);
}

INSTANTIATE_TEST_SUITE_P(All, ContinuedParser,
                         testing::Values(Options{{"hash_bits", "0"}},
                                         Options{{"hash_bits", "0"}, {"order", "2"}},
                                         Options{{"hash_bits", "18"}}),
                         [](const auto& instance) {
                           std::string name;
                           for (const auto& [option, value] : instance.param)
                             name += option.substr(0, 4) + value;
                           return name;
                         });

TEST(ContinueFrom, ARerankerKeepsFeaturesThatNewListsLack) {
  const TemporaryFolder folder;
  const std::string first =
      folder.write("first", "0 ||| bad ||| old= -1 both= 0 loss= 1\n0 ||| good ||| old= 1 both= 1 loss= 0\n");
  const std::string second = folder.write(
      "second", "0 ||| bad ||| new= -1 both= 0 loss= 1\n0 ||| good ||| new= 1 both= 1 loss= 0\n");
  const std::string before = learn("rerank", {{"cost", "loss"}}, first);
  const ModelFile after = ModelFile::from_bytes(learn("rerank", {{"cost", "loss"}}, second, before), "after");
  EXPECT_EQ(rerank::Reranker(after).names(), (std::vector<std::string>{"old", "both"}));
}

TEST(ContinueFrom, AModelOfAnotherTaskIsRefused) {
  const TemporaryFolder folder;
  const std::string tagger = learn("tag", {{"features", "pos"}}, folder.write("first", "the D\n\n"));
  const ModelFile model = ModelFile::from_bytes(tagger, "a.model");
  for (const TaskRow& row : task_table()) {
    if (row.name == "tag") continue;
    try {
      row.choose()->continue_from(model);
      ADD_FAILURE() << row.name << " took it";
    } catch (const ModelError& error) {
      EXPECT_EQ(std::string(error.what()), "a.model: is a model of the task tag, but one of " +
                                               std::string(row.name) +
                                               " is needed here; give one of that task");
    }
  }
}

class ContinuedConstituents : public testing::TestWithParam<Options> {};

// The two treebanks share neither words nor labels: old trees are still found, and new
// ones are learned.
TEST_P(ContinuedConstituents, KnowsOldTreesAndNewOnes) {
  const TemporaryFolder folder;
  std::string first, second;
  for (int i = 0; i < 4; ++i) {
    first +=
        "(ROOT (S (NP (DT the) (NN cat)) (VP (VBD sat))))\n(ROOT (S (NP (NN cat)) (VP (VBD saw) (NP (DT "
        "the) (NN dog)))))\n";
    second += "(ROOT (Q (W who) (A (B quickly) (C came) (B there))))\n";
  }
  const std::string before = learn("const", GetParam(), folder.write("first", first), "", 6);
  const std::string after = learn("const", GetParam(), folder.write("second", second), before, 6);
  const auto trees = [](const std::string& model, const std::string& text) {
    return predict(ModelFile::from_bytes(model, "model"), text);
  };
  EXPECT_EQ(trees(before, first), first);
  EXPECT_EQ(trees(after, first), first);
  EXPECT_EQ(trees(after, second), second);
  // Without any training nothing changes.
  const std::string same = learn("const", GetParam(), folder.write("second", second), before, 0);
  EXPECT_EQ(trees(same, first), first);
}

INSTANTIATE_TEST_SUITE_P(All, ContinuedConstituents,
                         testing::Values(Options{{"hash_bits", "18"}},
                                         Options{{"hash_bits", "18"}, {"vertical", "2"}, {"horizontal", "2"}},
                                         Options{{"grammar", "none"}}));

TEST(ContinuedNetwork, RefusesOtherFeaturesAndNetworksKeepTheirRows) {
  const TemporaryFolder folder;
  const std::string first = folder.write("first", "(S (A a) (B b))\n(S (B b) (A a) (A a))\n");
  const std::string second = folder.write("second", "(T (C c) (S (A a) (B b)))\n");
  const Options network{{"features", "neural"}, {"hidden", "16"}, {"hash_bits", "12"}};
  const auto choice = find_task("const").choose();
  for (const auto& [name, value] : network) choice->options().set(name, value);
  const auto set = choice->load(first);
  Weights w(set->task().dimension());
  Random random(7);
  set->task().initialize(random, w);
  const ModelFile model = ModelFile::from_bytes(model_of(*set, w, "const"), "before");
  choice->continue_from(model);
  const auto more = choice->load(second);
  const ModelFile after = ModelFile::from_bytes(model_of(*more, more->weights_of(model), "const"), "after");
  EXPECT_EQ(predict(after, "a b\nb a a\n", {.n_best = 3}), predict(model, "a b\nb a a\n", {.n_best = 3}));
  choice->options().set("hidden", "32");
  EXPECT_THROW(choice->load(second)->weights_of(model), ModelError);
  choice->options().set("features", "span");
  EXPECT_THROW(choice->load(second)->weights_of(model), ModelError);
}

}  // namespace
}  // namespace hinge::test
