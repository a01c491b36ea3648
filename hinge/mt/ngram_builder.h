// Puts an n-gram model together, words first, then n-grams in order of length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/mt/ngram_model.h"

namespace hinge::mt {

class NgramBuilder {
 public:
  using Node = NgramModel::Node;
  using Weights = NgramModel::Weights;

  static constexpr Node kNoNode = 0xFFFFFFFF;
  static constexpr std::size_t kMostNgrams = 1'000'000'000;  // of two words and more

  explicit NgramBuilder(std::size_t order);

  static Node row_of(Word word) { return NgramModel::row_of(word); }
  bool has_word(Word word) const;
  Node set_word(Word word, const Weights& weights);

  // Makes room for so many n-grams of two words and more: adding them then changes no
  // Node. Throws InputError above kMostNgrams.
  void reserve(std::size_t ngrams);
  // The node of n-gram `newer` with one older word. The n-gram must be new; its words are
  // given again, newest first. Nodes of slots are valid until the next add() without
  // reserve().
  Node add(Node newer, std::span<const Word> words, const Weights& weights);
  // The n-gram's node, its words newest first; kNoNode if there is none.
  Node find(std::span<const Word> words) const;

  Weights& weights(Node node);

  NgramModel build() &&;

 private:
  using Slot = NgramModel::Slot;

  static Key key_of(std::span<const Word> words);
  Slot& free_slot(Key key);
  void rebuild(std::size_t homes);

  NgramModel model_;
  std::size_t used_ = 0;
};

}  // namespace hinge::mt
