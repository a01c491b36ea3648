// What is seen while a model is trained.
#include <cstdlib>
#include <regex>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class ProgressLines : public SampleCorpus {
 protected:
  std::vector<std::string> epochs_of(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), {"--epochs", "3", "-o", path("m")});
    const CommandResult result = hinge(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    std::vector<std::string> epochs;
    for (const std::string& line : lines_of(result.err)) {
      if (line.starts_with("epoch ")) epochs.push_back(line);
    }
    EXPECT_EQ(epochs.size(), 3u) << result.err;
    return epochs;
  }
};

bool has(const std::string& line, const std::string& pattern) {
  return std::regex_search(line, std::regex(pattern));
}

TEST_F(ProgressLines, OfCrfShowObjectiveGradientAndChange) {
  const auto epochs = epochs_of({"tag", train(), "--learner", "crf", "--log", path("log")});
  EXPECT_TRUE(has(epochs[0], "objective [0-9.]+  gradient norm [0-9.]+")) << epochs[0];
  EXPECT_TRUE(has(epochs[2], "objective [0-9.]+  gradient norm [0-9.]+  change -[0-9.]+ %")) << epochs[2];
  for (const std::string& line : epochs) EXPECT_FALSE(has(line, "updates|loss|weight")) << line;
  const auto lines = log("log");
  for (std::size_t e = 1; e < lines.size(); ++e) {
    const double now = lines[e]["objective"].get<double>();
    const double before = lines[e - 1]["objective"].get<double>();
    EXPECT_LT(now, before);
    EXPECT_NEAR(lines[e]["change"].get<double>(), now / before - 1.0, 1e-12);
    EXPECT_GT(lines[e]["gradient_norm"].get<double>(), 0.0);
    EXPECT_GT(lines[e]["weight_norm"].get<double>(), 0.0);
    EXPECT_GT(lines[e]["active_weights"].get<double>(), 0.0);
  }
  EXPECT_NEAR(lines.back()["primal"].get<double>(), lines.back()["objective"].get<double>(),
              1e-3 * lines.back()["primal"].get<double>());
}

TEST_F(ProgressLines, WithoutALimitOfEpochsShowNone) {
  const CommandResult result = hinge({"train", "tag", train(), "--learner", "crf", "--epochs", "2147483647", "-p", "tolerance=0.1", "-o", path("m")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.err, "epoch 1  objective [0-9.]+  gradient norm [0-9.]+  [0-9.]+ s"));
  EXPECT_EQ(result.err.find("2147483647"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("ETA"), std::string::npos) << result.err;
}

TEST_F(ProgressLines, OfOtherLearnersShowUpdatesAndLoss) {
  for (const std::string& line : epochs_of({"tag", train(), "--learner", "mira"}))
    EXPECT_TRUE(has(line, "updates +[0-9]+  loss [0-9]+")) << line;
}

TEST_F(ProgressLines, OfAParserShowLasBesideUas) {
  ASSERT_EQ(hinge({"sample", "dep", "--sentences", "30", "-o", path("d")}).code, 0);
  for (const std::string& line : epochs_of({"dep", path("d"), "--dev", path("d"), "-p", "hash_bits=12"}))
    EXPECT_TRUE(has(line, "dev uas [0-9.]+  las [0-9.]+")) << line;
  for (const std::string& line :
       epochs_of({"dep", path("d"), "--dev", path("d"), "-p", "hash_bits=12", "labelled=false"}))
    EXPECT_FALSE(has(line, "las [0-9.]+")) << line;
}

TEST_F(ProgressLines, OfARerankerShowTheMetricOnItsLists) {
  ASSERT_EQ(hinge({"sample", "rerank", "--sentences", "30", "-o", path("l"), "--refs", path("r")}).code, 0);
  const auto epochs = epochs_of({"rerank", path("l"), "--refs", path("r"), "--log", path("log")});
  for (const std::string& line : epochs) {
    EXPECT_TRUE(has(line, "train bleu [0-9.]+")) << line;
    EXPECT_FALSE(has(line, "loss")) << line;
  }
  const auto scores = nlohmann::json::parse(
      hinge({"evaluate", path("m"), path("l"), "--refs", path("r"), "--json"}).out);
  EXPECT_NEAR(log("log").back()["train_bleu"].get<double>(), scores["bleu"].get<double>(), 1e-6);
}

TEST_F(ProgressLines, ShowingTheMetricDoesNotChangeTheModel) {
  ASSERT_EQ(hinge({"sample", "rerank", "--sentences", "30", "-o", path("l"), "--refs", path("r")}).code, 0);
  epochs_of({"rerank", path("l"), "--refs", path("r")});
  ASSERT_EQ(hinge({"train", "rerank", path("l"), "--refs", path("r"), "--epochs", "3", "-q", "-o", path("q")}).code, 0);
  EXPECT_EQ(read("q"), read("m"));
}

// On a terminal, made by script(1).
class Terminal : public ProgressLines {
 protected:
  std::string shown(const std::string& environment) const {
    const std::string command = environment + " '" + hinge_binary() + "' train tag '" + train() + "' --dev '" + dev() +
                                "' --epochs 2 -o '" + path("m") + "' 2>&1";
    const CommandResult result = run_command({"script", "-qec", command, "/dev/null"});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
};

TEST_F(Terminal, ScoresAreColouredUnlessNoColorIsSet) {
  const std::string coloured = shown("env -u NO_COLOR TERM=xterm");
  EXPECT_NE(coloured.find("\x1b[32mf1 "), std::string::npos) << coloured;
  for (const char* environment : {"env NO_COLOR=1 TERM=xterm", "env -u NO_COLOR TERM=dumb"}) {
    const std::string plain = shown(environment);
    EXPECT_NE(plain.find("dev f1 "), std::string::npos) << plain;
    EXPECT_EQ(plain.find("\x1b[32m"), std::string::npos) << plain;
  }
}

TEST_F(Terminal, PipesAndFilesGetPlainLines) {
  const CommandResult result = hinge({"train", "tag", train(), "--dev", dev(), "--epochs", "2", "-o", path("m")});
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\r'), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("[#"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace hinge::test
