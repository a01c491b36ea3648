#include "hinge/decode/restricted_path.h"

#include <algorithm>
#include <limits>

namespace hinge {

bool RestrictedPath::run(const ChainScores& s, std::span<const LabelPair> allowed, double sign,
                         std::vector<LabelId>& path) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  if (s.tokens == 0) return false;
  high_.assign(s.tokens * s.labels, kNone);
  before_.resize(s.tokens * s.labels);
  for (const LabelPair& pair : allowed) {
    double score = sign * s.node[pair.token * s.stride + pair.to];
    if (pair.token > 0) {
      score += sign * s.edges_into(pair.token)[pair.from * s.stride + pair.to];
      score += high_[(pair.token - 1) * s.labels + pair.from];
    }
    const std::size_t at = pair.token * s.labels + pair.to;
    if (!(score > high_[at])) continue;
    high_[at] = score;
    before_[at] = pair.from;
  }
  const auto last = std::span(high_).last(s.labels);
  const auto end = std::ranges::max_element(last);
  if (*end == kNone) return false;
  path.resize(s.tokens);
  path.back() = static_cast<LabelId>(end - last.begin());
  for (std::size_t t = s.tokens - 1; t > 0; --t) path[t - 1] = before_[t * s.labels + path[t]];
  return true;
}

}  // namespace hinge
