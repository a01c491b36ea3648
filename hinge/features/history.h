// What earlier sentences of a document say about words: the values that templates read
// around the latest occurrence of each word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"
#include "hinge/features/hash.h"

namespace hinge {

class History {
 public:
  // Occurrences further back than so many sentences are forgotten. So a reader that
  // starts anywhere in a text knows all after looking at the sentences before.
  static constexpr std::size_t kSentences = 30;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // values: per occurrence.
  explicit History(std::size_t values) : width_(values) {}

  void begin_document();
  // Call before find() and add() for a sentence.
  void begin_sentence();

  // The latest occurrence of the word in an earlier sentence; kNone if there is none.
  // Valid until the next begin_sentence().
  std::size_t find(Key word) const;

  // A value, the text of the cell it was made from, and how far beyond the ends of the
  // sentence it lies (0: within).
  struct Value {
    Key key;
    std::string_view cell;
    int beyond;
  };
  void add(Key word, const std::vector<Value>& values);  // as many as were promised

  Key key(std::size_t occurrence, std::size_t k) const { return keys_[occurrence * width_ + k]; }
  Value value(std::size_t occurrence, std::size_t k) const;

 private:
  struct Piece {
    std::uint32_t begin, size;  // in texts_
    int beyond;
  };
  void forget_old();

  std::size_t width_;
  std::uint64_t sentence_ = 0;
  NumberMap words_;                       // into latest_
  std::vector<std::size_t> latest_;       // [words], an occurrence
  std::vector<Key> words_of_;             // [occurrences]
  std::vector<std::uint64_t> sentences_;  // [occurrences]
  std::vector<Key> keys_;                 // [occurrences][width_]
  std::vector<Piece> pieces_;             // the same
  std::string texts_;
};

}  // namespace hinge
