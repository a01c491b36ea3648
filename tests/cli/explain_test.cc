// `hinge explain`: which features decided.
#include <optional>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

struct Explained {
  std::string task;
  std::vector<std::string> options;
};

void PrintTo(const Explained& of, std::ostream* out) { *out << of.task; }

class Explain : public testing::TestWithParam<Explained> {
 protected:
  void SetUp() override {
    const std::string& task = GetParam().task;
    std::vector<std::string> sample{"sample", task, "--sentences", "30", "-o", data()};
    std::vector<std::string> train{"train", task, data(), "-q", "--epochs", "2", "-o", model()};
    if (task == "rerank") {
      sample.insert(sample.end(), {"--refs", folder_.path("refs")});
      train.insert(train.end(), {"--refs", folder_.path("refs")});
    }
    train.insert(train.end(), GetParam().options.begin(), GetParam().options.end());
    ASSERT_EQ(hinge(sample).code, 0);
    const CommandResult trained = hinge(train);
    ASSERT_EQ(trained.code, 0) << trained.err;
  }
  std::string data() const { return folder_.path("data"); }
  std::string model() const { return folder_.path("model"); }
  std::string explained(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"explain", model(), data()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = hinge(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }

 private:
  TemporaryFolder folder_;
};

TEST_P(Explain, TheReasonsOfADecisionAddUpToItsMargin) {
  int decisions = 0;
  for (const std::string& line : lines_of(explained({"--json", "--top", "1000000"}))) {
    const auto decision = nlohmann::json::parse(line);
    ASSERT_TRUE(decision.contains("where") && decision.contains("item") && decision.contains("chosen")) << line;
    if (!decision.contains("margin")) {
      EXPECT_TRUE(decision["reasons"].empty()) << line;
      continue;
    }
    ++decisions;
    EXPECT_NE(decision["chosen"], decision["rival"]) << line;
    EXPECT_FALSE(decision.contains("others")) << line;
    // Bigrams that another sentence has, too, are not lost with a sentence.
    if (GetParam().task == "summarize") continue;
    double sum = 0.0, size = 1.0;
    for (const auto& reason : decision["reasons"]) {
      sum += reason["amount"].get<double>();
      size += std::abs(reason["amount"].get<double>());
    }
    EXPECT_NEAR(sum, decision["margin"].get<double>(), 1e-4 * size) << line;
  }
  EXPECT_GT(decisions, 5);
}

TEST_P(Explain, TextHasTheSameDecisionsAndTheHeaviestReasonsOfEach) {
  std::size_t decisions = 0;
  for (const std::string& line : lines_of(explained({"--top", "2"}))) {
    if (line.empty() || line.starts_with("  ")) continue;
    EXPECT_TRUE(line.find(", not ") != std::string::npos || line.ends_with(", no other choice")) << line;
    ++decisions;
  }
  std::size_t in_json = 0;
  for (const std::string& line : lines_of(explained({"--json", "--top", "2"}))) {
    const auto decision = nlohmann::json::parse(line);
    EXPECT_LE(decision["reasons"].size(), 2u);
    if (decision["reasons"].size() == 2) {
      EXPECT_GE(std::abs(decision["reasons"][0]["amount"].get<double>()),
                std::abs(decision["reasons"][1]["amount"].get<double>()));
    }
    ++in_json;
  }
  EXPECT_EQ(decisions, in_json);
}

TEST_P(Explain, APageHasABoxForEveryDecision) {
  const std::string page = explained({"--html", "--top", "2"});
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>") && page.ends_with("</body></html>\n"));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<div class=\"decision\">"), lines_of(explained({"--json"})).size());
  expect_refused(hinge({"explain", model(), data(), "--html", "--json"}), {"--html and --json"});
}

TEST_P(Explain, TheSameAtAnyNumberOfThreads) {
  EXPECT_EQ(explained({"--threads", "1"}), explained({"--threads", "3"}));
}

INSTANTIATE_TEST_SUITE_P(All, Explain,
                         testing::Values(Explained{"tag", {}}, Explained{"dep", {"-p", "hash_bits=12"}},
                                         Explained{"rerank", {}}, Explained{"classify", {}},
                                         Explained{"const", {}}, Explained{"coref", {"-p", "hash_bits=14"}},
                                         Explained{"summarize", {}}),
                         [](const auto& info) { return info.param.task; });

class ExplainTrees : public testing::TestWithParam<std::vector<std::string>> {
 protected:
  TemporaryFolder folder_;
};

// "Score=1.2345" of every word; none where there is no other tree.
std::vector<std::optional<double>> scores_of(const std::string& conllu) {
  std::vector<std::optional<double>> scores;
  for (const std::string& line : lines_of(conllu)) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t at = line.find("Score=");
    scores.push_back(at == std::string::npos ? std::nullopt : std::optional(std::stod(line.substr(at + 6))));
  }
  return scores;
}

