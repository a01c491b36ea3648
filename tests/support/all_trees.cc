#include "tests/support/all_trees.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace hinge::test {

bool is_tree(const Heads& heads) {
  const std::size_t words = heads.size() - 1;
  if (heads[0] != 0) return false;
  for (std::size_t m = 1; m <= words; ++m) {
    std::size_t at = m;
    for (std::size_t steps = 0; at != 0; ++steps) {
      if (steps == words || heads[at] > words) return false;
      at = heads[at];
    }
  }
  return true;
}

bool is_projective(const Heads& heads) {
  for (std::size_t m = 1; m < heads.size(); ++m) {
    const std::size_t a = std::min<std::size_t>(m, heads[m]);
    const std::size_t b = std::max<std::size_t>(m, heads[m]);
    for (std::size_t other = a + 1; other < b; ++other)
      if (heads[other] < a || heads[other] > b) return false;
  }
  return true;
}

std::size_t roots(const Heads& heads) {
  return static_cast<std::size_t>(std::count(heads.begin() + 1, heads.end(), 0u));
}

bool is_of_kind(const Heads& heads, TreeKind kind) {
  if (!is_tree(heads)) return false;
  if (kind.projective && !is_projective(heads)) return false;
  return !kind.single_root || heads.size() == 1 || roots(heads) == 1;
}

const std::vector<Heads>& all_trees(std::size_t words, TreeKind kind) {
  static std::map<std::tuple<std::size_t, bool, bool>, std::vector<Heads>> lists;
  const auto [place, is_new] = lists.try_emplace({words, kind.projective, kind.single_root});
  if (!is_new) return place->second;
  Heads heads(words + 1, 0);
  for (std::size_t m = 0; m <= words;) {
    if (is_of_kind(heads, kind)) place->second.push_back(heads);
    m = 1;
    while (m <= words && ++heads[m] > words) heads[m++] = 0;
  }
  return place->second;
}

void each_tree(std::size_t words, TreeKind kind, const std::function<void(const Heads&)>& body) {
  for (const Heads& heads : all_trees(words, kind)) body(heads);
}

ArcMatrix::ArcMatrix(std::size_t words, std::size_t padding)
    : words(words), stride(words + 1 + padding), score((words + 1) * stride) {
  for (std::size_t i = 0; i < score.size(); ++i) score[i] = i % 2 == 0 ? 3e38f : -3e38f;
}

double ArcMatrix::score_of(const Heads& heads) const {
  double sum = 0.0;
  for (std::size_t m = 1; m <= words; ++m) sum += score[heads[m] * stride + m];
  return sum;
}

bool ArcMatrix::allows(const Heads& heads) const {
  for (std::size_t m = 1; m <= words; ++m)
    if (score[heads[m] * stride + m] <= kForbidden / 2) return false;
  return true;
}

void ArcMatrix::each_arc(const std::function<void(float&)>& body) {
  for (std::size_t head = 0; head <= words; ++head)
    for (std::size_t modifier = 1; modifier <= words; ++modifier)
      if (head != modifier) body(at(head, modifier));
}

ArcMatrix random_arcs(Random& random, std::size_t words, double range) {
  ArcMatrix arcs(words, random.below(2) * random.below(20));
  arcs.each_arc([&](float& x) { x = static_cast<float>(range * (2.0 * random.uniform() - 1.0)); });
  return arcs;
}

ArcMatrix random_arcs_with_ties(Random& random, std::size_t words, int range) {
  ArcMatrix arcs(words, random.below(2) * random.below(20));
  arcs.each_arc(
      [&](float& x) { x = static_cast<float>(static_cast<int>(random.below(2 * range + 1)) - range) / 8; });
  return arcs;
}

void forbid_some(Random& random, ArcMatrix& arcs, std::uint64_t one_in) {
  arcs.each_arc([&](float& x) {
    if (random.below(one_in) == 0) x = kForbidden;
  });
}

double best_score(const ArcMatrix& arcs, TreeKind kind) {
  if (arcs.words == 0) return 0.0;
  double best = -std::numeric_limits<double>::infinity();
  for (const Heads& heads : all_trees(arcs.words, kind)) best = std::max(best, arcs.score_of(heads));
  return best;
}

}  // namespace hinge::test
