// `predict --scores` and `--marginals`: a number for each decision.
#include <cmath>
#include <functional>
#include <numeric>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class ScoresCommand : public SampleCorpus {
 protected:
  void SetUp() override {
    SampleCorpus::SetUp();
    must_train({"--learner", "crf", "--epochs", "20", "-o", path("crf")});
    must_train({"--learner", "dcd", "--epochs", "5", "-o", path("dcd")});
  }
  std::string predict(const std::string& model, const std::vector<std::string>& flags) const {
    std::vector<std::string> arguments{"predict", path(model), dev()};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const CommandResult result = hinge(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
};

double last_number(const std::string& line) { return std::stod(line.substr(line.find_last_of(" =") + 1)); }

// The same lines without their last column, to compare with plain predictions.
std::string without_scores(const std::string& text) {
  std::string result;
  for (const std::string& line : lines_of(text)) result += line.substr(0, line.rfind(' ')) + "\n";
  return result;
}

std::vector<double> scores_of(const std::string& text) {
  std::vector<double> scores;
  for (const std::string& line : lines_of(text)) {
    if (!line.empty() && line[0] != '#') scores.push_back(last_number(line));
  }
  return scores;
}

TEST_F(ScoresCommand, ScoresOfALikelihoodAreProbabilities) {
  const std::string text = predict("crf", {"--scores"});
  EXPECT_EQ(without_scores(text), predict("crf", {}));
  EXPECT_EQ(text, predict("crf", {"--marginals"}));
  double sure = 0.0;
  for (const double p : scores_of(text)) {
    EXPECT_GT(p, 0.0);
    EXPECT_LE(p, 1.0);
    sure += p;
  }
  EXPECT_GT(sure / static_cast<double>(scores_of(text).size()), 0.5);
}

TEST_F(ScoresCommand, ScoresOfAMarginLearnerAreMarginsAndItsMarginalsProbabilities) {
  const std::string margins = predict("dcd", {"--scores"});
  EXPECT_EQ(without_scores(margins), predict("dcd", {}));
  double most = 0.0;
  for (const double margin : scores_of(margins)) {
    EXPECT_GE(margin, 0.0);
    most = std::max(most, margin);
  }
  EXPECT_GT(most, 1.0);
  const std::string marginals = predict("dcd", {"--marginals"});
  EXPECT_EQ(without_scores(marginals), predict("dcd", {}));
  EXPECT_EQ(marginals, predict("dcd", {"--marginals", "--scores"}));
  for (const double p : scores_of(marginals)) {
    EXPECT_GT(p, 0.0);
    EXPECT_LE(p, 1.0);
  }
}

TEST_F(ScoresCommand, TheFirstOfAnNBestListHasTheScoresOfTheBestOutput) {
  for (const std::string model : {"crf", "dcd"}) {
    for (const std::string flag : {"--scores", "--marginals"}) {
      SCOPED_TRACE(model + " " + flag);
      std::string firsts;
      bool first = false;
      for (const std::string& line : lines_of(predict(model, {flag, "--nbest", "3"}))) {
        if (line.starts_with("# ")) {
          first = line.starts_with("# 1 ");
        } else if (first) {
          firsts += line + "\n";
        }
      }
      EXPECT_EQ(firsts, predict(model, {flag}));
    }
  }
}

TEST_F(ScoresCommand, ALabelThatIsNotTheBestHasTheNegativeMarginItLosesBy) {
  const std::string one = write("one.txt", "he PRP\n");
  const std::vector<std::string> lines =
      lines_of(hinge({"predict", path("dcd"), one, "--scores", "--nbest", "2"}).out);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_NEAR(last_number(lines[1]), last_number(lines[0]) - last_number(lines[3]), 1e-3);
  EXPECT_NEAR(last_number(lines[4]), -last_number(lines[1]), 1e-3);
}

// "# rank score probability"
std::vector<double> probabilities_of(const std::string& text) {
  std::vector<double> probabilities;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("# ") && std::ranges::count(line, ' ') == 3) probabilities.push_back(last_number(line));
  }
  return probabilities;
}

