// The words of sentences as columns, for data that may be longer than memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/files/row_column.h"

namespace hinge {

struct WordColumns {
  RowColumn<std::uint32_t> ends;  // of words, in the text of their sentence
  RowColumn<char> text;

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    each_row_column<&WordColumns::ends>("word_ends", "word_begin", d, body);
    each_row_column<&WordColumns::text>("text", "text_begin", d, body);
  }

  void add(std::span<const std::string_view> words);

  std::size_t sentences() const { return ends.begin.size() - 1; }
  std::size_t count() const { return ends.values.size(); }
  std::size_t before(std::size_t i) const { return ends.begin[i]; }  // words
  // Views of the text.
  void read(std::size_t i, std::vector<std::string_view>& words) const;

  // Whether the columns fit so many sentences; whether these may be read.
  bool fits(std::size_t sentences) const { return ends.fits(sentences) && text.fits(sentences); }
  bool is_sound(std::size_t first, std::size_t last) const;
};

}  // namespace hinge
