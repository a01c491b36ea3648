// Stems of English words: Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
//
// Steps and rules are numbered as in the paper. The departures are those of NLTK's
// default mode, which rouge-score uses, so that ROUGE figures agree: a few irregular
// words; -ies and -ied of four letters keep their e; y becomes i after a consonant that
// is not the first letter; stems of two letters, vowel and consonant, count as *o; and
// step 2 has -bli, -alli (repeated), -fulli and -logi. Each is marked where it is.
#pragma once

#include <string>

namespace hinge {

// Replaces a word by its stem. The word is in lower case; characters other than vowels
// and y, digits too, count as consonants. Words of one or two characters stay.
void porter_stem(std::string& word);

}  // namespace hinge
