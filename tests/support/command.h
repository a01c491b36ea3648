// Runs the hinge binary as a user would.
#pragma once

#include <string>
#include <vector>

namespace hinge::test {

struct CommandResult {
  int code = 0;
  std::string out;
  std::string err;
};

// `input` goes to its standard input.
CommandResult run_command(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace hinge::test
