// The command line on the `dep` task: success, and every error message.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

// A treebank and a model shared by all tests.
class DepCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    ASSERT_EQ(hinge({"sample", "dep", "--sentences", "200", "--seed", "1", "-o", train()}).code, 0);
    ASSERT_EQ(hinge({"sample", "dep", "--sentences", "100", "--seed", "2", "-o", dev()}).code, 0);
    ASSERT_EQ(train_with({"--learner", "mira", "--epochs", "3", "-o", model()}).code, 0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  // Small tables: most of these tests are about bytes and messages.
  static CommandResult train_with(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"train", "dep", train(), "-q", "--threads", "1", "-p", "label_bits=12"};
    if (!names(more, "hash_bits=")) arguments.insert(arguments.end(), {"-p", "hash_bits=14"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }
  static double score(const std::string& name, const std::string& model_path) {
    const CommandResult result = hinge({"evaluate", model_path, dev(), "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out).at(name).get<double>();
  }

  static std::string path(const std::string& name) { return folder_->path(name); }
  static std::string write(const std::string& name, const std::string& text) {
    return folder_->write(name, text);
  }
  static std::string read(const std::string& name) { return TemporaryFolder::read(path(name)); }
  static std::string train() { return path("train.conllu"); }
  static std::string dev() { return path("dev.conllu"); }
  static std::string model() { return path("dep.model"); }

 private:
  static TemporaryFolder* folder_;
};

TemporaryFolder* DepCommand::folder_ = nullptr;

TEST_F(DepCommand, LearnersOfMarginsAndOfLikelihoodsLearnTrees) {
  for (const std::string learner : {"perceptron", "ops", "dcd", "crf", "softmax-margin"}) {
    SCOPED_TRACE(learner);
    const CommandResult result = train_with(
        {"--learner", learner, "--epochs", learner == "crf" ? "15" : "3", "-o", path("all.model")});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_GT(score("uas", path("all.model")), 70.0);
  }
}

TEST_F(DepCommand, BothDecodersBothOrdersLabelledOrNot) {
  for (const std::string decoder : {"eisner", "chu-liu-edmonds"}) {
    for (const std::string labelled : {"true", "false"}) {
      ASSERT_EQ(train_with({"--learner", "perceptron", "--epochs", "3", "-p", "decoder=" + decoder, "-p",
                            "labelled=" + labelled, "-o", path("both.model")})
                    .code,
                0);
      EXPECT_GT(score("uas", path("both.model")), 75.0) << decoder << " " << labelled;
    }
  }
  ASSERT_EQ(
      train_with({"--learner", "mira", "--epochs", "3", "-p", "order=2", "-o", path("second.model")}).code,
      0);
  EXPECT_GT(score("las", path("second.model")), 75.0);
  ASSERT_EQ(
      train_with({"--learner", "mira", "--epochs", "2", "-p", "hash_bits=0", "-o", path("keys.model")}).code,
      0);
  EXPECT_GT(score("las", path("keys.model")), 75.0);
}

TEST_F(DepCommand, EvaluatingAModelIsEvaluatingItsOutput) {
  ASSERT_EQ(hinge({"predict", model(), dev(), "-o", path("parsed.conllu")}).code, 0);
  const std::string direct = hinge({"evaluate", model(), dev(), "--json"}).out;
  EXPECT_EQ(hinge({"evaluate", "dep", "--gold", dev(), "--system", path("parsed.conllu"), "--json"}).out,
            direct);
  for (const char* name : {"uas", "las", "clas", "exact", "uas_nopunct", "las_full"})
    EXPECT_TRUE(nlohmann::json::parse(direct).contains(name)) << name;
}

TEST_F(DepCommand, OnlyHeadAndRelationChange) {
  const std::string input =
      "# sent_id = 1\n"
      "# text = cannot go\n"
      "1-2\tcannot\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
      "1\tcan\tcan\tAUX\tMD\tVerbForm=Fin\t_\t_\t_\t_\n"
      "2\tnot\tnot\tPART\tRB\t_\t_\t_\t_\tA=1\n"
      "2.1\tgone\tgo\tVERB\tVB\t_\t_\t_\t0:x\t_\n"
      "3\tgo\tgo\tVERB\tVB\t_\t_\t_\t0:root\t_\n"
      "\n"
      "# a sentence without words\n"
      "\n";
  const CommandResult result = hinge({"predict", model(), "-"}, input);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto before = lines_of(input);
  const auto after = lines_of(result.out);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (k < 3 || k == 5 || k > 6) {
      EXPECT_EQ(after[k], before[k]);
      continue;
    }
    const auto cells = [](const std::string& line) {
      std::vector<std::string> result;
      std::stringstream stream(line);
      for (std::string cell; std::getline(stream, cell, '\t');) result.push_back(cell);
      return result;
    };
    auto expected = cells(before[k]);
    const auto found = cells(after[k]);
    ASSERT_EQ(found.size(), 10u);
    EXPECT_NE(found[6], "_");
    EXPECT_NE(found[7], "_");
    expected[6] = found[6];
    expected[7] = found[7];
    EXPECT_EQ(found, expected);
  }
}

TEST_F(DepCommand, ScoresMarginalsAndListsAreWritten) {
  const std::string two =
      "1\tShe\tshe\tPRON\tPRP\t_\t_\t_\t_\t_\n2\tsleeps\tsleep\tVERB\tVBZ\t_\t_\t_\t_\tA=b\n\n";
  const std::string margins = hinge({"predict", model(), "-", "--scores"}, two).out;
  EXPECT_NE(margins.find("\tScore="), std::string::npos) << margins;
  EXPECT_NE(margins.find("\tA=b|Score="), std::string::npos) << margins;
  EXPECT_NE(hinge({"predict", model(), "-", "--marginals"}, two).out.find("Score=0."), std::string::npos);
  const std::string lists = hinge({"predict", model(), "-", "--nbest", "9"}, two).out;
  EXPECT_NE(lists.find("# 1 "), std::string::npos);
  EXPECT_NE(lists.find("# 2 "), std::string::npos);
  EXPECT_EQ(lists.find("# 3 "), std::string::npos) << "two words have two trees of one root";
}

TEST_F(DepCommand, TreesOfALikelihoodModelHaveProbabilitiesThatSumToOne) {
  ASSERT_EQ(hinge({"train", "dep", train(), "--learner", "crf", "-p", "decoder=eisner", "hash_bits=12",
                   "label_bits=10", "-q", "--epochs", "3", "-o", path("crf")})
                .code,
            0);
  const std::string two =
      "1\tShe\tshe\tPRON\tPRP\t_\t_\t_\t_\t_\n2\tsleeps\tsleep\tVERB\tVBZ\t_\t_\t_\t_\t_\n\n";
  const std::string lists = hinge({"predict", path("crf"), "-", "--nbest", "9"}, two).out;
  double sum = 0.0;
  int trees = 0;
  for (const std::string& line : lines_of(lists)) {
    if (!line.starts_with("# ")) continue;
    ASSERT_EQ(std::ranges::count(line, ' '), 3) << lists;
    sum += std::stod(line.substr(line.rfind(' ') + 1));
    ++trees;
  }
  EXPECT_EQ(trees, 2);
  EXPECT_NEAR(sum, 1.0, 1e-5) << lists;
}

TEST_F(DepCommand, HeadsInTheInputAreKeptWhereAsked) {
  const std::string given =
      "1\tShe\tshe\tPRON\tPRP\t_\t0\troot\t_\t_\n2\tsleeps\tsleep\tVERB\tVBZ\t_\t_\t_\t_\t_\n\n";
  const CommandResult result = hinge({"predict", model(), "-", "--constrain"}, given);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("She\tshe\tPRON\tPRP\t_\t0\t"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("sleeps\tsleep\tVERB\tVBZ\t_\t1\t"), std::string::npos) << result.out;
  std::string cycle = given;
  cycle.replace(cycle.find("\t0\troot"), 7, "\t2\troot");
  cycle.replace(cycle.find("VBZ\t_\t_"), 7, "VBZ\t_\t1");
  expect_refused(hinge({"predict", model(), "-", "--constrain"}, cycle),
                 {"standard input:1", "no projective tree"});
}

TEST_F(DepCommand, TheSameBytesAtAnyNumberOfThreadsAndAfterResuming) {
  const std::vector<std::string> common{"train",     "dep",          train(),   "-q",
                                        "-p",        "hash_bits=14", "-p",      "label_bits=12",
                                        "--learner", "dcd",          "--epochs"};
  const auto run = [&](const std::string& epochs, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = common;
    arguments.push_back(epochs);
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = hinge(arguments);
    ASSERT_EQ(result.code, 0) << result.err;
  };
  run("3", {"-o", path("one.model"), "--threads", "1"});
  run("3", {"-o", path("two.model"), "--threads", "2"});
  EXPECT_TRUE(read("one.model") == read("two.model"));
  run("2", {"-o", path("part.model"), "--checkpoint", path("run.ckpt")});
  ASSERT_EQ(
      hinge({"train", "--resume", path("run.ckpt"), "--epochs", "3", "-q", "-o", path("part.model")}).code,
      0);
  EXPECT_TRUE(read("one.model") == read("part.model"));
}

TEST_F(DepCommand, TaggersFillInTagsAndTrainingDataIsJackknifed) {
  ASSERT_EQ(hinge({"train", "tag", train(), "--column", "upos", "--learner", "perceptron", "--epochs", "3",
                   "-q", "-o", path("upos.model")})
                .code,
            0);
  const CommandResult trained =
      train_with({"--learner", "perceptron", "--epochs", "2", "--features", "dep-plain", "--tagger",
                  path("upos.model"), "--jackknife", "3", "--dev", dev(), "-o", path("real.model")});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string untagged =
      "1\tThe\t_\t_\t_\t_\t_\t_\t_\t_\n2\tplan\t_\t_\t_\t_\t_\t_\t_\t_\n3\tfailed\t_\t_\t_\t_\t_\t_\t_\t_"
      "\n\n";
  const CommandResult parsed =
      hinge({"predict", path("real.model"), "-", "--tagger", path("upos.model")}, untagged);
  ASSERT_EQ(parsed.code, 0) << parsed.err;
  EXPECT_NE(parsed.out.find("The\t_\tDET\t"), std::string::npos) << parsed.out;
  EXPECT_EQ(hinge({"evaluate", path("real.model"), dev(), "--tagger", path("upos.model")}).code, 0);
  expect_refused(train_with({"--jackknife", "3", "-o", path("x.model")}), {"--jackknife", "--tagger"});
  expect_refused(train_with({"--jackknife", "1", "--tagger", path("upos.model"), "-o", path("x.model")}),
                 {"--jackknife is '1'", "at least 2"});
  const std::string columns = write("columns.txt", "a X\nb Y\n\n");
  ASSERT_EQ(hinge({"train", "tag", columns, "-q", "-o", path("columns.model")}).code, 0);
  expect_refused(hinge({"predict", model(), dev(), "--tagger", path("columns.model")}),
                 {"columns.model", "fills in no column"});
  // The error is found in a retagged copy, but names the original file.
  const std::string circle = write("circle.conllu",
                                   "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n\n\n"
                                   "1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n");
  expect_refused(hinge({"train", "dep", circle, "-q", "--tagger", path("upos.model"), "--jackknife", "2",
                        "-o", path("x.model")}),
                 {circle + ":5: ", "root"});
}

TEST_F(DepCommand, CompareWritesItsTable) {
  const CommandResult result = hinge({"compare", "dep", train(), dev(), "--learners", "perceptron,dcd",
                                      "--epochs", "2", "-p", "hash_bits=12", "-o", path("compared"), "-q"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(read("compared/table.md").find("perceptron"), std::string::npos);
}

struct BadTreebank {
  const char* name;
  const char* text;
  std::vector<std::string> words;
};

TEST_F(DepCommand, BadTreesAreRefusedWithFileAndLine) {
  const BadTreebank cases[] = {
      {"cycle",
       "1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n3\tc\t_\tX\t_\t_\t0\troot\t_\t_\n",
       {"bad.conllu:1", "form a cycle"}},
      {"range", "1\ta\t_\tX\t_\t_\t7\tdep\t_\t_\n", {"bad.conllu:1", "7"}},
      {"none", "1\ta\t_\tX\t_\t_\t_\tdep\t_\t_\n", {"bad.conllu:1", "HEAD"}},
      {"nine", "1\ta\t_\tX\t_\t_\t0\troot\t_\n", {"bad.conllu:1", "9 columns"}},
      {"self", "1\ta\t_\tX\t_\t_\t1\tdep\t_\t_\n", {"bad.conllu:1"}},
      {"no root",
       "1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n",
       {"bad.conllu:1", "root"}},
      {"empty", "", {"bad.conllu", "no sentences"}},
      {"comments", "# nothing\n\n", {"bad.conllu", "no sentences"}},
  };
  for (const BadTreebank& bad : cases) {
    SCOPED_TRACE(bad.name);
    const std::string file = write("bad.conllu", std::string(bad.text) + "\n");
    expect_refused(hinge({"train", "dep", file, "-q", "-o", path("x.model")}), bad.words);
    expect_refused(hinge({"evaluate", model(), file}), bad.words);
  }
}

std::string long_sentence(int words) {
  std::string text;
  for (int m = 1; m <= words; ++m) {
    text += std::to_string(m);
    text += "\tw\t_\tNOUN\tNN\t_\t";
    text += std::to_string(m - 1);
    text += "\tdep\t_\t_\n";
  }
  return text + "\n";
}

TEST_F(DepCommand, LongSentencesAreParsedUpToALimitThatIsStated) {
  const CommandResult parsed = hinge({"predict", model(), "-"}, long_sentence(2000));
  ASSERT_EQ(parsed.code, 0) << parsed.err;
  EXPECT_EQ(lines_of(parsed.out).size(), 2001u);
  expect_refused(hinge({"predict", model(), "-"}, long_sentence(4001)), {"standard input:", "4001", "4000"});
}

TEST_F(DepCommand, SeveralRootsAreLearnedOrRefusedAsAsked) {
  const std::string file =
      write("roots.conllu", "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tY\t_\t_\t0\troot\t_\t_\n\n");
  EXPECT_EQ(hinge({"train", "dep", file, "-q", "-o", path("roots.model")}).code, 0);
  expect_refused(hinge({"train", "dep", file, "-q", "-p", "single_root=true", "-o", path("x.model")}),
                 {"single_root", "roots.conllu"});
}

TEST_F(DepCommand, BadOptionsAreRefused) {
  expect_refused(train_with({"-p", "decoder=cky", "-o", path("x.model")}), {"decoder", "eisner"});
  expect_refused(train_with({"-p", "order=3", "-o", path("x.model")}), {"order"});
  expect_refused(train_with({"-p", "order=2", "-p", "decoder=chu-liu-edmonds", "-o", path("x.model")}),
                 {"order=2"});
  expect_refused(train_with({"--features", "nonsense", "-o", path("x.model")}), {"nonsense", "dep-plain"});
  expect_refused(train_with({"--features", write("t.txt", "arc x.form\n"), "-o", path("x.model")}),
                 {"t.txt:1", "x.form"});
  expect_refused(train_with({"-p", "order=2", "--learner", "crf", "-o", path("x.model")}), {"crf", "mira"});
  expect_refused(hinge({"train", "dep", "-", "-q", "-p", "order=2", "-o", path("x.model")}),
                 {"standard input"});
  expect_refused(hinge({"evaluate", "dep", "--system", dev()}), {"--gold"});
  expect_refused(hinge({"predict", model(), path("nothing.conllu")}), {"nothing.conllu"});
}

// Columns that no tagger fills are right in training data only: a parser that read them
// would look better on dev than it is.
TEST_F(DepCommand, WithATaggerOnlyItsColumnsAreRead) {
  const std::string tagger = path("upos.model");
  const std::string parser = path("tagged.model");
  ASSERT_EQ(hinge({"train", "tag", train(), "--column", "upos", "-q", "-o", tagger}).code, 0);
  const CommandResult trained =
      hinge({"train", "dep", train(), "--dev", dev(), "--tagger", tagger, "--jackknife", "3", "--epochs", "2",
             "--log", path("log"), "-o", parser});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_NE(trained.err.find(" of form upos,"), std::string::npos) << trained.err;
  std::string blank;
  for (const std::string& line : lines_of(TemporaryFolder::read(dev()))) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    for (const std::size_t column : {2, 3, 4, 5}) {
      if (cells.size() == 10) cells[column] = "_";
    }
    for (std::size_t k = 0; k < cells.size(); ++k) blank += (k > 0 ? "\t" : "") + cells[k];
    blank += '\n';
  }
  const std::string emptied = write("blank.conllu", blank);
  const auto uas = [&](const std::string& data) {
    const auto result = hinge({"evaluate", parser, data, "--tagger", tagger, "--json"});
    return nlohmann::json::parse(result.out)["uas"].get<double>();
  };
  const auto last = nlohmann::json::parse(lines_of(read("log")).back());
  EXPECT_EQ(uas(emptied), uas(dev()));
  EXPECT_EQ(uas(emptied), last["dev_uas"].get<double>());
  EXPECT_NE(hinge({"inspect", parser}).out.find("templates of form upos"), std::string::npos);

  const CommandResult warned = hinge({"predict", model(), emptied, "--threads", "2"});
  EXPECT_EQ(warned.code, 0);
  EXPECT_EQ(std::count(warned.err.begin(), warned.err.end(), '\n'), 1) << warned.err;
  EXPECT_NE(warned.err.find("have no lemma upos xpos"), std::string::npos) << warned.err;
  EXPECT_EQ(hinge({"predict", parser, emptied, "--tagger", tagger}).err, "");
}

}  // namespace
}  // namespace hinge::test
