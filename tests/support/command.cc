#include "tests/support/command.h"

#include <sys/wait.h>

#include <cstdlib>

#include "tests/support/data.h"

namespace hinge::test {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::string& input) {
  const TemporaryFolder folder;
  std::string line;
  for (const std::string& argument : arguments) line += quoted(argument) + " ";
  line += "<" + quoted(folder.write("in", input)) + " >" + quoted(folder.path("out")) + " 2>" +
          quoted(folder.path("err"));
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          TemporaryFolder::read(folder.path("out")), TemporaryFolder::read(folder.path("err"))};
}

}  // namespace hinge::test
