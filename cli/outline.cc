#include "cli/outline.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace hinge::cli {
namespace {

// What is required has no default, though it has a value before it is given.
std::string without_default(const CLI::Option& option) {
  std::string text = option.get_description();
  if (option.get_required()) text.resize(std::min(text.find(" (default"), text.size()));
  return text;
}

ArgumentOutline outline_of(const CLI::Option& option) {
  ArgumentOutline argument{.name = option.get_positional() ? option.get_name() : "",
                           .type = option.get_type_name(),
                           .group = option.get_group(),
                           .help = without_default(option),
                           .takes_value = option.get_type_size() > 0,
                           .required = option.get_required(),
                           .repeats = option.get_items_expected_max() > 1};
  for (const std::string& name : option.get_snames()) argument.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.flags.push_back("--" + name);
  return argument;
}

}  // namespace

CommandOutline outline_of(const CLI::App& app) {
  CommandOutline command{.name = app.get_name(), .summary = app.get_description()};
  for (const CLI::Option* option : app.get_options()) command.arguments.push_back(outline_of(*option));
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    command.commands.push_back(outline_of(*below));
  return command;
}

}  // namespace hinge::cli
