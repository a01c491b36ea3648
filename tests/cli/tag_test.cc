// The command line on the `tag` task: success, and every error message. An
// error is one line on stderr and exit code 1.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

namespace fs = std::filesystem;

// A corpus and a model shared by all tests.
class TagCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    ASSERT_EQ(hinge({"sample", "tag", "--sentences", "300", "--seed", "1", "-o", train()}).code, 0);
    ASSERT_EQ(hinge({"sample", "tag", "--sentences", "100", "--seed", "2", "-o", test()}).code, 0);
    ASSERT_EQ(hinge({"train", "tag", train(), "-o", model(), "-q", "--epochs", "5"}).code, 0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string train() { return folder_->path("train.txt"); }
  static std::string test() { return folder_->path("test.txt"); }
  static std::string model() { return folder_->path("tag.model"); }
  static const TemporaryFolder& folder() { return *folder_; }

 private:
  static TemporaryFolder* folder_;
};

TemporaryFolder* TagCommand::folder_ = nullptr;

std::string first_column_of(const std::string& text) {
  std::string result;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += line.substr(0, line.find(' ')) + "\n";
  return result;
}

TEST_F(TagCommand, EveryLearnerTrainsAndBeatsTheMajorityLabelByFar) {
  for (const std::string learner : {"perceptron", "mira", "ops", "dcd"}) {
    SCOPED_TRACE(learner);
    const std::string path = folder().path(learner + ".model");
    ASSERT_EQ(hinge({"train", "tag", train(), "--learner", learner, "-o", path, "-q"}).code, 0);
    const CommandResult result = hinge({"evaluate", path, test(), "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_GT(nlohmann::json::parse(result.out)["f1"].get<double>(), 90.0);
  }
}

TEST_F(TagCommand, PredictionAppendsALabelAndEvaluationOfItAgreesWithTheModels) {
  const std::string predicted = folder().path("predicted.txt");
  ASSERT_EQ(hinge({"predict", model(), test(), "-o", predicted}).code, 0);
  EXPECT_EQ(first_column_of(TemporaryFolder::read(predicted)),
            first_column_of(TemporaryFolder::read(test())));
  const std::string direct = hinge({"evaluate", model(), test(), "--json"}).out;
  EXPECT_EQ(hinge({"evaluate", "tag", "--system", predicted, "--json"}).out, direct);
  EXPECT_EQ(
      hinge({"evaluate", "tag", "--gold", test(), "--system", predicted, "-p", "format=columns", "--json"})
          .code,
      0);
}

TEST_F(TagCommand, TextWithoutLabelsGetsTheSamePredictionsFromAPipe) {
  std::string unlabelled;
  std::string expected;
  std::stringstream labelled(TemporaryFolder::read(test()));
  std::stringstream predicted(hinge({"predict", model(), test()}).out);
  for (std::string line, full; std::getline(labelled, line) && std::getline(predicted, full);) {
    const std::string observed = line.substr(0, line.rfind(' '));
    unlabelled += observed + "\n";
    expected += line.empty() ? "\n" : observed + full.substr(full.rfind(' ')) + "\n";
  }
  EXPECT_EQ(hinge({"predict", model()}, unlabelled).out, expected);
}

TEST_F(TagCommand, TheSameSeedWritesTheSameBytesAtAnyNumberOfThreads) {
  for (const std::string learner : {"dcd", "ops"}) {
    std::string first;
    for (const std::string threads : {"1", "2", "3"}) {
      const std::string path = folder().path("again.model");
      ASSERT_EQ(hinge({"train", "tag", train(), "--learner", learner, "-p",
                       learner == "ops" ? "batch=4" : "inner_passes=5", "--threads", threads, "-o", path,
                       "-q", "--epochs", "3"})
                    .code,
                0);
      const std::string bytes = TemporaryFolder::read(path);
      if (first.empty()) first = bytes;
      EXPECT_TRUE(bytes == first) << learner << " with " << threads << " threads";
    }
    const std::string path = folder().path("other.model");
    ASSERT_EQ(hinge({"train", "tag", train(), "--learner", learner, "--seed", "2", "-o", path, "-q",
                     "--epochs", "3"})
                  .code,
              0);
    EXPECT_FALSE(TemporaryFolder::read(path) == first);
  }
}

TEST_F(TagCommand, NBestListsAreSortedAndTheFirstIsThePrediction) {
  const std::string best = hinge({"predict", model(), test()}).out;
  const std::string lists = hinge({"predict", model(), test(), "--nbest", "3"}).out;
  std::stringstream lines(lists);
  std::string firsts;
  double last_score = 0.0;
  bool in_first = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) {
      const int rank = std::stoi(line.substr(2));
      const double score = std::stod(line.substr(line.rfind(' ')));
      if (rank > 1) {
        EXPECT_LE(score, last_score);
      }
      last_score = score;
      in_first = rank == 1;
    } else if (in_first) {
      firsts += line + "\n";
    }
  }
  EXPECT_EQ(firsts, best);
}

