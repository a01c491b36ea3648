#include "hinge/pipeline/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "hinge/core/error.h"

extern char** environ;  // no POSIX header declares it

namespace hinge {
namespace {

using std::chrono::milliseconds;

class Spawning {
 public:
  Spawning() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    // The command does not inherit our ignored signals.
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  void redirect(int to, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&files_, to, path.c_str(), flags, 0666);
  }

  pid_t start(const std::string& command) const {
    std::string shell = "/bin/sh", option = "-c", text = command;
    char* arguments[] = {shell.data(), option.data(), text.data(), nullptr};
    pid_t pid = 0;
    const int error = posix_spawn(&pid, shell.c_str(), &files_, &attributes_, arguments, environ);
    if (error != 0) fail<OutputError>("{}: cannot be started ({}); try again", shell, std::strerror(error));
    return pid;
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

// A new file: a process of an earlier run that still has the old one open cannot
// write to it.
void make_empty(const std::string& path) {
  unlink(path.c_str());
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    fail<OutputError>("{}: cannot be written ({}); check the folder and its permissions", path,
                      std::strerror(errno));
  close(fd);
}

// A wait status for an end that is unknown.
constexpr int kUnknownEnd = 127 << 8;

std::optional<int> poll_end(pid_t pid) {
  int status = 0;
  const pid_t ended = waitpid(pid, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
  // If SIGCHLD is ignored, the exit status is never known: treat that as a failure.
  return ended < 0 ? kUnknownEnd : status;
}

template <typename Until>
std::optional<int> wait_for(pid_t pid, const Until& until) {
  for (milliseconds pause{1};; pause = std::min(pause * 2, milliseconds{50})) {
    if (const auto status = poll_end(pid)) return status;
    if (until()) return std::nullopt;
    std::this_thread::sleep_for(pause);
  }
}

int end_group(pid_t pid) {
  constexpr std::chrono::seconds kPatience{2};
  kill(-pid, SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  auto status = wait_for(pid, [&] { return std::chrono::steady_clock::now() > deadline; });
  kill(-pid, SIGKILL);  // also processes that outlive the group leader
  if (!status) status = wait_for(pid, [] { return false; });
  return *status;
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string fill_in(std::string_view command,
                    const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string result;
  while (!command.empty()) {
    const auto match = std::ranges::find_if(values, [command](const auto& value) {
      return command.starts_with('{') && command.substr(1).starts_with(value.first) &&
             command.substr(1 + value.first.size()).starts_with('}');
    });
    if (match == values.end()) {
      result += command.front();
      command.remove_prefix(1);
    } else {
      result += shell_quoted(match->second);
      command.remove_prefix(match->first.size() + 2);
    }
  }
  return result;
}

CommandEnd run_command(const std::string& command, const std::string& output, const std::string& errors,
                       const std::function<bool()>& stop) {
  make_empty(output);
  make_empty(errors);
  Spawning spawning;
  spawning.redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  spawning.redirect(STDOUT_FILENO, output, O_WRONLY | O_APPEND);
  spawning.redirect(STDERR_FILENO, errors, O_WRONLY | O_APPEND);
  const pid_t pid = spawning.start(command);
  const auto ended = wait_for(pid, stop);
  const int status = ended ? *ended : end_group(pid);
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          .stopped = !ended};
}

}  // namespace hinge
