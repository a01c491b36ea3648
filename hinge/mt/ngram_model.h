// An n-gram language model with back-off: how probable a word is after others.
//
// Estimated by interpolated modified Kneser-Ney (Chen and Goodman 1998, section
// 3; the lower orders count distinct left neighbours), or read from an ARPA file.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/files/section_file.h"
#include "hinge/mt/bitext.h"
#include "hinge/mt/words.h"

namespace hinge::mt {

class NgramModel {
 public:
  static constexpr std::size_t kMostOrder = 6;

  // The words before, newest first, as many as later scores can depend on: the longest
  // suffix of all words read that is the context of an n-gram of the model. So equal
  // states have equal futures.
  struct State {
    std::array<Word, kMostOrder - 1> words{};  // zero beyond length
    std::uint32_t length = 0;

    bool operator==(const State&) const = default;
  };

  std::size_t order() const;
  State begin() const;  // after the sentence's begin
  // The natural logarithm of P(word | state); `next` is the state after it and may be
  // `state` itself. A word the model does not know gets the probability of unknown
  // words.
  float score(const State& state, Word word, State& next) const;
  float end(const State& state) const;  // that the sentence ends here
  bool knows(Word word) const;

  void write(SectionWriter& writer) const;
};

}  // namespace hinge::mt
