// Self-describing options. A struct of plain fields with defaults declares, in
// describe(), the name, range and meaning of each; parsing, validation, help texts,
// docs/options.md and the record inside a model are derived from that.
//
//   struct MiraOptions {
//     double C = 0.05;
//     void describe(OptionTable& t) { t.add("C", C, "largest step").above(0); }
//   };
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hinge {

class OptionTable;

// How messages name an option: "dcd: C", "C" or "--C".
enum class Spelling : std::uint8_t { kOwned, kPlain, kFlag };

// Properties of an option besides its value.
enum class Trait : std::uint8_t {
  kInput,     // names a file to read
  kFiles,     // with kInput: names several, too (files/file_list.h)
  kOutput,    // names a file to write
  kList,      // several values, separated by commas; its flag may be repeated
  kFlag,      // a task's option with its own command-line flag
  kEvaluate,  // that flag also belongs to `hinge evaluate`
  kResume,    // may be changed on resume: the result stays the same, or training goes further
  kPython,    // a parameter of every estimator in Python
  kIfSet,     // recorded only if it differs from its default, so that records stay as they were before it
};

// "--stop-gap" for "stop_gap".
std::string flag_name(std::string_view option);

// Splits "a,b,c" at the commas, dropping empty items.
std::vector<std::string> split_list(std::string_view text);

class Option {
 public:
  using Target = std::variant<double*, std::int64_t*, bool*, std::string*, std::optional<double>*,
                              std::optional<std::int64_t>*>;

  Option(std::string name, Target target, std::string help);

  // Ranges, for numbers. `above` excludes its bound, the others include it.
  Option& above(double bound);
  Option& at_least(double bound);
  Option& at_most(double bound);
  // The only values allowed, for strings.
  Option& one_of(std::vector<std::string> choices);
  // What a number counts, in messages: "a number of seconds above 0".
  Option& unit(std::string unit);
  // The name in models and checkpoints of earlier versions.
  Option& formerly(std::string name);
  Option& with(std::initializer_list<Trait> traits);

  const std::string& name() const { return name_; }
  const std::string& help() const { return help_; }
  const std::string& default_value() const { return default_; }
  std::string value() const;
  std::string expected() const;  // "a number above 0", "one of a, b"
  std::string type() const;      // a word for help: N, X, true|false, FILE, a|b, TEXT
  const std::string& group() const { return group_; }
  const std::string& former_name() const { return former_name_; }
  bool has(Trait trait) const { return (traits_ >> static_cast<unsigned>(trait) & 1u) != 0; }
  // Whether it belongs in a record of a training run.
  bool is_recorded() const { return !has(Trait::kIfSet) || value() != default_value(); }
  // A number that may be absent; its text is then empty.
  bool is_optional() const;

 private:
  friend class OptionTable;
  // `name` as messages spell it.
  void set(std::string_view name, std::string_view text);
  void refuse(std::string_view name, std::string_view text) const;
  bool is_whole() const;
  template <typename T>
  T parse_number(std::string_view name, std::string_view text) const;

  std::string name_;
  std::string help_;
  std::string default_;
  Target target_;
  double low_ = -std::numeric_limits<double>::infinity();
  double high_ = std::numeric_limits<double>::infinity();
  bool low_open_ = false;
  std::vector<std::string> choices_;
  std::string unit_;
  std::string former_name_;
  std::string group_;
  unsigned traits_ = 0;  // one bit per Trait
};

// The options of one owner (a learner, a task, a training run), bound to a struct
// that must outlive the table.
class OptionTable {
 public:
  explicit OptionTable(std::string owner, Spelling spelling = Spelling::kOwned)
      : owner_(std::move(owner)), spelling_(spelling) {}

  // An absent number has the text "".
  Option& add(std::string name, Option::Target field, std::string help);
  template <typename Field>
  Option& add(std::string name, Field& field, std::string help) {
    return add(std::move(name), Option::Target(&field), std::move(help));
  }

  // Options added from here on are shown below this heading in help.
  void begin_group(std::string heading) { group_ = std::move(heading); }

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Option* find(std::string_view name) const;  // null if unknown
  // Throws OptionError for an unknown name or a value out of range.
  void set(std::string_view name, std::string_view value);
  // The same for a value recorded earlier, perhaps under a former name.
  void restore(std::string_view name, std::string_view value);

  std::string spelled(std::string_view name) const;  // as in messages
  const std::string& owner() const { return owner_; }
  const std::vector<Option>& options() const { return options_; }

 private:
  std::string owner_;
  Spelling spelling_;
  std::string group_;  // of options to be added
  std::vector<Option> options_;
};

std::string spelled(Spelling spelling, std::string_view owner, std::string_view option);

}  // namespace hinge
