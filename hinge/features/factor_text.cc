#include "hinge/features/factor_text.h"

#include <fmt/core.h>

namespace hinge {
namespace {

std::uint32_t word_in(const FactorWords& at, Role role) { return at[static_cast<std::size_t>(role)]; }

}  // namespace

std::string FactorTexts::value(const FactorAtom& atom, std::uint32_t word) {
  if (word > words_.size()) return "<none>";
  const std::ptrdiff_t at = std::ptrdiff_t{word} + atom.offset;
  if (at < 0) return "<start>";
  if (at == 0) return "<root>";
  if (at > std::ssize(words_)) return "<end>";
  return std::string(
      hasher_.text_of(templates_.fields[atom.field], words_[static_cast<std::size_t>(at) - 1]));
}

std::string FactorTexts::text(FactorKind kind, const FactorTemplate& t, const FactorWords& at) {
  std::string text;
  if (kind != FactorKind::kArc) text = fmt::format("{}:", name_of(kind));
  const auto add = [&text](std::string_view name, std::string_view value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  };
  for (const FactorAtom& atom : t.atoms) add(atom.name, value(atom, word_in(at, atom.role)));
  const std::uint32_t head = word_in(at, Role::kHead);
  const std::uint32_t modifier = word_in(at, Role::kModifier);
  if (t.direction) add("dir", side(head, modifier));
  if (t.distance) add("dist", distance(head, modifier));
  return text;
}

std::string FactorTexts::side(std::uint32_t head, std::uint32_t modifier) const {
  return modifier < head ? "left" : "right";
}

std::string FactorTexts::distance(std::uint32_t head, std::uint32_t modifier) const {
  const std::uint32_t bin = templates_.bin(modifier < head ? head - modifier : modifier - head);
  const std::uint32_t first = templates_.distances[bin];
  const bool last_bin = bin + 1 == templates_.distances.size();
  const std::uint32_t last = last_bin ? first : templates_.distances[bin + 1] - 1;
  const std::string more = last_bin ? "+" : last > first ? fmt::format("-{}", last) : "";
  return fmt::format("{}:{}{}", side(head, modifier), first, more);
}

}  // namespace hinge
