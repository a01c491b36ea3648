// Runs shell commands and waits for them.
#pragma once

#include <functional>
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

struct CommandEnd {
  int status = 0;        // its exit status, if no signal ended it
  int signal = 0;        // the one that ended it, or 0
  bool stopped = false;  // because `stop` was true
};

// Runs `command` with /bin/sh, with no standard input and with output and errors in
// two files. It leads its own process group; when `stop` turns true the whole group
// is asked to end, and killed if it does not. Throws OutputError if the files
// cannot be written.
CommandEnd run_command(const std::string& command, const std::string& output, const std::string& errors,
                       const std::function<bool()>& stop);

}  // namespace hinge
