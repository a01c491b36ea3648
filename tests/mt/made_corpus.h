// Aligned text made in a test.
#pragma once

#include <algorithm>
#include <vector>

#include "hinge/mt/occurrence.h"
#include "tests/mt/made_bitext.h"

namespace hinge::mt {

struct Corpus {
  Bitext text;
  Alignment alignment;

  SentencePair pair(std::size_t i) const {
    return {text.source.sentence(i), text.target.sentence(i), alignment.pair(i)};
  }
};

// Mostly near the diagonal, with words that have no link or several.
inline std::vector<Link> random_links(Random& random, std::size_t source, std::size_t target) {
  std::vector<Link> links;
  const auto link = [&](std::size_t s, std::size_t t) {
    links.push_back({static_cast<std::uint16_t>(s), static_cast<std::uint16_t>(t)});
  };
  const bool turned = random.below(4) == 0;  // from right to left
  for (std::size_t s = 0; s < source; ++s) {
    const std::size_t near = std::min(target - 1, (turned ? source - 1 - s : s) + random.below(2));
    if (random.below(10) < 7) link(s, random.below(4) > 0 ? near : random.below(target));
    if (random.below(12) == 0) link(s, random.below(target));
  }
  return links;
}

inline Corpus random_corpus(std::uint64_t seed, std::size_t sentences, std::size_t most_words,
                            std::size_t vocabulary) {
  Corpus corpus{random_bitext(seed, sentences, most_words, vocabulary), {}};
  Random random(seed + 1000);
  for (std::size_t i = 0; i < sentences; ++i) {
    std::vector<Link> links =
        random_links(random, corpus.text.source.sentence(i).size(), corpus.text.target.sentence(i).size());
    corpus.alignment.add(links);
  }
  return corpus;
}

}  // namespace hinge::mt
