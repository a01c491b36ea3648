// `hinge train summarize` and what follows, on sampled topics.
#include <sys/stat.h>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class SummarizeCommand : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [name, sentences, seed] :
         {std::tuple("train", "400", "1"), std::tuple("dev", "150", "2")})
      ASSERT_EQ(
          hinge({"sample", "summarize", "--sentences", sentences, "--seed", seed, "-o", path(name)}).code, 0);
  }

  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::string read(const std::string& name) const { return TemporaryFolder::read(path(name)); }

  CommandResult train(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", "summarize", path("train"), "-q", "-p", "words=30"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(SummarizeCommand, ScoresItsModelAsItScoresItsOutput) {
  ASSERT_EQ(train({"--dev", path("dev"), "-o", path("m")}).code, 0);
  const CommandResult out = hinge({"predict", path("m"), path("dev")});
  ASSERT_EQ(out.code, 0) << out.err;
  const CommandResult of_files =
      hinge({"evaluate", "summarize", "--gold", path("dev"), "--system", write("out", out.out), "--json"});
  ASSERT_EQ(of_files.code, 0) << of_files.err;
  const auto files = nlohmann::json::parse(of_files.out);
  const auto model = nlohmann::json::parse(hinge({"evaluate", path("m"), path("dev"), "--json"}).out);
  EXPECT_EQ(files["rouge2"], model["rouge2"]);
  EXPECT_GT(model["rouge2"].get<double>(), 0.0);
  EXPECT_EQ(hinge({"inspect", path("m"), "--verify", "--top", "3"}).code, 0);
}

TEST_F(SummarizeCommand, IsTheSameAtAnyNumberOfThreadsAndWhenResumed) {
  for (const std::string learner : {"mira", "dcd", "one-slack"}) {
    SCOPED_TRACE(learner);
    ASSERT_EQ(train({"--learner", learner, "--epochs", "4", "--threads", "1", "-o", path("one")}).code, 0);
    ASSERT_EQ(train({"--learner", learner, "--epochs", "4", "--threads", "2", "-o", path("two")}).code, 0);
    EXPECT_TRUE(read("one") == read("two"));
    ASSERT_EQ(
        train({"--learner", learner, "--epochs", "2", "--checkpoint", path("k"), "-o", path("half")}).code,
        0);
    ASSERT_EQ(hinge({"train", "--resume", path("k"), "--epochs", "4", "-q", "-o", path("resumed")}).code, 0);
    EXPECT_TRUE(read("one") == read("resumed"));
    EXPECT_EQ(hinge({"predict", path("one"), path("dev"), "--threads", "1"}).out,
              hinge({"predict", path("one"), path("dev"), "--threads", "2"}).out);
  }
}

TEST_F(SummarizeCommand, ReadsFoldersInTheEncodingThatIsDeclared) {
  for (const std::string folder : {"topics", "topics/a", "topics/a/docs", "topics/a/refs"})
    ASSERT_EQ(mkdir(path(folder).c_str(), 0777), 0);
  write("topics/a/docs/1", "The caf\xE9 is good. The rooms are small.");
  write("topics/a/refs/1", "The caf\xE9 is good.");
  expect_refused(hinge({"train", "summarize", path("topics"), "-q", "-o", path("m")}),
                 {"docs/1", "encoding"});
  ASSERT_EQ(hinge({"train", "summarize", path("topics"), "-p", "encoding=latin-1", "-p", "words=4", "-q",
                   "-o", path("m")})
                .code,
            0);
  const CommandResult out = hinge({"predict", path("m"), path("topics")});
  EXPECT_NE(out.out.find("The caf\xC3\xA9 is good."), std::string::npos) << out.out << out.err;
}

TEST_F(SummarizeCommand, DevelopmentScoresAreThoseThatTheOptionsAskFor) {
  const std::vector<std::string> options = {"-p", "stem=false",    "-p", "remove_stop_words=true",
                                            "-p", "jackknife=true"};
  std::vector<std::string> training = {"--dev",    path("dev"), "--log", path("log"),
                                       "--epochs", "2",         "-o",    path("m")};
  training.insert(training.end(), options.begin(), options.end());
  ASSERT_EQ(train(training).code, 0);
  std::vector<std::string> scoring = {"evaluate", path("m"), path("dev"), "--json"};
  const auto plain = nlohmann::json::parse(hinge(scoring).out);
  scoring.insert(scoring.end(), options.begin(), options.end());
  const auto asked = nlohmann::json::parse(hinge(scoring).out);
  ASSERT_NE(plain["rouge2"], asked["rouge2"]);
  nlohmann::json last;
  std::stringstream log(read("log"));
  for (std::string line; std::getline(log, line);) last = nlohmann::json::parse(line);
  EXPECT_NEAR(last["dev_rouge2"].get<double>(), asked["rouge2"].get<double>(), 1e-9) << last;
}

TEST_F(SummarizeCommand, SaysWhatIsWrongAndWhere) {
  expect_refused(
      hinge({"train", "summarize", write("none", "{\"docs\": [\"A text.\"]}\n"), "-q", "-o", path("m")}),
      {"none:1", "references"});
  expect_refused(
      hinge({"train", "summarize", write("bad", "{\"docs\": [\"A\"], \"refs\": [\"A\"]}\n{\"docs\": 3}\n"),
             "-q", "-o", path("m")}),
      {"bad:2", "docs"});
  expect_refused(hinge({"train", "summarize", write("empty", ""), "-q", "-o", path("m")}), {"empty"});
  expect_refused(
      hinge({"train", "summarize",
             write("tree", "\n{\"documents\": [{\"trees\": [\"(S (NN a)\"]}], \"refs\": [\"a b\"]}\n"), "-q",
             "-o", path("m")}),
      {"tree:2: document 1, tree 1"});
  ASSERT_EQ(train({"--epochs", "1", "-o", path("m")}).code, 0);
  expect_refused(train({"--tree-parser", path("m"), "-o", path("m2")}), {"set compress=true"});
  expect_refused(train({"-p", "compress=true", "-o", path("m2")}), {"train: has no trees", "tree_parser"});
  ASSERT_EQ(hinge({"sample", "const", "--sentences", "60", "-o", path("trees")}).code, 0);
  ASSERT_EQ(
      hinge({"train", "const", path("trees"), "-p", "tags=gold", "--epochs", "1", "-q", "-o", path("parser")})
          .code,
      0);
  expect_refused(train({"-p", "compress=true", "--tree-parser", path("parser"), "-o", path("m2")}),
                 {"tags=chart"});
  // Neither references nor sentences are needed for a prediction.
  const CommandResult out =
      hinge({"predict", path("m"),
             write("bare", "{\"id\": \"x\", \"docs\": []}\n{\"id\": \"y\", \"docs\": [\"One two.\"]}\n")});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.out.substr(0, 10), "{\"id\":\"x\",");
  EXPECT_NE(out.out.find("\n{\"id\":\"y\","), std::string::npos);
}

}  // namespace
}  // namespace hinge::test
