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
  ASSERT_EQ(train_with({"--refs", refs_, "-p", "bigrams=true", "--learner", "mira"}).code, 0);
  EXPECT_EQ(hinge({"predict", path("rerank.model"), lists_}).out, kReferences);
}

TEST_F(RerankCommand, MertChoosesTheReferencesWhateverTheContext) {
  for (const std::string context : {"true", "false"}) {
    const CommandResult trained =
        train_with({"--refs", refs_, "--learner", "mert", "--epochs", "3", "-p", "context=" + context});
    ASSERT_EQ(trained.code, 0) << trained.err;
    EXPECT_EQ(hinge({"predict", path("rerank.model"), lists_}).out, kReferences);
  }
}

TEST_F(RerankCommand, MertRefusesManyFeatures) {
  std::string features;
  for (int f = 0; f < 101; ++f) features += " f" + std::to_string(f) + "= 1";
  const std::string many = write("many.nbest", "0 ||| a |||" + features + "\n");
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

TEST(RerankOnRealLists, MertFromTheDecodersWeightsGainsTwoPointsOfBleu) {
  HINGE_DATA_FILE(val, "mt/multi30k_nbest/val.nbest.gz");
  HINGE_DATA_FILE(refs, "mt/multi30k_nbest/val.ref");
  HINGE_DATA_FILE(initial, "mt/multi30k_nbest/initial.weights");
  const TemporaryFolder folder;
  ASSERT_EQ(hinge({"train", "rerank", val, "--refs", refs, "--init", initial, "--learner", "mert", "-p",
                   "average=false", "-q", "-o", folder.path("m")})
                .code,
            0);
  const auto scores =
      nlohmann::json::parse(hinge({"evaluate", folder.path("m"), val, "--refs", refs, "--json"}).out);
  EXPECT_GT(scores.at("bleu").get<double>(), 42.0);
}

TEST(RerankOnRealLists, MiraFromTheDecodersWeightsGainsAPointOfBleu) {
  HINGE_DATA_FILE(val, "mt/multi30k_nbest/val.nbest.gz");
  HINGE_DATA_FILE(refs, "mt/multi30k_nbest/val.ref");
  HINGE_DATA_FILE(initial, "mt/multi30k_nbest/initial.weights");
  const TemporaryFolder folder;
  ASSERT_EQ(hinge({"train", "rerank", val, "--refs", refs, "--init", initial, "--learner", "mira", "--C",
                   "0.01", "-q", "-o", folder.path("m")})
                .code,
            0);
  const auto scores =
      nlohmann::json::parse(hinge({"evaluate", folder.path("m"), val, "--refs", refs, "--json"}).out);
  EXPECT_NEAR(scores.at("detail").at("first").at("bleu").get<double>(), 39.95, 0.01);
  EXPECT_NEAR(scores.at("detail").at("oracle").at("bleu").get<double>(), 61.07, 0.01);
  EXPECT_GT(scores.at("bleu").get<double>(), 41.0);
}

}  // namespace
}  // namespace hinge::test
