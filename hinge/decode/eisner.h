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
// [width][stride], where a span of positions p .. p + width has the column p, or,
// in those named by_end, p + width. So for spans of one width side by side, and
// any one way to split them, the left parts lie side by side in one table and the
// right parts in the other: vectors run over spans, and no maximum is taken within a
// vector. From one split to the next both stay in their columns, which
// keeps what a few spans read close by.
//
// Doubles: sums of floats are then exact but for absurd ranges of scores, and
// what is best here is best for whoever adds up the same arcs in another order.
struct ProjectiveChart {
  std::size_t first = 0;  // 1 where only one word may have the head 0, which then is no position
  std::size_t positions = 0;
  std::size_t stride = 0;
  // The first word of the span heads all others, or the last word does.
  AlignedRows<double> right, right_by_end;
  AlignedRows<double> left, left_by_end;
  // The same, and the word at the other end is a child of that word, with no children beyond it.
  AlignedRows<double> right_arc;
  AlignedRows<double> left_arc_by_end;

  void fill(const ArcScores& scores);
};

// Keeps its memory from call to call; one for each thread.
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
  std::vector<Span> open_;  // complete spans whose arcs are yet to be read off
};

}  // namespace hinge
