#include "cli/arguments.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>
#include <utility>

#include "cli/streams.h"
#include "hinge/core/error.h"
#include "hinge/core/join.h"

namespace hinge::cli {
namespace {

constexpr std::size_t kMostShown = 60;  // characters of a wrong value

}  // namespace

Argument& Argument::required(bool is_required) {
  option_.required(is_required);
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& values) {
  option_.check(CLI::IsMember(values));
  return *this;
}

Argument Command::add(const std::string& names, std::string& target, const std::string& help) {
  return Argument(*app_.add_option(names, target, help));
}

Argument Command::add(const std::string& names, std::optional<std::string>& target, const std::string& help) {
  return Argument(*app_.add_option(names, target, help));
}

// By our own parser: the library's takes "-1" for a large number and 2^64 for 2^63 - 1.
template <typename Number>
Argument Command::add_number(const std::string& names, Number& target, const std::string& help) {
  const auto set = [&target, names](const std::string& text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return;
    fail<OptionError>("{} is '{}' but must be {}", names, text.substr(0, kMostShown),
                      std::is_floating_point_v<Number>
                          ? "a number"
                          : fmt::format("a whole number from {} to {}", std::numeric_limits<Number>::min(),
                                        std::numeric_limits<Number>::max()));
  };
  return Argument(*app_.add_option_function<std::string>(names, set, help));
}

Argument Command::add(const std::string& names, std::int64_t& target, const std::string& help) {
  return add_number(names, target, help);
}

Argument Command::add(const std::string& names, std::uint64_t& target, const std::string& help) {
  return add_number(names, target, help);
}

Argument Command::add(const std::string& names, double& target, const std::string& help) {
  return add_number(names, target, help);
}

Argument Command::add(const std::string& names, bool& target, const std::string& help) {
  return Argument(*app_.add_flag(names, target, help));
}

Argument Command::add(const std::string& names, std::vector<std::string>& target, const std::string& help) {
  CLI::Option* option = app_.add_option(names, target, help);
  if (names.starts_with('-')) option->allow_extra_args(false);
  return Argument(*option);
}

void Command::run(std::function<void()> action) { app_.callback(std::move(action)); }

Program::Program(const std::string& name, const std::string& summary, const std::string& version)
    : app_(std::make_unique<CLI::App>(summary, name)) {
  constexpr std::size_t kHelpColumn = 34;
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->get_formatter()->column_width(kHelpColumn);
}

Program::~Program() = default;

Command Program::add(const std::string& name, const std::string& summary) {
  return Command(*app_->add_subcommand(name, summary));
}

Command Program::add(const std::string& group, const std::string& about, const std::string& name,
                     const std::string& summary) {
  const auto held =
      app_->get_subcommands([&](const CLI::App* command) { return command->get_name() == group; });
  CLI::App* parent = held.empty() ? app_->add_subcommand(group, about) : held[0];
  parent->require_subcommand(1);
  return Command(*parent->add_subcommand(name, summary));
}

void Program::check_command(std::string_view word) const {
  std::vector<std::string> held;
  for (const CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; }))
    held.push_back(command->get_name());
  const std::vector<std::string_view> names(held.begin(), held.end());
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) return;
  const std::string_view near = nearest_name(word, names);
  fail<OptionError>("there is no command '{}'{}; there are: {}", word,
                    near.empty() ? "" : fmt::format(", did you mean '{}'", near), join(names, ", "));
}

bool Program::run(int argc, char** argv) {
  if (argc > 1) check_command(argv[1]);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& printed) {  // help or version
    std::ostringstream text;
    app_->exit(printed, text, text);
    print(text.str());
  } catch (const CLI::ParseError& error) {
    fail<OptionError>("{}; see 'hinge --help' or 'hinge COMMAND --help'", error.what());
  }
  return true;
}

}  // namespace hinge::cli
