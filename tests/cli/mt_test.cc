// The command line on translation: from parallel text to a tuned system.
#include <gtest/gtest.h>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

// One small system for all tests.
class MtCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    ASSERT_EQ(hinge({"mt", "sample", path("train.src"), path("train.trg"), "--sentences", "300"}).code, 0);
    ASSERT_EQ(
        hinge({"mt", "sample", path("dev.src"), path("dev.trg"), "--sentences", "20", "--seed", "2"}).code,
        0);
    const CommandResult trained =
        hinge({"mt", "train", path("train.src"), path("train.trg"), "-o", path("mt.model"), "-p",
               "sparse=all", "-p", "phrase=6", "-p", "order=3"});
    ASSERT_EQ(trained.code, 0) << trained.err;
    EXPECT_NE(trained.err.find("300 pairs of sentences"), std::string::npos) << trained.err;
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string path(const std::string& name) { return folder_->path(name); }
  static std::string write(const std::string& name, const std::string& text) {
    return folder_->write(name, text);
  }
  static std::string read(const std::string& name) { return TemporaryFolder::read(path(name)); }
  static CommandResult decode(const std::vector<std::string>& more, const std::string& input = "") {
    std::vector<std::string> arguments{"mt", "decode", path("mt.model")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments, input);
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* MtCommand::folder_ = nullptr;

TEST_F(MtCommand, TrainingDoesNotDependOnTheNumberOfThreads) {
  for (const std::string threads : {"1", "3"}) {
    ASSERT_EQ(
        hinge({"mt", "train", path("train.src"), path("train.trg"), "-o", path("again.model"), "-p",
               "sparse=all", "-p", "phrase=6", "-p", "order=3", "-p", "memory=1", "--threads", threads, "-q"})
            .code,
        0);
    EXPECT_TRUE(read("again.model") == read("mt.model")) << threads;
  }
}

TEST_F(MtCommand, TuningRaisesTheScoreAndItsModelDecodes) {
  const CommandResult tuned =
      hinge({"tune", path("mt.model"), "--dev", path("dev.src"), "--refs", path("dev.trg"), "--iterations",
             "3", "--dir", path("work"), "-o", path("tuned.model"), "--weights", path("tuned.weights"),
             "--nbest", "20"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const auto bleu = [&](const std::string& model) {
    EXPECT_EQ(hinge({"mt", "decode", path(model), path("dev.src"), "-o", path("out")}).code, 0);
    const std::string text =
        hinge({"evaluate", "rerank", "--gold", path("dev.trg"), "--system", path("out")}).out;
    return std::stod(text.substr(text.find("bleu") + 4));
  };
  EXPECT_GT(bleu("tuned.model"), bleu("mt.model"));
  const std::string by_model = hinge({"mt", "decode", path("tuned.model"), path("dev.src")}).out;
  EXPECT_EQ(decode({path("dev.src"), "--weights", path("tuned.weights")}).out, by_model);
  EXPECT_NE(read("tuned.weights").find("bigram:"), std::string::npos);
}

TEST_F(MtCommand, ListsAreReadByTheReranker) {
  ASSERT_EQ(decode({path("dev.src"), "--nbest", "10", "-o", path("dev.nbest")}).code, 0);
  const std::string lists = read("dev.nbest");
  EXPECT_TRUE(lists.starts_with("0 ||| ")) << lists.substr(0, 80);
  EXPECT_NE(lists.find("shape:"), std::string::npos);
  const CommandResult trained = hinge({"train", "rerank", path("dev.nbest"), "--refs", path("dev.trg"), "-o",
                                       path("rerank.model"), "-q", "--epochs", "2"});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(decode({path("dev.src"), "--nbest", "10", "--threads", "3"}).out, lists);
}

TEST_F(MtCommand, OtherWeightsChooseFromTheSameForest) {
  const std::string plain = decode({path("dev.src")}).out;
  const std::string weights = write("short.weights", "LanguageModel= 0.2\nWordCount= -5\n");
  const std::string rescored = decode({path("dev.src"), "--rescore", weights}).out;
  EXPECT_EQ(lines_of(rescored).size(), lines_of(plain).size());
  EXPECT_LT(rescored.size(), plain.size());
}

TEST_F(MtCommand, APipeIsAnsweredLineByLine) {
  Conversation talk({hinge_binary(), "mt", "decode", path("mt.model")});
  talk.say(lines_of(read("dev.src"))[0] + "\n");
  const std::string first = talk.hear("\n");
  EXPECT_TRUE(first.ends_with("\n")) << first;
  talk.say("\n");
  EXPECT_EQ(talk.hear("\n"), "\n");
  EXPECT_EQ(talk.finish(), "");
}

TEST_F(MtCommand, OddSentencesAreTranslated) {
  EXPECT_EQ(decode({}, "").out, "");
  EXPECT_EQ(decode({}, "\n\n").out, "\n\n");
  EXPECT_EQ(decode({}, "qqq zzz\tqqq  www\n").out, "qqq zzz qqq www\n");  // unknown words are copied
  std::string words;
  for (int i = 0; i < 1000; ++i) words += "w" + std::to_string(i % 7) + " ";
  EXPECT_EQ(lines_of(decode({}, words + "\n").out).size(), 1u);
}

TEST_F(MtCommand, BadInputGetsOneLine) {
  const std::string one = write("one", "a b\n"), two = write("two", "c d\ne\n"), none = write("none", "\n\n");
  const std::string bad = write("bad", "a \xff\n");
  const auto train = [&](const std::string& source, const std::string& target) {
    return hinge({"mt", "train", source, target, "-o", path("x.model"), "-q"});
  };
  expect_refused(train(one, two), {"ends after 1 lines"});
  expect_refused(train(none, two), {"has no pair of sentences with 1 to 100 words"});
  expect_refused(train(bad, one), {"bad:1:"});
  expect_refused(train(path("missing"), one), {"missing"});
  expect_refused(decode({bad}), {"bad:1:"});
  expect_refused(decode({one, "--weights", write("weights", "LanguageModl= 1\n")}),
                 {"did you mean LanguageModel?"});
  expect_refused(decode({one, "-p", "beem=3"}), {"beam"});
  const std::string empty = write("empty", "");
  expect_refused(hinge({"mt", "lm", empty}), {"empty: has no sentences"});
  expect_refused(hinge({"mt", "lm", one, "--evaluate", empty}), {"empty: has no sentences"});
  expect_refused(decode({one, "-p", "beam=100000000000"}), {"from 1 to 1000000"});
  expect_refused(decode({one, "--nbest", "100000000000"}), {"--nbest", "from 0 to 10000"});
  expect_refused(hinge({"tune", path("mt.model"), "--source", one, "--refs", one, "--dir", path("far"),
                        "--nbest", "100000000000"}),
                 {"--nbest", "from 2 to 10000"});
  expect_refused(hinge({"mt", "decode", one, two}), {"is not a translation model"});
  expect_refused(hinge({"mt", "train", one, one, "-o", path("x.model"), "-p", "sparse=pears"}),
                 {"expected a list of pair"});
  expect_refused(hinge({"tune", "--source", one, "--refs", one}), {"either a MODEL"});
  std::string words;
  for (int i = 0; i < 2001; ++i) words += "w ";
  expect_refused(decode({}, "a\n" + words + "\n"), {"-:2: has 2001 words"});
}

TEST_F(MtCommand, LinksAndLanguageModelsCanComeFromElsewhere) {
  ASSERT_EQ(hinge({"mt", "align", path("train.src"), path("train.trg"), "-o", path("links"), "-q"}).code, 0);
  ASSERT_EQ(hinge({"mt", "lm", path("train.trg"), "-p", "order=3", "-o", path("lm.arpa")}).code, 0);
  ASSERT_EQ(hinge({"mt", "train", path("train.src"), path("train.trg"), "--alignment", path("links"), "--lm",
                   path("lm.arpa"), "-o", path("other.model"), "-p", "phrase=6", "-q"})
                .code,
            0);
  EXPECT_EQ(hinge({"mt", "decode", path("other.model"), path("dev.src")}).out, decode({path("dev.src")}).out);
  const CommandResult measured = hinge({"mt", "lm", path("train.trg"), "--evaluate", path("dev.trg")});
  EXPECT_NE(measured.out.find("perplexity"), std::string::npos) << measured.out;
}

}  // namespace
}  // namespace hinge::test
