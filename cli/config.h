// Settings from a TOML file; hides toml++.
#pragma once

#include <string>
#include <vector>

namespace hinge::cli {

struct ConfigValue {
  std::string name;
  std::string value;  // as a flag would give it
  std::string where;  // file and line, for messages
};

struct Config {
  std::vector<ConfigValue> settings;
  std::vector<ConfigValue> options;  // under [options]
};

// Throws OptionError if it cannot be read.
Config read_config(const std::string& path);

}  // namespace hinge::cli
