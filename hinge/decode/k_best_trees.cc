#include "hinge/decode/k_best_trees.h"

#include "hinge/core/interrupt.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "hinge/decode/eisner.h"

namespace hinge {
namespace {

// As in ProjectiveChart; kTree is the whole sentence below a root that is not a position.
enum class Kind : std::uint8_t { kRight, kLeft, kRightArc, kLeftArc, kTree };

struct Item {
  Kind kind;
  std::size_t start;
  std::size_t width;
};

// One way to build an item: where it is split, and which derivation of each part
// it uses.
struct Derivation {
  double score;
  std::uint32_t split;
  std::uint32_t left_rank;
  std::uint32_t right_rank;
};

// Heap order: the best is on top; of equals, the one that Eisner finds.
bool worse(const Derivation& a, const Derivation& b) {
  return a.score != b.score ? a.score < b.score : a.split > b.split;
}

struct Ranking {
  std::vector<Derivation> best;  // so far, best first
  std::size_t followed = 0;      // how many of these have offered their successors
  std::vector<Derivation> next;  // a heap
};

class LazySearch {
 public:
  explicit LazySearch(const ArcScores& scores) : scores_(scores) { chart_.fill(scores); }

  Item whole() const {
    if (scores_.single_root) return {Kind::kTree, 0, chart_.positions - 1};
    return {Kind::kRight, 0, chart_.positions - 1};
  }

  // Whether the item has a derivation of this rank, 0 being the best.
  bool exists(const Item& item, std::size_t rank);
  ScoredTree tree(std::size_t rank);

 private:
  // A single word has just one derivation, the empty one.
  static bool is_word(const Item& item) { return item.width == 0 && item.kind != Kind::kTree; }

  std::size_t splits(const Item& item) const { return item.width + (item.kind == Kind::kTree ? 1 : 0); }
  Item left_part(const Item& item, std::size_t split) const;
  Item right_part(const Item& item, std::size_t split) const;
  double own_score(const Item& item, std::size_t split) const;
  double best_score(const Item& item) const;

  Ranking& ranking(const Item& item);
  double score(const Item& item, std::size_t rank);
  void offer(const Item& item, Derivation derivation);
  void follow(const Item& item, const Derivation& derivation);

