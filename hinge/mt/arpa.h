// ARPA files, the text format of n-gram models with back-off.
#pragma once

#include <string>

#include "hinge/corpus/text_source.h"
#include "hinge/mt/ngram_model.h"
#include "hinge/mt/words.h"

namespace hinge::mt {

// Adds the file's words to `words`, which numbers them. A file without <unk> gives unknown
// words 10^-100. n-grams whose end is missing (h w without h' w) are completed with the
// probability that back-off gives them. Throws InputError naming file and line.
NgramModel read_arpa(const TextInput& input, Words& words);

// Numbers have nine digits, so reading the file gives the same model. Throws OutputError.
void write_arpa(const NgramModel& model, const Words& words, const std::string& path);

}  // namespace hinge::mt
