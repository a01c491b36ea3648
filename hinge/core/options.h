// Self-describing options. A struct of plain fields with defaults says, in
// describe(), the name, range and meaning of each; parsing, validation, help
// texts, docs/options.md and the record inside a model all come from that.
//
//   struct MiraOptions {
//     double C = 0.05;
//     void describe(OptionTable& t) { t.add("C", C, "largest step").above(0); }
//   };
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hinge {

class OptionTable;

// "a,b,c" in three; empty ones are left out.
std::vector<std::string> split_list(std::string_view text);

class Option {
 public:
  using Target = std::variant<double*, std::int64_t*, bool*, std::string*>;

  Option(std::string name, Target target, std::string help);

  // Ranges, for numbers. `above` excludes its bound, the others include it.
  Option& above(double bound);
  Option& at_least(double bound);
  Option& at_most(double bound);
  // The only values allowed, for strings.
  Option& one_of(std::vector<std::string> choices);

  const std::string& name() const { return name_; }
  const std::string& help() const { return help_; }
  const std::string& default_value() const { return default_; }
  std::string value() const;
  std::string expected() const;  // "a number above 0", "one of a, b"

 private:
  friend class OptionTable;
  void set(std::string_view owner, std::string_view text);
  void refuse(std::string_view owner, std::string_view text) const;
  template <typename T>
  T parse_number(std::string_view owner, std::string_view text) const;

  std::string name_;
  std::string help_;
  std::string default_;
  Target target_;
  double low_ = -std::numeric_limits<double>::infinity();
  double high_ = std::numeric_limits<double>::infinity();
  bool low_open_ = false;
  std::vector<std::string> choices_;
};

// The options of one owner (a learner or a task), bound to a struct that must
// outlive the table.
class OptionTable {
 public:
  explicit OptionTable(std::string owner) : owner_(std::move(owner)) {}

  Option& add(std::string name, double& field, std::string help);
  Option& add(std::string name, std::int64_t& field, std::string help);
  Option& add(std::string name, bool& field, std::string help);
  Option& add(std::string name, std::string& field, std::string help);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Throws OptionError for an unknown name or a value out of range.
  void set(std::string_view name, std::string_view value);

  const std::string& owner() const { return owner_; }
  const std::vector<Option>& options() const { return options_; }

 private:
  const Option* find(std::string_view name) const;

  std::string owner_;
  std::vector<Option> options_;
};

}  // namespace hinge
