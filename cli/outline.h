// The commands and flags of the program as data, for manual pages and completion.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace hinge::cli {

struct ArgumentOutline {
  std::vector<std::string> flags;  // "-o", "--output"; none if positional
  std::string name;                // of a positional argument: "TRAIN"
  std::string type;                // of its value, as help names it: N, FILE, a|b
  std::string group;               // the heading it has in help
  std::string help;
  bool takes_value = false;
  bool required = false;
  bool repeats = false;  // a positional argument that takes all values that follow
};

struct CommandOutline {
  std::string name;
  std::string summary;
  std::vector<ArgumentOutline> arguments;  // positional ones in their order
  std::vector<CommandOutline> commands;
};

CommandOutline outline_of(const CLI::App& app);

}  // namespace hinge::cli
