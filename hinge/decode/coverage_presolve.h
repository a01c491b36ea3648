// A coverage problem without what cannot matter; for the solvers behind coverage.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/decode/coverage.h"

namespace hinge {

// Only pieces that can be chosen, and concepts that more than one choice decides about.
struct ReducedCoverage {
  struct Link {
    std::uint32_t id;     // the concept
    std::uint32_t other;  // the second piece of the occurrence; the piece itself if there is none
  };

  std::vector<std::uint32_t> original;  // [pieces], numbers in the full problem
  std::vector<std::uint32_t> length;    // [pieces]
  std::vector<std::uint32_t> parent;    // [pieces]
  std::vector<double> score;            // [pieces], with concepts that only this piece has
  std::vector<double> weight;           // [concepts], none is zero
  std::vector<std::uint32_t> begin{0};  // [pieces + 1], into links
  std::vector<Link> links;              // those of pairs are listed at both pieces
  std::uint32_t limit = 0;
  double scale = 0.0;  // the sum of all absolute scores, for tolerances

  std::size_t pieces() const { return length.size(); }
  std::span<const Link> links_of(std::size_t i) const {
    return std::span(links).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

// Drops pieces that cannot fit together with their parents, and pieces that another one
// replaces at no loss; turns concepts that occur in one piece only into its score.
class CoveragePresolver {
 public:
  const ReducedCoverage& reduce(const CoverageView& problem, const CoverageScores& scores);

 private:
  void drop_long(const CoverageView& problem);
  void gather(const CoverageView& problem, const CoverageScores& scores);
  void drop_dominated(const CoverageView& problem, const CoverageScores& scores);
  bool dominates(std::size_t better, std::size_t worse, const CoverageView& problem,
                 const CoverageScores& scores) const;
  std::span<const std::uint32_t> concepts_of(std::size_t i) const {
    return std::span(own_).subspan(own_begin_[i], own_begin_[i + 1] - own_begin_[i]);
  }

  ReducedCoverage reduced_;
  std::vector<char> dropped_;               // [pieces]
  std::vector<char> in_tree_;               // [pieces]: has a parent, a child, or a pair
  std::vector<std::uint32_t> path_length_;  // [pieces], with its parents
  std::vector<Occurrence> live_;            // sorted, without repeats
  std::vector<std::uint32_t> count_;        // [concepts], live occurrences
  std::vector<std::uint32_t> own_begin_, own_;
  std::vector<double> score_;             // [pieces], with folded concepts
  std::vector<std::uint32_t> new_piece_;  // [pieces]
  std::vector<std::uint32_t> new_id_;     // [concepts]
};

}  // namespace hinge
