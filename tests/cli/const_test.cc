// `hinge train const` and what follows, on sampled trees.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class ConstCommand : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(hinge({"sample", "const", "--sentences", "80", "--seed", "1", "-o", path("train.mrg")}).code,
              0);
    ASSERT_EQ(hinge({"sample", "const", "--sentences", "30", "--seed", "2", "-o", path("dev.mrg")}).code, 0);
  }

  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::string read(const std::string& name) const { return TemporaryFolder::read(path(name)); }

  CommandResult train(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", "const", path("train.mrg"), "-q", "-p", "hash_bits=16"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(ConstCommand, ParsesWordsAndEvaluatesItsOutput) {
  ASSERT_EQ(train({"--epochs", "4", "--dev", path("dev.mrg"), "-o", path("m")}).code, 0);
  const CommandResult trees = hinge({"predict", path("m"), path("dev.mrg")});
  ASSERT_EQ(trees.code, 0) << trees.err;
  EXPECT_EQ(lines_of(trees.out).size(), 30u);
  const CommandResult scores = hinge(
      {"evaluate", "const", "--gold", path("dev.mrg"), "--system", write("out.mrg", trees.out), "--json"});
  ASSERT_EQ(scores.code, 0) << scores.err;
  const CommandResult of_model = hinge({"evaluate", path("m"), path("dev.mrg"), "--json"});
  const auto json = nlohmann::json::parse(scores.out);
  EXPECT_EQ(json["f1"], nlohmann::json::parse(of_model.out)["f1"]);
  EXPECT_GT(json["f1"].get<double>(), 50.0);
  EXPECT_TRUE(json.contains("precision"));
  EXPECT_NE(hinge({"inspect", path("m")}).out.find("rules"), std::string::npos);
}

TEST_F(ConstCommand, IsTheSameAtAnyNumberOfThreadsAndWhenResumed) {
  for (const std::string grammar : {"rules", "none"}) {
    SCOPED_TRACE(grammar);
    const std::vector<std::string> flags{"--grammar", grammar, "--learner", "dcd"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), flags.begin(), flags.end());
      return train(more).code;
    };
    ASSERT_EQ(with({"--epochs", "4", "--threads", "1", "-o", path("one")}), 0);
    ASSERT_EQ(with({"--epochs", "4", "--threads", "2", "-o", path("two")}), 0);
    EXPECT_TRUE(read("one") == read("two"));
    ASSERT_EQ(with({"--epochs", "2", "--checkpoint", path("k"), "-o", path("half")}), 0);
    ASSERT_EQ(hinge({"train", "--resume", path("k"), "--epochs", "4", "-q", "-o", path("resumed")}).code, 0);
    EXPECT_TRUE(read("one") == read("resumed"));
  }
}

