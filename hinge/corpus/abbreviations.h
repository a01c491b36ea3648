// English words that are written with a period, and words that begin sentences.
#pragma once

#include <cstdint>
#include <string_view>

namespace hinge {

enum class Abbreviation : std::uint8_t {
  kNone,
  kTitle,         // a name follows, so the sentence goes on: Mr. Prof. Gen.
  kBeforeNumber,  // goes on if a number follows: No. p. Fig.
  kAny,           // may end a sentence: Inc. etc. U.S. Jan. a.m.
};

// The word is given without its last period, in any case.
Abbreviation abbreviation_of(std::string_view word);

// Whether a capitalized word often begins a sentence, so that it ends one before it even
// after an abbreviation: The, It, However.
bool is_sentence_starter(std::string_view word);

}  // namespace hinge
