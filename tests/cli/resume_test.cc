// `train --checkpoint` and `--resume`: however training ends, resuming it from
// its checkpoint gives the same bytes as an uninterrupted run.
#include <sys/mount.h>

#include <map>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

namespace fs = std::filesystem;

using ResumeCommand = SampleCorpus;

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Runs hinge and sends it a signal once the checkpoint appears or changes.
CommandResult run_and_signal(const std::string& checkpoint, const std::string& signal,
                             const std::vector<std::string>& arguments) {
  constexpr const char* kScript = R"sh(
    file=$1; signal=$2; shift 2
    before=$(stat -c %i.%y "$file" 2>/dev/null)
    "$@" & pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(stat -c %i.%y "$file" 2>/dev/null)" = "$before" ];
  do
      sleep 0.01
    done
    kill -$signal $pid
    wait $pid)sh";
  return run_command(joined({"sh", "-c", kScript, "sh", checkpoint, signal, hinge_binary()}, arguments));
}

// A log without times and without values that are computed only at the end of
// a run.
std::vector<nlohmann::json> course(std::vector<nlohmann::json> log) {
  for (nlohmann::json& epoch : log) {
    for (const char* name : {"decode_seconds", "update_seconds", "epoch_seconds", "training_seconds",
                             "elapsed_seconds", "primal", "dual", "gap", "gap_is_estimate"})
      epoch.erase(name);
  }
  return log;
}

TEST_F(ResumeCommand, EveryLearnerGoesOnToTheBytesOfAnUnbrokenRun) {
  const std::vector<std::string> learners = learner_names();
  ASSERT_GE(learners.size(), 16u);
  for (const std::string& learner : learners) {
    for (const bool early_stop : {false, true}) {
      SCOPED_TRACE(learner + (early_stop ? " with --early-stop" : ""));
      std::vector<std::string> flags{"--learner", learner};
      if (early_stop) flags = joined(flags, {"--dev", dev(), "--early-stop", "2"});
      must_train(joined(flags, {"--epochs", "4", "-o", path("whole"), "--log", path("whole.log")}));
      must_train(joined(flags, {"--epochs", "2", "-o", path("half"), "--checkpoint", path("c"),
                                "--checkpoint-every", "2"}));
      const CommandResult resumed = hinge({"train", "--resume", path("c"), "--epochs", "4", "-o",
                                           path("resumed"), "--log", path("resumed.log"), "-q"});
      ASSERT_EQ(resumed.code, 0) << resumed.err;
      EXPECT_TRUE(read("resumed") == read("whole"));
      EXPECT_EQ(course(log("resumed.log")), course(log("whole.log")));
    }
  }
}

TEST_F(ResumeCommand, CheckpointsChangeNothing) {
  for (const std::string learner : {"ops", "dcd", "sgd", "crf"}) {
    SCOPED_TRACE(learner);
    must_train({"--learner", learner, "--epochs", "3", "-o", path("start")});
    const std::vector<std::string> flags{"--learner", learner, "--epochs", "3", "--init", path("start")};
    must_train(joined(flags, {"-o", path("plain")}));
    must_train(joined(flags, {"-o", path("saved"), "--checkpoint", path("c"), "--checkpoint-every", "2"}));
    ASSERT_EQ(hinge({"train", "--resume", path("c"), "-q", "-o", path("again")}).code, 0);
    EXPECT_TRUE(read("saved") == read("plain"));
    EXPECT_TRUE(read("again") == read("plain")) << "a finished training, resumed, is the same";
  }
}

TEST_F(ResumeCommand, AKilledRunGoesOnFromItsLastCheckpoint) {
  for (const std::string learner : {"bcfw", "dcd"}) {
    SCOPED_TRACE(learner);
    must_train({"--learner", learner, "--epochs", "40", "-o", path("whole"), "--dev", dev()});
    CommandResult result = run_and_signal(path("c"), "KILL",
                                          {"train", "tag", train(), "--learner", learner, "--epochs", "40",
                                           "-q", "--dev", dev(), "-o", path("m"), "--checkpoint", path("c")});
    EXPECT_EQ(result.code, 128 + 9) << "it ended before it could be killed";
    for (int again = 0; again < 2; ++again)
      run_and_signal(path("c"), "KILL", {"train", "--resume", path("c"), "-q"});
    for (const std::string& left : partial_files()) fs::remove(left);  // the killed process could not
    result = hinge({"train", "--resume", path("c"), "-q", "--log", path("m.log")});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(read("m") == read("whole"));
    EXPECT_EQ(log("m.log").size(), 40u);
    fs::remove(path("m"));
    fs::remove(path("c"));
  }
}

