// How many edits turn one sentence into another. Words are numbers; words that the
// reference does not have may share a number.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hinge {

// Words inserted, deleted or replaced: the Levenshtein distance.
class EditDistance {
 public:
  std::size_t edits(std::span<const std::uint32_t> words, std::span<const std::uint32_t> reference);

 private:
  std::vector<std::uint32_t> row_;  // [reference words + 1]
};

// The same with moves, where moving any number of consecutive words is one edit:
// the distance of TER (Snover, Dorr, Schwartz, Micciulla, Makhoul, AMTA 2006). The
// least such distance is NP-hard to find, so it is defined as what the authors'
// program finds greedily, here with the limits and tie-breaks with which sacrebleu
// (Post, WMT 2018) follows that program:
//
// A pass tries to move every stretch of up to ten words that also occurs in the
// reference to where the cheapest alignment puts it, and makes the move that saves
// most. When no move saves anything, the edit distance of the rest is added. It is
// searched only near the diagonal, so it can be too large for sentences of 25 words
// and more.
class ShiftDistance {
 public:
  std::size_t edits(std::span<const std::uint32_t> words, std::span<const std::uint32_t> reference);

 private:
  using Cost = std::int32_t;

  struct Band {  // positions in the reference, [begin, end)
    std::size_t begin;
    std::size_t end;
  };
  struct Stretch {
    std::size_t begin;
    std::size_t reference_begin;
    std::size_t length;
  };
  struct Move {
    Cost saved = std::numeric_limits<Cost>::min();
    std::size_t length = 0;
    std::size_t begin = 0;
    std::size_t target = 0;

    bool is_better_than(const Move& other) const;
    void make(std::span<std::uint32_t> words) const;
  };

  void start(std::span<const std::uint32_t> words, std::span<const std::uint32_t> reference);
  void start_band();
  const Cost* row(const std::vector<Cost>& matrix, std::size_t i) const;
  Cost fill(std::span<const std::uint32_t> words, std::size_t unchanged, std::vector<Cost>& matrix) const;
  void align();
  Move best_move();
  bool is_worth_moving(const Stretch& stretch) const;
  void try_targets(const Stretch& stretch, Move& best);

  std::span<const std::uint32_t> reference_;
  std::vector<std::uint32_t> words_;  // after the moves made so far
  std::vector<std::uint32_t> moved_;  // with one more move, on trial
  std::vector<Band> band_;            // [words + 1]
  std::vector<Cost> costs_;           // [words + 1][reference words + 1], of words_
  std::vector<Cost> trial_;           // the same for moved_, without the first rows shared with costs_
  Cost distance_ = 0;                 // the last of costs_
  std::size_t tried_ = 0;             // moves

  // The alignment found from costs_:
  std::vector<std::size_t> after_;             // [reference words], number of words up to its alignment
  std::vector<std::size_t> word_errors_;       // [words + 1], errors before each word
  std::vector<std::size_t> reference_errors_;  // [reference words + 1], the same
};

}  // namespace hinge
