// English words that say little about what a text is about: articles, pronouns,
// prepositions, conjunctions, auxiliary verbs and what clitics leave behind.
#pragma once

#include <span>
#include <string_view>

namespace hinge {

// In lower case, sorted, without apostrophes ("don" and "t" of "don't").
std::span<const std::string_view> stop_words();

// The word is in lower case.
bool is_stop_word(std::string_view word);

}  // namespace hinge
