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

// Commands that run at once; those that still run are ended with it.
class Running {
 public:
  Running() = default;
  ~Running() { end_all(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void start(const ShellCommand& command) {
    make_empty(command.output);
    make_empty(command.errors);
    Spawning spawning;
    spawning.redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    spawning.redirect(STDOUT_FILENO, command.output, O_WRONLY | O_APPEND);
    spawning.redirect(STDERR_FILENO, command.errors, O_WRONLY | O_APPEND);
    pids_.emplace_back(spawning.start(command.text));
  }

  // Calls ended(i, its wait status) for those that have ended since; true if some run on.
  template <typename Ended>
  bool poll(const Ended& ended) {
    for (std::size_t i = 0; i < pids_.size(); ++i) {
      int status = 0;
      const pid_t pid = pids_[i] ? waitpid(*pids_[i], &status, WNOHANG) : 0;
      if (pid == 0 || (pid < 0 && errno == EINTR)) continue;
      pids_[i].reset();
      if (pid > 0 && WIFSIGNALED(status)) kill(-pid, SIGKILL);  // what a killed shell had started
      // If SIGCHLD is ignored, the exit status is never known: treat that as a failure.
      ended(i, pid < 0 ? kUnknownEnd : status);
    }
    return std::ranges::any_of(pids_, [](const auto& pid) { return pid.has_value(); });
  }

 private:
  // Every command leads a process group.
  void end_all() {
    constexpr std::chrono::seconds kPatience{2};
    const auto running = pids_;
    signal_groups(running, SIGTERM);
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    const auto ignored = [](std::size_t, int) {};
    while (poll(ignored) && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(milliseconds{5});
    signal_groups(running, SIGKILL);  // also processes that outlive the leader of their group
    while (poll(ignored)) std::this_thread::sleep_for(milliseconds{5});
  }

  static void signal_groups(const std::vector<std::optional<pid_t>>& leaders, int signal) {
    for (const auto& pid : leaders) {
      if (pid) kill(-*pid, signal);
    }
  }

  static constexpr int kUnknownEnd = 127 << 8;  // a wait status

  std::vector<std::optional<pid_t>> pids_;  // [commands], empty once it has ended
};

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

bool run_commands(std::span<const ShellCommand> commands, const std::function<bool()>& stop,
                  const std::function<void(std::size_t, const CommandEnd&)>& ended) {
  Running running;
  for (const ShellCommand& command : commands) running.start(command);
  for (milliseconds pause{1};; pause = std::min(pause * 2, milliseconds{50})) {
    const bool some_run = running.poll([&](std::size_t i, int status) {
      ended(i, {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0});
      pause = milliseconds{1};
    });
    if (!some_run) return true;
    if (stop()) return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace hinge
