// An extension: outputs that are sets of parts, for structured SMO on the factored
// dual.
//
// Score and loss of an output are sums over its parts: the label pairs of a chain, the
// rules of a tree at their places. Then a distribution over outputs matters only
// through the probabilities of parts, its marginals (Taskar et al. 2004, section 4).
// A part is a number of the task's own, with a meaning within one example. Tasks ignore
// parts that they do not have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "hinge/core/task.h"

namespace hinge {

using Part = std::uint64_t;

// Among which outputs the best is looked for.
enum class Search {
  kAll,      // the best is the one that most_violated() finds
  kAllowed,  // it is made of allowed parts, too, which takes far less time
};

// Two outputs between which probability should move. Lists of parts are sorted.
struct Exchange {
  std::vector<Part> best;   // the output with the highest score + loss
  std::vector<Part> worst;  // the one with the lowest score + loss among those of allowed parts; or none
  double loss = 0.0;        // of best, as in a Cut
  double margin = 0.0;      // of best
  double violation = 0.0;   // of worst
  std::vector<Part> parts;  // in which they differ, by piece
  struct Piece {            // replacing these parts of worst by those of best makes another output
    std::size_t begin;      // into `parts`: those of worst,
    std::size_t middle;     // and those of best
    std::size_t end;
  };
  std::vector<Piece> pieces;

  void clear() {
    best.clear();
    worst.clear();
    loss = margin = violation = 0.0;
    parts.clear();
    pieces.clear();
  }
  // For tasks that know no smaller ones.
  void make_one_piece() {
    parts.clear();
    pieces.clear();
    if (worst.empty()) return;
    std::ranges::set_difference(worst, best, std::back_inserter(parts));
    const std::size_t middle = parts.size();
    std::ranges::set_difference(best, worst, std::back_inserter(parts));
    if (!parts.empty()) pieces.push_back({0, middle, parts.size()});
  }
};

class FactoredTask : public Extension {
 public:
  static constexpr std::string_view kName = "outputs made of parts";

  // Replaces `parts` by those of gold, sorted.
  virtual void gold_parts(std::size_t i, Scratch& scratch, std::vector<Part>& parts) const = 0;

  // Fills `exchange` (reusing its memory). `allowed` is sorted. If no output is made of such
  // parts, worst is empty; so is best, unless all are searched.
  virtual void exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                        Scratch& scratch, Exchange& exchange) const = 0;

  // Adds sum_k amounts[k] Phi(parts[k]) to `features` and returns the same sum of
  // losses.
  virtual double add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                              Scratch& scratch, Gradient& features) const = 0;

  // Products with such (merged) sums, in the norm of Task::squared_norm(). The score of
  // an output is the product of w and its features.
  virtual double product(const Weights& w, const Gradient& features, Scratch& /*scratch*/) const {
    return dot(w, features);
  }
  virtual double squared_length(const Gradient& features, Scratch& /*scratch*/) const {
    return hinge::squared_norm(features);
  }
};

}  // namespace hinge
