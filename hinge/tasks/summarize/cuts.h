// Parts of sentences that may be left out, found in phrase-structure trees: the subtree
// deletions of Berg-Kirkpatrick, Gillick and Klein (ACL 2011, section 4.2), by rules over
// Penn labels.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hinge/corpus/brackets.h"
#include "hinge/tasks/summarize/text.h"

namespace hinge::summarize {

// The bit of a kind is its place here.
inline constexpr std::array<std::string_view, 9> kCutKinds = {
    "coordination",      // a conjunct with its conjunction
    "sentence-adjunct",  // a phrase before the subject of a clause
    "relative-clause",   // a clause in a noun phrase
    "attribution",       // "he said" around a clause
    "prepositional",     // a prepositional phrase
    "temporal",          // a phrase with a word of time
    "adverb",            // an adverbial phrase
    "parenthesis",       // in brackets or dashes
    "subordinate",       // another clause under a verb
};

// The parts of a sentence, and the part of every word. Part 0 is what stays.
std::vector<Sentence::Part> find_parts(const BracketTree& tree, std::vector<std::uint32_t>& part_of_word);

}  // namespace hinge::summarize
