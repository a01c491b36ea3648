// Ways to start, stop and select training: --init, --stop-gap,
// --time-budget, --early-stop, --search, a config file, and `compare`.
#include <chrono>
#include <set>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

using TrainingCommand = SampleCorpus;

struct SearchRow {
  std::string point;
  double score;
  bool kept;
};

// The rows of the table printed by a search.
std::vector<SearchRow> search_rows(const std::string& table) {
  std::vector<SearchRow> rows;
  const std::vector<std::string> lines = lines_of(table);
  for (std::size_t k = 2; k < lines.size(); ++k) {
    const std::size_t bar = lines[k].find(" | ");
    rows.push_back({lines[k].substr(2, bar - 2), std::stod(lines[k].substr(bar + 3)),
                    lines[k].find("kept") != std::string::npos});
  }
  return rows;
}

TEST_F(TrainingCommand, EveryLearnerBeginsFromAModel) {
  // Learners that start from its weights or with all its constraints; the others
  // need more than one epoch to profit.
  const std::set<std::string> helped{"perceptron", "mira", "dcd", "cpd", "cutting-plane", "crf"};
  for (const std::string& learner : learner_names()) {
    SCOPED_TRACE(learner);
    must_train({"--learner", learner, "--epochs", "5", "-o", path("start")});
    must_train({"--learner", learner, "--epochs", "1", "-o", path("cold")});
    must_train({"--learner", learner, "--epochs", "1", "-o", path("warm"), "--init", path("start")});
    EXPECT_FALSE(read("warm") == read("cold"));
    if (helped.contains(learner)) {
      EXPECT_GT(f1("warm"), f1("cold"));
    }
  }
}

TEST_F(TrainingCommand, AModelOfOtherLabelsAndTemplatesGivesWhatItShares) {
  std::string fewer;  // with adverbs and prepositions labelled O
  for (std::string line : lines_of(read("train.txt"))) {
    if (line.ends_with("ADVP") || line.ends_with("PP"))
      line.replace(line.rfind(' '), std::string::npos, " O");
    fewer += line + "\n";
  }
  const std::string templates = write("templates.txt", "U0:%x[0,0]\nU1:%x[0,1]\nB\n");
  ASSERT_EQ(hinge({"train", "tag", write("fewer.txt", fewer), "--features", templates, "-q", "-o",
                   path("start"), "--epochs", "3"})
                .code,
            0);
  must_train({"--epochs", "1", "-o", path("other"), "--features", "np-chunk", "--init", path("start")});
  must_train({"--epochs", "1", "-o", path("warm"), "--features", templates, "--init", path("start")});
  must_train({"--epochs", "1", "-o", path("cold"), "--features", templates});
  EXPECT_FALSE(read("warm") == read("cold"));
}

// The labels of a model, in order.
std::string labels_of(const std::string& model) {
  const std::string text = hinge({"inspect", model, "--top", "0"}).out;
  const std::size_t begin = text.find(": ", text.find("labels ")) + 2;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST_F(TrainingCommand, LabelsOfTheModelToBeginFromAreKeptWhateverTheNewDataHas) {
  const std::string three = write("three.txt", "a X\nb Y\nc Z\n\n");
  const std::string two = write("two.txt", "b Y\na X\n\nd W\n\n");
  ASSERT_EQ(hinge({"train", "tag", three, "-q", "-o", path("start")}).code, 0);
  ASSERT_EQ(labels_of(path("start")), "X Y Z");
  const std::vector<std::string> begin{"train", "tag", two, "--init", path("start"), "-q", "-o", path("m")};
  const auto with = [&begin](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = begin;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments).code;
  };
  EXPECT_EQ(with({}), 0);
  EXPECT_EQ(labels_of(path("m")), "X Y Z W");
  EXPECT_EQ(with({"--search", "C=0.1,1", "--dev", three}), 0);
  EXPECT_EQ(labels_of(path("m")), "X Y Z W");
  EXPECT_EQ(with({"--epochs", "2", "--checkpoint", path("c")}), 0);
  ASSERT_EQ(hinge({"train", "--resume", path("c"), "--epochs", "4", "-q", "-o", path("resumed")}).code, 0);
  EXPECT_EQ(with({"--epochs", "4"}), 0);
  EXPECT_EQ(labels_of(path("m")), "X Y Z W");
  EXPECT_TRUE(read("resumed") == read("m"));
  const CommandResult compared = hinge({"compare", "tag", two, three, "--init", path("start"), "--learners",
                                        "perceptron,dcd", "-q", "-o", path("compared")});
  EXPECT_EQ(compared.code, 0) << compared.err;
}

