// The words of sentences as columns, for data that may be longer than memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/files/column.h"

namespace hinge {

struct WordColumns {
  Column<std::size_t> begin{0};       // [sentences + 1], into ends
  Column<std::size_t> text_begin{0};  // [sentences + 1], into text
  Column<std::uint32_t> ends;         // [words], of the text of their sentence
  Column<char> text;

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    body("words", d.begin, [](const WordColumns&, std::size_t i) { return i; });
    body("texts", d.text_begin, [](const WordColumns&, std::size_t i) { return i; });
    body("word_ends", d.ends, [](const WordColumns& w, std::size_t i) { return w.begin[i]; });
    body("text", d.text, [](const WordColumns& w, std::size_t i) { return w.text_begin[i]; });
  }

  void add(std::span<const std::string_view> words);

  std::size_t sentences() const { return begin.size() - 1; }
  std::size_t count() const { return ends.size(); }
  std::size_t words_of(std::size_t i) const { return begin[i + 1] - begin[i]; }
  // Views of the text.
  void read(std::size_t i, std::vector<std::string_view>& words) const;

  // Whether the columns fit so many sentences; whether these may be read.
  bool fits(std::size_t sentences) const;
  bool is_sound(std::size_t first, std::size_t last) const;
};

}  // namespace hinge