TEST_F(ResumeCommand, AnInterruptedRunKeepsAModelAndGoesOnLater) {
  must_train({"--epochs", "40", "-o", path("whole")});
  const CommandResult result =
      run_and_signal(path("c"), "INT",
                     {"train", "tag", train(), "--epochs", "40", "-o", path("m"), "--checkpoint", path("c")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("interrupted"), std::string::npos) << result.err;
  EXPECT_GT(f1("m"), 60.0);
  EXPECT_FALSE(read("m") == read("whole"));
  ASSERT_EQ(hinge({"train", "--resume", path("c"), "-q"}).code, 0);
  EXPECT_TRUE(read("m") == read("whole"));
}

TEST_F(ResumeCommand, ATrainingOutOfTimeGoesOnWithMore) {
  must_train({"--epochs", "12", "-o", path("whole")});
  must_train({"--epochs", "12", "-o", path("m"), "--checkpoint", path("c"), "--time-budget", "0.03"});
  if (!exists("c")) GTEST_SKIP() << "a machine too slow for one epoch in 30 ms";
  ASSERT_EQ(hinge({"train", "--resume", path("c"), "-q", "--time-budget", "600"}).code, 0);
  EXPECT_TRUE(read("m") == read("whole"));
}

TEST_F(ResumeCommand, MorePatienceOrASmallerGapGoesOn) {
  must_train({"--epochs", "30", "-o", path("m"), "--checkpoint", path("c"), "--dev", dev(), "--early-stop",
              "1", "--log", path("first.log")});
  ASSERT_EQ(log("first.log").back()["stop"], "no better dev score");
  ASSERT_EQ(
      hinge({"train", "--resume", path("c"), "-q", "--early-stop", "4", "--log", path("more.log")}).code, 0);
  EXPECT_GT(log("more.log").size(), log("first.log").size());
  EXPECT_FALSE(log("more.log")[log("first.log").size() - 1].contains("stop"));

  must_train({"--epochs", "40", "-o", path("m"), "--checkpoint", path("g"), "--stop-gap", "0.5", "--log",
              path("first.log")});
  ASSERT_EQ(
      hinge({"train", "--resume", path("g"), "-q", "--stop-gap", "0.2", "--log", path("more.log")}).code, 0);
  EXPECT_GT(log("more.log").size(), log("first.log").size());
  EXPECT_EQ(log("more.log").back()["stop"], "gap");
}

TEST_F(ResumeCommand, PatienceAskedForOnlyWhenResumingStillKeepsAGoodModel) {
  must_train({"--learner", "perceptron", "--epochs", "6", "--dev", dev(), "-o", path("m"), "--checkpoint",
              path("c")});
  const double before = f1("m");
  for (const std::string epochs : {"6", "8"}) {
    const CommandResult result = hinge({"train", "--resume", path("c"), "-q", "--early-stop", "1", "--epochs",
                                        epochs, "-o", path("patient")});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_GE(f1("patient"), before);
  }
}

TEST_F(ResumeCommand, WhatACheckpointSettlesCannotBeGivenAnew) {
  must_train({"--epochs", "1", "-o", path("m"), "--checkpoint", path("c")});
  const std::string before = read("c");
  const std::vector<std::pair<std::string, std::string>> given{
      {"--C", "1"},      {"--learner", "mira"}, {"-p", "min_count=2"}, {"--seed", "3"},
      {"--dev", dev()},  {"--config", "c"},     {"--init", path("m")}, {"--features", "chunk"},
      {"--column", "2"}, {"--search", "C=1,2"}};
  for (const auto& [flag, value] : given)
    expect_refused(hinge({"train", "--resume", path("c"), flag, value, "-o", path("no")}),
                   {"--resume", flag});
  expect_refused(hinge({"train", "--resume", path("c"), "parse", "-o", path("no")}), {"task tag", "parse"});
  expect_refused(hinge({"train", "--resume", path("c"), "tag", dev(), "-q", "-o", path("no")}),
                 {path("c"), "other training data", "dev.txt"});
  EXPECT_TRUE(read("c") == before);
  EXPECT_FALSE(exists("no"));
  EXPECT_EQ(hinge({"train", "--resume", path("c"), "tag", write("copy.txt", read("train.txt")), "-q"}).code,
            0)
      << "the same data by another name";
}

// The flags in `hinge train --help` that take a value.
std::vector<std::string> flags_of_train() {
  std::vector<std::string> flags;
  for (const std::string& line : lines_of(hinge({"train", "--help"}).out)) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != 2 || line[2] != '-' || line.find(" TEXT ") == std::string::npos) continue;
    const std::size_t end = line.find(" TEXT");
    flags.push_back(line.substr(std::min(line.find("--", begin), begin), end - begin));
  }
  return flags;
}

