#include "hinge/core/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "hinge/core/error.h"
#include "hinge/core/join.h"

namespace hinge {
namespace {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

template <typename T>
std::string text_of(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

}  // namespace

std::string flag_name(std::string_view option) {
  std::string name = fmt::format("--{}", option);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string spelled(Spelling spelling, std::string_view owner, std::string_view option) {
  if (spelling == Spelling::kFlag) return flag_name(option);
  return spelling == Spelling::kPlain ? std::string(option) : fmt::format("{}: {}", owner, option);
}

Option::Option(std::string name, Target target, std::string help)
    : name_(std::move(name)), help_(std::move(help)), target_(target) {
  default_ = value();
}

Option& Option::above(double bound) {
  low_ = bound;
  low_open_ = true;
  return *this;
}

Option& Option::at_least(double bound) {
  low_ = bound;
  return *this;
}

Option& Option::at_most(double bound) {
  high_ = bound;
  return *this;
}

Option& Option::one_of(std::vector<std::string> choices) {
  choices_ = std::move(choices);
  return *this;
}

Option& Option::unit(std::string unit) {
  unit_ = std::move(unit);
  return *this;
}

Option& Option::formerly(std::string name) {
  former_name_ = std::move(name);
  return *this;
}

Option& Option::with(std::initializer_list<Trait> traits) {
  for (const Trait trait : traits) traits_ |= 1u << static_cast<unsigned>(trait);
  return *this;
}

bool Option::is_optional() const {
  return std::holds_alternative<std::optional<double>*>(target_) ||
         std::holds_alternative<std::optional<std::int64_t>*>(target_);
}

bool Option::is_whole() const {
  return std::holds_alternative<std::int64_t*>(target_) ||
         std::holds_alternative<std::optional<std::int64_t>*>(target_);
}

std::string Option::value() const {
  return std::visit(
      Overloaded{[](const double* p) { return fmt::format("{}", *p); },
                 [](const std::int64_t* p) { return fmt::format("{}", *p); },
                 [](const bool* p) { return std::string(*p ? "true" : "false"); },
                 [](const std::string* p) { return *p; }, [](const auto* p) { return text_of(*p); }},
      target_);
}

std::string Option::expected() const {
  if (std::holds_alternative<bool*>(target_)) return "true or false";
  if (std::holds_alternative<std::string*>(target_)) {
    return choices_.empty() ? "text" : fmt::format("one of {}", join(choices_, ", "));
  }
  std::string text = is_whole() ? "a whole number" : "a number";
  if (!unit_.empty()) text += " of " + unit_;
  const bool has_low = std::isfinite(low_);
  const bool has_high = std::isfinite(high_);
  if (has_low && has_high && !low_open_) return text + fmt::format(" from {} to {}", low_, high_);
  if (has_low) text += fmt::format("{} {}", low_open_ ? " above" : " of at least", low_);
  if (has_high) text += fmt::format("{} at most {}", has_low ? " and" : " of", high_);
  return text;
}

std::string Option::type() const {
  if (std::holds_alternative<bool*>(target_)) return "true|false";
  if (!std::holds_alternative<std::string*>(target_)) return is_whole() ? "N" : "X";
  if (!choices_.empty()) return join(choices_, "|");
  if (has(Trait::kInput) || has(Trait::kOutput))
    return has(Trait::kList) || has(Trait::kFiles) ? "FILE,..." : "FILE";
  return has(Trait::kList) ? "TEXT,..." : "TEXT";
}

void Option::refuse(std::string_view name, std::string_view text) const {
  fail<OptionError>("{} is '{}' but must be {}{}", name, text, expected(),
                    is_optional() ? "" : fmt::format("; the default is '{}'", default_));
}

template <typename T>
T Option::parse_number(std::string_view name, std::string_view text) const {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto value = static_cast<double>(number);
  const bool low_ok = low_open_ ? value > low_ : value >= low_;
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || !low_ok ||
      value > high_) {
    refuse(name, text);
  }
  return number;
}

void Option::set(std::string_view name, std::string_view text) {
  const auto set_number = [&]<typename T>(T* field) { *field = parse_number<T>(name, text); };
  const auto set_optional = [&]<typename T>(std::optional<T>* field) {
    *field = text.empty() ? std::nullopt : std::optional(parse_number<T>(name, text));
  };
  const auto set_flag = [&](bool* field) {
    if (text != "true" && text != "false") refuse(name, text);
    *field = text == "true";
  };
  const auto set_text = [&](std::string* field) {
    if (!choices_.empty() && std::ranges::find(choices_, text) == choices_.end()) refuse(name, text);
    *field = text;
  };
  std::visit(Overloaded{set_flag, set_text, [&](double* p) { set_number(p); },
                        [&](std::int64_t* p) { set_number(p); }, [&](auto* p) { set_optional(p); }},
             target_);
}

Option& OptionTable::add(std::string name, Option::Target field, std::string help) {
  Option& option = options_.emplace_back(std::move(name), field, std::move(help));
  option.group_ = group_;
  return option;
}

const Option* OptionTable::find(std::string_view name) const {
  for (const Option& option : options_) {
    if (option.name() == name) return &option;
  }
  return nullptr;
}

void OptionTable::set(std::string_view name, std::string_view value) {
  for (Option& option : options_) {
    if (option.name() == name) return option.set(spelled(name), value);
  }
  std::vector<std::string_view> names;
  for (const Option& option : options_) names.push_back(option.name());
  const std::string_view near = nearest_name(name, names);
  fail<OptionError>("{} has no option '{}'{}; it has: {}", owner_, name,
                    near.empty() ? "" : fmt::format(", did you mean '{}'", near), join(names, ", "));
}

void OptionTable::restore(std::string_view name, std::string_view value) {
  for (const Option& option : options_) {
    if (option.former_name() == name && !has(name)) return set(option.name(), value);
  }
  set(name, value);
}

std::string OptionTable::spelled(std::string_view name) const {
  return hinge::spelled(spelling_, owner_, name);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) items.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return items;
}

}  // namespace hinge
