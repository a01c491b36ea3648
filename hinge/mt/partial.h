// Partial translations, as far as later scores depend on them.
//
// The first words of a hypothesis lack their left context, so the language model's
// scores for them are estimates. They are kept and scored again once the context is
// known. Fewer than order - 1 suffice if the model's state after them no longer
// contains the first: no later score can then depend on what is to the left.
#pragma once

#include <array>
#include <cstdint>

#include "hinge/features/hash.h"
#include "hinge/mt/ngram_model.h"

namespace hinge::mt {

struct Partial {
  double score = 0.0;           // of its best derivation, with estimates
  double language_model = 0.0;  // of all words, with estimates; double: edges are differences of it
  double estimate = 0.0;        // of its left words
  std::uint32_t node = 0;       // in the forest
  std::uint32_t left_size = 0;
  std::array<Word, NgramModel::kMostOrder - 1> left{};  // zero beyond left_size
  bool closed = false;        // there are more words than the left ones, or none that matter
  NgramModel::State state;    // after the last word
  Word first = Words::kNone;  // words, kNone if there is none
  Word last = Words::kNone;

  Key key(bool with_ends) const {
    Key key = combine(left_size + (closed ? 100u : 0u), state.length);
    for (std::uint32_t i = 0; i < left_size; ++i) key = combine(key, left[i]);
    for (std::uint32_t i = 0; i < state.length; ++i) key = combine(key, state.words[i]);
    return with_ends ? combine(key, combine(first, last)) : key;
  }
  bool same(const Partial& other, bool with_ends) const {
    return left_size == other.left_size && closed == other.closed && left == other.left &&
           state == other.state && (!with_ends || (first == other.first && last == other.last));
  }
};

// Scores the words of a hypothesis from left to right.
class Reader {
 public:
  Reader(const NgramModel& model, bool at_begin) : model_(model) {
    read_.closed = at_begin || model.order() == 1;
    if (at_begin) read_.state = model.begin();
  }

  void word(Word word) {
    const float score = model_.score(read_.state, word, read_.state);
    read_.language_model += score;
    if (read_.closed) return;
    read_.left[read_.left_size++] = word;
    read_.estimate += score;
    read_.closed = read_.left_size + 1 >= model_.order() || read_.state.length < read_.left_size;
  }
  void part(const Partial& part) {
    for (std::uint32_t i = 0; i < part.left_size; ++i) word(part.left[i]);
    read_.language_model += part.language_model - part.estimate;
    if (!part.closed) return;
    read_.state = part.state;
    read_.closed = true;
  }
  void end() { read_.language_model += model_.end(read_.state); }

  // The language model's part of a hypothesis; the rest is unset.
  const Partial& read() const { return read_; }

 private:
  const NgramModel& model_;
  Partial read_;
};

}  // namespace hinge::mt
