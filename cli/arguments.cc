#include "cli/arguments.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <utility>

namespace hinge::cli {

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

Argument Command::add(const std::string& names, std::int64_t& target, const std::string& help) {
  return Argument(*app_.add_option(names, target, help));
}

Argument Command::add(const std::string& names, std::uint64_t& target, const std::string& help) {
  return Argument(*app_.add_option(names, target, help));
}

Argument Command::add(const std::string& names, double& target, const std::string& help) {
  return Argument(*app_.add_option(names, target, help));
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

bool Program::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& printed) {  // help or version
    app_->exit(printed);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "hinge: {}; see 'hinge --help' or 'hinge COMMAND --help'\n", error.what());
    return false;
  }
  return true;
}

}  // namespace hinge::cli
