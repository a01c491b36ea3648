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

// Near the diagonal or its mirror image. In half of the pairs many words have no link, several
// or one far away.
inline std::vector<Link> random_links(Random& random, std::size_t source, std::size_t target) {
  std::vector<Link> links;
  const auto link = [&](std::size_t s, std::size_t t) {
    links.push_back({static_cast<std::uint16_t>(s), static_cast<std::uint16_t>(std::min(t, target - 1))});
  };
  const bool turned = random.below(3) == 0, clean = random.below(2) == 0;
  for (std::size_t s = 0; s < source; ++s) {
    const std::size_t near = turned ? source - 1 - s : s;
    if (clean) {
      if (random.below(10) > 0) link(s, near);
    } else {
      if (random.below(10) < 7) link(s, random.below(4) > 0 ? near + random.below(2) : random.below(target));
      if (random.below(12) == 0) link(s, random.below(target));
    }
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