TEST_F(TrainingCommand, SeedsAndThreadsOutOfRangeAreRefusedFromWhereverTheyCome) {
  const std::vector<std::pair<std::string, std::string>> bad{{"seed", "-1"},
                                                             {"seed", "99999999999999999999"},
                                                             {"seed", "1.5"},
                                                             {"threads", "-1"},
                                                             {"threads", "1025"}};
  for (const auto& [name, value] : bad) {
    const std::vector<std::string> words{"--" + name + " is '" + value + "'", "a whole number"};
    expect_refused(train_with({"--" + name, value, "-o", path("no")}), {"--" + name});
    const std::string config = write("bad.toml", name + " = \"" + value + "\"\n");
    const CommandResult result = hinge({"train", "tag", train(), "-q", "--config", config, "-o", path("no")});
    expect_refused(result, words);
  }
  EXPECT_FALSE(exists("no"));
  must_train({"--epochs", "1", "--seed", "9223372036854775807", "-o", path("m")});
  EXPECT_NE(hinge({"inspect", path("m"), "--top", "0"}).out.find("seed=9223372036854775807"),
            std::string::npos);
}

TEST_F(TrainingCommand, AConfigFileMayNameEverySetting) {
  must_train({"--epochs", "1", "--features", "chunk", "-o", path("flags")});
  const std::string config = write("all.toml", "task = \"tag\"\ntrain = \"" + train() + "\"\noutput = \"" +
                                                   path("config") + "\"\nepochs = 1\nfeatures = \"chunk\"\n");
  const CommandResult result = hinge({"train", "--config", config, "-q"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(read("config") == read("flags"));
}

TEST_F(TrainingCommand, AModelThatSharesNothingOrIsHashedOtherwiseIsRefused) {
  must_train({"--epochs", "1", "-o", path("plain")});
  must_train({"--epochs", "1", "-o", path("hashed"), "-p", "hash_bits=12"});
  ASSERT_EQ(hinge({"sample", "dep", "--sentences", "20", "-o", path("trees.conllu")}).code, 0);
  expect_refused(
      hinge({"train", "dep", path("trees.conllu"), "-q", "--init", path("plain"), "-o", path("no")}),
      {path("plain"), "task tag", "dep"});
  for (const std::string bits : {"hash_bits=14", "hash_bits=0"})
    expect_refused(train_with({"-p", bits, "--init", path("hashed"), "-o", path("no")}), {"hash_bits=12"});
  expect_refused(train_with({"-p", "hash_bits=12", "--init", path("plain"), "-o", path("no")}),
                 {"hash_bits=0"});
  must_train({"--epochs", "1", "-o", path("again"), "-p", "hash_bits=12", "--init", path("hashed")});
  expect_refused(train_with({"--init", path("missing"), "-o", path("no")}), {"missing", "No such file"});
  expect_refused(train_with({"--init", train(), "-o", path("no")}), {"not a Hinge model"});
  EXPECT_FALSE(exists("no"));
}

TEST_F(TrainingCommand, ASmallGapEndsTraining) {
  must_train({"--epochs", "100", "--stop-gap", "0.05", "--log", path("log"), "-o", path("m")});
  const auto epochs = log("log");
  EXPECT_LT(epochs.size(), 100u);
  EXPECT_EQ(epochs.back()["stop"], "gap");
  for (const auto& epoch : epochs) {
    const bool last = epoch["epoch"] == epochs.back()["epoch"];
    EXPECT_EQ(epoch["gap"].get<double>() <= 0.05 * epoch["primal"].get<double>(), last) << epoch;
  }
  for (const std::string learner : {"perceptron", "crf"}) {
    expect_refused(train_with({"--learner", learner, "--stop-gap", "0.05", "-o", path("no")}),
                   {"--stop-gap", learner, "dual"});
    expect_refused(train_with({"--learner", learner, "--stop-gap", "0.05", "-o", path("no"), "--search",
                               "epochs=1,2", "--dev", dev()}),
                   {"--stop-gap", learner, "dual"});
  }
  EXPECT_FALSE(exists("no"));
}

TEST_F(TrainingCommand, ATimeBudgetEndsAnyKindOfLearner) {
  for (const std::string learner : {"dcd", "perceptron", "extragradient", "one-slack"}) {
    SCOPED_TRACE(learner);
    const auto begin = std::chrono::steady_clock::now();
    must_train({"--learner", learner, "--epochs", "100000", "--time-budget", "0.2", "--log", path("log"),
                "-o", path("m")});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
    EXPECT_EQ(log("log").back()["stop"], "time");
    EXPECT_GE(log("log").back()["elapsed_seconds"].get<double>(), 0.2);
    EXPECT_GT(f1("m"), 0.0);
  }
}

TEST_F(TrainingCommand, EarlyStopKeepsTheBestModel) {
  must_train({"--learner", "perceptron", "--epochs", "100", "--dev", dev(), "--early-stop", "2", "--log",
              path("log"), "-o", path("m")});
  const auto epochs = log("log");
  ASSERT_LT(epochs.size(), 100u);
  ASSERT_GE(epochs.size(), 3u);
  EXPECT_EQ(epochs.back()["stop"], "no better dev score");
  double best = 0.0;
  for (const auto& epoch : epochs) best = std::max(best, epoch["dev_f1"].get<double>());
  EXPECT_DOUBLE_EQ(epochs[epochs.size() - 3]["dev_f1"].get<double>(), best) << "two worse ones follow";
  EXPECT_DOUBLE_EQ(f1("m"), best);
  expect_refused(train_with({"--early-stop", "2", "-o", path("no")}), {"--early-stop", "--dev"});
}

TEST_F(TrainingCommand, BadNumbersAreRefusedWithFlagValueAndWhatWasExpected) {
  const std::vector<std::pair<std::string, std::string>> flags{
      {"--stop-gap", "a number above 0"},
      {"--time-budget", "a number of seconds above 0"},
      {"--early-stop", "a whole number of at least 1"},
      {"--checkpoint-every", "a whole number of at least 1"}};
  for (const auto& [flag, expected] : flags) {
    for (const std::string value : {"abc", "0", "-1", "nan", "inf", "1e999", "", "1x"}) {
      const std::vector<std::string> words{flag + " is '" + value + "'", expected};
      expect_refused(train_with({flag, value, "--dev", dev(), "-o", path("no")}), words);
    }
    expect_refused(train_with({flag, "x", "--dev", dev(), "-o", path("no"), "--search", "C=1,2"}),
                   {flag + " is 'x'", expected});
    std::string key = flag.substr(2);
    std::ranges::replace(key, '-', '_');
    expect_refused(
        train_with({"--config", write("bad.toml", key + " = -2\n"), "--dev", dev(), "-o", path("no")}),
        {flag + " is '-2'", expected});
  }
  expect_refused(train_with({"--objective", "sometimes", "-o", path("no")}), {"--objective", "'sometimes'"});
  EXPECT_FALSE(exists("no"));
}

TEST_F(TrainingCommand, AConfigFileMaySayHowToBeginAndEnd) {
  must_train({"--epochs", "2", "-o", path("start")});
  const std::string config =
      write("c.toml",
            "epochs = 50\nobjective = \"epoch\"\nstop_gap = 0.3\ntime_budget = 100.5\ncheckpoint = \"" +
                path("c") + "\"\ninit = \"" + path("start") + "\"\nlog = \"" + path("config.log") + "\"\n");
  must_train({"--config", config, "-o", path("config")});
  must_train({"--epochs", "50", "--stop-gap", "0.3", "--init", path("start"), "--log", path("flags.log"),
              "-o", path("flags")});
  EXPECT_TRUE(read("config") == read("flags"));
  EXPECT_EQ(log("config.log").back()["stop"], "gap");
  EXPECT_EQ(log("config.log").size(), log("flags.log").size());
  EXPECT_TRUE(exists("c"));
  must_train({"--config", config, "--stop-gap", "10", "-o", path("wins")});
  EXPECT_EQ(log("config.log").size(), 1u) << "the command line wins";

  must_train({"--config", write("e.toml", "early_stop = 1\nepochs = 100\n"), "--dev", dev(), "--log",
              path("e.log"), "-o", path("early")});
  EXPECT_EQ(log("e.log").back()["stop"], "no better dev score");
  expect_refused(train_with({"--config", write("o.toml", "objective = \"sometimes\"\n"), "-o", path("no")}),
                 {"objective", "'sometimes'", "never, end, epoch"});
  expect_refused(train_with({"--config", write("i.toml", "init = \"nowhere\"\n"), "-o", path("no")}),
                 {"nowhere", "No such file"});
  EXPECT_FALSE(exists("no"));
}

TEST_F(TrainingCommand, ASearchKeepsTheModelWithTheBestDevScore) {
  const CommandResult result = train_with(
      {"--search", "C=1,0.001,0.1", "--dev", dev(), "--epochs", "4", "-o", path("m"), "--log", path("log")});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<SearchRow> rows = search_rows(result.out);
  ASSERT_EQ(rows.size(), 3u) << result.out;
  EXPECT_EQ(rows[0].point, "C=0.001") << "small C first, for warm starts";
  EXPECT_EQ(std::ranges::count(rows, true, &SearchRow::kept), 1);
  const auto best = std::ranges::max_element(rows, {}, &SearchRow::score);
  EXPECT_TRUE(best->kept) << result.out;
  EXPECT_NEAR(f1("m"), best->score, 0.005);
  EXPECT_NE(hinge({"inspect", path("m"), "--top", "0"}).out.find(best->point), std::string::npos);
  const auto epochs = log("log");
  ASSERT_EQ(epochs.size(), 12u);
  for (std::size_t k = 0; k < epochs.size(); ++k)
    EXPECT_EQ("C=" + epochs[k]["search"]["C"].get<std::string>(), rows[k / 4].point);
}

TEST_F(TrainingCommand, AColdSearchKeepsTheVeryModelThatTrainingWithItsOptionsWrites) {
  const CommandResult result = train_with({"--search", "C=0.01,0.1", "--search", "min_count=1,2", "--cold",
                                           "--dev", dev(), "--epochs", "2", "-o", path("m")});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<SearchRow> rows = search_rows(result.out);
  ASSERT_EQ(rows.size(), 4u) << result.out;
  const SearchRow& kept = *std::ranges::find(rows, true, &SearchRow::kept);
  std::vector<std::string> flags{"--epochs", "2", "--dev", dev(), "-o", path("alone")};
  std::stringstream options(kept.point);
  for (std::string option; options >> option;) flags.insert(flags.end(), {"-p", option});
  must_train(flags);
  EXPECT_TRUE(read("m") == read("alone")) << result.out;
}

TEST_F(TrainingCommand, BadSearchesAreRefusedBeforeAnyTraining) {
  const auto search = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"train", "tag", train(), "--epochs", "1000",  "--time-budget", "20",
                                       "--dev", dev(), "-o",    path("no"), "--log", path("no.log")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  };
  expect_refused(search({"--search", "C=0.1,abc"}), {"C is 'abc'", "above 0"});
  expect_refused(search({"--search", "C=0.1,-1"}), {"C is '-1'"});
  expect_refused(search({"--search", "C"}), {"--search C:", "C=0.1,1"});
  expect_refused(search({"--search", "C="}), {"--search C=:", "C=0.1,1"});
  expect_refused(search({"--search", "C=0.1,,1"}), {"--search C=0.1,,1:"});
  expect_refused(search({"--search", "c=0.1,1"}), {"'c'", "did you mean 'C'"});
  expect_refused(search({"--search", "C=0.1", "--search", "C=1"}), {"--search C=1", "twice"});
  expect_refused(search({"--search", "C=0.1,1", "--checkpoint", path("c")}), {"--search", "--checkpoint"});
  expect_refused(train_with({"--search", "C=0.1,1", "-o", path("no")}), {"--search", "--dev"});
  for (const char* file : {"no", "no.log", "c"}) EXPECT_FALSE(exists(file)) << file;
}

TEST_F(TrainingCommand, OptionsBeforeTheTaskTakeOneValueEach) {
  const CommandResult result = hinge({"train", "-p", "min_count=2", "--search", "C=0.1,1", "tag", train(),
                                      "--dev", dev(), "--epochs", "1", "-q", "-o", path("m")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(search_rows(result.out).size(), 2u);
}

TEST_F(TrainingCommand, CompareOfAllLearnersWritesATableCurvesAndALogThatAgree) {
  const CommandResult result = hinge({"compare", "tag", train(), dev(), "--learners", "all", "--epochs", "2",
                                      "-p", "regularizer=l1", "-q", "--threads", "1", "-o", path("all")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read("all/table.md"), result.out);
  const std::vector<std::string> learners = learner_names();
  const std::vector<std::string> table = lines_of(result.out);
  const std::vector<std::string> csv = lines_of(read("all/curves.csv"));
  const auto epochs = log("all/compare.jsonl");
  ASSERT_EQ(table.size(), learners.size() + 2);
  ASSERT_EQ(epochs.size(), 2 * learners.size());
  ASSERT_EQ(csv.size(), epochs.size() + 1);
  for (std::size_t l = 0; l < learners.size(); ++l)
    EXPECT_TRUE(table[l + 2].starts_with("| " + learners[l] + " |")) << table[l + 2];
  for (std::size_t k = 0; k < epochs.size(); ++k) {
    EXPECT_EQ(epochs[k]["learner"], learners[k / 2]);
    EXPECT_TRUE(csv[k + 1].starts_with(learners[k / 2] + ",\"")) << csv[k + 1];
    // learner, loss in quotes, epoch, seconds, dev, primal, dual
    const std::string rest = csv[k + 1].substr(csv[k + 1].rfind('"'));
    EXPECT_EQ(std::ranges::count(rest, ','), 5) << csv[k + 1];
    EXPECT_EQ(rest[2], epochs[k]["epoch"] == 1 ? '1' : '2') << csv[k + 1];
  }
  EXPECT_NE(read("all/curves.svg").find("<svg"), std::string::npos);
  EXPECT_NE(read("all/curves.svg").find("</svg>"), std::string::npos);
  EXPECT_NE(read("all/curves.svg").find("seed "), std::string::npos);
  const auto about = nlohmann::json::parse(read("all/about.json"));
  EXPECT_EQ(about["seed"], 1);
  EXPECT_TRUE(about["version"].is_string());
  EXPECT_TRUE(about["options"].contains("dcd"));
}

TEST_F(TrainingCommand, CompareSaysWhichRegularizersAreInTheObjective) {
  const auto loss = [this](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"compare",  "tag", train(), dev(), "--learners", "crf",
                                       "--epochs", "1",   "-q",    "-o",  path("net")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string row = lines_of(hinge(arguments).out).at(2);
    return row.substr(0, row.find('|', row.find("log")));
  };
  EXPECT_EQ(loss({}), "| crf | log ");
  EXPECT_EQ(loss({"-p", "l1=0.5"}), "| crf | log, l2 and 0.5 l1 regularizer ");
  EXPECT_EQ(loss({"-p", "regularizer=l1"}), "| crf | log, l1 regularizer ");
  expect_refused(hinge({"train", "tag", train(), "-q", "--learner", "crf", "-p", "regularizer=l1", "-p",
                        "l1=0.5", "-o", path("m")}),
                 {"crf: l1 is 0.5 but regularizer is l1", "regularizer=l2"});
}

TEST_F(TrainingCommand, BadComparisonsAreRefusedAndLeaveNoFolder) {
  const auto compare = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"compare", "tag", train(), dev(), "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  };
  const std::string out = path("compared");
  expect_refused(compare({"--learners", "dcd,percepton", "-o", out}),
                 {"percepton", "did you mean 'perceptron'"});
  expect_refused(compare({"--learners", "", "-o", out}), {"learners"});
  for (const std::string C : {"abc", "-1", "0", "inf", "nan", ""})
    expect_refused(compare({"--learners", "perceptron", "--C", C, "-o", out}),
                   {"C is '" + C + "'", "above 0"});
  expect_refused(compare({"--learners", "dcd", "--threads", "-2", "-o", out}), {"threads"});
  expect_refused(hinge({"compare", "tag", path("missing"), dev(), "--learners", "dcd", "-q", "-o", out}),
                 {"missing", "cannot be opened"});
  EXPECT_FALSE(exists("compared"));
  expect_refused(compare({"--learners", "dcd", "-o", train()}), {"train.txt", "folder"});
  expect_refused(compare({"--learners", "dcd", "-o", train() + "/below"}), {"below", "folder"});
}

}  // namespace
}  // namespace hinge::test
