#include "hinge/mt/sample.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/join.h"
#include "hinge/sample/sampler.h"

namespace hinge::mt {
namespace {

// Each vowel becomes the next one, each other letter the one after the next.
std::string translate(const SampleToken& token) {
  constexpr std::string_view kVowels = "aeioua";
  constexpr std::string_view kOthers = "bcdfghjklmnpqrstvwxyzbc";
  if (token.upos == "DET") return "de";
  std::string word;
  for (const char c : token.form) {
    const std::size_t vowel = kVowels.find(c), other = kOthers.find(c);
    word += vowel != std::string_view::npos   ? kVowels[vowel + 1]
            : other != std::string_view::npos ? kOthers[other + 2]
                                              : c;
  }
  return word;
}

std::vector<std::string> translated(std::vector<SampleToken> tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].upos == "ADJ" && tokens[i + 1].upos == "NOUN") std::swap(tokens[i], tokens[i + 1]);
  }
  std::ranges::stable_sort(tokens, {}, [](const SampleToken& token) {
    return token.upos == "PUNCT" && token.form == "." ? 2 : token.upos == "VERB" ? 1 : 0;
  });
  std::vector<std::string> words;
  for (const SampleToken& token : tokens) words.push_back(translate(token));
  return words;
}

}  // namespace

void sample_parallel(std::int64_t sentences, std::uint64_t seed, OutputFile& source, OutputFile& target) {
  Sampler sampler(seed);
  for (std::int64_t s = 0; s < sentences; ++s) {
    const SampleSentence sentence = sampler.next();
    std::vector<std::string> words;
    for (const SampleToken& token : sentence.tokens) words.push_back(token.form);
    target.write(join(words, " ") + "\n");
    source.write(join(translated(sentence.tokens), " ") + "\n");
  }
}

}  // namespace hinge::mt
