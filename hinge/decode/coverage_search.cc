#include "hinge/decode/coverage_search.h"

#include <algorithm>

#include "hinge/core/interrupt.h"

namespace hinge {
namespace {

constexpr int kRootSteps = 80;
constexpr std::int64_t kInterruptEvery = 256;
// A knapsack without fractions takes a step per candidate and unit of length.
constexpr std::size_t kMostCells = 2'000'000;
// A difference below this part of all scores is rounding.
constexpr double kRounding = 1e-12;

}  // namespace

void CoverageSearch::start(const ReducedCoverage& problem) {
  problem_ = &problem;
  states_.assign(problem.pieces(), State::kOpen);
  covered_.assign(problem.weight.size(), 0);
  stamps_.assign(problem.weight.size(), 0);
  stamp_ = 0;
  lambda_.assign(problem.weight.size(), 0.0);
  charge_.assign(problem.weight.size(), 0.0);
  for (std::size_t i = 0; i < problem.pieces(); ++i) {
    for (const auto& link : problem.links_of(i)) charge_[link.id] += link.other == i ? 1.0 : 2.0;
  }
  for (std::size_t c = 0; c < lambda_.size(); ++c) {
    lambda_[c] = std::max(problem.weight[c], 0.0);
    charge_[c] = std::min(problem.weight[c], 0.0) / std::max(charge_[c], 1.0);
  }
  value_ = 0.0;
  used_ = 0;
  tolerance_ = kRounding * problem.scale;
}

bool CoverageSearch::can_be_chosen(std::size_t i) const {
  const std::uint32_t parent = problem_->parent[i];
  return states_[i] == State::kOpen && used_ + problem_->length[i] <= problem_->limit &&
         (parent == kNoPiece || states_[parent] != State::kOut);
}

double CoverageSearch::per_length(double amount, std::size_t i) const {
  // What takes no room comes first.
  return amount / std::max(1e-6, static_cast<double>(problem_->length[i]));
}

CoverageSearch::Candidate CoverageSearch::weigh(std::size_t i) {
  double profit = problem_->score[i], gain = profit;
  for (const auto& [id, other] : problem_->links_of(i)) {
    if (covered_[id] != 0) continue;
    const double weight = problem_->weight[id];
    const State state = other == i ? State::kIn : states_[other];
    if (state == State::kOut) continue;
    if (state == State::kIn) gain += weight;
    // Of a pair whose other half is open, each half earns half. Its cost is nobody's yet.
    if (weight > 0.0) {
      profit += state == State::kIn ? lambda_[id] : 0.5 * lambda_[id];
    } else if (other == i) {
      profit += charge_[id];
    }
  }
  return {static_cast<std::uint32_t>(i), profit, gain, per_length(profit, i)};
}

// The fractional knapsack over candidates_, which it sorts.
double CoverageSearch::knapsack() {
  std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
    return a.density > b.density || (a.density == b.density && a.piece < b.piece);
  });
  taken_.assign(candidates_.size(), 0.0);
  double room = problem_->limit - used_;
  packed_ = broken_ = 0.0;
  for (std::size_t k = 0; k < candidates_.size() && candidates_[k].profit > 0.0; ++k) {
    const double length = problem_->length[candidates_[k].piece];
    taken_[k] = length <= room ? 1.0 : room / length;
    packed_ += taken_[k] * candidates_[k].profit;
    room -= taken_[k] * length;
    if (taken_[k] == 1.0) continue;
    broken_ = taken_[k] * candidates_[k].profit;
    break;
  }
  return packed_;
}

// The same without fractions, over candidates_ as knapsack() left them: sorted, so that
// those of one length come by falling profit, and no more than fit side by side matter.
double CoverageSearch::whole_knapsack() {
  const std::size_t room = problem_->limit - used_;
  by_length_.assign(room + 1, 0.0);  // [l]: the best within length l
  same_length_.assign(room + 1, 0);
  double free = 0.0;
  for (const Candidate& candidate : candidates_) {
    if (candidate.profit <= 0.0) break;
    const std::size_t length = problem_->length[candidate.piece];
    if (length == 0) {
      free += candidate.profit;
    } else if (++same_length_[length] * length <= room) {
      for (std::size_t l = room; l >= length; --l)
        by_length_[l] = std::max(by_length_[l], by_length_[l - length] + candidate.profit);
    }
  }
  return free + by_length_[room];
}

// The bound of the last bound_here() without fractions, if it can be as low as `enough`: the
// pieces before the broken one are a whole solution, so that nothing is lower than they are.
double CoverageSearch::whole_bound(double bound, double enough) {
  const std::size_t room = problem_->limit - used_;
  if (bound - broken_ > enough || room * candidates_.size() > kMostCells) return bound;
  return std::min(bound, bound - packed_ + whole_knapsack());
}

// Of everything that can be reached from here. Fills candidates_.
double CoverageSearch::bound_here() {
  candidates_.clear();
  ++stamp_;
  double rest = 0.0;
  for (std::size_t i = 0; i < problem_->pieces(); ++i) {
    if (!can_be_chosen(i)) continue;
    candidates_.push_back(weigh(i));
    for (const auto& link : problem_->links_of(i)) {
      if (covered_[link.id] != 0 || stamps_[link.id] == stamp_) continue;
      stamps_[link.id] = stamp_;
      rest += std::max(problem_->weight[link.id], 0.0) - lambda_[link.id];
    }
  }
  return value_ + rest + knapsack();
}

