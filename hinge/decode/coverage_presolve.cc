#include "hinge/decode/coverage_presolve.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace hinge {
namespace {

bool is_pair(const Occurrence& occurrence) { return occurrence.first != occurrence.second; }

auto order_of(const Occurrence& o) { return std::tie(o.id, o.first, o.second); }

}  // namespace

void CoveragePresolver::drop_long(const CoverageView& problem) {
  const std::size_t n = problem.pieces.size();
  dropped_.assign(n, 0);
  in_tree_.assign(n, 0);
  path_length_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Piece& piece = problem.pieces[i];
    const bool hangs = piece.parent != kNoPiece;
    const std::uint64_t length = std::uint64_t{piece.length} + (hangs ? path_length_[piece.parent] : 0);
    path_length_[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, kNoPiece));
    dropped_[i] = path_length_[i] > problem.limit || (hangs && dropped_[piece.parent] != 0);
    if (hangs) in_tree_[i] = in_tree_[piece.parent] = 1;
  }
}

// Occurrences that can happen, and concepts of one piece folded into its score.
void CoveragePresolver::gather(const CoverageView& problem, const CoverageScores& scores) {
  live_.clear();
  count_.assign(problem.concepts, 0);
  for (const Occurrence& occurrence : problem.occurrences) {
    if (scores.weights[occurrence.id] == 0.0) continue;
    if (dropped_[occurrence.first] != 0 || dropped_[occurrence.second] != 0) continue;
    live_.push_back(occurrence);
    if (is_pair(occurrence)) in_tree_[occurrence.first] = in_tree_[occurrence.second] = 1;
  }
  std::ranges::sort(live_, {}, order_of);
  const auto same = [](const Occurrence& a, const Occurrence& b) { return order_of(a) == order_of(b); };
  live_.erase(std::unique(live_.begin(), live_.end(), same), live_.end());
  for (const Occurrence& occurrence : live_) ++count_[occurrence.id];
  score_.assign(scores.own.begin(), scores.own.end());
  std::erase_if(live_, [&](const Occurrence& occurrence) {
    if (count_[occurrence.id] > 1 || is_pair(occurrence)) return false;
    score_[occurrence.first] += scores.weights[occurrence.id];
    return true;
  });
}

// Whether `better` (b) can always stand in for `worse` (w), so that some best choice is without
// w. Both stand alone: no parents, children or pairs. A choice with w becomes no worse
//   - if b is chosen, too: w goes. Its score is not positive, b has its positive concepts, and
//     a negative one less can only help.
//   - if not: b takes its place. It is no longer, its score is no lower, it covers the
//     positive concepts of w, and all its negative ones were already paid for by w.
bool CoveragePresolver::dominates(std::size_t better, std::size_t worse, const CoverageView& problem,
                                  const CoverageScores& scores) const {
  if (problem.pieces[better].length > problem.pieces[worse].length) return false;
  if (score_[worse] > 0.0 || score_[better] < score_[worse]) return false;
  const auto ours = concepts_of(better), theirs = concepts_of(worse);
  const auto has = [](std::span<const std::uint32_t> all, std::uint32_t id) {
    return std::ranges::binary_search(all, id);
  };
  for (const std::uint32_t id : theirs) {
    if (scores.weights[id] > 0.0 && !has(ours, id)) return false;
  }
  for (const std::uint32_t id : ours) {
    if (scores.weights[id] < 0.0 && !has(theirs, id)) return false;
  }
  return true;
}

// Only pieces that share a concept are compared: those of the rarest positive one, which
// a better piece must have.
void CoveragePresolver::drop_dominated(const CoverageView& problem, const CoverageScores& scores) {
  const std::size_t n = problem.pieces.size();
  own_begin_.assign(n + 1, 0);
  for (const Occurrence& o : live_) own_begin_[o.first + 1] += !is_pair(o);
  for (std::size_t i = 0; i < n; ++i) own_begin_[i + 1] += own_begin_[i];
  own_.resize(own_begin_[n]);
  std::vector<std::uint32_t> at(own_begin_.begin(), own_begin_.end() - 1);
  std::vector<std::uint32_t> first(problem.concepts + 1, 0);  // into live_
  for (const Occurrence& o : live_) {
    ++first[o.id + 1];
    if (!is_pair(o)) own_[at[o.first]++] = o.id;
  }
  for (std::size_t c = 0; c < problem.concepts; ++c) first[c + 1] += first[c];
  for (std::size_t i = 0; i < n; ++i) {
    if (dropped_[i] != 0 || in_tree_[i] != 0 || score_[i] > 0.0) continue;
    std::uint32_t rarest = kNoPiece;
    for (const std::uint32_t id : concepts_of(i)) {
      if (scores.weights[id] > 0.0 && (rarest == kNoPiece || count_[id] < count_[rarest])) rarest = id;
    }
    if (rarest == kNoPiece) {  // nothing speaks for it
      dropped_[i] = 1;
      continue;
    }
    for (std::uint32_t k = first[rarest]; k < first[rarest + 1]; ++k) {
      const std::uint32_t j = live_[k].first;
      if (j == i || dropped_[j] != 0 || in_tree_[j] != 0 || !dominates(j, i, problem, scores)) continue;
      // Of two equal pieces the first stays.
      if (j > i && dominates(i, j, problem, scores)) continue;
      dropped_[i] = 1;
      break;
    }
  }
}

const ReducedCoverage& CoveragePresolver::reduce(const CoverageView& problem, const CoverageScores& scores) {
  drop_long(problem);
  gather(problem, scores);
  drop_dominated(problem, scores);
  ReducedCoverage& r = reduced_;
  r.original.clear();
  r.length.clear();
  r.parent.clear();
  r.score.clear();
  r.limit = problem.limit;
  r.scale = 0.0;
  const std::size_t n = problem.pieces.size();
  new_piece_.assign(n, kNoPiece);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (dropped_[i] != 0) continue;
    new_piece_[i] = static_cast<std::uint32_t>(r.original.size());
    r.original.push_back(i);
    r.length.push_back(problem.pieces[i].length);
    const std::uint32_t parent = problem.pieces[i].parent;
    r.parent.push_back(parent == kNoPiece ? kNoPiece : new_piece_[parent]);
    r.score.push_back(score_[i]);
    r.scale += std::abs(score_[i]);
  }
  r.weight.clear();
  new_id_.assign(problem.concepts, kNoPiece);
  r.begin.assign(r.pieces() + 1, 0);
  const auto each_link = [&](const auto& use) {
    for (const Occurrence& o : live_) {
      const std::uint32_t a = new_piece_[o.first], b = new_piece_[o.second];
      if (a == kNoPiece || b == kNoPiece) continue;
      use(o.id, a, b);
      if (a != b) use(o.id, b, a);
    }
  };
  each_link([&](std::uint32_t id, std::uint32_t piece, std::uint32_t) {
    ++r.begin[piece + 1];
    if (new_id_[id] != kNoPiece) return;
    new_id_[id] = static_cast<std::uint32_t>(r.weight.size());
    r.weight.push_back(scores.weights[id]);
    r.scale += std::abs(scores.weights[id]);
  });
  for (std::size_t i = 0; i < r.pieces(); ++i) r.begin[i + 1] += r.begin[i];
  r.links.resize(r.begin.back());
  std::vector<std::uint32_t> at(r.begin.begin(), r.begin.end() - 1);
  each_link([&](std::uint32_t id, std::uint32_t piece, std::uint32_t other) {
    r.links[at[piece]++] = {new_id_[id], other};
  });
  return r;
}

}  // namespace hinge
