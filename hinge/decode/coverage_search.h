// Exact search for coverage problems by branch and bound, depth first.
//
// The bound relaxes z_c <= sum of x_i by a multiplier lambda_c in [0, v_c]: what is left is
// a knapsack in which a piece earns the multipliers of its uncovered concepts, plus
// v_c - lambda_c for every concept that can still be covered; its fractional solution is a
// bound. Where that does not close a node and taking the last piece whole or not at all
// might, the knapsack is solved without fractions, by length: many pieces of equal length and
// score, such as sentences that differ in one word, are otherwise permuted one by one. The
// multipliers are fitted once, at the root, by subgradient steps of Polyak's length. A
// negative concept costs every piece that has it an equal share, since it is paid
// once if all are chosen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/decode/coverage_presolve.h"

namespace hinge {

// The best choice known.
struct Incumbent {
  std::vector<char> chosen;  // [pieces]
  double value = 0.0;
};

// Reuses its memory.
class CoverageSearch {
 public:
  // Forgets the last problem. Nothing is chosen.
  void start(const ReducedCoverage& problem);
  // Adds pieces by falling gain per length as long as there is a gain.
  void greedy(Incumbent& best);
  // Fits the multipliers; returns the bound at the root.
  double fit_multipliers(double value);
  // Improves the incumbent. False if the nodes did not suffice. Counts into `nodes`.
  bool run(std::int64_t most_nodes, Incumbent& best, std::int64_t& nodes);

 private:
  enum class State : char { kOpen, kIn, kOut };
  struct Candidate {
    std::uint32_t piece;
    double profit;   // in the relaxed problem
    double gain;     // in value if it is chosen next
    double density;  // profit by length
  };

  bool can_be_chosen(std::size_t i) const;
  Candidate weigh(std::size_t i);
  double bound_here();
  double knapsack();
  double whole_knapsack();
  double whole_bound(double bound, double enough);
  std::uint32_t branch_piece() const;
  void include(std::size_t i);
  void undo(std::size_t i);
  void record(Incumbent& best) const;
  void explore(Incumbent& best);
  double per_length(double amount, std::size_t i) const;
  bool step_multipliers(double bound, double value, double pace);

  const ReducedCoverage* problem_ = nullptr;
  std::vector<State> states_;
  std::vector<std::uint32_t> covered_;   // [concepts]: occurrences that are chosen
  std::vector<double> lambda_, charge_;  // [concepts]
  std::vector<std::uint64_t> stamps_;    // [concepts]: last bound that met it
  std::uint64_t stamp_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<double> taken_;               // [candidates], the fractional solution
  double packed_ = 0.0;                     // its value
  double broken_ = 0.0;                     // the part of it due to a fraction
  std::vector<double> by_length_;           // [room + 1]
  std::vector<std::uint32_t> same_length_;  // [room + 1], candidates so far
  std::vector<double> slope_;               // [concepts], of the bound
  std::vector<double> best_lambda_;
  double value_ = 0.0;
  double tolerance_ = 0.0;
  std::uint32_t used_ = 0;  // length
  std::int64_t nodes_ = 0, most_nodes_ = 0;
  bool complete_ = true;
};

}  // namespace hinge
