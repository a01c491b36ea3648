#include "tests/support/random_lists.h"

#include <string>

#include "hinge/core/random.h"
#include "hinge/corpus/nbest/builder.h"

namespace hinge::rerank {
namespace {

std::string random_text(Random& random) {
  static constexpr const char* kWords[] = {"a", "dog", "runs", "the", "cat", "sleeps"};
  std::string text;
  const std::size_t words = 1 + random.below(6);
  for (std::size_t k = 0; k < words; ++k) text += (k > 0 ? " " : "") + std::string(kWords[random.below(6)]);
  return text;
}

}  // namespace

RandomLists random_lists(std::uint64_t seed, const test::TemporaryFolder& folder, Metric& metric) {
  Random random(seed);
  NBestBuilder builder;
  for (const char* name : {"lm", "tm", "words"}) builder.feature(name);
  std::string references;
  for (std::uint64_t id = 0; id < 5; ++id) {
    references += random_text(random) + "\n";
    const std::size_t n = 1 + random.below(8);
    for (std::size_t k = 0; k < n; ++k) {
      const std::string text = random_text(random);
      Hypothesis hypothesis{.id = id, .text = text, .entries = {}, .score = {}, .cost = {}};
      for (std::uint32_t f = 0; f < 3; ++f) {
        if (random.below(4) > 0)
          hypothesis.entries.push_back({f, static_cast<float>(random.uniform() * 2 - 1)});
      }
      builder.add(hypothesis, {});
    }
  }
  RandomLists world{.lists = builder.finish(), .costs = {}, .w = Weights(3)};
  const std::string paths[] = {folder.write("refs", references)};
  world.costs = count_costs(world.lists, read_references(paths), paths[0], metric);
  for (std::size_t f = 0; f < 3; ++f) world.w[f] = static_cast<float>(random.uniform() * 2 - 1);
  return world;
}

}  // namespace hinge::rerank
