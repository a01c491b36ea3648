// Nothing is lost: streams that cannot be written, outputs that are inputs, signals,
// pipes, and files left behind.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

namespace fs = std::filesystem;

class Safety : public SampleCorpus {
 protected:
  // A command line; $HINGE is the program, $D the folder.
  CommandResult shell(const std::string& line) const {
    return run_command({"bash", "-c", "HINGE='" + hinge_binary() + "'; D='" + path("") + "'; " + line}, "");
  }
  std::string quiet_model() const {
    must_train({"-o", path("m.model"), "--epochs", "2"});
    return read("m.model");
  }
};

TEST_F(Safety, TrainingSucceedsWhateverBecomesOfStandardError) {
  const std::string expected = quiet_model();
  const std::string train = "$HINGE train tag $D/train.txt --epochs 2 --threads 1 -o $D/x.model ";
  for (const std::string broken : {"2>/dev/full", "2>&-", "0<&- 1>&- 2>&-", "2> >(exec 0<&-; sleep 0.1)"}) {
    SCOPED_TRACE(broken);
    write("x.model", "an old model");
    EXPECT_EQ(shell(train + broken).code, 0);
    EXPECT_EQ(read("x.model"), expected);
  }
}

TEST_F(Safety, ErrorsExitWithOneWhateverBecomesOfStandardError) {
  for (const std::string broken : {"2>/dev/full", "2>&-"})
    EXPECT_EQ(shell("$HINGE train tag $D/missing " + broken).code, 1);
}

TEST_F(Safety, StandardOutputThatCannotBeWrittenIsAnErrorOfEveryCommand) {
  quiet_model();
  for (const std::string command :
       {"--help", "--version", "tasks", "learners", "docs", "templates chunk", "sample tag",
        "inspect $D/m.model", "evaluate $D/m.model $D/dev.txt", "evaluate $D/m.model $D/dev.txt --json",
        "predict $D/m.model $D/dev.txt"}) {
    SCOPED_TRACE(command);
    expect_refused(shell("$HINGE " + command + " >/dev/full"), {"standard output", "No space left"});
    expect_refused(shell("$HINGE " + command + " >&-"), {"standard output"});
  }
}

TEST_F(Safety, AReaderThatGoesAwayEndsTheProgramQuietly) {
  quiet_model();
  const CommandResult result = shell(
      "for i in $(seq 200); do cat $D/dev.txt; done > $D/long; $HINGE predict $D/m.model $D/long | head -1");
  EXPECT_EQ(result.err, "");
}

TEST_F(Safety, OutputsThatAreInputsAreRefusedUnderAnyName) {
  const std::string model = quiet_model();
  const std::string corpus = read("train.txt");
  fs::create_symlink(train(), path("link"));
  fs::create_hard_link(train(), path("hard"));
  fs::create_symlink(path("m.model"), path("other.model"));
  for (const std::string name : {"train.txt", "./train.txt", "link", "hard"}) {
    for (const std::string flag : {"-o", "--log", "--checkpoint"}) {
      SCOPED_TRACE(flag + " " + name);
      std::vector<std::string> arguments{flag, path(name)};
      if (flag != "-o") arguments.insert(arguments.end(), {"-o", path("x.model")});
      expect_refused(train_with(arguments), {flag, "would overwrite", "TRAIN"});
    }
    expect_refused(hinge({"predict", path("m.model"), train(), "-o", path(name)}),
                   {"would overwrite", "INPUT"});
  }
  expect_refused(train_with({"--dev", dev(), "-o", dev()}), {"--dev"});
  expect_refused(hinge({"predict", path("m.model"), dev(), "-o", path("other.model")}), {"MODEL"});
  expect_refused(hinge({"sample", "rerank", "-o", path("s"), "--refs", path("./s")}), {"-o", "--refs"});
  EXPECT_EQ(read("train.txt"), corpus);
  EXPECT_EQ(read("m.model"), model);
}

