// Settings from a TOML file. toml++ stays behind this header.
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
  std::vector<ConfigValue> options;  // below [options]
};

// Throws OptionError if it cannot be read.
Config read_config(const std::string& path);

}  // namespace hinge::cli
