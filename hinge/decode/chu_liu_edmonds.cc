// A path follows best arcs backwards, from a word to its head and on. If it meets
// itself, the cycle is contracted to one node. An arc into that node replaces the
// cycle's arc into the same member, whose score is therefore subtracted. If the
// path meets the root or a finished node, all of it is finished and another path
// begins. At most `words` contractions and 2 * words nodes, O(words) per node.
//
// One root child: Gabow and Tarjan (J. Algorithms 1984), adapted to parsing by
// Stanojevic and Cohen (EMNLP 2021). A penalty on all arcs from the root, larger
// than any difference between two trees, keeps the order of trees with equally
// many such arcs and makes one arc beat two. The tree without penalty is tried
// first: if it has one root child, no other can be better.
#include "hinge/decode/chu_liu_edmonds.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/chu_liu_edmonds.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Indices = hn::RebindToUnsigned<Floats>;
using Doubles = hn::CappedTag<double, 8>;

// The best heads of kVectors vectors of words, from word m on.
template <std::size_t kVectors>
HWY_INLINE void best_heads_of(const ArcScores& s, std::size_t m, float* score, std::uint32_t* head) {
  const Floats d;
  const Indices di;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Floats> best[kVectors];
  hn::Vec<Indices> from[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    best[v] = hn::LoadU(d, s.score + m + v * lanes);
    from[v] = hn::Zero(di);
  }
  for (std::size_t h = 1; h <= s.words; ++h) {
    const hn::Vec<Indices> index = hn::Set(di, static_cast<std::uint32_t>(h));
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto self = hn::Eq(hn::Iota(di, static_cast<std::uint32_t>(m + v * lanes)), index);
      const hn::Vec<Floats> row = hn::LoadU(d, s.score + h * s.stride + m + v * lanes);
      const auto better = hn::AndNot(hn::RebindMask(d, self), hn::Gt(row, best[v]));
      best[v] = hn::IfThenElse(better, row, best[v]);
      from[v] = hn::IfThenElse(hn::RebindMask(di, better), index, from[v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(best[v], d, score + m + v * lanes);
    hn::StoreU(from[v], di, head + m + v * lanes);
  }
}

// score, head: [words + 1], entry 0 is meaningless. Ties go to the first head.
void best_heads(const ArcScores& s, float* score, std::uint32_t* head) {
  const std::size_t lanes = hn::Lanes(Floats());
  const std::size_t n = s.words + 1;
  std::size_t m = 0;
  for (; m + 2 * lanes <= n; m += 2 * lanes) best_heads_of<2>(s, m, score, head);
  for (; m + lanes <= n; m += lanes) best_heads_of<1>(s, m, score, head);
  if (m < n && n >= lanes) {  // overlaps words already done: rows need not be padded
    best_heads_of<1>(s, n - lanes, score, head);
    m = n;
  }
  for (; m < n; ++m) {
    score[m] = s(0, m);
    head[m] = 0;
    for (std::size_t h = 1; h < n; ++h) {
      if (h == m || !(s(h, m) > score[m])) continue;
      score[m] = s(h, m);
      head[m] = static_cast<std::uint32_t>(h);
    }
  }
}

// out[h] = max_i columns[i][h] - scores[i]
void merge_columns(const double* const* columns, const double* scores, std::size_t count, std::size_t stride,
                   double* out) {
  const Doubles d;
  for (std::size_t h = 0; h < stride; h += hn::Lanes(d)) {
    auto best = hn::Sub(hn::Load(d, columns[0] + h), hn::Set(d, scores[0]));
    for (std::size_t i = 1; i < count; ++i) {
      best = hn::Max(best, hn::Sub(hn::Load(d, columns[i] + h), hn::Set(d, scores[i])));
    }
    hn::Store(best, d, out + h);
  }
}

std::size_t first_highest(const double* column, std::size_t stride) {
  const Doubles d;
  auto high = hn::Load(d, column);
  for (std::size_t h = hn::Lanes(d); h < stride; h += hn::Lanes(d))
    high = hn::Max(high, hn::Load(d, column + h));
  high = hn::MaxOfLanes(d, high);
  for (std::size_t h = 0; h < stride; h += hn::Lanes(d)) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(hn::Load(d, column + h), high));
    if (found >= 0) return h + static_cast<std::size_t>(found);
  }
  return 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(best_heads);
HWY_EXPORT(merge_columns);
HWY_EXPORT(first_highest);

constexpr double kLowest = -std::numeric_limits<double>::infinity();

// More than trees without forbidden arcs can differ by. highest: the best score into each word.
double root_penalty_of(const ArcScores& s, std::span<const float> highest) {
  float low = std::numeric_limits<float>::max();
  const auto look_at = [&](const float* begin, const float* end) {
    for (; begin < end; ++begin) low = std::min(low, *begin > kForbidden / 2 ? *begin : low);
  };
  for (std::size_t h = 0; h <= s.words; ++h) {
    const float* row = s.score + h * s.stride;
    look_at(row + 1, row + std::max<std::size_t>(h, 1));
    look_at(row + h + 1, row + s.words + 1);
  }
  double sum = 1.0;
  for (std::size_t m = 1; m <= s.words; ++m) {
    if (highest[m] > kForbidden / 2) sum += static_cast<double>(highest[m]) - low;
  }
  return 2.0 * sum;
}

bool has_one_root_child(std::span<const HeadId> heads) {
  return std::count(heads.begin() + 1, heads.end(), HeadId{0}) == 1;
}

}  // namespace

