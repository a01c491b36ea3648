// Sub-commands and their flags; hides CLI11.
//
//   Command command = program.add("sample", "write a generated corpus");
//   command.add("TASK", flags.task, "see 'hinge tasks'").required();
//   command.add("-o,--output", flags.output, "where to write");
//   command.run([&] { ... });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/outline.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hinge::cli {

inline constexpr const char* kGeneralGroup = "Flags";  // in help: those of no other group, shown last

// A flag or positional argument just declared.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(option) {}
  Argument& required(bool is_required = true);
  Argument& one_of(const std::vector<std::string>& values);
  Argument& type(const std::string& word);  // how help names a value: FILE, N

 private:
  CLI::Option& option_;
};

// One sub-command. Names with dashes are flags ("-o,--output"), others are
// positional ("TRAIN"). A target is left alone if its flag is not given, and
// must live until the program has run; what it holds when it is declared is the
// default that help shows.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}

  Argument add(const std::string& names, std::string& target, const std::string& help);
  Argument add(const std::string& names, std::optional<std::string>& target, const std::string& help);
  Argument add(const std::string& names, std::int64_t& target, const std::string& help);
  Argument add(const std::string& names, std::uint64_t& target, const std::string& help);
  Argument add(const std::string& names, double& target, const std::string& help);
  Argument add(const std::string& names, bool& target, const std::string& help);  // takes no value
  // A flag may be repeated and takes one value each time; a positional
  // argument takes all the values that follow.
  Argument add(const std::string& names, std::vector<std::string>& target, const std::string& help);
  // A flag for values NAME=VALUE, several at a time: -p a=1 b=2.
  Argument add_pairs(const std::string& flag, std::vector<std::string>& target, const std::string& help);

  // Arguments declared from here on are shown below this heading in help.
  void begin_group(const std::string& heading);

  void run(std::function<void()> action);

 private:
  template <typename Number>
  Argument add_number(const std::string& names, Number& target, const std::string& help);

  CLI::App& app_;
};

class Program {
 public:
  Program(const std::string& name, const std::string& summary, const std::string& version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command add(const std::string& name, const std::string& summary);
  // The same in a group, as in `hinge mt train`.
  Command add(const std::string& group, const std::string& about, const std::string& name,
              const std::string& summary);

  // Runs the sub-command named in the arguments, or prints help or the version.
  // Throws OptionError, with the nearest name, if a word of them is wrong.
  void run(int argc, char** argv);

  // What to tell about a flag that no command has: given its name without dashes, where
  // that belongs, or "". Asked of commands with -p.
  void on_unknown_flag(std::function<std::string(std::string_view name)> hint) { hint_ = std::move(hint); }

  CommandOutline outline() const;  // every command added so far

 private:
  void print_help(const std::vector<std::string>& words) const;
  [[noreturn]] void refuse(const std::string& message) const;


  std::unique_ptr<CLI::App> app_;
  std::vector<std::string> help_words_;
  std::function<std::string(std::string_view)> hint_;
};

}  // namespace hinge::cli
