// Runs shell commands and waits for them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hinge {

// Quotes any text as one word of a POSIX shell.
std::string shell_quoted(std::string_view text);

// The command with each {name} replaced by its quoted value; other braces are kept,
// and values are not expanded again.
std::string fill_in(std::string_view command,
                    const std::vector<std::pair<std::string_view, std::string>>& values);

struct ShellCommand {
  std::string text;            // for /bin/sh
  std::string output, errors;  // files for what it writes
};

struct CommandEnd {
  int status = 0;  // its exit status, if no signal ended it
  int signal = 0;  // the one that ended it, or 0
};

// Runs commands at once, without standard input, and calls ended(i, end) as each ends. False
// if `stop` turned true before all had ended. Then, or if ended() throws, the others are asked
// to end, and killed if they do not: each leads a process group, all of which ends. Throws
// OutputError if the files cannot be written.
bool run_commands(std::span<const ShellCommand> commands, const std::function<bool()>& stop,
                  const std::function<void(std::size_t, const CommandEnd&)>& ended);

}  // namespace hinge
