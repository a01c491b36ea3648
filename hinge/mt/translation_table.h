// P(made word | given word) of one direction, for all pairs of words that occur
// together, and P(made word | null).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/mt/bitext.h"
#include "hinge/mt/word_pairs.h"

namespace hinge::mt {

enum class Direction : std::uint8_t {
  kForward,  // target words made by source words: links of P(target | source)
  kReverse   // source words made by target words
};

inline const Side& made_side(const Bitext& text, Direction direction) {
  return direction == Direction::kForward ? text.target : text.source;
}
inline const Side& given_side(const Bitext& text, Direction direction) {
  return direction == Direction::kForward ? text.source : text.target;
}

// The derivative of log gamma, for x > 0.
double digamma(double x);

class TranslationTable {
 public:
  // Uniform. With alpha = 0, estimates maximize the likelihood; above it they are those
  // of variational Bayes with a symmetric Dirichlet prior: exp(digamma(count + alpha) - digamma(sum)),
  // Dyer, Chahuneau, Smith (NAACL 2013), section 2. All must outlive the table.
  TranslationTable(const Bitext& text, const WordPairs& pairs, Direction direction, double alpha,
                   Workers& workers);

  std::span<const float> pairs() const { return probability_; }  // by number of the pair
  std::span<const float> null_words() const { return null_; }    // by made word

  // The M step: links has a probability per cell, null one per token of the made side.
  // Sums are formed in the order of the text, so they do not depend on threads.
  void estimate(std::span<const float> links, std::span<const float> null);

 private:
  void count(std::span<const float> links);
  void estimate_null(std::span<const float> null);
  float estimated(double count, double sum, double outcomes) const;

  const Bitext& text_;
  const WordPairs& numbers_;
  Direction direction_;
  double alpha_;
  Workers& workers_;
  std::vector<float> probability_;  // [pairs]
  std::vector<float> null_;         // [made words]
  std::vector<double> count_;       // [pairs]
  std::vector<double> sum_;         // [given words]
  std::vector<double> outcomes_;    // [given words]: how many made words occur with it
};

}  // namespace hinge::mt
