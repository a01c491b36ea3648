#include "hinge/mt/translation_table.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/interrupt.h"

namespace hinge::mt {
namespace {

// Keeps sums of a sentence above zero: a link that EM gave up stays possible.
constexpr double kLeastProbability = 1e-12;

}  // namespace

double digamma(double x) {
  double result = 0.0;
  for (; x < 7.0; x += 1.0) result -= 1.0 / x;  // digamma(x) = digamma(x + 1) - 1 / x
  // The asymptotic series, with Bernoulli's numbers.
  const double y = 1.0 / (x * x);
  return result + std::log(x) - 0.5 / x -
         y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

TranslationTable::TranslationTable(const Bitext& text, const WordPairs& pairs, Direction direction,
                                   double alpha, Workers& workers)
    : text_(text),
      numbers_(pairs),
      direction_(direction),
      alpha_(alpha),
      workers_(workers),
      probability_(pairs.pairs()),
      null_(made_side(text, direction).words.size()),
      count_(pairs.pairs()),
      sum_(given_side(text, direction).words.size()),
      outcomes_(sum_.size()) {
  const float uniform = 1.0f / static_cast<float>(null_.size());
  std::fill(probability_.begin(), probability_.end(), uniform);
  std::fill(null_.begin(), null_.end(), uniform);
  for (std::size_t source = 0; source < pairs.source_words(); ++source)
    for (std::uint32_t pair = pairs.source_begin[source]; pair < pairs.source_begin[source + 1]; ++pair)
      outcomes_[direction == Direction::kForward ? source : pairs.target[pair]] += 1.0;
}

void TranslationTable::count(std::span<const float> links) {
  workers_.each(numbers_.source_words(), [&](std::size_t source) {
    check_interrupt();
    std::fill(count_.begin() + numbers_.source_begin[source],
              count_.begin() + numbers_.source_begin[source + 1], 0.0);
    for (const WordPairs::Row& row : numbers_.rows_of(static_cast<Word>(source))) {
      for (std::uint64_t cell = row.begin; cell < row.begin + row.length; ++cell)
        count_[numbers_.number[cell]] += static_cast<double>(links[cell]);
    }
  });
}

float TranslationTable::estimated(double count, double sum, double outcomes) const {
  const double value = alpha_ > 0.0 ? std::exp(digamma(count + alpha_) - digamma(sum + alpha_ * outcomes))
                       : sum > 0.0  ? count / sum
                                    : 1.0 / outcomes;
  return static_cast<float>(std::max(value, kLeastProbability));
}

void TranslationTable::estimate(std::span<const float> links, std::span<const float> null) {
  count(links);
  std::fill(sum_.begin(), sum_.end(), 0.0);
  const auto given = [&](std::size_t source, std::uint32_t pair) {
    return direction_ == Direction::kForward ? source : numbers_.target[pair];
  };
  for (std::size_t source = 0; source < numbers_.source_words(); ++source)
    for (std::uint32_t pair = numbers_.source_begin[source]; pair < numbers_.source_begin[source + 1]; ++pair)
      sum_[given(source, pair)] += count_[pair];
  workers_.each(numbers_.source_words(), [&](std::size_t source) {
    for (std::uint32_t pair = numbers_.source_begin[source]; pair < numbers_.source_begin[source + 1];
         ++pair) {
      const std::size_t word = given(source, pair);
      probability_[pair] = estimated(count_[pair], sum_[word], outcomes_[word]);
    }
  });
  estimate_null(null);
}

void TranslationTable::estimate_null(std::span<const float> null) {
  const std::vector<Word>& tokens = made_side(text_, direction_).tokens;
  std::vector<double> counts(null_.size());
  double sum = 0.0;
  for (std::size_t k = 0; k < tokens.size(); ++k) counts[tokens[k]] += static_cast<double>(null[k]);
  for (const double count : counts) sum += count;
  const auto outcomes = static_cast<double>(counts.size());
  for (std::size_t word = 0; word < counts.size(); ++word)
    null_[word] = estimated(counts[word], sum, outcomes);
}

}  // namespace hinge::mt
