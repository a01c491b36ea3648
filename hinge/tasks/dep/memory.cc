#include "hinge/tasks/dep/memory.h"

#include <fmt/format.h>

#include "hinge/core/error.h"

namespace hinge::dep {

void Trees::add_word(const WordCells& word) {
  if (annotated_) fail<InputError>("{}: has no head; give every word one", columns_.here());
  add(word, "", "");
}

void Trees::add_word(const WordCells& word, std::size_t head, std::string_view label) {
  if (!annotated_)
    fail<InputError>("{}: has a head, but the sentences were declared to have none", columns_.here());
  add(word, fmt::format_int(head).c_str(), label);
}

void Trees::add(const WordCells& word, std::string_view head, std::string_view label) {
  const std::size_t before = sentences() == 0 ? 0 : columns_.begin(sentences() - 1) + words(sentences() - 1);
  const fmt::format_int id(columns_.all_tokens() - before + 1);
  for (const std::string_view cell :
       {std::string_view(id.c_str()), word.form, word.lemma, word.upos, word.xpos, word.feats, head, label,
        std::string_view(), std::string_view()})
    columns_.add_cell(cell.empty() ? "_" : cell);
  columns_.end_token();
}

void Trees::end_sentence() { columns_.end_sentence(); }

WordCells Trees::word(std::size_t sentence, std::size_t word) const {
  const std::size_t token = columns_.begin(sentence) + word - 1;
  return {.form = columns_.cell(token, kForm),
          .lemma = columns_.cell(token, kLemma),
          .upos = columns_.cell(token, kUpos),
          .xpos = columns_.cell(token, kXpos),
          .feats = columns_.cell(token, kFeats)};
}

}  // namespace hinge::dep