TEST_F(TagCommand, MarginsAreNotNegativeAndStandBehindTheLabel) {
  std::stringstream lines(hinge({"predict", model(), test(), "--scores"}).out);
  int tokens = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    ++tokens;
    EXPECT_GE(std::stod(line.substr(line.rfind(' '))), 0.0) << line;
  }
  EXPECT_GT(tokens, 1000);
}

TEST_F(TagCommand, LabelsGivenInTheInputAreKept) {
  const CommandResult result =
      hinge({"predict", model(), "--constrain"}, "the DT ?\nplan NN I-NP\nfailed VBD B-VP|B-NP\n");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "the DT ? B-NP\nplan NN I-NP I-NP\nfailed VBD B-VP|B-NP B-VP\n\n");
  expect_refused(hinge({"predict", model(), "--constrain"}, "the DT B-XY\n"),
                 {"standard input:1", "B-XY", "B-NP"});
}

TEST_F(TagCommand, PredictedLabelsAreWellFormedEvenForNonsense) {
  std::string nonsense;
  for (int i = 0; i < 200; ++i) nonsense += "zq" + std::to_string(i) + " ??\n" + (i % 7 == 0 ? "\n" : "");
  std::stringstream lines(hinge({"predict", model()}, nonsense).out);
  std::string before = "O";
  for (std::string line; std::getline(lines, line);) {
    const std::string label = line.empty() ? "O" : line.substr(line.rfind(' ') + 1);
    if (label.starts_with("I-")) {
      EXPECT_EQ(before.substr(1), label.substr(1));
    }
    before = label;
  }
}

TEST_F(TagCommand, ConlluComesBackByteForByteExceptTheLabel) {
  const std::string text =
      "# sent_id = 1\n# text = It "
      "doesn't.\n1\tIt\tit\tPRON\t_\t_\t0\troot\t_\t_\n2-3\tdoesn't\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "2\tdoes\tdo\tAUX\t_\t_\t1\tdep\t_\t_\n3\tn't\tnot\tPART\t_\t_\t1\tdep\t_\t_\n3.1\tgo\t_\t_\t_\t_\t_\t_"
      "\t_\tCopyOf=2\n"
      "4\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\tSpaceAfter=No\n\n";
  const std::string path = folder().write("small.conllu", text);
  const std::string trained = folder().path("upos.model");
  ASSERT_EQ(hinge({"train", "tag", path, "--learner", "perceptron", "-o", trained, "-q"}).code, 0);
  EXPECT_EQ(hinge({"predict", trained, path}).out, text);
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(hinge({"predict", trained, folder().write("crlf.conllu", crlf)}).out, crlf);
}

TEST_F(TagCommand, TheAnswerIsTheSameWithWindowsLineEnds) {
  std::string crlf;
  for (const char c : TemporaryFolder::read(test()))
    crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string path = folder().write("crlf.txt", crlf);
  EXPECT_EQ(hinge({"evaluate", model(), path}).out, hinge({"evaluate", model(), test()}).out);
}

TEST_F(TagCommand, HashedAndPrunedAndRareFeaturesStillGiveGoodModels) {
  for (const std::string option :
       {"hash_bits=16", "min_count=2", "prune=0.001", "constraints=none", "constrain_training=true"}) {
    SCOPED_TRACE(option);
    const std::string path = folder().path("option.model");
    ASSERT_EQ(hinge({"train", "tag", train(), "-p", option, "-o", path, "-q"}).code, 0);
    EXPECT_GT(nlohmann::json::parse(hinge({"evaluate", path, test(), "--json"}).out)["f1"].get<double>(),
              88.0);
    EXPECT_EQ(hinge({"inspect", path, "--top", "3", "--verify"}).code, 0);
  }
}

