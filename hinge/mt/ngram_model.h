// An n-gram language model with back-off: how probable a word is after others.
//
// Estimated by interpolated modified Kneser-Ney (ngram_estimate.h) or read from an
// ARPA file (arpa.h). With h' = h without its oldest word,
//
//   P(w | h) = p(h w)            if the model has the n-gram h w,
//            = b(h) P(w | h')    if not (b(h) = 1 if it does not have h either).
//
// The n-grams are the nodes of a trie that is read from the newest word to the
// oldest, so one walk finds all n-grams that end in the same words. Words have an
// array; longer n-grams share one table with open addressing, 16 bytes a slot and about
// two slots per n-gram. A slot's place is a hash of the n-gram's words, so the reads of
// a walk do not wait for one another; it holds the node without the oldest word and that
// word, so a match is never an accident and all n-grams can be listed.
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "hinge/features/hash.h"
#include "hinge/files/section_file.h"
#include "hinge/mt/words.h"

namespace hinge::mt {

class NgramModel {
 public:
  static constexpr std::size_t kMostOrder = 6;

  // Words outside of the model's Words. The texts <unk>, <s> and </s> mean these in ARPA
  // files; in sentences they are unknown words like others.
  static constexpr Word kUnknown = Words::kNone;
  static constexpr Word kBegin = kUnknown - 1;
  static constexpr Word kEnd = kUnknown - 2;

  // The words before, newest first, as many as later scores can depend on: the longest
  // suffix of all words read that is the context of an n-gram of the model (or has a
  // back-off weight, in an ARPA file). So equal states have equal futures.
  struct State {
    std::array<Word, kMostOrder - 1> words{};  // zero beyond length; may be kBegin or kUnknown
    std::uint32_t length = 0;

    bool operator==(const State&) const = default;
  };

  // Natural logarithms.
  struct Weights {
    float log_prob;  // NaN: no such word
    float back_off;  // NaN: as a context it makes no difference
  };

  NgramModel(NgramModel&&) = default;  // no copies: they would view the arrays of the original
  NgramModel& operator=(NgramModel&&) = default;
  // Views sections that write() added; the file must outlive it. Throws the file's Error
  // if they do not fit together.
  explicit NgramModel(const SectionFile& file);

  std::size_t order() const { return order_; }
  State begin() const { return begin_; }  // after the sentence's begin
  // The natural logarithm of P(word | state); `next` is the state after it and may be
  // `state` itself. A word the model does not know gets the probability of unknown
  // words.
  float score(const State& state, Word word, State& next) const;
  float end(const State& state) const;  // that the sentence ends here
  bool knows(Word word) const { return word < kEnd && row(word) != row_of(kUnknown); }

  std::size_t size(std::size_t order) const;  // n-grams of this order
  // Calls body(words, weights) for every n-gram of an order, oldest word first. Throws
  // ModelError if the model is damaged.
  template <typename Body>
  void each(std::size_t order, const Body& body) const;

  // The model must outlive the writer.
  void write(SectionWriter& writer) const;

 private:
  friend class NgramBuilder;

  // A word's row, or a slot with kIsSlot set.
  using Node = std::uint32_t;
  static constexpr Node kIsSlot = Node{1} << 31;

  struct Slot {
    Node newer = 0;    // the n-gram without its oldest word
    Word word = kEnd;  // the oldest; kEnd, which no word follows, if the slot is free
    Weights weights{};
  };
  struct Shape {
    std::uint64_t order = 1;
    std::uint64_t homes = 1;  // slots at which a search begins; the last slot is always free
    std::array<std::uint64_t, kMostOrder> sizes{};
  };
  struct Match {
    Weights weights;
    std::uint32_t length = 0;  // words of the context in the longest n-gram found
    std::uint32_t kept = 0;    // words of the next state
  };

  NgramModel() = default;
  void view_own();
  Match longest(const State& state, Word word) const;
  double back_off(const State& state, std::uint32_t matched) const;
  State after_begin() const;

  static bool matters(const Weights& weights) { return !std::isnan(weights.back_off); }
  // kEnd is row 0, kBegin 1, kUnknown 2; the words follow.
  static Node row_of(Word word) { return word + 3; }
  static Word word_of(Node row) { return row - 3; }
  // Unknown words have the row of kUnknown.
  Node row(Word word) const {
    const Node row = row_of(word);
    return row < rows_.size() && !std::isnan(rows_[row].log_prob) ? row : row_of(kUnknown);
  }
  static Key first_key(Word word) { return combine(word, 1); }
  // Null if there is none.
  const Slot* find(Node newer, Word word, Key key) const {
    for (const Slot* slot = slots_.data() + scale_to(key, homes_);; ++slot) {
      if (slot->word == word && slot->newer == newer) return slot;
      if (slot->word == kEnd) return nullptr;
    }
  }
  Node node_of(const Slot* slot) const { return static_cast<Node>(slot - slots_.data()) | kIsSlot; }
  // Writes the n-gram's words, oldest first, and returns how many; 0 if it has too many.
  std::size_t words_of(const Slot& slot, std::array<Word, kMostOrder>& words) const;
  [[noreturn]] static void refuse_damaged();

  std::span<const Weights> rows_;
  std::span<const Slot> slots_;
  std::uint64_t homes_ = 1;
  std::uint64_t order_ = 1;
  State begin_;
  Shape shape_;
  std::vector<Weights> own_rows_;
  std::vector<Slot> own_slots_;
};

template <typename Body>
void NgramModel::each(std::size_t order, const Body& body) const {
  std::array<Word, kMostOrder> words;
  if (order == 1) {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (std::isnan(rows_[row].log_prob)) continue;
      words[0] = word_of(static_cast<Node>(row));
      body(std::span<const Word>(words.data(), 1), rows_[row]);
    }
    return;
  }
  for (const Slot& slot : slots_) {
    if (slot.word == kEnd) continue;
    const std::size_t length = words_of(slot, words);
    if (length == 0) refuse_damaged();
    if (length == order) body(std::span<const Word>(words.data(), length), slot.weights);
  }
}

}  // namespace hinge::mt