TEST_F(ConstCommand, TakesTagsFromATagger) {
  ASSERT_EQ(hinge({"train", "tag", path("train.mrg"), "--column", "xpos", "-q", "--epochs", "3", "-o",
                   path("tagger")})
                .code,
            0);
  for (const std::string grammar : {"rules", "none"}) {
    SCOPED_TRACE(grammar);
    const CommandResult trained =
        train({"--grammar", grammar, "--epochs", "3", "--tagger", path("tagger"), "--jackknife", "3", "--dev",
               path("dev.mrg"), "--log", path("log"), "-o", path("m")});
    ASSERT_EQ(trained.code, 0) << trained.err;
    const CommandResult scores =
        hinge({"evaluate", path("m"), path("dev.mrg"), "--tagger", path("tagger"), "--json"});
    ASSERT_EQ(scores.code, 0) << scores.err;
    // Tags of the input are replaced, so words alone give the same trees.
    const CommandResult trees = hinge({"predict", path("m"), path("dev.mrg"), "--tagger", path("tagger")});
    std::string words;
    for (const std::string& line : lines_of(trees.out)) {
      for (std::size_t at = 0; (at = line.find(' ', at)) != std::string::npos; ++at) {
        if (line[at + 1] != '(') words += line.substr(at + 1, line.find(')', at) - at - 1) + " ";
      }
      words += "\n";
    }
    EXPECT_EQ(hinge({"predict", path("m"), write("words.txt", words), "--tagger", path("tagger")}).out,
              trees.out);
    const CommandResult files = hinge(
        {"evaluate", "const", "--gold", path("dev.mrg"), "--system", write("out.mrg", trees.out), "--json"});
    EXPECT_EQ(scores.out, files.out);
    const auto json = nlohmann::json::parse(scores.out);
    EXPECT_GT(json["f1"].get<double>(), 40.0);
    EXPECT_LT(json["tags"].get<double>(), 100.0);
    // Tags of the input would be gold.
    for (const std::string name : {"words.txt", "dev.mrg"})
      expect_refused(hinge({"predict", path("m"), path(name)}), {name + ":1", "--tagger"});
    expect_refused(hinge({"evaluate", path("m"), path("dev.mrg")}), {"dev.mrg: ", "--tagger"});
    expect_refused(hinge({"explain", path("m"), path("dev.mrg")}), {"dev.mrg:1", "--tagger"});
    EXPECT_EQ(hinge({"predict", path("m"), write("blank.txt", "\nthe dog\n"), "--tagger", path("tagger")})
                  .out.substr(0, 2),
              "\n(");
  }
  ASSERT_EQ(train({"--epochs", "1", "-o", path("chart")}).code, 0);
  expect_refused(hinge({"predict", path("chart"), path("dev.mrg"), "--tagger", path("tagger")}),
                 {"finds tags by itself", "--tagger"});
  expect_refused(hinge({"evaluate", path("chart"), path("dev.mrg"), "--tagger", path("tagger")}),
                 {"finds tags by itself", "--tagger"});
}

TEST_F(ConstCommand, RefusesWordVectorsWithoutANetwork) {
  const std::string vectors = write("vectors", "the 1 2\ndog 3 4\n");
  expect_refused(train({"-p", "embeddings=" + vectors, "-o", path("m")}), {"features=span+neural"});
  expect_refused(train({"-p", "embeddings=" + vectors, "--grammar", "none", "-o", path("m")}),
                 {"features=span+neural"});
  const CommandResult trained = train({"-p", "embeddings=" + vectors, "--features", "neural", "-p",
                                       "hidden=2", "--learner", "ops", "--epochs", "1", "-o", path("m")});
  EXPECT_EQ(trained.code, 0) << trained.err;
}

TEST_F(ConstCommand, RefusesBadTreesWithFileAndLine) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& words) {
    expect_refused(hinge({"train", "const", write("bad.mrg", text), "-q"}), words);
  };
  const std::string good = "(S (NN a) (VB b))\n";
  refused(good + "(S (NN a) (VB b)\n", {"bad.mrg:2", "never closed"});
  refused(good + good + ")\n", {"bad.mrg:3", "')' without '('"});
  refused(good + "(S (NN a) ())\n", {"bad.mrg:2", "empty"});
  refused(good + "(S (NN a b))\n", {"bad.mrg:2", "(TAG word)"});
  refused("words\n", {"bad.mrg:1", "outside"});
  refused("\n", {"bad.mrg", "no trees"});
  refused("(S (-NONE- *))\n", {"bad.mrg", "no trees"});
  expect_refused(hinge({"evaluate", "const", "--gold", path("dev.mrg"), "--system", path("train.mrg")}),
                 {"train.mrg:1", "other words"});
  expect_refused(train({"--grammar", "none", "--features", "basic"}), {"grammar=none", "features"});
}

TEST_F(ConstCommand, LongSentencesAndDeepTreesAreParsed) {
  ASSERT_EQ(train({"--epochs", "2", "-o", path("m")}).code, 0);
  std::string words;
  for (int i = 0; i < 300; ++i) words += i % 5 == 0 ? "report " : "the ";
  const CommandResult result = hinge({"predict", path("m"), write("long.txt", words + "\n")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 1);
}

TEST_F(ConstCommand, ComparesLearners) {
  const CommandResult result =
      hinge({"compare", "const", path("train.mrg"), path("dev.mrg"), "--learners", "perceptron,mira",
             "--epochs", "2", "-p", "hash_bits=16", "-q", "-o", path("c")});
  EXPECT_EQ(result.code, 0) << result.err;
}

}  // namespace
}  // namespace hinge::test
