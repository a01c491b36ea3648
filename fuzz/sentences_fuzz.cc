// Any bytes are split into sentences and these into tokens, which follow each other and
// leave out nothing but white space.
#include <cstdint>
#include <vector>

#include "hinge/corpus/characters.h"
#include "hinge/corpus/sentences.h"

namespace {

void check(std::string_view text, const std::vector<hinge::TextRange>& ranges, hinge::TextRange all) {
  std::size_t at = all.begin;
  const auto skip_space = [&](std::size_t end) {
    for (; at < end; at += hinge::character_at(text, at).length) {
      if (hinge::character_at(text, at).kind != hinge::CharacterKind::kSpace) __builtin_trap();
    }
  };
  for (const hinge::TextRange& range : ranges) {
    if (range.begin >= range.end || range.begin < at) __builtin_trap();
    skip_space(range.begin);
    at = range.end;
  }
  skip_space(all.end);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<hinge::TextRange> sentences, tokens;
  for (const hinge::Lines lines : {hinge::Lines::kWrapped, hinge::Lines::kSentences}) {
    hinge::split_sentences(text, lines, sentences);
    check(text, sentences, {0, size});
    for (const hinge::TextRange& sentence : sentences) {
      hinge::split_tokens(text, sentence, tokens);
      check(text, tokens, sentence);
    }
  }
  return 0;
}