TEST_F(ScoresCommand, AllSequencesOfAListHaveProbabilitiesThatSumToOne) {
  const std::string one = write("one.txt", "he PRP\n");
  const std::string all =
      hinge({"predict", path("crf"), one, "--nbest", "1000", "--marginals"}).out;
  const std::vector<double> probabilities = probabilities_of(all);
  ASSERT_GT(probabilities.size(), 3u) << all;
  EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0), 1.0, 1e-5);
  // Of one token, those of the sequences are those of the labels.
  const std::vector<double> marginals = scores_of(all);
  ASSERT_EQ(marginals.size(), probabilities.size());
  for (std::size_t k = 0; k < marginals.size(); ++k) EXPECT_NEAR(marginals[k], probabilities[k], 1e-4);
  const std::string two = write("two.txt", "he PRP\nsleeps VBZ\n");
  const std::vector<double> pairs = probabilities_of(hinge({"predict", path("crf"), two, "--nbest", "1000"}).out);
  EXPECT_GT(pairs.size(), probabilities.size());
  EXPECT_NEAR(std::accumulate(pairs.begin(), pairs.end(), 0.0), 1.0, 1e-5);
  EXPECT_TRUE(std::ranges::is_sorted(pairs, std::greater()));
}

TEST_F(ScoresCommand, ListsOfMarginLearnersHaveProbabilitiesOnlyIfAskedFor) {
  EXPECT_TRUE(probabilities_of(predict("dcd", {"--nbest", "3"})).empty());
  EXPECT_TRUE(probabilities_of(predict("dcd", {"--nbest", "3", "--scores"})).empty());
  const std::size_t all = probabilities_of(predict("dcd", {"--nbest", "3", "--marginals"})).size();
  EXPECT_EQ(all, probabilities_of(predict("crf", {"--nbest", "3"})).size());
  EXPECT_GT(all, 40u);
}

TEST_F(ScoresCommand, NoInputAndNoTokensGiveNoScores) {
  for (const std::string flag : {"--scores", "--marginals"}) {
    for (const std::string model : {"crf", "dcd"}) {
      EXPECT_EQ(hinge({"predict", path(model), "-", flag}, "").out, "");
      const CommandResult blank = hinge({"predict", path(model), "-", flag, "--nbest", "2"}, "\n\n\n");
      EXPECT_EQ(blank.code, 0) << blank.err;
      EXPECT_EQ(scores_of(blank.out).size(), 0u) << blank.out;
    }
  }
}

TEST_F(ScoresCommand, ConlluHasItsScoresInMiscAndStaysConllu) {
  const std::string text =
      "# sent_id = 1\n1\tthe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2-3\tplans\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "2\tplan\tplan\tNOUN\tNN\t_\t0\troot\t_\tSpaceAfter=No\n3\ts\ts\tVERB\tVB\t_\t2\tdep\t_\t_\n\n"
      "# nothing = here\n\n1\the\the\tPRON\tPRP\t_\t0\troot\t_\t_\n\n";
  const std::string file = write("a.conllu", text);
  for (const std::string learner : {"crf", "dcd"}) {
    ASSERT_EQ(hinge({"train", "tag", file, "-q", "--learner", learner, "-o", path("u")}).code, 0);
    for (const std::string flag : {"--scores", "--marginals"}) {
      const CommandResult result = hinge({"predict", path("u"), file, flag});
      ASSERT_EQ(result.code, 0) << result.err;
      const std::vector<std::string> lines = lines_of(result.out);
      ASSERT_EQ(lines.size(), lines_of(text).size());
      std::vector<double> scores;
      for (std::size_t k = 0; k < lines.size(); ++k) {
        EXPECT_EQ(std::ranges::count(lines[k], '\t'), std::ranges::count(lines_of(text)[k], '\t'));
        const std::size_t score = lines[k].find("Score=");
        if (score != std::string::npos) scores.push_back(std::stod(lines[k].substr(score + 6)));
      }
      EXPECT_EQ(scores.size(), 4u) << result.out;
      EXPECT_NE(result.out.find("\tSpaceAfter=No|Score="), std::string::npos);
      EXPECT_EQ(hinge({"predict", path("u"), write("b.conllu", result.out)}).out, result.out);
    }
  }
}

TEST_F(ScoresCommand, GivenLabelsThatCannotStandTogetherStillHaveNumbersForScores) {
  const std::string file = write("c.txt", "the DT O\nplan NN I-NP\n\n");
  for (const std::string flag : {"--scores", "--marginals"}) {
    const CommandResult result = hinge({"predict", path("dcd"), file, "--constrain", flag});
    ASSERT_EQ(result.code, 0) << result.err;
    for (const double score : scores_of(result.out)) EXPECT_TRUE(std::isfinite(score)) << result.out;
  }
}

}  // namespace
}  // namespace hinge::test
