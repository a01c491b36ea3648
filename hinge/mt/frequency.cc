#include "hinge/mt/frequency.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace hinge::mt {

void number_by_frequency(Side& side) {
  std::vector<std::uint64_t> counts(side.words.size());
  for (const Word word : side.tokens) ++counts[word];
  std::vector<Word> order(counts.size());
  std::iota(order.begin(), order.end(), Word{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](Word word) { return counts[word]; });
  Words words;
  std::vector<Word> number(counts.size());
  for (const Word word : order) number[word] = words.add(side.words.text(word));
  for (Word& token : side.tokens) token = number[token];
  side.words = std::move(words);
}

}  // namespace hinge::mt
