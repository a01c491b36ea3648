// hinge-mpi under mpirun, with more ranks than cores.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

std::string mpi_program() {
  return (std::filesystem::path(hinge_binary()).parent_path() / "hinge-mpi").string();
}

// `--quiet`: mpirun would add its own lines to those of the program.
CommandResult on_ranks(int ranks, std::vector<std::string> arguments) {
  std::vector<std::string> all{"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                               "mpirun", "--quiet", "--oversubscribe", "-n", std::to_string(ranks),
                               mpi_program(), "train"};
  arguments.insert(arguments.end(), {"--threads", "1", "-q"});
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_command(all);
}

class Ranks : public SampleCorpus {
 protected:
  std::string model_on(int ranks, std::vector<std::string> arguments) {
    const std::string name = "on" + std::to_string(ranks) + ".model";
    arguments.insert(arguments.begin(), {"tag", train()});
    arguments.insert(arguments.end(), {"-o", path(name)});
    const CommandResult result = on_ranks(ranks, arguments);
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    return read(name);
  }
};

TEST_F(Ranks, GiveTheBytesOfOneProcessWithAsManyShards) {
  const std::vector<std::vector<std::string>> runs = {
      {"--learner", "perceptron", "--epochs", "2", "--shards", "8", "--dev", dev()},
      {"--learner", "crf", "--epochs", "4", "--shards", "8"},
      {"--learner", "one-slack", "--epochs", "4", "--shards", "8"},
      {"--learner", "cpd", "--epochs", "2", "--shards", "8"},
      {"--learner", "egd", "--epochs", "2", "--shards", "8"},
      // On some ranks these have nothing to send now and then.
      {"--learner", "sgd", "--epochs", "2", "--shards", "8"},
      {"--learner", "dcd", "--epochs", "2", "--shards", "8", "--checkpoint", path("check")},
      {"--learner", "mira", "--epochs", "1", "--shards", "8", "--dev", dev(), "--search", "min_count=1,2"},
  };
  for (const auto& run : runs) {
    SCOPED_TRACE(run[1]);
    std::vector<std::string> alone = run;
    alone.insert(alone.end(), {"-o", path("alone.model")});
    must_train(alone);
    const bool on_many = run[1] == "perceptron" || run[1] == "sgd" || run[1] == "dcd";
    const std::string expected = read("alone.model");
    EXPECT_EQ(model_on(2, run), expected);
    if (on_many) {
      EXPECT_EQ(model_on(4, run), expected);
    }
    if (run[1] == "perceptron") {
      EXPECT_EQ(model_on(1, run), expected);
      EXPECT_EQ(model_on(8, run), expected);
    }
  }
}

TEST_F(Ranks, ReportBadInputOnceAsOneProcessDoes) {
  const std::string bad = write("bad.txt", read("train.txt") + "one\n\n");
  const CommandResult alone = hinge({"train", "tag", bad, "-q", "--learner", "mira", "-o", path("m")});
  const CommandResult together = on_ranks(3, {"tag", bad, "--learner", "mira", "-o", path("m")});
  EXPECT_EQ(alone.code, 1);
  EXPECT_EQ(together.code, 1);
  EXPECT_EQ(together.err, alone.err);
  EXPECT_FALSE(exists("m"));
}

TEST_F(Ranks, ShareACacheThatTheFirstMakes) {
  const std::vector<std::string> run = {"--learner", "mira", "--epochs", "2", "--shards", "4"};
  const auto with_cache = [&run, this](const std::string& name) {
    std::vector<std::string> arguments = run;
    arguments.insert(arguments.end(), {"--cache", path(name)});
    return arguments;
  };
  std::vector<std::string> alone = with_cache("alone.cache");
  alone.insert(alone.end(), {"-o", path("alone.model")});
  must_train(alone);
  const std::string expected = read("alone.model");
  EXPECT_EQ(model_on(3, with_cache("c")), expected);
  EXPECT_EQ(read("c"), read("alone.cache"));
  EXPECT_EQ(model_on(2, with_cache("c")), expected);
  // What is wrong with it is told once.
  const auto told = [&](const std::string& name) {
    std::vector<std::string> arguments = with_cache(name);
    arguments.insert(arguments.begin(), {"tag", train()});
    arguments.insert(arguments.end(), {"-o", path("m")});
    return on_ranks(3, arguments);
  };
  std::string bytes = read("c");
  bytes[bytes.size() * 9 / 10] ^= 4;
  write("c", bytes);
  expect_refused(told("c"), {path("c") + ": ", "damaged"});
  expect_refused(told("nowhere/c"), {path("nowhere/")});
}

TEST_F(Ranks, RefuseALearnerThatNeedsAllExamplesInOnePlace) {
  const CommandResult result =
      on_ranks(2, {"tag", train(), "--learner", "smo", "--shards", "4", "-o", path("m")});
  expect_refused(result, {"smo cannot learn from data in 4 shards", "perceptron", "crf"});
}

TEST_F(Ranks, RefuseMoreRanksThanShards) {
  const CommandResult result = on_ranks(3, {"tag", train(), "--learner", "crf", "--shards", "2", "-o", path("m")});
  expect_refused(result, {"there are 3 processes but only 2 shards", "--shards"});
}

TEST_F(Ranks, EndSoonWhenOneIsKilledAndResumeOnAnotherNumberToTheSameBytes) {
  std::vector<std::string> killed = {"bash", "-c",
                                     "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
                                     "mpirun --oversubscribe -n 3 \"$0\" train tag \"$1\" --learner perceptron "
                                     "--epochs 100000 --shards 4 --threads 1 -q --checkpoint \"$2\" -o \"$3\" &\n"
                                     "mpirun=$!\n"
                                     "until [ -s \"$2\" ]; do sleep 0.05; done\n"
                                     "victim=$(pgrep -P $mpirun | tail -n 1)\n"
                                     "kill -9 $victim; SECONDS=0; wait $mpirun; code=$?\n"
                                     "[ $SECONDS -lt 20 ] || exit 99\n"
                                     "exit $code\n",
                                     mpi_program(), train(), path("check"), path("never.model")};
  const CommandResult result = run_command(killed);
  EXPECT_NE(result.code, 0);
  EXPECT_NE(result.code, 99) << "mpirun went on for long after a rank had died";
  EXPECT_NE((result.out + result.err).find("process rank 2 "), std::string::npos) << result.out << result.err;
  EXPECT_FALSE(exists("never.model"));
  for (const std::string& left : partial_files()) std::filesystem::remove(left);

  // It was killed after a few epochs: the checkpoint was just written.
  const auto resumed_on = [&](int ranks) {
    std::filesystem::copy_file(path("check"), path("again"), std::filesystem::copy_options::overwrite_existing);
    const CommandResult resumed = on_ranks(ranks, {"--resume", path("again"), "--epochs", "60",
                                                   "-o", path("resumed.model")});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    return read("resumed.model");
  };
  EXPECT_EQ(resumed_on(2), resumed_on(1));
}

}  // namespace
}  // namespace hinge::test
