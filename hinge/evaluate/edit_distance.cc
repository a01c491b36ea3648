#include "hinge/evaluate/edit_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace hinge {

std::size_t EditDistance::edits(std::span<const std::uint32_t> words,
                                std::span<const std::uint32_t> reference) {
  row_.resize(reference.size() + 1);
  std::iota(row_.begin(), row_.end(), 0u);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t diagonal = row_[0]++;
    for (std::size_t j = 0; j < reference.size(); ++j) {
      const std::uint32_t replaced = diagonal + (words[i] != reference[j]);
      diagonal = row_[j + 1];
      row_[j + 1] = std::min({replaced, diagonal + 1, row_[j] + 1});
    }
  }
  return row_.back();
}

// ---- With moves

namespace {

constexpr std::size_t kLongestMove = 10;   // words
constexpr std::size_t kFarthestMove = 50;  // words
constexpr std::size_t kMostTried = 1000;   // moves, over all passes
constexpr std::size_t kBeam = 25;          // words to each side of the diagonal

constexpr std::int32_t kOutside = 1 << 29;  // of the band; leaves room to add

}  // namespace

// Tercom's order: the move that saves most, then the longest, then the first
// stretch, then the first target.
bool ShiftDistance::Move::is_better_than(const Move& other) const {
  return std::tie(saved, length, other.begin, other.target) >
         std::tie(other.saved, other.length, begin, target);
}

// A target inside the stretch is its new beginning after the stretch has been
// taken out; any other target is a position in the current words.
void ShiftDistance::Move::make(std::span<std::uint32_t> words) const {
  const auto first = words.begin();
  const std::size_t end = begin + length;
  if (target < begin) {
    std::rotate(first + target, first + begin, first + end);
  } else {
    const std::size_t until = target > end ? target : std::min(target + length, words.size());
    std::rotate(first + begin, first + end, first + until);
  }
}

std::size_t ShiftDistance::edits(std::span<const std::uint32_t> words,
                                 std::span<const std::uint32_t> reference) {
  if (reference.empty()) return words.size();
  start(words, reference);
  for (std::size_t moves = 0;; ++moves) {
    distance_ = fill(words_, /*unchanged=*/0, costs_);
    align();
    const Move move = best_move();
    // At the limit of moves tried, the pass is discarded even if it found a move.
    if (tried_ >= kMostTried || move.saved <= 0) return moves + static_cast<std::size_t>(distance_);
    move.make(words_);
  }
}

void ShiftDistance::start(std::span<const std::uint32_t> words, std::span<const std::uint32_t> reference) {
  reference_ = reference;
  words_.assign(words.begin(), words.end());
  tried_ = 0;
  start_band();
  // Cells outside the band are never written, so filling once serves all passes.
  costs_.assign((words.size() + 1) * (reference.size() + 1), kOutside);
  trial_.assign(costs_.size(), kOutside);
  std::iota(costs_.begin(), costs_.begin() + static_cast<std::ptrdiff_t>(reference.size() + 1), 0);
}

// The band extends 25 to each side of the diagonal of the matrix, more only if the
// reference is so much longer that the bands of two rows would not overlap.
void ShiftDistance::start_band() {
  const std::size_t size = words_.size();
  const double ratio = size == 0 ? 1.0 : static_cast<double>(reference_.size()) / static_cast<double>(size);
  std::size_t beam = kBeam;
  if (ratio / 2 > kBeam) beam = static_cast<std::size_t>(std::ceil(ratio / 2 + kBeam));
  band_.resize(size + 1);
  for (std::size_t i = 0; i <= size; ++i) {
    const auto diagonal = static_cast<std::size_t>(std::floor(static_cast<double>(i) * ratio));
    band_[i].begin = diagonal > beam ? diagonal - beam : 0;
    band_[i].end = i == size ? reference_.size() + 1 : std::min(reference_.size() + 1, diagonal + beam);
  }
}

const ShiftDistance::Cost* ShiftDistance::row(const std::vector<Cost>& matrix, std::size_t i) const {
  return matrix.data() + i * (reference_.size() + 1);
}

