#include "hinge/features/history.h"

#include <utility>

namespace hinge {

void History::begin_document() {
  words_.clear();
  latest_.clear();
  words_of_.clear();
  sentences_.clear();
  keys_.clear();
  pieces_.clear();
  texts_.clear();
}

void History::begin_sentence() {
  constexpr std::size_t kMostOccurrences = 1 << 15;
  ++sentence_;
  if (sentences_.size() > kMostOccurrences) forget_old();
}

std::size_t History::find(Key word) const {
  const std::uint32_t number = words_.find(word);
  if (number == NumberMap::kNone) return kNone;
  const std::size_t occurrence = latest_[number];
  return sentences_[occurrence] + kSentences < sentence_ ? kNone : occurrence;
}

void History::add(Key word, const std::vector<Value>& values) {
  const auto [number, is_new] = words_.add(word, static_cast<std::uint32_t>(latest_.size()));
  if (is_new) latest_.emplace_back();
  latest_[number] = sentences_.size();
  words_of_.push_back(word);
  sentences_.push_back(sentence_);
  for (const Value& value : values) {
    keys_.push_back(value.key);
    pieces_.push_back({static_cast<std::uint32_t>(texts_.size()),
                       static_cast<std::uint32_t>(value.cell.size()), value.beyond});
    texts_ += value.cell;
  }
}

History::Value History::value(std::size_t occurrence, std::size_t k) const {
  const Piece& piece = pieces_[occurrence * width_ + k];
  return {key(occurrence, k), std::string_view(texts_).substr(piece.begin, piece.size), piece.beyond};
}

// Keeps what find() can still give.
void History::forget_old() {
  History kept(width_);
  std::vector<Value> values;
  for (std::size_t o = 0; o < sentences_.size(); ++o) {
    if (find(words_of_[o]) != o) continue;
    values.clear();
    for (std::size_t k = 0; k < width_; ++k) values.push_back(value(o, k));
    kept.add(words_of_[o], values);
    kept.sentences_.back() = sentences_[o];
  }
  kept.sentence_ = sentence_;
  *this = std::move(kept);
}

}  // namespace hinge
