#include "cli/help.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/core/join.h"

namespace hinge::cli {
namespace {

constexpr std::size_t kColumn = 32;  // where texts begin
constexpr std::size_t kWidth = 120;

// The text in lines of at most kWidth, each beginning at kColumn; the first one follows `left`.
std::string beside(const std::string& left, std::string_view text) {
  std::string result = left;
  std::size_t at = left.size();
  if (at + 2 > kColumn && !text.empty()) {
    result += '\n';
    at = 0;
  }
  result.append(kColumn > at ? kColumn - at : 0, ' ');
  at = kColumn;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (at > kColumn && at + 1 + end > kWidth) {
      result.append("\n").append(kColumn, ' ');
      at = kColumn;
    } else if (at > kColumn) {
      result += ' ';
      ++at;
    }
    result += text.substr(0, end);
    at += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + "\n";
}

std::string names_of(const CLI::Option& option, bool is_positional) {
  if (is_positional) return option.get_name();
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return join(names, ", ");
}

std::string group_text(const HelpFormatter& formatter, const CLI::App& app, const std::string& group) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional() && option->get_group() == group)
      text += formatter.make_option(option, /*is_positional=*/false);
  }
  return text.empty() ? "" : fmt::format("\n{}:\n{}", group, text);
}

}  // namespace

std::string with_default(const std::string& names, const std::string& help, const std::string& value) {
  if (value.empty() || help.find("default") != std::string::npos) return help;
  if (value != "-") return fmt::format("{} (default {})", help, value);
  return fmt::format("{} (default: standard {})", help, names.starts_with('-') ? "output" : "input");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  std::string positionals;
  std::string usage = std::move(name);
  for (const CLI::Option* option : app->get_options()) {
    if (!option->get_positional()) continue;
    positionals += make_option(option, /*is_positional=*/true);
    usage += option->get_required() ? " " + option->get_name() : " [" + option->get_name() + "]";
    if (option->get_expected_max() > 1) usage += "...";
  }
  const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
  std::string text = fmt::format("{}\n\nUsage: {}{} [FLAGS]\n", app->get_description(), usage,
                                 commands.empty() ? "" : " COMMAND");
  if (!positionals.empty()) text += "\nArguments:\n" + positionals;
  for (const std::string& group : app->get_groups()) {
    if (group != kGeneralGroup) text += group_text(*this, *app, group);
  }
  if (!commands.empty()) text += "\nCommands:\n";
  for (const CLI::App* command : commands)
    text += beside("  " + command->get_name(), command->get_description());
  return text + group_text(*this, *app, kGeneralGroup);
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string left = "  " + names_of(*option, is_positional);
  if (!is_positional && option->get_type_size() > 0) left += " " + option->get_type_name();
  std::string text = option->get_description();
  if (option->get_required()) {
    text.resize(std::min(text.find(" (default"), text.size()));
    if (!is_positional) text += " (required)";
  }
  return beside(left, text);
}

}  // namespace hinge::cli
