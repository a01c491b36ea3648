// Commands of the shell, run and waited for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hinge {

// As one word of a POSIX shell, whatever it holds.
std::string shell_quoted(std::string_view text);

// The command with each {name} replaced by its value, quoted; braces around
// anything else stay as they are, and values are not looked into.
std::string fill_in(std::string_view command,
                    const std::vector<std::pair<std::string_view, std::string>>& values);

struct CommandEnd {
  int status = 0;        // its exit status, where no signal ended it
  int signal = 0;        // that ended it, or 0
  bool stopped = false;  // because it was asked for
};

// Runs `command` by /bin/sh, with nothing on its standard input and its output
// and errors in two files. It leads a process group of its own; where `stop`
// turns true the whole group is asked to end, and killed if it does not.
// Throws OutputError where the files cannot be written.
CommandEnd run_command(const std::string& command, const std::string& output, const std::string& errors,
                       const std::function<bool()>& stop);

}  // namespace hinge
