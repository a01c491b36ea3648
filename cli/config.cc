#include "cli/config.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include "hinge/core/error.h"

namespace hinge::cli {
namespace {

toml::table parse(const std::string& path) {
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    fail<OptionError>("{}:{}: {}; see docs/cli.md for the format", path, error.source().begin.line,
                      error.description());
  }
}

ConfigValue value_of(const toml::key& key, const toml::node& node, const std::string& path) {
  ConfigValue result{.name = std::string(key.str()),
                     .value = {},
                     .where = fmt::format("{}:{}", path, node.source().begin.line)};
  if (const auto* text = node.as_string()) {
    result.value = text->get();
  } else if (const auto* whole = node.as_integer()) {
    result.value = fmt::format("{}", whole->get());
  } else if (const auto* number = node.as_floating_point()) {
    result.value = fmt::format("{}", number->get());
  } else if (const auto* flag = node.as_boolean()) {
    result.value = flag->get() ? "true" : "false";
  } else {
    fail<OptionError>("{}: {} must be text, a number, true or false", result.where, result.name);
  }
  return result;
}

}  // namespace

Config read_config(const std::string& path) {
  Config config;
  for (const auto& [key, node] : parse(path)) {
    if (key.str() != "options") {
      config.settings.push_back(value_of(key, node, path));
      continue;
    }
    if (!node.is_table()) fail<OptionError>("{}: options must be a table: [options]", path);
    for (const auto& [option, value] : *node.as_table())
      config.options.push_back(value_of(option, value, path));
  }
  return config;
}

}  // namespace hinge::cli
