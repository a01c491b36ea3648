#include "hinge/mt/ngram_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hinge/core/error.h"

namespace hinge::mt {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kFirstNgrams = 1024;
constexpr std::size_t kHomesPerNgram = 2;  // a search that finds nothing then reads 2.5 slots

}  // namespace

NgramBuilder::NgramBuilder(std::size_t order) {
  model_.shape_.order = order;
  model_.own_rows_.assign(row_of(NgramModel::kUnknown) + 1, {kNaN, kNaN});
  model_.own_slots_.resize(model_.shape_.homes + 1);
}

bool NgramBuilder::has_word(Word word) const {
  const Node row = row_of(word);
  return row < model_.own_rows_.size() && !std::isnan(model_.own_rows_[row].log_prob);
}

NgramBuilder::Node NgramBuilder::set_word(Word word, const Weights& weights) {
  const Node row = row_of(word);
  if (row >= model_.own_rows_.size()) model_.own_rows_.resize(std::size_t{row} + 1, {kNaN, kNaN});
  model_.own_rows_[row] = weights;
  return row;
}

void NgramBuilder::reserve(std::size_t ngrams) {
  if (ngrams > kMostNgrams)
    fail<InputError>("the language model has {} n-grams, but at most {} are possible; lower its order",
                     ngrams, kMostNgrams);
  rebuild(std::max<std::size_t>(1, kHomesPerNgram * ngrams));
}

NgramBuilder::Node NgramBuilder::add(Node newer, std::span<const Word> words, const Weights& weights) {
  if (kHomesPerNgram * (used_ + 1) > model_.shape_.homes) {
    reserve(std::max({kFirstNgrams, used_ + 1, std::min(2 * used_, kMostNgrams)}));
    newer = find(words.first(words.size() - 1));
  }
  Slot& slot = free_slot(key_of(words));
  slot = {newer, words.back(), weights};
  ++used_;
  ++model_.shape_.sizes[words.size() - 1];
  return static_cast<Node>(&slot - model_.own_slots_.data()) | NgramModel::kIsSlot;
}

NgramBuilder::Node NgramBuilder::find(std::span<const Word> words) const {
  if (words.empty() || !has_word(words[0])) return kNoNode;
  Node node = row_of(words[0]);
  for (std::size_t n = 1; n < words.size(); ++n) {
    const Key key = key_of(words.first(n + 1));
    std::size_t at = scale_to(key, model_.shape_.homes);
    const std::vector<Slot>& slots = model_.own_slots_;
    while (slots[at].word != NgramModel::kEnd && (slots[at].word != words[n] || slots[at].newer != node))
      ++at;
    if (slots[at].word == NgramModel::kEnd) return kNoNode;
    node = static_cast<Node>(at) | NgramModel::kIsSlot;
  }
  return node;
}

NgramBuilder::Weights& NgramBuilder::weights(Node node) {
  return (node & NgramModel::kIsSlot) != 0 ? model_.own_slots_[node & ~NgramModel::kIsSlot].weights
                                           : model_.own_rows_[node];
}

NgramModel NgramBuilder::build() && {
  model_.own_slots_.shrink_to_fit();
  model_.shape_.sizes[0] = static_cast<std::uint64_t>(
      std::ranges::count_if(model_.own_rows_, [](const Weights& row) { return !std::isnan(row.log_prob); }));
  model_.view_own();
  return std::move(model_);
}

Key NgramBuilder::key_of(std::span<const Word> words) {
  Key key = NgramModel::first_key(words[0]);
  for (const Word word : words.subspan(1)) key = combine(key, word);
  return key;
}

// The last slot stays free: the table gets one more if it would be taken.
NgramBuilder::Slot& NgramBuilder::free_slot(Key key) {
  std::vector<Slot>& slots = model_.own_slots_;
  std::size_t at = scale_to(key, model_.shape_.homes);
  while (slots[at].word != NgramModel::kEnd) ++at;
  if (at + 1 == slots.size()) slots.emplace_back();
  return slots[at];
}

void NgramBuilder::rebuild(std::size_t homes) {
  model_.view_own();
  const NgramModel before = std::move(model_);
  model_ = NgramModel();
  model_.shape_ = {before.shape_.order, homes};
  model_.own_rows_ = before.own_rows_;
  model_.own_slots_.resize(homes + 1);
  used_ = 0;
  for (std::size_t order = 2; order <= before.order(); ++order) {
    before.each(order, [&](std::span<const Word> oldest_first, const Weights& weights) {
      std::array<Word, NgramModel::kMostOrder> words;
      std::ranges::reverse_copy(oldest_first, words.begin());
      add(find({words.data(), order - 1}), {words.data(), order}, weights);
    });
  }
}

}  // namespace hinge::mt