TEST_F(TagCommand, AConfigFileGivesWhatTheCommandLineLeavesOut) {
  const std::string config = folder().write(
      "c.toml", "learner = \"mira\"\nepochs = 2\nseed = 5000000000\n[options]\nC = 0.2\nmin_count = 2\n");
  const std::string path = folder().path("config.model");
  ASSERT_EQ(hinge({"train", "tag", train(), "--config", config, "-p", "C=0.3", "-o", path, "-q"}).code, 0);
  const std::string shown = hinge({"inspect", path, "--top", "0"}).out;
  for (const std::string wanted : {"mira", "epochs=2", "C=0.3", "min_count=2", "seed=5000000000"}) {
    EXPECT_NE(shown.find(wanted), std::string::npos) << wanted << " in " << shown;
  }
  expect_refused(
      hinge({"train", "tag", train(), "--config", folder().write("bad.toml", "learner = \n"), "-q"}),
      {"bad.toml:1"});
  expect_refused(
      hinge({"train", "tag", train(), "--config", folder().write("odd.toml", "lerner = \"dcd\"\n"), "-q"}),
      {"odd.toml:1", "lerner"});
}

TEST_F(TagCommand, CompareWritesATableAndALogOfEveryEpoch) {
  const std::string out = folder().path("compared");
  const CommandResult result = hinge({"compare", "tag", train(), test(), "--learners",
                                      "perceptron,mira,ops,dcd", "--epochs", "3", "-o", out, "-q"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(TemporaryFolder::read(out + "/table.md"), result.out);
  std::stringstream log(TemporaryFolder::read(out + "/compare.jsonl"));
  int epochs = 0;
  for (std::string line; std::getline(log, line); ++epochs) {
    const auto entry = nlohmann::json::parse(line);
    EXPECT_TRUE(entry.contains("dev_f1"));
    if (entry["learner"] == "dcd") {
      EXPECT_GE(entry["gap"].get<double>(), 0.0);
      EXPECT_GE(entry["primal"].get<double>(), entry["dual"].get<double>());
    }
  }
  EXPECT_EQ(epochs, 12);
}

TEST_F(TagCommand, TheTrainingLogHasALinePerEpoch) {
  const std::string log = folder().path("log.jsonl");
  ASSERT_EQ(hinge({"train", "tag", train(), "--dev", test(), "--epochs", "3", "--log", log, "--objective",
                   "epoch", "-o", folder().path("l.model"), "-q"})
                .code,
            0);
  std::stringstream lines(TemporaryFolder::read(log));
  double last_dual = -1e300;
  int epochs = 0;
  for (std::string line; std::getline(lines, line); ++epochs) {
    const auto entry = nlohmann::json::parse(line);
    EXPECT_GE(entry["dual"].get<double>(), last_dual);
    last_dual = entry["dual"].get<double>();
  }
  EXPECT_EQ(epochs, 3);
}

TEST_F(TagCommand, BadTrainingDataIsRefusedWithFileAndLine) {
  const auto train_on = [](const std::string& name, const std::string& text) {
    const std::string path = folder().write(name, text);
    return hinge({"train", "tag", path, "-o", folder().path("never.model"), "-q"});
  };
  expect_refused(train_on("ragged.txt", "a X B\nb Y\n"), {"ragged.txt:2", "2 columns", "3"});
  expect_refused(train_on("empty.txt", ""), {"empty.txt", "no sentences"});
  expect_refused(train_on("blank.txt", "\n\n\n"), {"blank.txt", "no sentences"});
  expect_refused(train_on("nul.txt", std::string("a X B\nb \0 B\n", 12)), {"nul.txt:2", "NUL"});
  expect_refused(train_on("latin.txt", "a X B\ncaf\xe9 Y B\n"), {"latin.txt:2", "UTF-8", "iconv"});
  expect_refused(train_on("one.txt", "a\nb\n"), {"one.txt:1", "columns"});
  expect_refused(train_on("nine.conllu", "1\ta\ta\tX\t_\t_\t0\troot\t_\n"),
                 {"nine.conllu:1", "9 columns", "10"});
  expect_refused(hinge({"train", "tag", folder().path("missing.txt"), "-q"}),
                 {"missing.txt", "cannot be opened"});
  EXPECT_FALSE(fs::exists(folder().path("never.model")));
}

TEST_F(TagCommand, BadTemplatesAreRefusedWithFileAndLine) {
  const auto with_templates = [](const std::string& name, const std::string& text) {
    return hinge({"train", "tag", train(), "--features", folder().write(name, text), "-o",
                  folder().path("never.model"), "-q"});
  };
  expect_refused(with_templates("t1.txt", "U00:%x[0,7]\nB\n"), {":1", "column 7", "columns 0 to 1"});
  expect_refused(with_templates("t2.txt", "U00:%x[0,0]\nU01:%x[0 0]\n"), {"t2.txt:2", "','"});
  expect_refused(with_templates("t3.txt", "V00:%x[0,0]\n"), {"t3.txt:1", "U, B"});
  expect_refused(with_templates("t4.txt", "U00:%sufix[0,0,3]\n"), {"t4.txt:1", "suffix"});
  expect_refused(with_templates("t5.txt", "U00:%t[0,0,\"[a\"]\n"), {"t5.txt:1", "regular expression"});
  expect_refused(with_templates("t6.txt", "# nothing\n"), {"t6.txt", "no template"});
  expect_refused(with_templates("t7.txt", "U00:%v[0,1]\n"), {"train.txt:1", "not a number"});
  expect_refused(hinge({"train", "tag", train(), "--features", "chnk", "-q"}), {"chnk", "chunk"});
  expect_refused(
      hinge({"train", "tag", train(), "--features", folder().write("t8.txt", "U:%cluster[0,0,4]\n"), "-q"}),
      {"t8.txt:1", "clusters=FILE"});
}

TEST_F(TagCommand, BadOptionsAreRefusedWithWhatWasExpected) {
  expect_refused(hinge({"train", "tag", train(), "--C", "-1", "-q"}), {"C is '-1'", "above 0"});
  expect_refused(hinge({"train", "tag", train(), "--C", "nan", "-q"}), {"C is 'nan'"});
  expect_refused(hinge({"train", "tag", train(), "--epochs", "0", "-q"}), {"epochs is '0'", "at least 1"});
  expect_refused(hinge({"train", "tag", train(), "--learner", "percepton", "-q"}),
                 {"percepton", "did you mean 'perceptron'"});
  expect_refused(hinge({"train", "tagg", train(), "-q"}), {"tagg", "did you mean 'tag'"});
  expect_refused(hinge({"train", "tag", train(), "-p", "min_cuont=2", "-q"}),
                 {"min_cuont", "did you mean 'min_count'"});
  expect_refused(hinge({"train", "tag", train(), "-p", "min_count", "-q"}), {"name=value"});
  expect_refused(hinge({"train", "tag", train(), "--learner", "perceptron", "--C", "1", "-q"}),
                 {"perceptron", "'C'"});
  expect_refused(hinge({"train", "tag", train(), "--column", "9", "-q"}), {"column is '9'", "0 to 2"});
  expect_refused(hinge({"train", "tag", train(), "--threads", "-3", "-q"}), {"threads"});
  expect_refused(hinge({"train", "tag", train(), "-o", folder().path("no/such/folder.model"), "-q"}),
                 {"folder.model", "cannot be written"});
  expect_refused(hinge({"predict", model(), test(), "--nbest", "0"}), {"nbest"});
  expect_refused(hinge({"sample", "tag", "--sentences", "0"}), {"sentences"});
  expect_refused(hinge({"frobnicate"}), {"there is no command 'frobnicate'"});
}

TEST_F(TagCommand, CompareRefusesAnOptionWithoutAValue) {
  expect_refused(hinge({"compare", "tag", train(), test(), "--learners", "dcd", "-p", "tolerance", "-o",
                        folder().path("c"), "-q"}),
                 {"-p tolerance", "name=value"});
}

TEST_F(TagCommand, BadModelsAreRefused) {
  const std::string bytes = TemporaryFolder::read(model());
  expect_refused(hinge({"predict", folder().write("cut.model", bytes.substr(0, bytes.size() / 2)), test()}),
                 {"cut.model", "cut short"});
  expect_refused(hinge({"predict", folder().write("empty.model", ""), test()}), {"empty.model"});
  expect_refused(hinge({"predict", train(), test()}), {"not a Hinge model"});
  std::string newer = bytes;
  newer[8] = 99;
  expect_refused(hinge({"predict", folder().write("newer.model", newer), test()}), {"format 99", "upgrade"});
  std::string damaged = bytes;
  damaged[bytes.size() / 2] ^= 1;
  expect_refused(hinge({"predict", folder().write("damaged.model", damaged), test()}),
                 {"damaged.model", "damaged"});
  expect_refused(hinge({"predict", model(), folder().write("wide.txt", "a b c d e\n")}),
                 {"wide.txt:1", "5 columns"});
}

TEST_F(TagCommand, AFailedRunLeavesTheOldModelAndNoPartialFile) {
  const std::string before = TemporaryFolder::read(model());
  expect_refused(hinge({"train", "tag", folder().write("r.txt", "a X B\nb Y\n"), "-o", model(), "-q"}),
                 {"r.txt:2"});
  EXPECT_TRUE(TemporaryFolder::read(model()) == before);
  for (const auto& entry : fs::directory_iterator(folder().path("."))) {
    EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos) << entry.path();
  }
}

TEST_F(TagCommand, AFullDiskIsToldAndNothingIsLost) {
  const std::string disk = folder().path("disk");
  fs::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    // Without root, use /dev/full.
    expect_refused(hinge({"predict", model(), test(), "-o", "/dev/full"}), {"/dev/full", "No space left"});
    return;
  }
  const std::string path = disk + "/tag.model";
  const TemporaryFolder keep;
  const std::string small(1000, 'x');
  {
    std::string copy = keep.write("small", small);
    fs::copy(copy, path);
  }
  const CommandResult result = hinge({"train", "tag", train(), "-o", path, "-q", "--epochs", "1"});
  const std::string after = TemporaryFolder::read(path);
  const auto files = std::distance(fs::directory_iterator(disk), fs::directory_iterator());
  const CommandResult predicted = hinge({"predict", model(), test(), "-o", disk + "/out.txt"});
  const auto files_after = std::distance(fs::directory_iterator(disk), fs::directory_iterator());
  umount(disk.c_str());
  expect_refused(result, {"tag.model", "No space left"});
  EXPECT_EQ(after, small);
  EXPECT_EQ(files, 1);
  EXPECT_LE(predicted.code, 1);
  if (predicted.code == 1) {
    EXPECT_EQ(files_after, 1);
  }
}