TEST_F(ResumeCommand, EveryFlagIsEitherForAResumedRunOrRefused) {
  must_train({"--epochs", "1", "-o", path("m"), "--checkpoint", path("c")});
  const std::vector<std::pair<std::string, std::string>> allowed{
      {"--threads", "1"},          {"--objective", "never"}, {"--early-stop", ""}, {"--stop-gap", "0.5"},
      {"--time-budget", "60"},     {"-o,--output", "m"},     {"--log", "log"},     {"--checkpoint", "c2"},
      {"--checkpoint-every", "2"}, {"--epochs", "1"},        {"--resume", ""}};
  const std::map<std::string, std::string> refused{
      {"--jackknife", "3"}, {"--seed", "3"}, {"-p", "C=3"}, {"--search", "C=1,2"}, {"--learner", "mira"}};
  for (const std::string& flag : flags_of_train()) {
    SCOPED_TRACE(flag);
    const auto may = std::ranges::find(allowed, flag, &std::pair<std::string, std::string>::first);
    if (may == allowed.end()) {
      const std::string value = refused.contains(flag) ? refused.at(flag) : "4";
      expect_refused(hinge({"train", "--resume", path("c"), flag, value, "-o", path("no")}), {});
    } else if (!may->second.empty()) {
      const bool is_file = may->second.front() == 'm' || may->second == "log" || may->second == "c2";
      const CommandResult result = hinge({"train", "--resume", path("c"), "-q", flag.substr(flag.find("--")),
                                          is_file ? path(may->second) : may->second});
      EXPECT_EQ(result.code, 0) << result.err;
    }
  }
  EXPECT_FALSE(exists("no"));
}

TEST_F(ResumeCommand, ReferencesGivenAnewAreRefusedNotIgnored) {
  ASSERT_EQ(
      hinge({"sample", "rerank", "--sentences", "20", "-o", path("lists"), "--refs", path("refs")}).code, 0);
  write("other", read("refs"));
  ASSERT_EQ(hinge({"train", "rerank", path("lists"), "--refs", path("refs"), "-q", "--epochs", "1", "-o",
                   path("m"), "--checkpoint", path("c")})
                .code,
            0);
  for (const std::string flag : {"--refs", "--dev-refs"})
    expect_refused(hinge({"train", "--resume", path("c"), flag, path("other"), "-q"}), {"--resume", flag});
  EXPECT_EQ(hinge({"train", "--resume", path("c"), "--refs", path("refs"), "-q"}).code, 0)
      << "the same as before changes nothing";
}

