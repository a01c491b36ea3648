// Pieces of CoNLL-U text for tests.
#pragma once

#include <fmt/core.h>

#include <sstream>
#include <string>
#include <vector>

#include "hinge/core/join.h"

namespace hinge::test {

using Lines = std::vector<std::string>;

inline Lines split(const std::string& text, char separator) {
  Lines parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

inline bool is_token(const std::string& line) {
  return !line.empty() &&
         line.substr(0, line.find('\t')).find_first_not_of("0123456789") == std::string::npos;
}

// Replaces HEAD and DEPREL of every word.
inline std::string with_trees(const std::string& text, const std::string& head, const std::string& label) {
  std::string result;
  for (const std::string& line : split(text, '\n')) {
    Lines cells = split(line, '\t');
    if (is_token(line)) {
      cells[6] = head;
      cells[7] = label;
    }
    result += fmt::format("{}\n", join(cells, "\t"));
  }
  return result;
}

// The cells of every word.
inline std::vector<Lines> words_of(const std::string& text) {
  std::vector<Lines> words;
  for (const std::string& line : split(text, '\n')) {
    if (is_token(line)) words.push_back(split(line, '\t'));
  }
  return words;
}

// From words "form upos [head [deprel]]"; "" ends a sentence.
inline std::string conllu(const Lines& words) {
  std::string text;
  int id = 0;
  for (const std::string& word : words) {
    const Lines parts = split(word, ' ');
    if (parts.empty()) {
      text += "\n";
      id = 0;
      continue;
    }
    text += fmt::format("{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_\n", ++id, parts[0], parts[1],
                        parts.size() > 2 ? parts[2] : "_", parts.size() > 3 ? parts[3] : "_");
  }
  return text + "\n";
}

}  // namespace hinge::test