TEST_F(Safety, AListThatIsTheCacheIsRefused) {
  ASSERT_EQ(hinge({"sample", "rerank", "-o", path("lists")}).code, 0);
  const std::string lists = read("lists");
  expect_refused(hinge({"cache", path("lists"), "-o", path("lists")}), {"would overwrite", "NBEST"});
  EXPECT_EQ(read("lists"), lists);
}

TEST_F(Safety, AModelMayBeTrainedFurtherInPlace) {
  quiet_model();
  must_train({"--init", path("m.model"), "-o", path("m.model"), "--epochs", "1"});
}

TEST_F(Safety, OutputGoesToPipesAndDescriptorsByName) {
  const std::string expected = quiet_model();
  const std::string train = "$HINGE train tag $D/train.txt -q --epochs 2 --threads 1 -o ";
  ASSERT_EQ(shell(train + "/dev/stdout | cat > $D/a").code, 0);
  EXPECT_EQ(read("a"), expected);
  ASSERT_EQ(shell(train + "/dev/stdout > $D/b").code, 0);
  EXPECT_EQ(read("b"), expected);
  ASSERT_EQ(shell(train + "/dev/fd/7 7> $D/c").code, 0);
  EXPECT_EQ(read("c"), expected);
  ASSERT_EQ(shell("mkfifo $D/pipe; cat $D/pipe > $D/d & " + train + "$D/pipe; wait").code, 0);
  EXPECT_EQ(read("d"), expected);
}

TEST_F(Safety, SignalsKeepTheModel) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    SCOPED_TRACE(signal);
    fs::remove(path("x.model"));
    const CommandResult result = shell(
        "rm -f $D/err; $HINGE train tag $D/train.txt --epochs 1000000 --threads 1 -o $D/x.model 2> $D/err & "
        "while ! grep -qs epoch $D/err; do sleep 0.02; done; kill -" +
        signal + " $!; wait $!");
    EXPECT_EQ(result.code, 0) << read("err");
    EXPECT_EQ(hinge({"inspect", path("x.model")}).code, 0);
  }
}

TEST_F(Safety, WhatAKilledRunLeavesIsRemovedByTheNext) {
  shell(
      "rm -f $D/err; $HINGE train tag $D/train.txt --epochs 1000000 --threads 1 -o $D/x.model 2> $D/err & "
      "while ! grep -qs epoch $D/err; do sleep 0.02; done; kill -9 $!; wait $!");
  EXPECT_EQ(partial_files().size(), 1u);
  must_train({"-o", path("x.model"), "--epochs", "1"});
  EXPECT_EQ(partial_files().size(), 0u);
}

