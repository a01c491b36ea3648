// `hinge tune` and `hinge cache`, with examples/nbest_decoder, which needs a shell and awk.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

namespace fs = std::filesystem;

class TuneCommand : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(hinge({"sample", "rerank", "--sentences", "30", "--seed", "3", "-o", path("full.nbest"),
                     "--refs", path("refs")})
                  .code,
              0);
    write("init", "lm= 1\ntm= 1 1\nwords= -0.5\n");
  }
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::string read(const std::string& name) const { return TemporaryFolder::read(path(name)); }

  std::string decoder(const std::string& before = "") const {
    return before + "'" + source_folder() + "/examples/nbest_decoder' '" + path("full.nbest") +
           "' 5 {weights} {nbest}";
  }
  std::vector<std::string> flags(const std::string& decoder, const std::string& name) const {
    return {"tune",
            "--decoder",
            decoder,
            "--source",
            path("refs"),
            "--refs",
            path("refs"),
            "--init",
            path("init"),
            "--learner",
            "mira",
            "--C",
            "0.01",
            "--dir",
            path(name),
            "-o",
            path(name + ".model"),
            "--weights",
            path(name + ".weights")};
  }
  CommandResult tune(const std::string& decoder, const std::string& name,
                     const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = flags(decoder, name);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }
  std::vector<nlohmann::json> iterations(const std::string& name) const {
    return nlohmann::json::parse(read(name + "/state.json")).at("iterations");
  }
  double bleu(const std::string& model) const {
    return nlohmann::json::parse(
               hinge({"evaluate", path(model), path("full.nbest"), "--refs", path("refs"), "--json"}).out)
        .at("bleu")
        .get<double>();
  }

  // A source whose lines are the numbers of the lists, and a decoder that gives the lists of any piece.
  std::vector<std::string> flags_in_pieces(const std::string& name, const std::string& before = "") const {
    std::string numbers;
    for (int i = 0; i < 30; ++i) numbers += std::to_string(i) + "\n";
    const std::string pick =
        " && awk 'NR==FNR {id[$1]=NR-1; next} $1 in id {sub(/^[0-9]+/, id[$1]); print}' {source} {nbest}.all > "
        "{nbest}.some && mv {nbest}.some {nbest} && rm {nbest}.all";
    std::vector<std::string> arguments =
        flags(before + "'" + source_folder() + "/examples/nbest_decoder' '" + path("full.nbest") +
                  "' 5 {weights} {nbest}.all" + pick,
              name);
    *(std::ranges::find(arguments, "--source") + 1) = write("numbers", numbers);
    return arguments;
  }
  CommandResult tune_in_pieces(int processes, const std::string& name, const std::string& before = "",
                               const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = flags_in_pieces(name, before);
    arguments.insert(arguments.end(), {"--processes", std::to_string(processes), "-q"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }
  std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(folder))) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

  // Runs the loop and sends it a signal once a file exists.
  CommandResult tune_and_signal(const std::string& signal, const std::string& file,
                                const std::vector<std::string>& flags) const {
    constexpr const char* kScript = R"sh(
      file=$1; signal=$2; shift 2
      "$@" & pid=$!
      while kill -0 $pid 2>/dev/null && ! [ -e "$file" ]; do sleep 0.01; done
      kill -$signal $pid
      wait $pid)sh";
    std::vector<std::string> arguments{"sh", "-c", kScript, "sh", file, signal, hinge_binary()};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return run_command(arguments);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(TuneCommand, EndsWhereNothingIsNewAboutAsGoodAsLearningFromEverything) {
  const CommandResult result = tune(decoder(), "work");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("stopped: no new hypotheses"), std::string::npos) << result.err;
  const auto done = iterations("work");
  ASSERT_GE(done.size(), 3u);
  EXPECT_EQ(lines_of(result.err).size(), done.size() + 1) << result.err;
  EXPECT_LT(done.back().at("hypotheses").get<std::size_t>(), lines_of(read("full.nbest")).size());

  // With the final weights, the decoder and the model make the same choices.
  double best = 0.0;
  for (const auto& iteration : done) best = std::max(best, iteration.at("decoded").get<double>());
  EXPECT_NEAR(bleu("work.model"), best, 1e-9);
  ASSERT_EQ(hinge({"train", "rerank", path("full.nbest"), "--refs", path("refs"), "--init", path("init"),
                   "--learner", "mira", "--C", "0.01", "-q", "-o", path("full.model")})
                .code,
            0);
  EXPECT_GT(best, done[0].at("decoded").get<double>() + 5.0);
  EXPECT_GT(best, bleu("full.model") - 2.0);

  const std::string before = read("work.model");
  ASSERT_EQ(tune(decoder(), "work", {"-q"}).code, 0);
  EXPECT_TRUE(read("work.model") == before) << "it was done";
  EXPECT_EQ(hinge({"inspect", path("work.model"), "--weights"}).out, read("work.weights"));
}

