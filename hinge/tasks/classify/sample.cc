#include "hinge/tasks/classify/sample.h"

#include <array>
#include <string>
#include <string_view>

#include "hinge/core/random.h"
#include "hinge/sample/sampler.h"

namespace hinge::classify {
namespace {

struct Topic {
  std::string_view label;
  std::array<std::string_view, 10> words;  // by falling frequency
};

constexpr Topic kTopics[] = {
    {"sports", {"team", "coach", "match", "season", "goal", "league", "player", "race", "cup", "stadium"}},
    {"science",
     {"study", "cell", "energy", "planet", "theory", "gene", "sample", "signal", "virus", "orbit"}},
    {"business",
     {"market", "price", "bank", "share", "profit", "merger", "loan", "tariff", "budget", "stock"}},
    {"travel",
     {"hotel", "island", "flight", "beach", "museum", "tour", "harbor", "village", "train", "coast"}},
};

// Later ranks are rarer.
std::size_t draw_rank(std::size_t n, Random& random) {
  std::size_t rank = 0;
  while (rank + 1 < n && random.uniform() < 0.7) ++rank;
  return rank;
}

}  // namespace

void sample_texts(std::int64_t texts, std::uint64_t seed, OutputFile& out) {
  constexpr double kTopical = 0.7, kFromOther = 0.2;
  Sampler sampler(seed);
  Random random(seed);
  std::string line;
  for (std::int64_t t = 0; t < texts; ++t) {
    const std::size_t topic = random.below(std::size(kTopics));
    line.assign("__label__").append(kTopics[topic].label);
    for (const SampleToken& token : sampler.next().tokens) {
      line += ' ';
      if (token.upos != "NOUN" || random.uniform() >= kTopical) {
        line += token.form;
        continue;
      }
      const std::size_t other = random.below(std::size(kTopics));
      const auto& words = kTopics[random.uniform() < kFromOther ? other : topic].words;
      line += words[draw_rank(words.size(), random)];
    }
    out.write(line += '\n');
  }
}

}  // namespace hinge::classify
