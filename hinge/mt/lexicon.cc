#include "hinge/mt/lexicon.h"

namespace hinge::mt {

Lexicon::Lexicon(const Bitext& text, const Alignment& alignment)
    : source_totals_(text.source.words.size() + 1), target_totals_(text.target.words.size() + 1) {
  std::vector<bool> source_linked, target_linked;
  for (std::size_t i = 0; i < text.sentences(); ++i) {
    const auto source = text.source.sentence(i), target = text.target.sentence(i);
    source_linked.assign(source.size(), false);
    target_linked.assign(target.size(), false);
    for (const Link& link : alignment.pair(i)) {
      count(source[link.source], target[link.target]);
      source_linked[link.source] = target_linked[link.target] = true;
    }
    for (std::size_t s = 0; s < source.size(); ++s) {
      if (!source_linked[s]) count(source[s], kNothing);
    }
    for (std::size_t t = 0; t < target.size(); ++t) {
      if (!target_linked[t]) count(kNothing, target[t]);
    }
  }
}

void Lexicon::count(Word source, Word target) {
  const std::uint32_t number = index_.add(key(source, target));
  if (number == counts_.size()) counts_.push_back(0);
  ++counts_[number];
  ++(source == kNothing ? source_totals_.back() : source_totals_[source]);
  ++(target == kNothing ? target_totals_.back() : target_totals_[target]);
}

}  // namespace hinge::mt
