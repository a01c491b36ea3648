#include "hinge/tasks/constituents/tag_guess.h"

#include <algorithm>
#include <cmath>

namespace hinge::constituents {

void TagPairs::add(std::span<const Symbol> sentence, float times) {
  std::size_t before = tags;
  for (const Symbol tag : sentence) {
    counts[before * (tags + 1) + tag] += times;
    before = tag;
  }
  counts[before * (tags + 1) + tags] += times;
}

void TagPairs::add(const TagPairs& other, std::span<const Symbol> here) {
  const auto tag = [&](std::size_t t) { return t == other.tags ? tags : here[t]; };
  for (std::size_t a = 0; a <= other.tags; ++a) {
    for (std::size_t b = 0; b <= other.tags; ++b)
      counts[tag(a) * (tags + 1) + tag(b)] += other.counts[a * (other.tags + 1) + b];
  }
}

TagGuesser::TagGuesser(TagModel tags, const TagPairs& pairs) : tags_(std::move(tags)), n_(pairs.tags) {
  constexpr float kUnseen = 0.05f;
  for (std::size_t a = 0; a <= n_; ++a) {
    const auto row = std::span(pairs.counts).subspan(a * (n_ + 1), n_ + 1);
    float total = kUnseen * static_cast<float>(n_ + 1);
    for (const float count : row) total += count;
    for (const float count : row) pairs_.push_back(std::log((count + kUnseen) / total));
  }
}

void TagGuesser::guess(std::span<const std::string_view> words, std::span<const Symbol> given,
                       Workspace& workspace, std::vector<Symbol>& out) const {
  const std::size_t words_count = words.size();
  workspace.probabilities.resize(n_);
  workspace.candidates.clear();
  workspace.scores.clear();
  workspace.from.clear();
  workspace.begin.assign(1, 0);
  for (std::size_t i = 0; i < words_count; ++i) {
    tags_.probabilities(words[i], workspace.probabilities);
    const std::size_t first = i == 0 ? 0 : workspace.begin[i - 1], last = workspace.begin[i];
    for (std::size_t t = 0; t < n_; ++t) {
      const bool fixed = !given.empty() && given[i] != kNoSymbol;
      if (fixed ? t != given[i] : workspace.probabilities[t] <= 0.0f) continue;
      float best = i == 0 ? pairs_[n_ * (n_ + 1) + t] : -std::numeric_limits<float>::infinity();
      std::uint32_t from = 0;
      for (std::size_t c = first; c < last; ++c) {
        const float score = workspace.scores[c] + pairs_[workspace.candidates[c] * (n_ + 1) + t];
        if (score > best) {
          best = score;
          from = static_cast<std::uint32_t>(c);
        }
      }
      const float fits = fixed ? 0.0f
                               : std::log(workspace.probabilities[t] /
                                          static_cast<float>(tags_.prior(static_cast<std::uint16_t>(t))));
      workspace.candidates.push_back(static_cast<Symbol>(t));
      workspace.scores.push_back(best + fits);
      workspace.from.push_back(from);
    }
    workspace.begin.push_back(workspace.candidates.size());
  }
  out.assign(words_count, 0);
  if (words_count == 0) return;
  std::size_t best = workspace.begin[words_count - 1];
  const auto ending = [&](std::size_t c) {
    return workspace.scores[c] + pairs_[workspace.candidates[c] * (n_ + 1) + n_];
  };
  for (std::size_t c = best; c < workspace.candidates.size(); ++c) {
    if (ending(c) > ending(best)) best = c;
  }
  for (std::size_t i = words_count; i-- > 0; best = workspace.from[best]) out[i] = workspace.candidates[best];
}

}  // namespace hinge::constituents
