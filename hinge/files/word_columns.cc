#include "hinge/files/word_columns.h"

#include "hinge/files/block_cache.h"

namespace hinge {

void WordColumns::add(std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    text.append(word);
    ends.push_back(static_cast<std::uint32_t>(text.size() - text_begin.back()));
  }
  begin.push_back(ends.size());
  text_begin.push_back(text.size());
}

void WordColumns::read(std::size_t i, std::vector<std::string_view>& words) const {
  words.clear();
  const char* sentence = text.data() + text_begin[i];
  std::uint32_t from = 0;
  for (const std::uint32_t end : std::span(ends).subspan(begin[i], words_of(i))) {
    words.emplace_back(sentence + from, end - from);
    from = end;
  }
}

bool WordColumns::fits(std::size_t sentences) const {
  return begin.size() == sentences + 1 && text_begin.size() == sentences + 1;
}

bool WordColumns::is_sound(std::size_t first, std::size_t last) const {
  if (!is_rising(part_of(begin, first, last + 1), ends.size()) ||
      !is_rising(part_of(text_begin, first, last + 1), text.size()))
    return false;
  for (std::size_t i = first; i < last; ++i) {
    const auto own = part_of(ends, begin[i], begin[i + 1]);
    if (!std::ranges::is_sorted(own) || (!own.empty() && own.back() > text_begin[i + 1] - text_begin[i]))
      return false;
  }
  return true;
}

}  // namespace hinge
