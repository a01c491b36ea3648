// How help looks: flags in groups, each with its type and default.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "cli/arguments.h"

namespace hinge::cli {

inline constexpr const char* kPairType = "NAME=VALUE";

// Help with the default of an argument, unless it has one already or there is none.
std::string with_default(const std::string& names, const std::string& help, const std::string& value);

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

}  // namespace hinge::cli