TEST_F(TuneCommand, LearnsFromPairsByShorterSteps) {
  const CommandResult result =
      tune(decoder(), "pro", {"-p", "pairs=20", "--step", "0.5", "--iterations", "5", "--few", "0"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto done = iterations("pro");
  EXPECT_GT(done.back().at("decoded").get<double>(), done[0].at("decoded").get<double>());
  expect_refused(tune(decoder(), "w", {"--step", "0"}), {"--step"});
  expect_refused(tune(decoder(), "w", {"--few", "1"}), {"--few"});
}

TEST_F(TuneCommand, EndsWhereFewAreNew) {
  const CommandResult result = tune(decoder(), "few", {"--few", "0.5"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("iteration 3/15"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("stopped: few new hypotheses"), std::string::npos) << result.err;
}

TEST_F(TuneCommand, AnIterationLearnsWhatTrainLearnsFromItsListsAndWeights) {
  ASSERT_EQ(tune(decoder(), "work", {"-q", "--iterations", "2"}).code, 0);
  ASSERT_EQ(hinge({"train", "rerank", path("work/run2.merged"), "--refs", path("refs"), "--init",
                   path("work/run2.weights"), "--learner", "mira", "--C", "0.01", "-q", "-o", path("m")})
                .code,
            0);
  ASSERT_EQ(tune(decoder(), "work", {"-q", "--iterations", "3"}).code, 0);
  EXPECT_EQ(hinge({"inspect", path("m"), "--weights"}).out, read("work/run3.weights"));
}

TEST_F(TuneCommand, AKilledLoopGoesOnToTheSameBytes) {
  const std::string command =
      decoder("if [ -e '" + path("slow") + "' ] && [ -e '" + path("work/run2.weights") + "' ]; then touch '" +
              path("in2") + "'; echo half > {nbest}; exec sleep 3; fi; ");
  ASSERT_EQ(tune(command, "whole", {"-q"}).code, 0);
  for (const std::string signal : {"KILL", "INT", "TERM"}) {
    SCOPED_TRACE(signal);
    fs::remove_all(path("work"));
    fs::remove(path("in2"));
    write("slow", "");
    const CommandResult killed = tune_and_signal(signal, path("in2"), flags(command, "work"));
    EXPECT_EQ(killed.code, signal == "KILL" ? 128 + 9 : 1) << killed.err;
    if (signal != "KILL") {
      EXPECT_NE(killed.err.find("interrupted in iteration 2; run the same command again"), std::string::npos)
          << killed.err;
    }
    EXPECT_EQ(iterations("work").size(), 1u);
    EXPECT_FALSE(fs::exists(path("work.model")));
    fs::remove(path("slow"));
    const CommandResult resumed = tune(command, "work");
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_NE(resumed.err.find("resuming after 1 iteration,"), std::string::npos) << resumed.err;
    for (const std::string name : {"model", "weights"})
      EXPECT_TRUE(read("work." + name) == read("whole." + name)) << name;
    EXPECT_EQ(iterations("work"), iterations("whole"));
    fs::remove(path("work.model"));
  }
}

TEST_F(TuneCommand, WhatGoesWrongIsToldInALine) {
  expect_refused(tune("decode {weights}", "w"), {"{nbest}"});
  expect_refused(tune("decode {nbest}", "w"), {"{weights}"});
  expect_refused(tune("echo no model >&2; exit 3; {weights} {nbest}", "w"),
                 {"status 3: no model", "run1.log"});
  expect_refused(tune("kill -9 $$; : {weights} {nbest}", "w"), {"signal 9", "run1.log"});
  expect_refused(tune(": {weights} {nbest}", "w"), {"run1.nbest", "was not written"});
  expect_refused(tune("cp {weights} {nbest}", "w"), {"run1.nbest:1"});
  expect_refused(tune(decoder() + "; head -c 3000 {nbest} > {nbest}.x; mv {nbest}.x {nbest}", "w"),
                 {"run1.nbest", "cut short"});
  expect_refused(tune(decoder() + "; gzip -c {nbest} | head -c 2000 > {nbest}.gz; rm {nbest}", "w"),
                 {"run1.nbest.gz"});
  expect_refused(tune(decoder(), "w", {"--iterations", "1"}), {"--iterations", "at least 2"});
  expect_refused(tune(decoder(), "w", {"--tolerance", "-1"}), {"--tolerance"});
  std::vector<std::string> unsuited = flags("touch '" + path("ran") + "'; {weights} {nbest}", "w");
  *std::ranges::find(unsuited, "mira") = "crf";
  *std::ranges::find(unsuited, "0.01") = "1";
  expect_refused(hinge(unsuited), {"crf", "mira"});
  EXPECT_FALSE(fs::exists(path("ran"))) << "it was told before the decoder ran";
  expect_refused(tune(decoder(), "w", {"--refs", write("one", "a line\n")}), {"one"});
  std::vector<std::string> piped = flags(decoder(), "w");
  *(std::ranges::find(piped, "--source") + 1) = "-";
  expect_refused(hinge(piped), {"standard input", "--source"});
  EXPECT_FALSE(fs::exists(path("w.model")));

  ASSERT_EQ(tune(decoder(), "w", {"--iterations", "2", "--restart", "-q"}).code, 0);
  expect_refused(tune(decoder(), "w", {"-p", "metric=chrf"}),
                 {"-p metric 'bleu', not 'chrf'", "--dir", "--restart"});
  expect_refused(tune(decoder("true; "), "w"), {"decoder", "--restart"});
  expect_refused(tune(decoder(), "w", {"--seed", "9"}), {"seed '1', not '9'"});
  EXPECT_EQ(tune(decoder(), "w", {"-p", "metric=chrf", "--restart", "-q", "--iterations", "2"}).code, 0);
}

TEST_F(TuneCommand, AnyNumberOfProcessesGivesTheSameBytes) {
  const std::string talk = "cat {source}; echo message >&2; ";
  const std::vector<std::string> briefly{"--iterations", "3"};
  ASSERT_EQ(tune_in_pieces(1, "one", talk, briefly).err, "");
  EXPECT_EQ(lines_of(read("one/run1.out")).size(), 30u);
  for (const int processes : {2, 7, 99}) {
    SCOPED_TRACE(processes);
    const std::string name = "n" + std::to_string(processes);
    ASSERT_EQ(tune_in_pieces(processes, name, talk, briefly).err, "");
    for (const std::string file : {"/state.json", ".model", ".weights", "/run2.weights", "/run1.out"})
      EXPECT_TRUE(read("one" + file) == read(name + file)) << file;
    EXPECT_EQ(lines_of(read(name + "/run1.log")).size(), static_cast<std::size_t>(std::min(processes, 30)));
    EXPECT_EQ(files("one"), files(name)) << "nothing else is left";
    for (const std::string& folder : {std::string("one"), name}) {
      ASSERT_EQ(hinge({"cache", path(folder + "/run2.nbest"), "-o", path(folder + ".cache")}).code, 0);
    }
    EXPECT_TRUE(read("one.cache") == read(name + ".cache"));
  }
}

TEST_F(TuneCommand, AProcessThatFailsEndsTheOthersAndIsNamed) {
  // The others would sleep for a minute.
  const auto only_second = [&](const std::string& what) {
    return "echo $$ >> '" + path("pids") + "'; if ! grep -qx 13 {source}; then exec sleep 60; fi; " + what + "; ";
  };
  const std::string piece = "piece 2 of 3 (lines 11 to 20 of " + path("numbers") + ")";
  const auto expect = [&](const std::string& what, const std::vector<std::string>& words) {
    SCOPED_TRACE(what);
    std::vector<std::string> all = words;
    all.insert(all.end(), {piece, "echo $$ >>"});
    const auto begin = std::chrono::steady_clock::now();
    expect_refused(tune_in_pieces(3, "w", only_second(what)), all);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    for (const std::string& pid : lines_of(read("pids"))) EXPECT_NE(kill(std::stoi(pid), 0), 0) << pid;
    fs::remove(path("pids"));
    for (const std::string& file : files("w")) EXPECT_EQ(file.find("partial"), std::string::npos) << file;
    EXPECT_TRUE(fs::exists(path("w/run1.piece2.source")));
  };
  expect("echo no model >&2; exit 3", {"status 3: no model", "run1.piece2.log"});
  expect("kill -9 $$", {"signal 9", "run1.piece2.log"});
  expect("echo '0 ||| a ||| lm= 1' > {nbest}; exit 0", {"run1.piece2.nbest", "no list of sentence 1, 2,", "status 0"});
  expect("seq 0 10 | sed 's/$/ ||| a ||| lm= 1/' > {nbest}; exit 0",
         {"run1.piece2.nbest", "list of sentence 10", "10 lines", "status 0"});
  expect("exit 0", {"run1.piece2.nbest", "was not written", "status 0"});
  EXPECT_FALSE(fs::exists(path("w.model")));

  ASSERT_EQ(tune_in_pieces(2, "w").err, "") << "the command goes on, with another number of processes";
  for (const std::string& file : files("w")) EXPECT_EQ(file.find("piece"), std::string::npos) << file;
}

TEST_F(TuneCommand, AKilledLoopGoesOnWithAnotherNumberOfProcesses) {
  ASSERT_EQ(tune_in_pieces(1, "whole").err, "");
  const std::string slow = "echo $$ >> '" + path("pids") + "'; if [ -e '" + path("slow") + "' ] && [ -e '" +
                           path("work/run2.weights") + "' ]; then echo half > {nbest}; if grep -qx 29 {source}; then "
                           "touch '" + path("in2") + "'; fi; exec sleep 5; fi; ";
  for (const std::string signal : {"KILL", "INT", "TERM"}) {
    SCOPED_TRACE(signal);
    fs::remove_all(path("work"));
    fs::remove(path("in2"));
    fs::remove(path("pids"));
    write("slow", "");
    std::vector<std::string> arguments = flags_in_pieces("work", slow);
    arguments.insert(arguments.end(), {"--processes", "4"});
    const CommandResult killed = tune_and_signal(signal, path("in2"), arguments);
    EXPECT_EQ(killed.code, signal == "KILL" ? 128 + 9 : 1) << killed.err;
    if (signal != "KILL") {
      EXPECT_NE(killed.err.find("interrupted in iteration 2; run the same command again"), std::string::npos);
      for (const std::string& file : files("work")) EXPECT_EQ(file.find("piece"), std::string::npos) << file;
    }
    for (const std::string& pid : lines_of(read("pids")))
      EXPECT_TRUE(signal == "KILL" || kill(std::stoi(pid), 0) != 0) << pid;
    fs::remove(path("slow"));
    ASSERT_EQ(tune_in_pieces(signal == "INT" ? 1 : 3, "work", slow).err, "");
    for (const std::string file : {".model", ".weights"})
      EXPECT_TRUE(read("work" + file) == read("whole" + file)) << file;
    EXPECT_EQ(iterations("work"), iterations("whole"));
    EXPECT_EQ(files("work"), files("whole"));
    fs::remove(path("work.model"));
  }
}

TEST_F(TuneCommand, ProcessesNeedADecoderThatReadsItsPiece) {
  expect_refused(tune(decoder(), "w", {"--processes", "2"}), {"no {source}", "--processes"});
  expect_refused(tune(decoder(), "w", {"--processes", "0"}), {"--processes is 0", "from 1"});
  expect_refused(hinge({"tune", path("some.model"), "--source", path("refs"), "--refs", path("refs"),
                        "--processes", "2"}),
                 {"--processes is for --decoder", "--threads"});
}

TEST_F(TuneCommand, PathsMayHoldAnything) {
  const std::string name = "it's a $(touch pwned) {nbest} folder";
  const CommandResult result = tune(decoder() + "; gzip {nbest}", name, {"--iterations", "2"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(fs::exists(path(name + "/run1.nbest.gz")));
  EXPECT_TRUE(fs::exists(path(name + ".model")));
  EXPECT_FALSE(fs::exists("pwned"));
}

TEST_F(TuneCommand, ACacheIsTakenForItsLists) {
  const CommandResult made = hinge({"cache", path("full.nbest"), "-o", path("full.cache")});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.err.find("30 lists, " + std::to_string(lines_of(read("full.nbest")).size()) +
                          " hypotheses, 4 features, "),
            std::string::npos)
      << made.err;
  for (const std::string kind : {"nbest", "cache"}) {
    ASSERT_EQ(hinge({"train", "rerank", path("full." + kind), "--refs", path("refs"), "-q", "-o",
                     path(kind + ".model")})
                  .code,
              0);
  }
  EXPECT_TRUE(read("nbest.model") == read("cache.model"));
  EXPECT_EQ(hinge({"predict", path("nbest.model"), path("full.nbest")}).out,
            hinge({"predict", path("nbest.model"), path("full.cache")}).out);
  expect_refused(hinge({"cache", path("full.nbest"), path("full.nbest"), "-o", path("two")}),
                 {"full.nbest:1"});
  ASSERT_EQ(hinge({"cache", path("full.nbest"), path("full.cache"), "--merge", "-o", path("two")}).code, 0);
  EXPECT_TRUE(read("two") == read("full.cache"));
  expect_refused(hinge({"cache", path("full.nbest"), "--cost", "loss", "-o", path("no")}),
                 {"full.nbest:1", "loss"});
  EXPECT_FALSE(fs::exists(path("no")));
}

TEST_F(TuneCommand, SampledListsAreTheSameForTheSameSeed) {
  const std::string lists = hinge({"sample", "rerank", "--sentences", "30", "--seed", "3"}).out;
  EXPECT_TRUE(lists == read("full.nbest"));
  EXPECT_TRUE(lists.starts_with(hinge({"sample", "rerank", "--sentences", "5", "--seed", "3"}).out));
  EXPECT_FALSE(lists == hinge({"sample", "rerank", "--sentences", "30", "--seed", "4"}).out);
  EXPECT_EQ(lines_of(read("refs")).size(), 30u);
  expect_refused(hinge({"sample", "tag", "--refs", path("no")}), {"tag", "--refs"});
  EXPECT_FALSE(fs::exists(path("no")));
}

}  // namespace
}  // namespace hinge::test