TEST_F(TagCommand, CtrlCEndsTrainingWithAUsableModel) {
  const std::string path = folder().path("interrupted.model");
  const CommandResult result = run_command({"timeout", "--preserve-status", "-s", "INT", "4", hinge_binary(),
                                            "train", "tag", train(), "--epochs", "1000000", "-o", path});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("interrupted"), std::string::npos);
  EXPECT_GT(nlohmann::json::parse(hinge({"evaluate", path, test(), "--json"}).out)["f1"].get<double>(), 90.0);
}

TEST_F(TagCommand, PartlyLabelledTrainingDataIsLearnedFrom) {
  std::string partial;
  std::stringstream lines(TemporaryFolder::read(train()));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool hide = !line.empty() && ++number % 5 == 0;
    partial +=
        hide ? line.substr(0, line.rfind(' ')) + (number % 2 == 0 ? " ?\n" : " B-NP|I-NP|B-VP|I-VP|B-PP|O\n")
             : line + "\n";
  }
  const std::string path = folder().path("partial.model");
  const CommandResult result =
      hinge({"train", "tag", folder().write("partial.txt", partial), "-p", "partial=true", "-o", path});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("an estimate"), std::string::npos)
      << "golds that depend on w make the gap an estimate";
  EXPECT_GT(nlohmann::json::parse(hinge({"evaluate", path, test(), "--json"}).out)["f1"].get<double>(), 85.0);
}

