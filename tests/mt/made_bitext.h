// Parallel text made in a test.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/corpus/split.h"
#include "hinge/mt/alignment.h"
#include "hinge/mt/bitext.h"

namespace hinge::mt {

inline void append_line(Side& side, const std::string& line) {
  each_word(line, [&](std::string_view word) { side.tokens.push_back(side.words.add(word)); });
  side.begin.push_back(side.tokens.size());
}

inline Bitext bitext_of(const std::vector<std::pair<std::string, std::string>>& lines) {
  Bitext text;
  for (const auto& [source, target] : lines) {
    append_line(text.source, source);
    append_line(text.target, target);
  }
  return text;
}

inline std::string random_line(Random& random, std::size_t words, std::size_t vocabulary) {
  std::string line;
  for (std::size_t k = 0; k < words; ++k) line += "w" + std::to_string(random.below(vocabulary)) + " ";
  return line;
}

inline Bitext random_bitext(std::uint64_t seed, std::size_t sentences, std::size_t most_words,
                            std::size_t vocabulary) {
  Random random(seed);
  std::vector<std::pair<std::string, std::string>> lines;
  for (std::size_t i = 0; i < sentences; ++i) {
    const std::string source = random_line(random, 1 + random.below(most_words), vocabulary);
    lines.emplace_back(source, random_line(random, 1 + random.below(most_words), vocabulary));
  }
  return bitext_of(lines);
}

inline Alignment alignment_of(std::vector<std::vector<Link>> pairs) {
  Alignment alignment;
  for (std::vector<Link>& links : pairs) alignment.add(links);
  return alignment;
}

}  // namespace hinge::mt
