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

}  // namespace

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

std::string Option::value() const {
  return std::visit(Overloaded{[](const double* p) { return fmt::format("{}", *p); },
                               [](const std::int64_t* p) { return fmt::format("{}", *p); },
                               [](const bool* p) { return std::string(*p ? "true" : "false"); },
                               [](const std::string* p) { return *p; }},
                    target_);
}

std::string Option::expected() const {
  if (std::holds_alternative<bool*>(target_)) return "true or false";
  if (std::holds_alternative<std::string*>(target_)) {
    return choices_.empty() ? "text" : fmt::format("one of {}", join(choices_, ", "));
  }
  std::string text = std::holds_alternative<double*>(target_) ? "a number" : "a whole number";
  const bool has_low = std::isfinite(low_);
  const bool has_high = std::isfinite(high_);
  if (has_low && has_high && !low_open_) return text + fmt::format(" from {} to {}", low_, high_);
  if (has_low) text += fmt::format("{} {}", low_open_ ? " above" : " of at least", low_);
  if (has_high) text += fmt::format("{} at most {}", has_low ? " and" : " of", high_);
  return text;
}

void Option::refuse(std::string_view owner, std::string_view text) const {
  fail<OptionError>("{}: {} is '{}' but must be {}; the default is '{}'", owner, name_, text, expected(),
                    default_);
}

template <typename T>
T Option::parse_number(std::string_view owner, std::string_view text) const {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto value = static_cast<double>(number);
  const bool low_ok = low_open_ ? value > low_ : value >= low_;
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || !low_ok ||
      value > high_) {
    refuse(owner, text);
  }
  return number;
}

void Option::set(std::string_view owner, std::string_view text) {
  if (auto** field = std::get_if<double*>(&target_)) {
    **field = parse_number<double>(owner, text);
  } else if (auto** whole = std::get_if<std::int64_t*>(&target_)) {
    **whole = parse_number<std::int64_t>(owner, text);
  } else if (auto** flag = std::get_if<bool*>(&target_)) {
    if (text != "true" && text != "false") refuse(owner, text);
    **flag = text == "true";
  } else {
    bool allowed = choices_.empty();
    for (const std::string& choice : choices_) allowed = allowed || choice == text;
    if (!allowed) refuse(owner, text);
    *std::get<std::string*>(target_) = text;
  }
}

Option& OptionTable::add(std::string name, double& field, std::string help) {
  return options_.emplace_back(std::move(name), &field, std::move(help));
}
Option& OptionTable::add(std::string name, std::int64_t& field, std::string help) {
  return options_.emplace_back(std::move(name), &field, std::move(help));
}
Option& OptionTable::add(std::string name, bool& field, std::string help) {
  return options_.emplace_back(std::move(name), &field, std::move(help));
}
Option& OptionTable::add(std::string name, std::string& field, std::string help) {
  return options_.emplace_back(std::move(name), &field, std::move(help));
}

const Option* OptionTable::find(std::string_view name) const {
  for (const Option& option : options_) {
    if (option.name() == name) return &option;
  }
  return nullptr;
}

void OptionTable::set(std::string_view name, std::string_view value) {
  for (Option& option : options_) {
    if (option.name() == name) return option.set(owner_, value);
  }
  std::vector<std::string_view> names;
  for (const Option& option : options_) names.push_back(option.name());
  const std::string_view near = nearest_name(name, names);
  fail<OptionError>("{} has no option '{}'{}; it has: {}", owner_, name,
                    near.empty() ? "" : fmt::format(", did you mean '{}'", near), join(names, ", "));
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
