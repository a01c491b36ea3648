// How many edits turn one sentence into another. Words are numbers; one that
// the reference does not have may be any that the reference does not have.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hinge {

// Words inserted, deleted or replaced: Levenshtein's distance.
class EditDistance {
 public:
  std::size_t edits(std::span<const std::uint32_t> words, std::span<const std::uint32_t> reference);

 private:
  std::vector<std::uint32_t> row_;  // [reference words + 1]
};

// Or moved, any number of words in a row by one edit: the distance of TER
// (Snover, Dorr, Schwartz, Micciulla, Makhoul, AMTA 2006). The least such
// distance being NP-hard to find, it is by definition what the authors' program
// finds greedily, here with the limits and tie-breaks by which sacrebleu (Post,
// WMT 2018) follows that program:
//
// A pass tries to move every stretch of up to ten words that the reference has
// too, to where the alignment of least cost puts it, and makes the move that
// saves most; passes end when none saves anything. What then remains is edit
// distance. That distance looks only near the diagonal, which can make it
// larger for sentences of 25 words and more.
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
  std::vector<std::uint32_t> moved_;  // and one more, on trial
  std::vector<Band> band_;            // [words + 1]
  std::vector<Cost> costs_;           // [words + 1][reference words + 1], of words_
  std::vector<Cost> trial_;           // the same of moved_, without the first rows that are those of costs_
  Cost distance_ = 0;                 // the last of costs_
  std::size_t tried_ = 0;             // moves

  // The alignment that costs_ stand for:
  std::vector<std::size_t> after_;             // [reference words], how many words come up to its end
  std::vector<std::size_t> word_errors_;       // [words + 1], among the words before
  std::vector<std::size_t> reference_errors_;  // [reference words + 1], among the words before
};

}  // namespace hinge
