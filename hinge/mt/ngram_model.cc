#include "hinge/mt/ngram_model.h"

#include <algorithm>

#include "hinge/core/error.h"

namespace hinge::mt {
namespace {

constexpr const char* kShapeSection = "lm.shape";
constexpr const char* kWordsSection = "lm.words";
constexpr const char* kNgramsSection = "lm.ngrams";

}  // namespace

NgramModel::NgramModel(const SectionFile& file) {
  const auto shape = file.array<Shape>(kShapeSection);
  rows_ = file.array<Weights>(kWordsSection);
  slots_ = file.array<Slot>(kNgramsSection);
  if (shape.size() != 1 || file.section(kShapeSection).size() != sizeof(Shape))
    file.refuse_damaged("the header of its language model has another size");
  shape_ = shape[0];
  if (shape_.order < 1 || shape_.order > kMostOrder)
    file.refuse_damaged("the order of its language model is out of range");
  if (rows_.size() <= row_of(kUnknown) || file.section(kWordsSection).size() != rows_.size_bytes() ||
      rows_.size() > kIsSlot || std::isnan(rows_[row_of(kUnknown)].log_prob))
    file.refuse_damaged("the words of its language model do not fit together");
  // A search reads on until a free slot: the last one ends it whatever the others hold.
  if (shape_.homes < 1 || shape_.homes >= slots_.size() || slots_.size() > kIsSlot ||
      file.section(kNgramsSection).size() != slots_.size_bytes() || slots_.back().word != kEnd)
    file.refuse_damaged("the n-grams of its language model do not fit together");
  homes_ = shape_.homes;
  order_ = shape_.order;
  begin_ = after_begin();
}

void NgramModel::view_own() {
  rows_ = own_rows_;
  slots_ = own_slots_;
  homes_ = shape_.homes;
  order_ = shape_.order;
  begin_ = after_begin();
}

void NgramModel::write(SectionWriter& writer) const {
  writer.add_view(kShapeSection, std::span(&shape_, 1));
  writer.add_view(kWordsSection, rows_);
  writer.add_view(kNgramsSection, slots_);
}

NgramModel::State NgramModel::after_begin() const {
  State state;
  if (order_ == 1 || !matters(rows_[row_of(kBegin)])) return state;
  state.words[0] = kBegin;
  state.length = 1;
  return state;
}

NgramModel::Match NgramModel::longest(const State& state, Word word) const {
  Node node = row(word);
  Key key = first_key(word_of(node));
  Match match{rows_[node]};
  if (order_ > 1 && matters(match.weights)) match.kept = 1;
  for (std::uint32_t k = 0; k < state.length; ++k) {
    key = combine(key, state.words[k]);
    const Slot* slot = find(node, state.words[k], key);
    if (slot == nullptr) break;
    node = node_of(slot);
    match.weights = slot->weights;
    match.length = k + 1;
    if (k + 2 < order_ && matters(match.weights)) match.kept = k + 2;
  }
  return match;
}

// The sum of log b(h) over contexts h of more than `matched` words.
double NgramModel::back_off(const State& state, std::uint32_t matched) const {
  double sum = 0.0;
  Node node = row(state.words[0]);
  Key key = first_key(state.words[0]);
  if (matched == 0 && matters(rows_[node])) sum += rows_[node].back_off;
  for (std::uint32_t k = 1; k < state.length; ++k) {
    key = combine(key, state.words[k]);
    const Slot* slot = find(node, state.words[k], key);
    if (slot == nullptr) break;
    node = node_of(slot);
    if (k >= matched && matters(slot->weights)) sum += slot->weights.back_off;
  }
  return sum;
}

float NgramModel::score(const State& state, Word word, State& next) const {
  assert(state.length < order_);
  const Match match = longest(state, word);
  double log_prob = match.weights.log_prob;
  if (match.length < state.length) log_prob += back_off(state, match.length);
  const Word read = word_of(row(word));
  for (std::uint32_t k = kMostOrder - 2; k > 0; --k) next.words[k] = k < match.kept ? state.words[k - 1] : 0;
  next.words[0] = match.kept > 0 ? read : 0;
  next.length = match.kept;
  return static_cast<float>(log_prob);
}

float NgramModel::end(const State& state) const {
  const Match match = longest(state, kEnd);
  double log_prob = match.weights.log_prob;
  if (match.length < state.length) log_prob += back_off(state, match.length);
  return static_cast<float>(log_prob);
}

std::size_t NgramModel::size(std::size_t order) const {
  return order >= 1 && order <= kMostOrder ? shape_.sizes[order - 1] : 0;
}

std::size_t NgramModel::words_of(const Slot& slot, std::array<Word, kMostOrder>& words) const {
  words[0] = slot.word;
  Node node = slot.newer;
  for (std::size_t n = 1; n < order_; ++n) {
    if ((node & kIsSlot) == 0) {
      if (node >= rows_.size()) return 0;
      words[n] = word_of(node);
      return n + 1;
    }
    const Node at = node & ~kIsSlot;
    if (at >= slots_.size()) return 0;
    words[n] = slots_[at].word;
    node = slots_[at].newer;
  }
  return 0;
}

void NgramModel::refuse_damaged() {
  fail<ModelError>("the n-grams of a language model do not fit together; copy or train it again");
}

}  // namespace hinge::mt