TEST_F(Safety, AReplacedFileKeepsItsMode) {
  quiet_model();
  fs::permissions(path("m.model"), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  must_train({"-o", path("m.model"), "--epochs", "1"});
  struct stat info;
  ASSERT_EQ(stat(path("m.model").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(Safety, ALogThatDoesNotFitLeavesTheOldModel) {
  const std::string before = quiet_model();
  const CommandResult result =
      shell("$HINGE train tag $D/train.txt -q --epochs 3 --threads 1 -o $D/m.model --log /dev/full");
  expect_refused(result, {"/dev/full"});
  EXPECT_EQ(read("m.model"), before);
}

TEST_F(Safety, WithoutPermissionForThreadsThereAreFewer) {
  if (geteuid() == 0) {  // limits do not bind root
    const CommandResult result = shell(
        "chmod 777 $D; chmod 644 $D/train.txt; cp $HINGE $D/h; "
        "setpriv --reuid 65534 --clear-groups bash -c \"ulimit -u 2; $D/h train tag $D/train.txt -q --epochs "
        "2 "
        "--threads 64 -o $D/x.model\"");
    EXPECT_EQ(result.code, 0) << result.err;
  } else {
    EXPECT_EQ(shell("ulimit -u 2; $HINGE train tag $D/train.txt -q --threads 64 -o $D/x.model").code, 0);
  }
  EXPECT_EQ(hinge({"inspect", path("x.model")}).code, 0);
}

TEST_F(Safety, APipeInPlaceOfAModelIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  expect_refused(hinge({"predict", path("pipe"), dev()}), {"not a file"});
  expect_refused(train_with({"--init", path("pipe"), "-o", path("x.model")}), {"not a file"});
}

TEST_F(Safety, TextWithoutLineEndsIsRefusedSoon) {
  quiet_model();
  for (const std::string task : {"tag --features chunk", "dep"}) {
    const std::string train = "$HINGE train " + task + " - -o $D/x.model";
    expect_refused(shell("head -c 40000000 /dev/zero | tr '\\0' x | " + train),
                   {"standard input:1", "longer than 16 MB"});
    expect_refused(shell("head -c 400000000 /dev/zero | gzip -1 | " + train), {"standard input:1", "NUL"});
  }
}

TEST_F(Safety, MessagesQuoteLittleAndNoControlCharacters) {
  const std::string id = "\x1b[31m" + std::string(100000, '9');
  write("bad.conllu", id + "\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
  const CommandResult result = hinge({"train", "dep", path("bad.conllu"), "-o", path("x.model")});
  expect_refused(result, {"bad.conllu:1", "ID"});
  EXPECT_LT(result.err.size(), 500u);
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
}

TEST_F(Safety, NumbersOutOfRangeAreRefused) {
  expect_refused(train_with({"--seed", "-1"}), {"--seed", "-1"});
  expect_refused(train_with({"--seed", "99999999999999999999"}), {"--seed"});
  expect_refused(hinge({"sample", "tag", "--seed", "-1"}), {"--seed", "-1"});
  write("c.toml", "threads = 4294967297\n");
  expect_refused(hinge({"train", "tag", train(), "--config", path("c.toml")}), {"threads", "4294967297"});
}

TEST_F(Safety, AnObjectiveOfZeroHasNoPercentages) {
  write("one.txt", "a X\nb X\n\nc X\n\n");
  for (const std::string C : {"1", "1e308"}) {
    const CommandResult result =
        hinge({"train", "tag", path("one.txt"), "--C", C, "-o", path("x.model"), "--objective", "epoch"});
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err.find("nan"), std::string::npos) << result.err;
  }
}

TEST_F(Safety, TheBytesOfAModelDoNotDependOnHowAPathIsSpelled) {
  write("costs", "B-NP I-NP 2\n");
  must_train({"-o", path("a"), "-p", "costs=" + path("costs"), "--epochs", "1"});
  must_train({"-o", path("b"), "-p", "costs=" + path("./costs"), "--epochs", "1"});
  EXPECT_EQ(read("a"), read("b"));
}

TEST_F(Safety, ACommandThatDoesNotExistNamesTheNearest) {
  expect_refused(hinge({"trian"}), {"there is no command 'trian'", "did you mean 'train'"});
}

TEST_F(Safety, CheckpointsKnowTheFileOfCosts) {
  write("costs", "B-NP I-NP 2\n");
  must_train({"-o", path("m"), "-p", "costs=" + path("costs"), "--epochs", "1", "--checkpoint", path("k")});
  write("costs", "B-NP I-NP 3\n");
  expect_refused(hinge({"train", "--resume", path("k"), "--epochs", "2", "-q"}), {"other training data"});
}

TEST_F(Safety, TaggersAreRefusedByTasksWithoutColumns) {
  must_train({"-o", path("m.model"), "--epochs", "1"});
  ASSERT_EQ(hinge({"sample", "classify", "--sentences", "20", "-o", path("texts")}).code, 0);
  ASSERT_EQ(hinge({"sample", "dep", "--sentences", "20", "-o", path("trees")}).code, 0);
  ASSERT_EQ(hinge({"train", "tag", path("trees"), "-o", path("upos.model"), "-q"}).code, 0);
  expect_refused(hinge({"train", "classify", path("texts"), "--tagger", path("upos.model")}),
                 {"classify", "upos", "no columns"});
}

}  // namespace
}  // namespace hinge::test