  ArcScores scores_;
  ProjectiveChart chart_;
  std::unordered_map<std::uint64_t, Ranking> rankings_;  // of the items needed so far
};

// Splits are numbered as in Eisner, from 0.
Item LazySearch::left_part(const Item& item, std::size_t split) const {
  switch (item.kind) {
    case Kind::kRight:
      return {Kind::kRightArc, item.start, split + 1};
    case Kind::kLeft:
    case Kind::kTree:
      return {Kind::kLeft, item.start, split};
    default:
      return {Kind::kRight, item.start, split};
  }
}

Item LazySearch::right_part(const Item& item, std::size_t split) const {
  switch (item.kind) {
    case Kind::kRight:
      return {Kind::kRight, item.start + split + 1, item.width - split - 1};
    case Kind::kLeft:
      return {Kind::kLeftArc, item.start + split, item.width - split};
    case Kind::kTree:
      return {Kind::kRight, item.start + split, item.width - split};
    default:
      return {Kind::kLeft, item.start + split + 1, item.width - split - 1};
  }
}

// What an item scores beyond its parts.
double LazySearch::own_score(const Item& item, std::size_t split) const {
  const std::size_t first = chart_.first + item.start;
  switch (item.kind) {
    case Kind::kRightArc:
      return scores_(first, first + item.width);
    case Kind::kLeftArc:
      return scores_(first + item.width, first);
    case Kind::kTree:
      return scores_(0, first + split);
    default:
      return 0.0;
  }
}

double LazySearch::best_score(const Item& item) const {
  const std::size_t at = item.width * chart_.stride + item.start;
  switch (item.kind) {
    case Kind::kRight:
      return chart_.right.data()[at];
    case Kind::kLeft:
      return chart_.left.data()[at];
    case Kind::kRightArc:
      return chart_.right_arc.data()[at];
    default:
      return chart_.left_arc_by_end.data()[at + item.width];
  }
}

// Starts with every split into best parts, whose scores are in the chart.
Ranking& LazySearch::ranking(const Item& item) {
  const std::uint64_t key = (static_cast<std::uint64_t>(item.width) << 32 | item.start) << 3 |
                            static_cast<std::uint64_t>(item.kind);
  const auto [place, is_new] = rankings_.try_emplace(key);
  Ranking& ranking = place->second;
  if (!is_new) return ranking;
  for (std::uint32_t split = 0; split < splits(item); ++split) {
    // Added in the same order as Eisner does, for bit-identical scores.
    const double parts = best_score(left_part(item, split)) + best_score(right_part(item, split));
    ranking.next.push_back({parts + own_score(item, split), split, 0, 0});
  }
  std::make_heap(ranking.next.begin(), ranking.next.end(), worse);
  return ranking;
}

double LazySearch::score(const Item& item, std::size_t rank) {
  return rank == 0 ? best_score(item) : ranking(item).best[rank].score;
}

void LazySearch::offer(const Item& item, Derivation derivation) {
  const Item left = left_part(item, derivation.split);
  const Item right = right_part(item, derivation.split);
  // Rank 0 always exists; its score is in the chart.
  if (derivation.left_rank > 0 && !exists(left, derivation.left_rank)) return;
  if (derivation.right_rank > 0 && !exists(right, derivation.right_rank)) return;
  const double parts = score(left, derivation.left_rank) + score(right, derivation.right_rank);
  derivation.score = parts + own_score(item, derivation.split);
  Ranking& target = ranking(item);
  target.next.push_back(derivation);
  std::push_heap(target.next.begin(), target.next.end(), worse);
}

// Each pair of ranks is offered exactly once: (l, r) by (l, r - 1), and (l, 0) by
// (l - 1, 0).
void LazySearch::follow(const Item& item, const Derivation& derivation) {
  const auto [score, split, left, right] = derivation;
  offer(item, {0.0, split, left, right + 1});
  if (right == 0) offer(item, {0.0, split, left + 1, 0});
}

bool LazySearch::exists(const Item& item, std::size_t rank) {
  if (is_word(item)) return rank == 0;
  Ranking& known = ranking(item);  // stays valid when others are added
  while (known.best.size() <= rank) {
    if (known.followed < known.best.size()) {
      const Derivation last = known.best[known.followed++];
      follow(item, last);
    }
    if (known.next.empty()) return false;
    std::pop_heap(known.next.begin(), known.next.end(), worse);
    known.best.push_back(known.next.back());
    known.next.pop_back();
  }
  return true;
}

ScoredTree LazySearch::tree(std::size_t rank) {
  ScoredTree tree{ranking(whole()).best[rank].score, std::vector<HeadId>(scores_.words + 1, 0)};
  std::vector<std::pair<Item, std::size_t>> open = {{whole(), rank}};
  while (!open.empty()) {
    const auto [item, item_rank] = open.back();
    open.pop_back();
    if (is_word(item) || !exists(item, item_rank)) continue;
    const Derivation derivation = ranking(item).best[item_rank];
    const std::size_t first = chart_.first + item.start;
    if (item.kind == Kind::kRightArc) tree.heads[first + item.width] = static_cast<HeadId>(first);
    if (item.kind == Kind::kLeftArc) tree.heads[first] = static_cast<HeadId>(first + item.width);
    open.push_back({left_part(item, derivation.split), derivation.left_rank});
    open.push_back({right_part(item, derivation.split), derivation.right_rank});
  }
  return tree;
}

}  // namespace

std::vector<ScoredTree> k_best_projective(const ArcScores& scores, std::size_t k) {
  if (k == 0) return {};
  if (scores.words == 0) return {{0.0, {0}}};
  LazySearch search(scores);
  std::vector<ScoredTree> trees;
  while (trees.size() < k && search.exists(search.whole(), trees.size())) {
    check_interrupt();
    trees.push_back(search.tree(trees.size()));
    if (trees.back().score > kForbidden / 2) continue;
    trees.pop_back();
    break;
  }
  return trees;
}

}  // namespace hinge
