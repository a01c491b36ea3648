// The best projective dependency tree: Eisner (COLING 1996), in the form with
// complete and incomplete spans of Eisner and Satta (ACL 1999). O(words^3) time,
// O(words^2) memory. SIMD, chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hinge/decode/aligned_rows.h"
#include "hinge/decode/trees.h"

namespace hinge {

// Best scores of all spans. Position p is the word first + p. Tables are
// [width][stride]; a span of positions p .. p + width is in column p, or, in the
// by_end tables, in column p + width. So for adjacent spans of one width and a
// given split, the left parts are adjacent in one table and the right parts in
// another: vectors run over spans, and no maximum is taken within a vector. Both
// parts stay in their columns from one split to the next, which keeps the data
// of a few spans close together.
//
// Doubles, because sums of floats are then exact except for absurd ranges of
// scores: the best tree stays best if the same arcs are added in another order.
struct ProjectiveChart {
  std::size_t first = 0;  // 1 for a single root child: then the root is not a position
  std::size_t positions = 0;
  std::size_t stride = 0;
  // Complete spans: the first word (right) or the last word (left) heads all others.
  AlignedRows<double> right, right_by_end;
  AlignedRows<double> left, left_by_end;
  // Incomplete spans: also, the word at the other end is a child of that word, with no children beyond it.
  AlignedRows<double> right_arc;
  AlignedRows<double> left_arc_by_end;

  void fill(const ArcScores& scores);
};

// Keeps its memory between calls; use one per thread.
class Eisner {
 public:
  // Fills `heads` [words + 1] with the best projective tree, heads[0] = 0, and
  // returns its score.
  double best(const ArcScores& scores, std::span<HeadId> heads);

 private:
  struct Span {
    std::uint32_t width;
    std::uint32_t start;
    bool headed_by_first;
  };

  void open(std::size_t width, std::size_t start, bool headed_by_first);
  void open_inside(std::size_t width, std::size_t start, double arc, double best);
  double open_both_sides_of_root(const ArcScores& scores, std::span<HeadId> heads);
  void read_right(const ArcScores& scores, const Span& span, std::span<HeadId> heads);
  void read_left(const ArcScores& scores, const Span& span, std::span<HeadId> heads);

  ProjectiveChart chart_;
  std::vector<Span> open_;  // complete spans whose arcs are not yet read
};

}  // namespace hinge
