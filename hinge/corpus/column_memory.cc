#include "hinge/corpus/column_memory.h"

#include "hinge/core/error.h"
#include "hinge/corpus/text_source.h"

namespace hinge {

std::string ColumnMemory::place(std::size_t sentence, std::size_t token) {
  return fmt::format("sentence {}, token {}", sentence + 1, token + 1);
}

std::string ColumnMemory::here() const {
  const std::size_t built = sentences() == 0 ? 0 : sentence_end_.back();
  return place(sentences(), tokens_ - built);
}

void ColumnMemory::end_token() {
  const std::size_t found = cell_end_.size() - tokens_ * columns_;
  if (found != columns_)
    fail<InputError>("{}: has {} cell{}, but {} were expected; give every token the same number", here(),
                     found, found == 1 ? "" : "s", columns_);
  ++tokens_;
}

void ColumnMemory::end_sentence() {
  if (cell_end_.size() != tokens_ * columns_)
    fail<InputError>("{}: the sentence ends inside this token; end the token first", here());
  const std::size_t built = sentences() == 0 ? 0 : sentence_end_.back();
  const std::size_t first = built == 0 ? 0 : cell_end_[built * columns_ - 1];
  const std::size_t bad = find_bad_byte(std::string_view(texts_).substr(first));
  // Joined texts can be valid UTF-8 although one cell ends and the next begins inside a character.
  for (std::size_t token = built; token < tokens_; ++token) {
    for (std::size_t column = 0; column < columns_; ++column) {
      const std::string_view text = cell(token, column);
      const bool goes_on = !text.empty() && (static_cast<unsigned char>(text[0]) & 0xC0) == 0x80;
      const auto begin = static_cast<std::size_t>(text.data() - texts_.data());
      if (goes_on || (bad != std::string_view::npos && begin + text.size() > first + bad))
        fail<InputError>("{}: a text is not UTF-8 or has a NUL byte; decode it first",
                         place(sentences(), token - built));
    }
  }
  sentence_end_.push_back(tokens_);
}

void ColumnMemory::clear() {
  tokens_ = 0;
  texts_.clear();
  cell_end_.clear();
  sentence_end_.clear();
}

void ColumnMemory::views(std::size_t sentence, std::vector<std::string_view>& cells) const {
  for (std::size_t token = begin(sentence); token < sentence_end_[sentence]; ++token) {
    for (std::size_t column = 0; column < columns_; ++column) cells.push_back(cell(token, column));
  }
}

}  // namespace hinge