// The highest gain per length of those whose parent is chosen.
std::uint32_t CoverageSearch::branch_piece() const {
  std::uint32_t best = kNoPiece;
  double best_density = 0.0;
  for (const Candidate& candidate : candidates_) {
    const std::uint32_t parent = problem_->parent[candidate.piece];
    if (parent != kNoPiece && states_[parent] != State::kIn) continue;
    const double density = per_length(candidate.gain, candidate.piece);
    const bool better = density > best_density || (density == best_density && candidate.piece < best);
    if (best != kNoPiece && !better) continue;
    best = candidate.piece;
    best_density = density;
  }
  return best;
}

void CoverageSearch::include(std::size_t i) {
  states_[i] = State::kIn;
  used_ += problem_->length[i];
  value_ += problem_->score[i];
  for (const auto& [id, other] : problem_->links_of(i)) {
    if (states_[other] == State::kIn && covered_[id]++ == 0) value_ += problem_->weight[id];
  }
}

void CoverageSearch::undo(std::size_t i) {
  for (const auto& [id, other] : problem_->links_of(i)) covered_[id] -= states_[other] == State::kIn;
  used_ -= problem_->length[i];
  states_[i] = State::kOpen;
}

void CoverageSearch::record(Incumbent& best) const {
  best.value = value_;
  best.chosen.resize(states_.size());
  std::ranges::transform(states_, best.chosen.begin(), [](State s) { return s == State::kIn; });
}

void CoverageSearch::greedy(Incumbent& best) {
  std::vector<std::uint32_t> order;
  record(best);
  while (true) {
    bound_here();
    const std::uint32_t next = branch_piece();
    if (next == kNoPiece) break;
    include(next);
    order.push_back(next);
    if (value_ > best.value) record(best);
  }
  for (; !order.empty(); order.pop_back()) undo(order.back());
  value_ = 0.0;
}

// One step against the slope of the bound; false if the slope is zero.
bool CoverageSearch::step_multipliers(double bound, double value, double pace) {
  slope_.assign(lambda_.size(), -1.0);
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    if (taken_[k] == 0.0) continue;
    const std::uint32_t i = candidates_[k].piece;
    for (const auto& link : problem_->links_of(i))
      slope_[link.id] += link.other == i ? taken_[k] : 0.5 * taken_[k];
  }
  double norm = 0.0;
  for (std::size_t c = 0; c < lambda_.size(); ++c) {
    if (problem_->weight[c] <= 0.0) continue;
    // A multiplier at its limit cannot follow its slope.
    if ((slope_[c] < 0.0 && lambda_[c] >= problem_->weight[c]) || (slope_[c] > 0.0 && lambda_[c] <= 0.0))
      slope_[c] = 0.0;
    norm += slope_[c] * slope_[c];
  }
  if (norm == 0.0) return false;
  const double step = pace * (bound - value) / norm;
  for (std::size_t c = 0; c < lambda_.size(); ++c) {
    if (problem_->weight[c] > 0.0)
      lambda_[c] = std::clamp(lambda_[c] - step * slope_[c], 0.0, problem_->weight[c]);
  }
  return true;
}

double CoverageSearch::fit_multipliers(double value) {
  double best = bound_here();
  best_lambda_ = lambda_;
  double bound = best, pace = 1.0;
  int stuck = 0;
  for (int k = 0; k < kRootSteps && best > value + tolerance_; ++k) {
    check_interrupt();
    if (!step_multipliers(bound, value, pace)) break;
    bound = bound_here();
    if (bound < best) {
      best = bound;
      best_lambda_ = lambda_;
      stuck = 0;
    } else if (++stuck == 4) {
      stuck = 0;
      pace *= 0.5;
    }
  }
  lambda_ = best_lambda_;
  bound = bound_here();
  return std::max(whole_bound(bound, bound), value);
}

void CoverageSearch::explore(Incumbent& best) {
  if (value_ > best.value + tolerance_) record(best);
  std::vector<std::uint32_t> excluded;
  while (complete_) {
    if (nodes_ == most_nodes_) {
      complete_ = false;
      break;
    }
    if (++nodes_ % kInterruptEvery == 0) check_interrupt();
    const double enough = best.value + tolerance_, bound = bound_here();
    if (bound <= enough || whole_bound(bound, enough) <= enough) break;
    const std::uint32_t next = branch_piece();
    if (next == kNoPiece) break;
    const double value = value_;
    include(next);
    explore(best);
    undo(next);
    value_ = value;  // not subtracted: rounding would add up
    states_[next] = State::kOut;
    excluded.push_back(next);
  }
  for (const std::uint32_t i : excluded) states_[i] = State::kOpen;
}

bool CoverageSearch::run(std::int64_t most_nodes, Incumbent& best, std::int64_t& nodes) {
  nodes_ = 0;
  most_nodes_ = most_nodes;
  complete_ = true;
  explore(best);
  nodes += nodes_;
  return complete_;
}

}  // namespace hinge
