// Checks of text in any format: encoding, line ends, odd characters.
#pragma once

#include <span>
#include <string>

#include "hinge/check/corpus_check.h"
#include "hinge/corpus/text_source.h"

namespace hinge {

// Reads the whole text and reports to `check`. Bytes that are not UTF-8 become U+FFFD
// in the result, so that the rest can be checked. Throws InputError if the file
// cannot be read or has NUL bytes.
std::string check_text(const TextInput& input, CorpusCheck& check);

std::span<const FindingKind> text_kinds();

}  // namespace hinge
