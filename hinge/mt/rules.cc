#include "hinge/mt/rules.h"

#include <algorithm>

#include "hinge/core/error.h"

namespace hinge::mt {

Rules::Rules(RuleArrays arrays) : own_(std::move(arrays)) {
  child_begin_ = own_.child_begin;
  child_symbol_ = own_.child_symbol;
  rule_begin_ = own_.rule_begin;
  source_count_ = own_.source_count;
  target_begin_ = own_.target_begin;
  target_ = own_.target;
  values_ = own_.values;
}

Rules::Rules(const SectionFile& file, std::size_t words)
    : child_begin_(file.array<std::uint32_t>("rule.children")),
      child_symbol_(file.array<Symbol>("rule.symbols")),
      rule_begin_(file.array<std::uint32_t>("rule.begin")),
      source_count_(file.array<std::uint32_t>("rule.sources")),
      target_begin_(file.array<std::uint32_t>("rule.targets")),
      target_(file.array<Symbol>("rule.words")),
      values_(file.array<RuleValues>("rule.values")),
      words_(words),
      name_(file.name()) {
  const std::size_t nodes = source_count_.size();
  if (nodes == 0 || child_begin_.size() != nodes + 1 || child_symbol_.size() != nodes - 1 ||
      rule_begin_.size() != nodes + 1 || target_begin_.size() != values_.size() + 1)
    file.refuse_damaged("the sizes of its rule arrays do not fit together");
}

void Rules::refuse() const {
  fail<ModelError>("{}: is damaged: its rules do not fit together; copy it again or train it again", name_);
}

Rules::Range Rules::child_range(std::uint32_t node) const {
  const Range range{child_begin_[node], child_begin_[node + 1]};
  // Children come after their parent, so no path is endless.
  if (range.begin > range.end || range.end > child_symbol_.size() || range.begin < node) refuse();
  return range;
}

std::uint32_t Rules::child(std::uint32_t node, Symbol symbol) const {
  const Range range = child_range(node);
  const auto begin = child_symbol_.begin() + range.begin, end = child_symbol_.begin() + range.end;
  const auto found = std::lower_bound(begin, end, symbol);
  if (found == end || *found != symbol) return kNone;
  return static_cast<std::uint32_t>(found - child_symbol_.begin()) + 1;
}

Rules::Range Rules::rules(std::uint32_t node) const {
  const Range range{rule_begin_[node], rule_begin_[node + 1]};
  if (range.begin > range.end || range.end > values_.size()) refuse();
  return range;
}

std::span<const Symbol> Rules::target(std::uint32_t rule) const {
  const std::uint32_t begin = target_begin_[rule], end = target_begin_[rule + 1];
  if (begin > end || end > target_.size() || end - begin > kMostTargetSymbols) refuse();
  const std::span<const Symbol> symbols = target_.subspan(begin, end - begin);
  for (const Symbol symbol : symbols) {
    if (symbol >= words_ && !is_gap(symbol)) refuse();
  }
  return symbols;
}

void Rules::check_gaps(std::uint32_t rule, std::uint32_t gaps) const {
  const std::span<const Symbol> symbols = target(rule);
  if (std::ranges::count(symbols, kFirstGap) != (gaps > 0 ? 1 : 0) ||
      std::ranges::count(symbols, kSecondGap) != (gaps > 1 ? 1 : 0))
    refuse();
}

void Rules::write(SectionWriter& writer) const {
  writer.add_view("rule.children", child_begin_);
  writer.add_view("rule.symbols", child_symbol_);
  writer.add_view("rule.begin", rule_begin_);
  writer.add_view("rule.sources", source_count_);
  writer.add_view("rule.targets", target_begin_);
  writer.add_view("rule.words", target_);
  writer.add_view("rule.values", values_);
}

}  // namespace hinge::mt
