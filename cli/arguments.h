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

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hinge::cli {

// A flag or positional argument just declared.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(option) {}
  Argument& required(bool is_required = true);
  Argument& one_of(const std::vector<std::string>& values);

 private:
  CLI::Option& option_;
};

// One sub-command. Names with dashes are flags ("-o,--output"), others are
// positional ("TRAIN"). A target is left alone if its flag is not given, and
// must live until the program has run.
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
  // After an error in the arguments, reports it on stderr and returns false.
  bool run(int argc, char** argv);

 private:
  // Throws OptionError, with the nearest name, if there is no such command.
  void check_command(std::string_view word) const;

  std::unique_ptr<CLI::App> app_;
};

}  // namespace hinge::cli