// Each head is compared with the best other tree, so no margin is negative.
TEST_P(ExplainTrees, MarginsOfHeadsAreThoseOfPredictedScores) {
  const std::string data = folder_.path("data");
  const std::string model = folder_.path("model");
  ASSERT_EQ(hinge({"sample", "dep", "--sentences", "60", "-o", data}).code, 0);
  std::vector<std::string> train{"train", "dep", data, "-q", "--epochs", "2", "-p", "hash_bits=14", "-o", model};
  train.insert(train.end(), GetParam().begin(), GetParam().end());
  ASSERT_EQ(hinge(train).code, 0);
  const auto scores = scores_of(hinge({"predict", model, data, "--scores"}).out);
  std::size_t word = 0;
  std::size_t several = 0;
  for (const std::string& line : lines_of(hinge({"explain", model, data, "--json", "--top", "0"}).out)) {
    const auto decision = nlohmann::json::parse(line);
    if (!decision["chosen"].get<std::string>().starts_with("head ")) continue;
    ASSERT_LT(word, scores.size());
    const std::optional<double> score = scores[word++];
    if (!decision.contains("margin")) {
      EXPECT_FALSE(score) << line;
      continue;
    }
    ASSERT_TRUE(score) << line;
    EXPECT_NEAR(decision["margin"].get<double>(), *score, 2e-3) << line;
    EXPECT_GE(decision["margin"].get<double>(), -1e-4) << line;
    several += decision.contains("rival_also");
  }
  EXPECT_EQ(word, scores.size());
  EXPECT_GT(word, 500u);
  EXPECT_GT(several, 20u);
  const std::string text = hinge({"explain", model, data, "--top", "1"}).out;
  EXPECT_NE(text.find("\n  the rival also has "), std::string::npos);
  EXPECT_NE(hinge({"explain", model, data, "--top", "1", "--html"}).out.find("<em>the rival also has "),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, ExplainTrees,
                         testing::Values(std::vector<std::string>{}, std::vector<std::string>{"-p", "decoder=chu-liu-edmonds"},
                                         std::vector<std::string>{"-p", "single_root=false"},
                                         std::vector<std::string>{"-p", "order=2"}));

class ExplainCommand : public SampleCorpus {};

TEST_F(ExplainCommand, SaysWhatItCannotExplain) {
  ASSERT_EQ(hinge({"sample", "const", "--sentences", "20", "-o", path("trees")}).code, 0);
  ASSERT_EQ(
      hinge({"train", "const", path("trees"), "--grammar", "none", "-q", "--epochs", "1", "-o", path("m")}).code, 0);
  expect_refused(hinge({"explain", path("m"), path("trees")}), {"grammar=none"});
}

// The page shows both trees with what only one of them has, not brackets.
TEST_F(ExplainCommand, DrawsTreesOfPhrases) {
  ASSERT_EQ(hinge({"sample", "const", "--sentences", "20", "-o", path("trees")}).code, 0);
  ASSERT_EQ(hinge({"train", "const", path("trees"), "-q", "--epochs", "1", "-o", path("m")}).code, 0);
  const CommandResult page = hinge({"explain", path("m"), "-", "--html", "--top", "2"}, "the chairman sold the shares .\n");
  ASSERT_EQ(page.code, 0) << page.err;
  const std::size_t first = page.out.find("<svg "), second = page.out.find("<svg ", first + 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_NE(page.out.substr(first, second - first).find("\"label differs\""), std::string::npos);
  EXPECT_NE(page.out.find("\"label differs\"", second), std::string::npos);
  EXPECT_NE(page.out.find("better by "), std::string::npos);
  EXPECT_EQ(page.out.find("(S (NP"), std::string::npos);
}

TEST_F(ExplainCommand, NamesWordsAndFeaturesAsTheUserWroteThem) {
  must_train({"--features", write("t", "U00:%x[0,0]\nB\n"), "--epochs", "2", "-o", path("m")});
  const CommandResult result = hinge({"explain", path("m"), write("new", "the DT\nreport NN\n")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with(path("new") + ":1  the: B-NP, ")) << result.out;
  EXPECT_NE(result.out.find("\n" + path("new") + ":2  report: I-NP, not "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("  U00:report\n"), std::string::npos) << result.out;
}

// The second "Ann" is a name only because the first one follows "Ms".
TEST_F(ExplainCommand, SeesEarlierSentencesAsPredictDoes) {
  const std::string text = write("names", "Ms O\nAnn B-PER\n\nAnn B-PER\n\nthe O\nOak O\n\nOak O\n\nMs O\nBo B-PER\n\nBo B-PER\n\n");
  const std::string templates = write("t", "U1:%lower[-1,0]\nU2:%lower[earlier-1,0]\nB\n");
  ASSERT_EQ(hinge({"train", "tag", text, "--features", templates, "-q", "-o", path("m")}).code, 0);
  const std::string labels = hinge({"predict", path("m"), text}).out;
  EXPECT_NE(labels.find("Ann B-PER B-PER\n\nAnn B-PER B-PER"), std::string::npos) << labels;
  std::string expected, explained;
  for (const std::string& line : lines_of(labels)) expected += line.empty() ? "" : line.substr(line.rfind(' ') + 1) + "\n";
  for (const std::string& line : lines_of(hinge({"explain", path("m"), text, "--json"}).out))
    explained += nlohmann::json::parse(line)["chosen"].get<std::string>() + "\n";
  EXPECT_EQ(explained, expected);
}

}  // namespace
}  // namespace hinge::test
