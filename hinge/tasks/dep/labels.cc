#include "hinge/tasks/dep/labels.h"

namespace hinge::dep {

LabelTemplates::LabelTemplates(const FactorTemplateSet& set) : set_(set) {
  for (const FactorTemplate& t : set.of(FactorKind::kLabel)) {
    templates_.push_back(&t);
    seeds_.push_back(template_seed(t));
  }
  for (std::size_t role = 0; role < kRoles; ++role) roles_.emplace_back(templates_, static_cast<Role>(role));
}

void LabelFeatures::find_neighbours(std::span<const HeadId> heads) {
  const auto words = static_cast<std::uint32_t>(heads.size() - 1);
  const std::uint32_t none = words + 1;
  const auto of = [this](Role role) -> std::vector<std::uint32_t>& {
    return word_[static_cast<std::size_t>(role)];
  };
  for (auto& word : word_) word.assign(heads.size(), none);
  std::vector<std::uint32_t>& first = of(Role::kFirst);
  std::vector<std::uint32_t>& last = of(Role::kLast);
  for (std::uint32_t m = 1; m <= words; ++m) {
    const std::uint32_t h = heads[m];
    of(Role::kHead)[m] = h;
    of(Role::kModifier)[m] = m;
    if (h > 0) of(Role::kGrand)[m] = heads[h];
    if (last[h] != none) {  // the modifier of h before this one
      of(Role::kBefore)[m] = last[h];
      of(Role::kAfter)[last[h]] = m;
    }
    if (first[h] == none) first[h] = m;
    last[h] = m;
  }
}

void LabelFeatures::find(const SentenceFields& sentence, std::span<const HeadId> heads,
                         std::vector<std::uint32_t>& rows) {
  const std::size_t width = templates_.size();
  rows.resize(sentence.words() * width);
  each_key(sentence, heads, [&](std::size_t m, std::size_t t, Key key) {
    rows[(m - 1) * width + t] = static_cast<std::uint32_t>(layout_.label_row(key));
  });
}

}  // namespace hinge::dep