TEST_F(ResumeCommand, OptionsOfTaskAndLearnerComeBackToTheirOwners) {
  ASSERT_EQ(hinge({"sample", "dep", "--sentences", "30", "-o", path("trees")}).code, 0);
  const std::vector<std::string> flags{"train", "dep",     path("trees"), "--learner", "cutting-plane",
                                       "-p",    "loss=l2", "-p",          "cost=head", "-q"};
  ASSERT_EQ(hinge(joined(flags, {"--epochs", "3", "-o", path("whole")})).code, 0);
  ASSERT_EQ(hinge(joined(flags, {"--epochs", "1", "-o", path("m"), "--checkpoint", path("c")})).code, 0);
  const CommandResult resumed = hinge({"train", "--resume", path("c"), "--epochs", "3", "-q"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(read("m") == read("whole"));
}

TEST_F(ResumeCommand, FilesThatAreNoCheckpointsAreToldApart) {
  must_train({"--epochs", "1", "-o", path("m"), "--checkpoint", path("c")});
  const std::string bytes = read("c");
  const auto resume = [](const std::string& file) { return hinge({"train", "--resume", file, "-q"}); };
  expect_refused(resume(path("m")), {"not a checkpoint", "--checkpoint"});
  expect_refused(resume(train()), {"not a checkpoint"});
  expect_refused(resume(write("empty", "")), {"not a checkpoint"});
  expect_refused(resume(path("nothing")), {"nothing", "No such file"});
  expect_refused(resume(write("cut", bytes.substr(0, bytes.size() / 2))), {"cut", "damaged or cut short"});
  for (const std::size_t at : {std::size_t{20}, bytes.size() / 3, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] ^= 0x10;
    expect_refused(resume(write("damaged", damaged)), {"damaged", "cut short"});
  }
  std::string newer = bytes;
  newer[8] = 99;
  expect_refused(resume(write("newer", newer)), {"format 99"});
  expect_refused(hinge({"predict", path("c"), dev()}), {"not a Hinge model"});
  expect_refused(train_with({"--init", path("c"), "-o", path("no")}), {"not a Hinge model"});
  EXPECT_FALSE(exists("no"));
}

TEST_F(ResumeCommand, BadPlacesForOutputAreToldBeforeTraining) {
  const auto started = [this](const std::vector<std::string>& flags) {
    return hinge(joined({"train", "tag", train(), "--epochs", "1000000", "--time-budget", "20"}, flags));
  };
  expect_refused(started({"-o", path("m"), "--checkpoint", path("no/c")}), {"no/c", "cannot be written"});
  expect_refused(started({"-o", path("m"), "--log", path("no/log")}), {"no/log", "cannot be written"});
  expect_refused(started({"-o", path("m"), "--checkpoint", path("m")}), {"-o and --checkpoint", "two names"});
  expect_refused(started({"-o", path("m"), "--log", path("./m")}), {"-o and --log", "two names"});
  expect_refused(started({"-o", path("m"), "--log", path("l"), "--checkpoint", path("l")}),
                 {"--log and --checkpoint"});
  EXPECT_FALSE(exists("m"));
  EXPECT_FALSE(exists("l"));
}

TEST_F(ResumeCommand, ACheckpointThatCannotBeWrittenIsAWarningAndTheLastGoodOneStays) {
  const std::vector<std::string> flags{"--learner", "perceptron"};
  must_train(joined(flags, {"--epochs", "3", "-o", path("whole")}));
  must_train(joined(flags, {"--epochs", "1", "-o", path("m"), "--checkpoint", path("c")}));
  const std::string good = read("c");
  ASSERT_LT(read("whole").size(), good.size() / 2);
  // Allows files as large as a model, but not as large as a checkpoint.
  const std::string limit = "trap '' XFSZ; ulimit -f " + std::to_string(good.size() / 2048) + "; exec \"$@\"";
  const CommandResult result = run_command({"bash", "-c", limit, "bash", hinge_binary(), "train", "--resume",
                                            path("c"), "--epochs", "3", "-q", "-o", path("m")});
  EXPECT_EQ(result.code, 0) << result.err;
  const std::vector<std::string> warnings = lines_of(result.err);
  ASSERT_EQ(warnings.size(), 2u) << result.err;
  EXPECT_NE(warnings[0].find("warning: no checkpoint after epoch 2: " + path("c")), std::string::npos)
      << result.err;
  EXPECT_NE(warnings[1].find("File too large"), std::string::npos) << result.err;
  EXPECT_TRUE(read("m") == read("whole"));
  EXPECT_TRUE(read("c") == good);
  ASSERT_EQ(hinge({"train", "--resume", path("c"), "--epochs", "3", "-q", "-o", path("later")}).code, 0);
  EXPECT_TRUE(read("later") == read("whole"));
}

TEST_F(ResumeCommand, AFullDiskCostsNoMoreThanTheNewestCheckpoints) {
  const std::vector<std::string> flags{"--learner", "perceptron", "--epochs", "3"};
  must_train(joined(flags, {"-o", path("whole"), "--checkpoint", path("c")}));
  const std::string disk = path("disk");
  fs::create_directory(disk);
  // Space for one checkpoint, but not for two.
  const std::string size = "size=" + std::to_string(fs::file_size(path("c")) * 3 / 2);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, size.c_str()) != 0) GTEST_SKIP() << "only root may mount";
  const CommandResult result = train_with(joined(flags, {"-o", path("m"), "--checkpoint", disk + "/c"}));
  const auto files = std::distance(fs::directory_iterator(disk), fs::directory_iterator());
  const CommandResult resumed = hinge({"train", "--resume", disk + "/c", "-q", "--checkpoint",
                                       path("elsewhere"), "-o", path("later"), "--log", path("later.log")});
  umount(disk.c_str());
  EXPECT_EQ(result.code, 0);
  const std::vector<std::string> warnings = lines_of(result.err);
  ASSERT_EQ(warnings.size(), 2u) << result.err;
  EXPECT_NE(warnings[0].find("epoch 2"), std::string::npos) << result.err;
  EXPECT_NE(warnings[1].find("No space left"), std::string::npos) << result.err;
  EXPECT_EQ(files, 1) << "the partial checkpoint is gone, the good one is there";
  EXPECT_TRUE(read("m") == read("whole"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(read("later") == read("whole"));
  EXPECT_EQ(log("later.log").size(), 3u);
}

}  // namespace
}  // namespace hinge::test
