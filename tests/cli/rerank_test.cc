// The command line on the `rerank` task.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

const std::string kLists =
    "0 ||| a dog runs in the park ||| lm= -3 tm= -1 ||| -4\n"
    "0 ||| in dog a runs the big park ||| lm= -5 tm= 0 ||| -5\n"
    "1 ||| the cat sleeps on the old sofa ||| lm= -2 tm= -2 ||| -4\n"
    "1 ||| cat the sofa on sleeps ||| lm= -4 tm= 0 ||| -4\n";
const std::string kReferences = "a dog runs in the park\nthe cat sleeps on the old sofa\n";

class RerankCommand : public testing::Test {
 protected:
  void SetUp() override {
    lists_ = write("val.nbest", kLists);
    refs_ = write("val.ref", kReferences);
  }
  CommandResult train_with(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", "rerank", lists_, "-q", "-o", path("rerank.model")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }

  std::string lists_, refs_;

 private:
  TemporaryFolder folder_;
};

TEST_F(RerankCommand, EveryPairingLearnsToChooseTheReference) {
  for (const std::string oracle : {"max-bleu", "local", "hope"}) {
    for (const std::string prediction : {"best", "max-cost", "fear"}) {
      SCOPED_TRACE(oracle + "/" + prediction);
      const CommandResult trained = train_with({"--refs", refs_, "--learner", "mira", "--epochs", "5", "-p",
                                                "oracle=" + oracle, "-p", "prediction=" + prediction});
      ASSERT_EQ(trained.code, 0) << trained.err;
      EXPECT_EQ(hinge({"predict", path("rerank.model"), lists_}).out, kReferences);
    }
  }
}

TEST_F(RerankCommand, ChosenTextIsScoredAsTheModelIs) {
  ASSERT_EQ(train_with({"--refs", refs_, "--learner", "perceptron"}).code, 0);
  ASSERT_EQ(hinge({"predict", path("rerank.model"), lists_, "-o", path("chosen")}).code, 0);
  for (const std::string metric : {"bleu", "chrf", "ter", "wer"}) {
    const auto model = nlohmann::json::parse(
        hinge({"evaluate", path("rerank.model"), lists_, "--refs", refs_, "-p", "metric=" + metric, "--json"})
            .out);
    const auto file = nlohmann::json::parse(hinge({"evaluate", "rerank", "--gold", refs_, "--system",
                                                   path("chosen"), "-p", "metric=" + metric, "--json"})
                                                .out);
    EXPECT_EQ(model.at(metric), file.at(metric)) << metric;
  }
}

TEST_F(RerankCommand, ListsAreRescoredAndWeightsReadBack) {
  ASSERT_EQ(train_with({"--refs", refs_, "--learner", "mira"}).code, 0);
  const std::string rescored = hinge({"predict", path("rerank.model"), lists_, "--nbest", "9"}).out;
  EXPECT_EQ(lines_of(rescored).size(), 4u);
  EXPECT_TRUE(rescored.starts_with("0 ||| a dog runs in the park ||| lm= -3 tm= -1 ||| ")) << rescored;
  const std::string weights = hinge({"inspect", path("rerank.model"), "--weights"}).out;
  EXPECT_NE(weights.find("lm= "), std::string::npos) << weights;
  const std::string file = write("weights.txt", weights);
  ASSERT_EQ(train_with({"--refs", refs_, "--learner", "mira", "--init", file, "--epochs", "1"}).code, 0);
  expect_refused(train_with({"--refs", refs_, "--init", write("other.txt", "nothing= 1\n")}),
                 {"other.txt", "lm"});
}

TEST_F(RerankCommand, TrainingStartsFromAMosesIni) {
  const std::string plain = write("plain.weights", "lm= 0.5\ntm= 2\n");
  const std::string ini = write("moses.ini", "[feature]\nKENLM name=lm\n\n[weight]\nlm= 0.5\ntm= 2\nUnknown0= 1\n");
  const std::vector<std::string> settings{"--refs", refs_, "--learner", "mira", "--epochs", "2", "--init"};
  auto from = [&](const std::string& weights) {
    std::vector<std::string> arguments = settings;
    arguments.push_back(weights);
    EXPECT_EQ(train_with(arguments).code, 0);
    return hinge({"inspect", path("rerank.model"), "--weights"}).out;
  };
  EXPECT_EQ(from(ini), from(plain));
  EXPECT_NE(from(ini), from(write("other.weights", "lm= 0.5\n")));
}

TEST_F(RerankCommand, CostsMayBeGivenAndSparseFeaturesAdded) {
  const std::string given = write("cost.nbest",
                                  "0 ||| good ||| f= 1 loss= 0.1\n0 ||| bad ||| f= -1 loss= 0.9\n"
                                  "1 ||| bad ||| f= -2 loss= 0.8\n1 ||| good ||| f= 2 loss= 0.2\n");
  ASSERT_EQ(
      hinge({"train", "rerank", given, "-q", "-p", "cost=loss", "--learner", "mira", "-o", path("c.model")})
          .code,
      0);
  EXPECT_EQ(hinge({"predict", path("c.model"), given}).out, "good\ngood\n");
  const CommandResult score = hinge({"evaluate", path("c.model"), given, "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  EXPECT_NEAR(nlohmann::json::parse(score.out).at("cost").get<double>(), 0.15, 1e-6);
  ASSERT_EQ(train_with({"--refs", refs_, "-p", "ngrams=2", "--learner", "mira"}).code, 0);
  EXPECT_EQ(hinge({"predict", path("rerank.model"), lists_}).out, kReferences);
  const auto go_on = [&](const std::string& ngrams) {
    return hinge({"train", "rerank", lists_, "--refs", refs_, "-p", "ngrams=" + ngrams, "--init",
                  path("rerank.model"), "-q", "-o", path("further.model")});
  };
  EXPECT_EQ(go_on("3").code, 0);
  expect_refused(go_on("0"), {"rerank.model", "ngrams=2"});
}

TEST_F(RerankCommand, AModelOfGivenCostsChoosesFromListsWithAndWithoutThem) {
  const std::string name = "a_name_of_a_cost_that_is_longer_than_short_strings_are";
  const std::string given =
      write("cost.nbest", "0 ||| good ||| f= 1 " + name + "= 0.5\n0 ||| bad ||| f= -1 " + name + "= 0.75\n");
  const auto train_on = [&](const std::string& lists, const std::string& cost) {
    return hinge({"train", "rerank", lists, "-q", "-p", "cost=" + cost, "-o", path("c.model")});
  };
  ASSERT_EQ(train_on(given, name).code, 0);
  const auto rescored = lines_of(hinge({"predict", path("c.model"), given, "--nbest", "2"}).out);
  ASSERT_EQ(rescored.size(), 2u);
  EXPECT_TRUE(rescored[0].starts_with("0 ||| good ||| f= 1 " + name + "= 0.5 ||| ")) << rescored[0];
  const std::string fresh = write("fresh.nbest", "0 ||| bad ||| f= -1\n0 ||| good ||| f= 1\n");
  EXPECT_EQ(hinge({"predict", path("c.model"), fresh}).out, "good\n");
  expect_refused(hinge({"evaluate", path("c.model"), fresh}), {"fresh.nbest", "--refs"});
  ASSERT_EQ(hinge({"cache", given, "--cost", name, "-o", path("c.cache")}).code, 0);
  EXPECT_EQ(train_on(path("c.cache"), name).code, 0);
  expect_refused(train_on(path("c.cache"), "other"), {"c.cache", name, "--cost other"});
}

TEST_F(RerankCommand, CheckpointsKnowTheCostsThatWereGiven) {
  const std::string given = write("cost.nbest", "0 ||| a ||| f= 1 loss= 0.1\n0 ||| b ||| f= -1 loss= 0.9\n");
  ASSERT_EQ(hinge({"train", "rerank", given, "-q", "-p", "cost=loss", "--epochs", "2", "--checkpoint",
                   path("k"), "-o", path("c.model")})
                .code,
            0);
  write("cost.nbest", "0 ||| a ||| f= 1 loss= 0.2\n0 ||| b ||| f= -1 loss= 0.9\n");
  expect_refused(hinge({"train", "--resume", path("k"), "--epochs", "3", "-q"}), {"other training data"});
}

TEST_F(RerankCommand, ChoicesAreWrittenByIdAndMissingSentencesTold) {
  std::vector<std::string> lines = lines_of(kLists);
  const std::string turned =
      write("turned", lines[2] + "\n" + lines[3] + "\n" + lines[0] + "\n" + lines[1] + "\n");
  ASSERT_EQ(train_with({"--refs", refs_}).code, 0);
  EXPECT_EQ(hinge({"predict", path("rerank.model"), turned}).out, kReferences);
  const std::string half = write("half", lines[2] + "\n" + lines[3] + "\n");
  expect_refused(hinge({"train", "rerank", half, "--refs", refs_, "-q", "-o", path("x")}),
                 {"half", "1 sentences", "sentence 0", "subset=true"});
  EXPECT_EQ(
      hinge({"train", "rerank", half, "--refs", refs_, "-p", "subset=true", "-q", "-o", path("x")}).code, 0);
  expect_refused(hinge({"evaluate", path("x"), half, "--refs", refs_}), {"sentence 0"});
  EXPECT_EQ(hinge({"evaluate", path("x"), half, "--refs", refs_, "-p", "subset=true"}).code, 0);
}

TEST_F(RerankCommand, DevelopmentScoresRiseAndNeedTheirReferences) {
  expect_refused(train_with({"--refs", refs_, "--dev", lists_}), {"--dev-refs"});
  ASSERT_EQ(train_with({"--refs", refs_, "--dev", lists_, "--dev-refs", refs_, "-p", "metric=ter", "--epochs",
                        "3", "--log", path("log")})
                .code,
            0);
  const auto last = nlohmann::json::parse(lines_of(TemporaryFolder::read(path("log"))).back());
  EXPECT_EQ(last.at("dev_100-ter").get<double>(), 100.0);
  EXPECT_GE(last.at("dev_oracle").get<double>(), last.at("dev_prediction").get<double>());
}

TEST_F(RerankCommand, ChoosesWhatItScoresEvenWhereFloatsAreTooCoarse) {
  const std::string near = write("near", "0 ||| b ||| big= 1000000 s= 0\n0 ||| a ||| big= 1000000 s= 0.01\n");
  const std::string wanted = write("wanted", "a\n");
  const std::string weights = write("w", "big= 1\ns= 1\n");
  ASSERT_EQ(hinge({"train", "rerank", near, "--refs", wanted, "--init", weights, "--learner", "mira", "--C",
                   "1e-9", "--epochs", "1", "-q", "-o", path("n.model")})
                .code,
            0);
  EXPECT_EQ(hinge({"predict", path("n.model"), near}).out, "a\n");
}

TEST_F(RerankCommand, PairsAreLearnedFromByEveryKindOfLearner) {
  for (const std::string learner : {"crf", "dcd", "mira", "softmax-margin"}) {
    const CommandResult trained = train_with({"--refs", refs_, "-p", "pairs=10", "--learner", learner});
    ASSERT_EQ(trained.code, 0) << trained.err;
    EXPECT_EQ(hinge({"predict", path("rerank.model"), lists_}).out, kReferences) << learner;
  }
  expect_refused(train_with({"--refs", refs_, "-p", "pairs=10", "-p", "least=1000"}), {"least"});
  expect_refused(train_with({"--refs", refs_, "-p", "pairs=10", "--learner", "mert"}),
                 {"mert", "lists of outputs"});
}

TEST_F(RerankCommand, MertChoosesTheReferencesWhateverTheContext) {
  for (const std::string context : {"true", "false"}) {
    const CommandResult trained =
        train_with({"--refs", refs_, "--learner", "mert", "--epochs", "3", "-p", "context=" + context});
    ASSERT_EQ(trained.code, 0) << trained.err;
    EXPECT_EQ(hinge({"predict", path("rerank.model"), lists_}).out, kReferences);
  }
}

TEST_F(RerankCommand, CompareTakesReferencesAsTrainDoes) {
  const CommandResult compared =
      hinge({"compare", "rerank", lists_, lists_, "--refs", refs_, "--dev-refs", refs_, "--learners", "mira",
             "--epochs", "2", "-q", "-o", path("compared")});
  EXPECT_EQ(compared.code, 0) << compared.err;
}

TEST_F(RerankCommand, MertRefusesManyFeatures) {
  std::string features;
  for (int f = 0; f < 101; ++f) features += " f" + std::to_string(f) + "= 1";
  const std::string many = write("many.nbest", "0 ||| a |||" + features + "\n1 ||| a |||" + features + "\n");
  expect_refused(
      hinge({"train", "rerank", many, "--refs", refs_, "--learner", "mert", "-q", "-o", path("x")}),
      {"mert", "101 features", "mira"});
}

TEST_F(RerankCommand, BadInputIsRefused) {
  expect_refused(train_with({}), {"--refs"});
  expect_refused(train_with({"--refs", write("short.ref", "one line\n")}), {"short.ref", "id 1"});
  expect_refused(train_with({"--refs", refs_, "--learner", "crf"}), {"crf", "mira"});
  expect_refused(train_with({"--refs", refs_, "-p", "oracle=luck"}), {"oracle", "hope"});
  expect_refused(hinge({"train", "rerank", write("nan.nbest", "0 ||| a ||| f= nan\n"), "--refs", refs_, "-q",
                        "-o", path("x.model")}),
                 {"nan.nbest:1"});
  expect_refused(
      hinge({"train", "rerank", write("back.nbest", "0 ||| a ||| f= 1\n1 ||| a ||| f= 1\n0 ||| b ||| f= 1\n"),
             "--refs", refs_, "-q", "-o", path("x.model")}),
      {"back.nbest:3"});
  ASSERT_EQ(train_with({"--refs", refs_}).code, 0);
  expect_refused(hinge({"evaluate", path("rerank.model"), lists_}), {"--refs"});
  expect_refused(hinge({"evaluate", "rerank", "--system", refs_}), {"--gold"});
}

// BLEU on the tuning lists, one to two points above the decoder's weights.
struct Tuning {
  std::string name;
  std::vector<std::string> flags;
  double least;

  friend void PrintTo(const Tuning& tuning, std::ostream* out) { *out << tuning.name; }
};

class RerankOnRealLists : public testing::TestWithParam<Tuning> {};
INSTANTIATE_TEST_SUITE_P(Tunings, RerankOnRealLists,
                         testing::Values(Tuning{"mert", {"--learner", "mert", "-p", "average=false"}, 42.0},
                                         Tuning{"mira", {}, 41.6}, Tuning{"shards", {"--shards", "4"}, 41.0},
                                         Tuning{"pro", {"--learner", "crf", "-p", "pairs=50"}, 41.3}),
                         [](const auto& info) { return info.param.name; });

TEST_P(RerankOnRealLists, EveryTuningGainsOnTheDecodersWeights) {
  HINGE_DATA_FILE(val, "mt/multi30k_nbest/val.nbest.gz");
  HINGE_DATA_FILE(refs, "mt/multi30k_nbest/val.ref");
  HINGE_DATA_FILE(initial, "mt/multi30k_nbest/initial.weights");
  const TemporaryFolder folder;
  std::vector<std::string> command{"train",  "rerank", val,  "--refs", refs,
                                   "--init", initial,  "-q", "-o",     folder.path("m")};
  command.insert(command.end(), GetParam().flags.begin(), GetParam().flags.end());
  const CommandResult trained = hinge(command);
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto scores =
      nlohmann::json::parse(hinge({"evaluate", folder.path("m"), val, "--refs", refs, "--json"}).out);
  EXPECT_NEAR(scores.at("detail").at("first").at("bleu").get<double>(), 39.95, 0.01);
  EXPECT_NEAR(scores.at("detail").at("oracle").at("bleu").get<double>(), 61.07, 0.01);
  EXPECT_GT(scores.at("bleu").get<double>(), GetParam().least);
}

}  // namespace
}  // namespace hinge::test