TEST_F(TagCommand, ACostMatrixIsReadAndChecked) {
  const auto with_costs = [](const std::string& text) {
    return hinge({"train", "tag", train(), "-p", "costs=" + folder().write("costs.txt", text), "-o",
                  folder().path("costs.model"), "-q"});
  };
  EXPECT_EQ(with_costs("B-NP O 5\nI-NP O 2.5\n").code, 0);
  expect_refused(with_costs("B-NP Z 5\n"), {"costs.txt:1", "'Z'"});
  expect_refused(with_costs("B-NP O -5\n"), {"costs.txt:1", "'-5'"});
  expect_refused(with_costs("B-NP O inf\n"), {"costs.txt:1", "'inf'", "1000000"});
  expect_refused(with_costs("B-NP O\n"), {"costs.txt:1", "gold label"});
}

// -p miss=3 is short for a file that lists every label but O.
TEST_F(TagCommand, MissIsTheCostOfOForAnyOtherLabel) {
  std::string lines;
  for (const char* type : {"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT"}) {
    for (const char* place : {"B-", "I-"}) lines += std::string(place) + type + " O 3\n";
  }
  const std::string text = "it B-NP\nran B-VP\non B-PP\nthe B-NP\nroad I-NP\n. O\n\nnow B-ADVP\nup B-PRT\n, O\nas B-SBAR\n"
                           "good B-ADJP\nas I-ADJP\nof B-PP\nold I-PP\nit I-VP\nis I-ADVP\nso I-SBAR\nup I-PRT\n\n";
  const std::string data = folder().write("phrases.txt", text);
  const auto weights = [&](const std::string& option) {
    const std::string model = folder().path("miss.model");
    const CommandResult trained = hinge({"train", "tag", data, "--features", "ner", "-p", option, "-o", model, "-q"});
    EXPECT_EQ(trained.code, 0) << trained.err;
    return nlohmann::json::parse(hinge({"inspect", model, "--json", "--top", "100000"}).out)["heaviest"].dump();
  };
  const std::string by_file = weights("costs=" + folder().write("costs.txt", lines));
  EXPECT_EQ(weights("miss=3"), by_file);
  EXPECT_NE(weights("miss=0"), by_file);
  EXPECT_EQ(weights("miss=0"), weights("miss=1.5"));
  const std::string tags = folder().write("tags.txt", "it PRP\nran VBD\n\n");
  expect_refused(hinge({"train", "tag", tags, "-p", "miss=2", "-o", folder().path("m"), "-q"}), {"miss is 2", "leave it out"});
}

