#include "hinge/pipeline/command.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "hinge/core/error.h"
#include "hinge/pipeline/decoder.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

class Command : public testing::Test {
 protected:
  CommandEnd run(
      const std::string& command, const std::function<bool()>& stop = [] { return false; }) const {
    return run_command(command, folder_.path("out"), folder_.path("err"), stop);
  }
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
  EXPECT_FALSE(end.stopped);
  EXPECT_EQ(read("out"), "said\n");
  EXPECT_EQ(read("err"), "wrong\n");
  EXPECT_EQ(run("kill -SEGV $$").signal, SIGSEGV);
  EXPECT_EQ(run("cat").status, 0) << "there is nothing to be read";
}

TEST_F(Command, AllProcessesOfAStoppedCommandEnd) {
  const std::string pids = folder_.path("pids");
  const auto begin = std::chrono::steady_clock::now();
  const CommandEnd end =
      run("trap '' TERM; (trap '' TERM; sleep 60) & echo $$ $! > " + shell_quoted(pids) + "; sleep 60; wait",
          [&] { return std::filesystem::exists(pids) && std::filesystem::file_size(pids) > 0; });
  EXPECT_TRUE(end.stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  std::stringstream numbers(read("pids"));
  for (pid_t pid; numbers >> pid;) {
    // A process that nobody waits for may remain as a zombie; one that was killed ends when it is scheduled.
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

TEST_F(Command, ADecoderMustNameItsFiles) {
  const auto never = [] { return false; };
  EXPECT_THROW(shell_decoder("decode {weights}", never), OptionError);
  EXPECT_THROW(shell_decoder("decode {nbest}", never), OptionError);
  EXPECT_NO_THROW(shell_decoder("decode {nbest} {weights}", never));
}

TEST_F(Command, ADecoderThatFailsIsQuoted) {
  const DecoderCall call{
      .source = "s", .weights = "w", .nbest = "n", .output = folder_.path("out"), .log = folder_.path("log")};
  const auto message = [&](const std::string& command) -> std::string {
    try {
      shell_decoder(command + "; : {weights} {nbest}", [] { return false; })(call);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string failed = message("echo first >&2; echo 'no such model' >&2; echo; exit 3");
  EXPECT_NE(failed.find("status 3: no such model; "), std::string::npos) << failed;
  EXPECT_NE(failed.find(folder_.path("log")), std::string::npos) << failed;
  EXPECT_NE(message("kill -SEGV $$").find("signal 11"), std::string::npos);
  EXPECT_NE(message("sh -c 'kill -9 $$'; exit $?").find("signal 9"), std::string::npos);
  EXPECT_EQ(message("exit 0"), "");
}

}  // namespace
}  // namespace hinge