void ChuLiuEdmonds::load_column(const ArcScores& s, double root_penalty, NodeId word) {
  double* out = column(word);
  for (std::size_t h = 0; h <= words_; ++h) out[h] = s(h, word);
  out[0] -= root_penalty;
  out[word] = kLowest;
  std::fill(out + words_ + 1, out + stride_, kLowest);
}

void ChuLiuEdmonds::start(const ArcScores& s, double root_penalty) {
  words_ = s.words;
  stride_ = (words_ + 8) / 8 * 8;
  nodes_.clear();
  members_.clear();
  state_.assign(words_ + 1, State::kNew);
  state_[0] = State::kDone;
  next_word_.assign(words_ + 1, 0);
  outermost_.resize(words_ + 1);
  best_score_.resize(words_ + 1);
  best_head_.resize(words_ + 1);
  HWY_DYNAMIC_DISPATCH(best_heads)(s, best_score_.data(), best_head_.data());
  for (NodeId m = 0; m <= words_; ++m) {
    outermost_[m] = m;
    nodes_.push_back({best_head_[m], best_score_[m], m, m, 0, 0});
  }
  if (root_penalty == 0.0) return;
  columns_.reserve(2 * (words_ + 1) * stride_);
  for (NodeId m = 1; m <= words_; ++m) {
    if (best_head_[m] != 0) continue;
    load_column(s, root_penalty, m);
    nodes_[m].head = static_cast<NodeId>(HWY_DYNAMIC_DISPATCH(first_highest)(column(m), stride_));
    nodes_[m].score = column(m)[nodes_[m].head];
  }
}

// Contracts the path from `entry` to its end into one node and removes it from path_.
ChuLiuEdmonds::NodeId ChuLiuEdmonds::contract(const ArcScores& s, double root_penalty, NodeId entry) {
  columns_.reserve(2 * (words_ + 1) * stride_);
  const NodeId id = static_cast<NodeId>(nodes_.size());
  Node node{.begin = static_cast<std::uint32_t>(members_.size())};
  cycle_columns_.clear();
  cycle_scores_.clear();
  for (NodeId member = id; member != entry;) {
    member = path_.back();
    path_.pop_back();
    if (member <= words_) load_column(s, root_penalty, member);
    members_.push_back(member);
    cycle_columns_.push_back(column(member));
    cycle_scores_.push_back(nodes_[member].score);
  }
  node.end = static_cast<std::uint32_t>(members_.size());
  HWY_DYNAMIC_DISPATCH(merge_columns)
  (cycle_columns_.data(), cycle_scores_.data(), cycle_scores_.size(), stride_, column(id));

  node.first = nodes_[members_[node.begin]].first;
  node.last = nodes_[members_[node.begin]].last;
  for (std::uint32_t i = node.begin + 1; i < node.end; ++i) {
    next_word_[node.last] = nodes_[members_[i]].first;
    node.last = nodes_[members_[i]].last;
  }
  for (HeadId word = node.first;; word = next_word_[word]) {
    column(id)[word] = kLowest;
    outermost_[word] = id;
    if (word == node.last) break;
  }
  node.head = static_cast<NodeId>(HWY_DYNAMIC_DISPATCH(first_highest)(column(id), stride_));
  node.score = column(id)[node.head];
  nodes_.push_back(node);
  state_.push_back(State::kNew);
  return id;
}

void ChuLiuEdmonds::grow_path(const ArcScores& s, double root_penalty, NodeId from) {
  path_.clear();
  for (NodeId node = from; state_[node] != State::kDone;) {
    if (state_[node] == State::kOnPath) {
      node = contract(s, root_penalty, node);
    }
    state_[node] = State::kOnPath;
    path_.push_back(node);
    node = outermost_[nodes_[node].head];
  }
  for (const NodeId node : path_) state_[node] = State::kDone;
}

// From the last cycle to the first: the arc into a cycle enters the member whose
// score for it equals the merged column; the other members keep their arcs.
void ChuLiuEdmonds::expand() {
  for (std::size_t id = nodes_.size() - 1; id > words_; --id) {
    const Node& node = nodes_[id];
    const double score = column(static_cast<NodeId>(id))[node.head];
    std::uint32_t i = node.begin;
    const auto enters = [&](NodeId member) {
      return column(member)[node.head] - nodes_[member].score == score;
    };
    while (i + 1 < node.end && !enters(members_[i])) ++i;
    nodes_[members_[i]].head = node.head;
  }
}

void ChuLiuEdmonds::solve(const ArcScores& s, double root_penalty) {
  start(s, root_penalty);
  for (HeadId word = 1; word <= words_; ++word) grow_path(s, root_penalty, outermost_[word]);
  expand();
}

double ChuLiuEdmonds::best(const ArcScores& s, std::span<HeadId> heads) {
  heads[0] = 0;
  const auto try_penalty = [&](double root_penalty) {
    solve(s, root_penalty);
    for (std::size_t m = 1; m <= words_; ++m) heads[m] = nodes_[m].head;
    return !s.single_root || has_one_root_child(heads.first(words_ + 1));
  };
  // Forbidden arcs are left out of the penalty: with them it would be so large
  // that rounding hides all other scores. If one root child is impossible without
  // them, those scores no longer matter.
  if (s.words > 0 && !try_penalty(0.0) && !try_penalty(root_penalty_of(s, best_score_))) {
    try_penalty(-4.0 * kForbidden * static_cast<double>(s.words + 1));
  }
  double score = 0.0;
  for (std::size_t m = 1; m <= s.words; ++m) score += s(heads[m], m);
  return score;
}

}  // namespace hinge
#endif
