#include "hinge/pipeline/command.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>
#include <thread>

#include "hinge/core/error.h"
#include "hinge/pipeline/decoder.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

class Command : public testing::Test {
 protected:
  // Nothing if it was stopped.
  std::optional<CommandEnd> run_unless(const std::function<bool()>& stop, const std::string& command) const {
    const ShellCommand whole{command, folder_.path("out"), folder_.path("err")};
    std::optional<CommandEnd> result;
    const bool ended =
        run_commands({&whole, 1}, stop, [&](std::size_t, const CommandEnd& end) { result = end; });
    EXPECT_EQ(ended, result.has_value());
    return result;
  }
  CommandEnd run(const std::string& command) const {
    return run_unless([] { return false; }, command).value();
  }
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string read(const std::string& name) const { return TemporaryFolder::read(folder_.path(name)); }

  TemporaryFolder folder_;
};

TEST_F(Command, EveryByteOfAPathSurvivesTheShell) {
  std::string nasty;
  for (int c = 1; c < 128; ++c) nasty += static_cast<char>(c);
  nasty += "$(touch pwned) `touch pwned` '; touch pwned; '";
  ASSERT_EQ(run("printf %s " + shell_quoted(nasty)).status, 0);
  EXPECT_EQ(read("out"), nasty);
}

TEST_F(Command, PlaceholdersAreFilledOnceAndOtherBracesStay) {
  EXPECT_EQ(fill_in("a {x} {y}{x} {z} {print} {", {{"x", "1 2"}, {"y", "{x}"}}),
            "a '1 2' '{x}''1 2' {z} {print} {");
}

TEST_F(Command, OutputErrorsAndStatusAreToldApart) {
  const CommandEnd end = run("echo said; echo wrong >&2; exit 7");
  EXPECT_EQ(end.status, 7);
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(read("out"), "said\n");
  EXPECT_EQ(read("err"), "wrong\n");
  EXPECT_EQ(run("kill -SEGV $$").signal, SIGSEGV);
  EXPECT_EQ(run("cat").status, 0) << "there is nothing to be read";
}

// A process that nobody waits for may remain as a zombie; one that was killed ends when it is scheduled.
void expect_ended(const std::string& pids) {
  std::stringstream numbers(pids);
  for (pid_t pid; numbers >> pid;) {
    const auto ended = [&] {
      const std::string status = TemporaryFolder::read("/proc/" + std::to_string(pid) + "/stat");
      return status.empty() || status.find(") Z ") != std::string::npos ||
             status.find(") X ") != std::string::npos;
    };
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!ended() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(ended()) << pid;
  }
}

TEST_F(Command, AllProcessesOfAStoppedCommandEnd) {
  const std::string pids = path("pids");
  const auto begin = std::chrono::steady_clock::now();
  const auto end = run_unless(
      [&] { return std::filesystem::exists(pids) && std::filesystem::file_size(pids) > 0; },
      "trap '' TERM; (trap '' TERM; sleep 60) & echo $$ $! > " + shell_quoted(pids) + "; sleep 60; wait");
  EXPECT_FALSE(end);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  expect_ended(read("pids"));
}

// Commands that meet: each waits for the files of all others.
TEST_F(Command, RunAtOnce) {
  const std::string wait = "touch " + shell_quoted(path("here")) + "$i; for j in 0 1 2; do while ! [ -e " +
                           shell_quoted(path("here")) + "$j ]; do sleep 0.01; done; done; exit 1$i";
  std::vector<ShellCommand> commands;
  for (const std::string i : {"0", "1", "2"})
    commands.push_back({"i=" + i + "; " + wait, path("out" + i), path("err" + i)});
  std::vector<int> states(3);
  const auto begin = std::chrono::steady_clock::now();
  const auto too_late = [&] { return std::chrono::steady_clock::now() - begin > std::chrono::seconds(60); };
  EXPECT_TRUE(run_commands(commands, too_late,
                           [&](std::size_t i, const CommandEnd& end) { states[i] = end.status; }));
  EXPECT_EQ(states, (std::vector<int>{10, 11, 12}));
}

TEST_F(Command, AnErrorEndsThoseThatStillRun) {
  const std::string pids = path("pids");
  const std::string sleep = "(sleep 60) & echo $$ $! >> " + shell_quoted(pids) + "; wait";
  const std::string wait_and_fail =
      "while [ \"$(wc -l < " + shell_quoted(pids) + ")\" != 2 ]; do sleep 0.01; done; kill -9 $$";
  const std::vector<ShellCommand> commands{{sleep, path("out0"), path("err0")},
                                           {wait_and_fail, path("out1"), path("err1")},
                                           {sleep, path("out2"), path("err2")}};
  const auto begin = std::chrono::steady_clock::now();
  const auto refuse = [](std::size_t i, const CommandEnd& end) {
    fail<InputError>("{} ended by {}", i, end.signal);
  };
  try {
    run_commands(commands, [] { return false; }, refuse);
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "1 ended by 9");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  expect_ended(read("pids"));
}

TEST_F(Command, ADecoderMustNameItsFiles) {
  const auto never = [] { return false; };
  EXPECT_THROW(shell_decoder("decode {weights}", 1, never), OptionError);
  EXPECT_THROW(shell_decoder("decode {nbest}", 1, never), OptionError);
  EXPECT_NO_THROW(shell_decoder("decode {nbest} {weights}", 1, never));
  EXPECT_THROW(shell_decoder("decode {nbest} {weights}", 2, never), OptionError);
  EXPECT_NO_THROW(shell_decoder("decode {nbest} {weights} {source}", 2, never));
}

TEST_F(Command, ADecoderThatFailsIsQuoted) {
  DecoderCall call{.source = "s", .weights = "w", .nbest = "n", .output = path("out"), .log = path("log")};
  const auto message = [&](const std::string& command, const std::string& problem = "") -> std::string {
    try {
      const Decoder decoder = shell_decoder(command + "; : {weights} {nbest}", 1, [] { return false; });
      decoder({&call, 1}, [&](std::size_t) {
        if (!problem.empty()) fail<InputError>("{}", problem);
      });
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string failed = message("echo first >&2; echo 'no such model' >&2; echo; exit 3");
  EXPECT_NE(failed.find("status 3: no such model; "), std::string::npos) << failed;
  EXPECT_NE(failed.find(path("log")), std::string::npos) << failed;
  EXPECT_NE(message("kill -SEGV $$").find("signal 11"), std::string::npos);
  EXPECT_NE(message("sh -c 'kill -9 $$'; exit $?").find("signal 9"), std::string::npos);
  EXPECT_EQ(message("exit 0"), "");
  EXPECT_EQ(message("exit 0", "a bad list"), "a bad list");

  call.piece = "piece 2 of 4 (lines 3 to 5 of dev)";
  EXPECT_EQ(message("echo 'no model' >&2;\nexit 3"),
            "the decoder of piece 2 of 4 (lines 3 to 5 of dev) failed with status 3: no model; its command is "
            "'echo 'no model' >&2; exit 3; : {weights} {nbest}'; its messages are in " +
                path("log") + "; run the same command again to continue");
  EXPECT_EQ(message("exit 0", "a bad list"),
            "a bad list; this is piece 2 of 4 (lines 3 to 5 of dev), and its command 'exit 0; : {weights} "
            "{nbest}' ended with status 0");
}

}  // namespace
}  // namespace hinge
