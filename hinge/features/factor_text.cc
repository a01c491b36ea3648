#include "hinge/features/factor_text.h"

#include <fmt/core.h>

namespace hinge {
namespace {

std::uint32_t word_in(const FactorWords& at, Role role) { return at[static_cast<std::size_t>(role)]; }

}  // namespace

std::string side_text(bool left) { return left ? "left" : "right"; }

std::string distance_text(const FactorTemplateSet& templates, std::uint32_t bin, bool left) {
  const std::uint32_t first = templates.distances[bin];
  const bool last_bin = bin + 1 == templates.distances.size();
  const std::uint32_t last = last_bin ? first : templates.distances[bin + 1] - 1;
  const std::string more = last_bin ? "+" : last > first ? fmt::format("-{}", last) : "";
  return fmt::format("{}:{}{}", side_text(left), first, more);
}

void FieldTexts::add(const WordCells& word, std::span<const Field> fields, std::span<const Key> keys,
                     FieldHasher& hasher) {
  const WordCells cells = hasher.visible(word);
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const bool is_new = numbers_.add(keys[k], static_cast<std::uint32_t>(texts_.size())).second;
    if (is_new) texts_.emplace_back(hasher.text_of(fields[k], cells));
  }
}

std::string FactorTexts::value(const FactorAtom& atom, std::uint32_t word) {
  if (word > count_) return "<none>";
  const std::ptrdiff_t at = std::ptrdiff_t{word} + atom.offset;
  if (at < 0) return "<start>";
  if (at == 0) return "<root>";
  if (at > static_cast<std::ptrdiff_t>(count_)) return "<end>";
  if (texts_ != nullptr)
    return std::string(texts_->text(keys_.keys[static_cast<std::size_t>(at) * keys_.fields + atom.field]));
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
  return side_text(modifier < head);
}

std::string FactorTexts::distance(std::uint32_t head, std::uint32_t modifier) const {
  const bool left = modifier < head;
  return distance_text(templates_, templates_.bin(left ? head - modifier : modifier - head), left);
}

}  // namespace hinge
