#include "hinge/tasks/coref/decoder.h"

#include <algorithm>
#include <limits>

#include "hinge/core/interrupt.h"

namespace hinge::coref {

void Decoder::choose(const DocumentView& data, const float* w) {
  scorer_.prepare(data);
  scorer_.weigh(w);
  antecedents_.clear();
  margins_.clear();
  for (std::size_t m = 0; m < data.size(); ++m) {
    if (m % 64 == 0) check_interrupt();
    scorer_.score(m, w, scores_);
    // The first of equals: the nearest antecedent.
    const auto best = std::ranges::max_element(scores_);
    const float top = *best;
    const auto choice = static_cast<std::size_t>(best - scores_.begin());
    const auto candidates = data.candidates_of(m);
    antecedents_.push_back(choice < candidates.size() ? candidates[choice].mention
                                                      : static_cast<std::uint32_t>(m));
    *best = -std::numeric_limits<float>::infinity();
    margins_.push_back(top - *std::ranges::max_element(scores_));
  }
}

std::vector<Mention> Decoder::clusters(bool singletons) const {
  std::vector<std::uint32_t> cluster(antecedents_.size());
  std::vector<std::uint32_t> sizes;
  for (std::size_t m = 0; m < antecedents_.size(); ++m) {
    const bool starts = antecedents_[m] == m;
    cluster[m] = starts ? static_cast<std::uint32_t>(sizes.size()) : cluster[antecedents_[m]];
    if (starts) sizes.push_back(0);
    ++sizes[cluster[m]];
  }
  std::uint32_t kept = 0;
  std::vector<std::uint32_t> numbers(sizes.size());
  for (std::size_t c = 0; c < sizes.size(); ++c)
    numbers[c] = singletons || sizes[c] > 1 ? kept++ : kNoCluster;
  std::vector<Mention> mentions;
  for (std::size_t m = 0; m < cluster.size(); ++m) {
    if (numbers[cluster[m]] == kNoCluster) continue;
    const MentionFacts& facts = scorer_.data().set.mentions[m];
    mentions.push_back({.begin = facts.span.begin,
                        .end = facts.span.end,
                        .cluster = numbers[cluster[m]],
                        .head = facts.head});
  }
  return mentions;
}

}  // namespace hinge::coref
