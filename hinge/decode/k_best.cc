#include "hinge/decode/k_best.h"

#include <algorithm>

namespace hinge {
namespace {

struct Prefix {
  float score;
  LabelId previous;    // label of the previous token
  std::uint32_t rank;  // which of that label's prefixes
};

using Ranked = std::vector<Prefix>;  // best first, at most k

// Keeps `list` sorted and no longer than k. False if `prefix` is too bad to enter;
// then so is everything after it in a sorted source.
bool offer(Ranked& list, const Prefix& prefix, std::size_t k) {
  if (list.size() == k && prefix.score <= list.back().score) return false;
  const auto place = std::find_if(list.rbegin(), list.rend(),
                                  [&](const Prefix& other) { return other.score >= prefix.score; });
  list.insert(place.base(), prefix);
  if (list.size() > k) list.pop_back();
  return true;
}

Ranked extend(const ChainScores& s, const std::vector<Ranked>& chart, std::size_t t, std::size_t label,
              std::size_t k) {
  Ranked best;
  const float* edge = s.edges_into(t);
  const float node = s.node[t * s.stride + label];
  for (std::size_t i = 0; i < s.labels; ++i) {
    const Ranked& source = chart[(t - 1) * s.labels + i];
    const float step = edge[i * s.stride + label];
    for (std::uint32_t rank = 0; rank < source.size(); ++rank) {
      if (!offer(best, {source[rank].score + step + node, static_cast<LabelId>(i), rank}, k)) break;
    }
  }
  return best;
}

ScoredPath trace(const ChainScores& s, const std::vector<Ranked>& chart, const Prefix& end) {
  ScoredPath path{end.score, std::vector<LabelId>(s.tokens)};
  LabelId label = end.previous;
  std::uint32_t rank = end.rank;
  for (std::size_t t = s.tokens; t-- > 0;) {
    path.labels[t] = label;
    const Prefix& prefix = chart[t * s.labels + label][rank];
    label = prefix.previous;
    rank = prefix.rank;
  }
  return path;
}

}  // namespace

std::vector<ScoredPath> k_best_paths(const ChainScores& s, std::size_t k) {
  if (s.tokens == 0 || k == 0) return {};
  std::vector<Ranked> chart(s.tokens * s.labels);
  for (std::size_t y = 0; y < s.labels; ++y) chart[y] = {{s.node[y], 0, 0}};
  for (std::size_t t = 1; t < s.tokens; ++t) {
    for (std::size_t y = 0; y < s.labels; ++y) chart[t * s.labels + y] = extend(s, chart, t, y, k);
  }
  Ranked ends;  // previous = the last label
  for (std::size_t y = 0; y < s.labels; ++y) {
    const Ranked& source = chart[(s.tokens - 1) * s.labels + y];
    for (std::uint32_t rank = 0; rank < source.size(); ++rank) {
      if (!offer(ends, {source[rank].score, static_cast<LabelId>(y), rank}, k)) break;
    }
  }
  std::vector<ScoredPath> paths;
  for (const Prefix& end : ends) {
    if (end.score > kForbidden / 2) paths.push_back(trace(s, chart, end));
  }
  return paths;
}

}  // namespace hinge
