// How often a word translates another, from aligned text: w(e | f) and w(f | e), where
// words without a link count as aligned to nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "hinge/features/key_index.h"
#include "hinge/mt/alignment.h"
#include "hinge/mt/bitext.h"

namespace hinge::mt {

class Lexicon {
 public:
  static constexpr Word kNothing = Words::kNone;

  Lexicon(const Bitext& text, const Alignment& alignment);

  // Relative frequencies, zero for words that are never aligned to each other.
  double target_given_source(Word target, Word source) const {
    return pair(source, target) / total(source_totals_, source);
  }
  double source_given_target(Word source, Word target) const {
    return pair(source, target) / total(target_totals_, target);
  }

 private:
  static Key key(Word source, Word target) {
    return combine(std::uint64_t{source} + 1, std::uint64_t{target} + 1);
  }
  double pair(Word source, Word target) const {
    const std::uint32_t found = index_.find(key(source, target));
    return found == KeyIndex::kNone ? 0.0 : counts_[found];
  }
  // The last total is that of nothing.
  static double total(const std::vector<std::uint32_t>& totals, Word word) {
    const std::uint32_t count = word == kNothing ? totals.back() : totals[word];
    return count == 0 ? 1.0 : count;
  }
  void count(Word source, Word target);

  KeyIndex index_;
  std::vector<std::uint32_t> counts_;  // [pairs]
  std::vector<std::uint32_t> source_totals_, target_totals_;
};

}  // namespace hinge::mt
