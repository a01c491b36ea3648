#include "hinge/tasks/rerank/sample.h"
#include "hinge/core/join.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/sample/sampler.h"

namespace hinge::rerank {
namespace {

using Sentence = std::vector<std::string>;

constexpr int kHypotheses = 30;  // drawn per list; duplicates are dropped
constexpr int kMostEdits = 6;

Sentence next_sentence(Sampler& sampler) {
  Sentence words;
  for (const SampleToken& token : sampler.next().tokens) words.push_back(token.form);
  return words;
}

struct Drawn {
  Sentence words;
  int swaps = 0, drops = 0, substitutions = 0;
  double lm = 0.0, tm_words = 0.0, tm_phrases = 0.0, score = 0.0;
};

void damage(Drawn& hypothesis, const Sentence& other_words, Random& random) {
  Sentence& words = hypothesis.words;
  const std::size_t at = random.below(words.size());
  switch (random.below(3)) {
    case 0:
      if (at + 1 == words.size()) return;
      std::swap(words[at], words[at + 1]);
      ++hypothesis.swaps;
      return;
    case 1:
      if (words.size() < 2) return;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
      ++hypothesis.drops;
      return;
    default:
      words[at] = other_words[random.below(other_words.size())];
      ++hypothesis.substitutions;
  }
}

// Swaps lower the language model score, wrong words the translation model score,
// which favours short output; tm_phrases is noise.
void describe(Drawn& h, Random& random) {
  const auto noise = [&random] { return 2.0 * (random.uniform() + random.uniform() - 1.0); };
  h.lm = -1.0 * h.swaps - 0.5 * h.substitutions + noise();
  h.tm_words = -1.0 * h.substitutions + 0.5 * h.drops + noise();
  h.tm_phrases = 2.0 * noise();
  h.score = h.lm + h.tm_words + h.tm_phrases - 0.5 * static_cast<double>(h.words.size());
}

}  // namespace

void sample_lists(std::int64_t sentences, std::uint64_t seed, OutputFile& out) {
  Sampler sampler(seed);
  Random random(seed);
  Sentence other = next_sentence(sampler);  // substitutes; the first sentence uses its own words
  sampler = Sampler(seed);
  for (std::int64_t s = 0; s < sentences; ++s) {
    const Sentence sentence = next_sentence(sampler);
    std::vector<Drawn> list;
    for (int k = 0; k < kHypotheses; ++k) {
      Drawn drawn{.words = sentence};
      for (std::uint64_t edits = random.below(kMostEdits + 1); edits > 0; --edits)
        damage(drawn, other, random);
      describe(drawn, random);
      if (std::ranges::count(list, drawn.words, &Drawn::words) == 0) list.push_back(drawn);
    }
    std::ranges::stable_sort(list, std::greater(), &Drawn::score);
    for (const Drawn& h : list) {
      out.write(fmt::format("{} ||| {} ||| lm= {:.3f} tm= {:.3f} {:.3f} words= {} ||| {:.3f}\n", s,
                            join(h.words, " "), h.lm, h.tm_words, h.tm_phrases, h.words.size(), h.score));
    }
    other = sentence;
  }
}

void sample_references(std::int64_t sentences, std::uint64_t seed, OutputFile& out) {
  Sampler sampler(seed);
  for (std::int64_t s = 0; s < sentences; ++s)
    out.write(fmt::format("{}\n", join(next_sentence(sampler), " ")));
}

}  // namespace hinge::rerank