// Fills the costs of `words` and returns the distance. The first `unchanged` words
// are those of words_: their rows are read from costs_ and are not in `matrix`.
ShiftDistance::Cost ShiftDistance::fill(std::span<const std::uint32_t> words, std::size_t unchanged,
                                        std::vector<Cost>& matrix) const {
  const Cost* above = row(costs_, unchanged);
  for (std::size_t i = unchanged + 1; i <= words.size(); ++i) {
    Cost* here = matrix.data() + i * (reference_.size() + 1);
    std::size_t j = band_[i].begin;
    Cost left = kOutside;
    if (j == 0) {
      left = here[0] = above[0] + 1;
      ++j;
    }
    for (; j < band_[i].end; ++j) {
      const Cost replaced = above[j - 1] + (words[i - 1] != reference_[j - 1]);
      left = here[j] = std::min({replaced, above[j] + 1, left + 1});
    }
    above = here;
  }
  return above[reference_.size()];
}

// Among alignments of the same cost, and starting from the end, prefers a pair to
// an unaligned hypothesis word, and that to an unaligned reference word.
void ShiftDistance::align() {
  std::size_t i = words_.size();
  std::size_t j = reference_.size();
  after_.assign(j, 0);
  word_errors_.assign(i + 1, 0);
  reference_errors_.assign(j + 1, 0);
  while (i > 0 || j > 0) {
    const Cost cost = row(costs_, i)[j];
    const Cost differs = i > 0 && j > 0 && words_[i - 1] != reference_[j - 1];
    if (i > 0 && j > 0 && row(costs_, i - 1)[j - 1] + differs == cost) {
      word_errors_[i] = reference_errors_[j] = static_cast<std::size_t>(differs);
      after_[--j] = i--;
    } else if (i > 0 && row(costs_, i - 1)[j] + 1 == cost) {
      word_errors_[i--] = 1;
    } else {
      reference_errors_[j] = 1;
      after_[--j] = i;
    }
  }
  std::partial_sum(word_errors_.begin(), word_errors_.end(), word_errors_.begin());
  std::partial_sum(reference_errors_.begin(), reference_errors_.end(), reference_errors_.begin());
}

ShiftDistance::Move ShiftDistance::best_move() {
  Move best;
  for (std::size_t begin = 0; begin < words_.size(); ++begin) {
    const std::size_t first = begin > kFarthestMove ? begin - kFarthestMove : 0;
    const std::size_t last = std::min(reference_.size(), begin + kFarthestMove + 1);
    for (std::size_t there = first; there < last; ++there) {
      const std::size_t longest = std::min({kLongestMove, words_.size() - begin, reference_.size() - there});
      for (std::size_t n = 0; n < longest && words_[begin + n] == reference_[there + n]; ++n) {
        const Stretch stretch = {begin, there, n + 1};
        if (is_worth_moving(stretch)) try_targets(stretch, best);
        if (tried_ >= kMostTried) return best;
      }
    }
  }
  return best;
}

// Only if there are errors both in the stretch and in its counterpart in the
// reference, and the two are not aligned to each other.
bool ShiftDistance::is_worth_moving(const Stretch& stretch) const {
  const auto [begin, there, length] = stretch;
  const bool is_wrong_here = word_errors_[begin + length] > word_errors_[begin];
  const bool is_wrong_there = reference_errors_[there + length] > reference_errors_[there];
  const bool is_there = after_[there] > begin && after_[there] <= begin + length;
  return is_wrong_here && is_wrong_there && !is_there;
}

// Targets: after the words aligned to the reference word before the stretch, or to
// any reference word of the stretch.
void ShiftDistance::try_targets(const Stretch& stretch, Move& best) {
  Move move;
  move.begin = stretch.begin;
  move.length = stretch.length;
  for (std::size_t n = 0; n <= stretch.length; ++n) {
    const std::size_t before = stretch.reference_begin + n;
    const std::size_t target = before == 0 ? 0 : after_[before - 1];
    if (n > 0 && target == move.target) continue;
    move.target = target;
    moved_.assign(words_.begin(), words_.end());
    move.make(moved_);
    move.saved = distance_ - fill(moved_, std::min(move.begin, move.target), trial_);
    ++tried_;
    if (move.is_better_than(best)) best = move;
  }
}

}  // namespace hinge
