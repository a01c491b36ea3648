#include "hinge/files/word_columns.h"

#include <algorithm>

namespace hinge {

void WordColumns::add(std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    text.values.append(word);
    ends.values.push_back(static_cast<std::uint32_t>(text.values.size() - text.begin.back()));
  }
  ends.end_row();
  text.end_row();
}

void WordColumns::read(std::size_t i, std::vector<std::string_view>& words) const {
  words.clear();
  const std::span<const char> sentence = text[i];
  std::uint32_t from = 0;
  for (const std::uint32_t end : ends[i]) {
    words.emplace_back(sentence.data() + from, end - from);
    from = end;
  }
}

bool WordColumns::is_sound(std::size_t first, std::size_t last) const {
  if (!ends.is_sound(first, last) || !text.is_sound(first, last)) return false;
  for (std::size_t i = first; i < last; ++i) {
    const std::span<const std::uint32_t> own = ends[i];
    if (!std::ranges::is_sorted(own) || (!own.empty() && own.back() > text[i].size())) return false;
  }
  return true;
}

}  // namespace hinge