TEST_F(TagCommand, EvaluationNeedsTheSameTextOnBothSides) {
  const std::string a = folder().write("a.txt", "x A\ny B\n");
  expect_refused(hinge({"evaluate", "tag", "--gold", a, "--system", folder().write("b.txt", "x A\n")}),
                 {"same text"});
  expect_refused(hinge({"evaluate", "tag", "--gold", a, "--system", folder().write("c.txt", "x A\nz B\n")}),
                 {"c.txt:2", "'z'"});
  expect_refused(hinge({"evaluate", model()}), {"GOLD"});
}

TEST_F(TagCommand, AllLabelsOfTheTestSetMayBeUnknown) {
  const CommandResult result =
      hinge({"evaluate", model(), folder().write("u.txt", "the DT Z1\nplan NN Z2\n"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["accuracy"].get<double>(), 0.0);
}

TEST_F(TagCommand, ClustersAndGazetteersTravelInsideTheModel) {
  const std::string clusters = folder().write("paths", "0110\tthe\t10\n0111\ta\t5\n1010\tplan\t3\n");
  const std::string names = folder().write("names.txt", "New York\nParis\n");
  const std::string templates =
      folder().write("g.txt", "U0:%x[0,0]\nU1:%cluster[0,0,3]\nU2:%gazetteer[0,0,\"" + names +
                                  "\"]\nU3:%lexicon[0,0,1,1]\nB\n");
  const std::string path = folder().path("lexical.model");
  ASSERT_EQ(hinge({"train", "tag", train(), "--features", templates, "-p", "clusters=" + clusters, "-o", path,
                   "-q"})
                .code,
            0);
  const std::string before = hinge({"predict", path, test()}).out;
  fs::remove(clusters);
  fs::remove(names);
  EXPECT_EQ(hinge({"predict", path, test()}).out, before);
}

TEST(Chunking, EveryLearnerReachesItsPublishedQualityOnConll2000) {
  HINGE_DATA_FILE(train, "tag/conll2000/train.txt");
  HINGE_DATA_FILE(test, "tag/conll2000/test.txt");
  const TemporaryFolder folder;
  // A little below the figures in bench/README.md, to allow for other compilers.
  for (const auto& [learner, floor] :
       {std::pair{"perceptron", 93.4}, {"mira", 93.5}, {"ops", 93.45}, {"dcd", 93.5}}) {
    SCOPED_TRACE(learner);
    ASSERT_EQ(hinge({"train", "tag", train, "--features", "chunk", "--learner", learner, "-o",
                     folder.path("m"), "-q"})
                  .code,
              0);
    EXPECT_GT(
        nlohmann::json::parse(hinge({"evaluate", folder.path("m"), test, "--json"}).out)["f1"].get<double>(),
        floor);
  }
}

}  // namespace
}  // namespace hinge::test
