#include "hinge/mt/link_posteriors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hinge/core/random.h"
#include "hinge/mt/diagonal.h"

namespace hinge::mt {
namespace {

constexpr double kNull = 0.2;

LinkScores random_scores(Random& random, std::size_t m, std::size_t n) {
  LinkScores scores;
  scores.resize(m, n);
  for (float& value : scores.translation) value = static_cast<float>(random.uniform());
  for (float& value : scores.null_translation) value = static_cast<float>(random.uniform());
  return scores;
}

TEST(DiagonalPosteriors, AreTheClosedFormula) {
  Random random(1);
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {4, 3}, {3, 9}}) {
    LinkScores scores = random_scores(random, m, n);
    const DiagonalSums sums = diagonal_posteriors(kNull, 3.0, scores);
    double log_likelihood = 0.0, expected_distance = 0.0;
    for (std::size_t j = 0; j < m; ++j) {
      double partition = 0.0, word = kNull * static_cast<double>(scores.null_translation[j]);
      std::vector<double> link(n);
      for (std::size_t i = 0; i < n; ++i) partition += std::exp(-3.0 * diagonal_distance(j + 1, m, i + 1, n));
      for (std::size_t i = 0; i < n; ++i) {
        link[i] = (1 - kNull) * std::exp(-3.0 * diagonal_distance(j + 1, m, i + 1, n)) / partition *
                  static_cast<double>(scores.translation[j * n + i]);
        word += link[i];
      }
      EXPECT_NEAR(scores.null[j], kNull * static_cast<double>(scores.null_translation[j]) / word, 1e-6);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(scores.link[j * n + i], link[i] / word, 1e-6);
        expected_distance += link[i] / word * diagonal_distance(j + 1, m, i + 1, n);
      }
      log_likelihood += std::log(word);
    }
    EXPECT_NEAR(sums.log_likelihood, log_likelihood, 1e-5);
    EXPECT_NEAR(sums.distance, expected_distance, 1e-5);
  }
}

// All alignments of a sentence under the hidden Markov model, one by one.
struct Enumerated {
  Enumerated(const Jumps& jumps, const LinkScores& scores)
      : scores_(scores),
        to_((scores.n + 1) * scores.n),
        path_(scores.m),
        link(scores.m * scores.n),
        null(scores.m) {
    jumps.fill(scores.n, to_);
    visit(0, 0, 1.0);
    for (double& value : link) value /= sum;
    for (double& value : null) value /= sum;
    for (double& value : jumped) value /= sum;
  }

  const LinkScores& scores_;
  std::vector<float> to_;
  std::vector<std::size_t> path_;  // 0: no link
  double sum = 0.0;
  std::vector<double> link, null;
  std::vector<double> jumped = std::vector<double>(to_.size());

 private:
  void visit(std::size_t j, std::size_t state, double probability) {
    if (j == scores_.m) return finish(probability);
    path_[j] = 0;
    visit(j + 1, state, probability * kNull * static_cast<double>(scores_.null_translation[j]));
    for (std::size_t i = 1; i <= scores_.n; ++i) {
      path_[j] = i;
      visit(j + 1, i,
            probability * (1 - kNull) * static_cast<double>(to_[state * scores_.n + i - 1]) *
                static_cast<double>(scores_.translation[j * scores_.n + i - 1]));
    }
  }
  void finish(double probability) {
    sum += probability;
    std::size_t state = 0;
    for (std::size_t j = 0; j < scores_.m; ++j) {
      if (path_[j] == 0) {
        null[j] += probability;
        continue;
      }
      link[j * scores_.n + path_[j] - 1] += probability;
      jumped[state * scores_.n + path_[j] - 1] += probability;
      state = path_[j];
    }
  }
};

TEST(JumpChain, AgreesWithAllAlignmentsOneByOne) {
  Random random(2);
  JumpChain chain(kNull);
  for (const auto& [m, n] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {5, 1}, {1, 5}, {4, 3}, {5, 5}, {2, 20}}) {
    LinkScores scores = random_scores(random, m, n);
    JumpCounts counts;
    const double log_likelihood = chain.posteriors(Jumps(), scores, counts);
    const Enumerated expected(Jumps(), scores);
    EXPECT_NEAR(log_likelihood, std::log(expected.sum), 1e-5);
    for (std::size_t k = 0; k < m * n; ++k) EXPECT_NEAR(scores.link[k], expected.link[k], 1e-5);
    for (std::size_t j = 0; j < m; ++j) EXPECT_NEAR(scores.null[j], expected.null[j], 1e-5);
    JumpCounts expected_counts;
    const std::vector<float> jumped(expected.jumped.begin(), expected.jumped.end());
    expected_counts.add(n, jumped);
    for (std::size_t k = 0; k < counts.by_weight.size(); ++k)
      EXPECT_NEAR(counts.by_weight[k], expected_counts.by_weight[k], 1e-5);
    for (std::size_t k = 0; k < counts.by_range.size(); ++k)
      EXPECT_NEAR(counts.by_range[k], expected_counts.by_range[k], 1e-5);
  }
}

// Scaling must hold over many words, even if nothing translates anything.
TEST(JumpChain, SumsToOneOnLongSentencesOfImprobableWords) {
  Random random(3);
  JumpChain chain(0.05);
  LinkScores scores = random_scores(random, 100, 100);
  for (std::size_t k = 0; k < scores.translation.size(); ++k)
    if (random.below(50) != 0) scores.translation[k] = 1e-12f;
  for (float& value : scores.null_translation) value = 1e-12f;
  JumpCounts counts;
  EXPECT_TRUE(std::isfinite(chain.posteriors(Jumps(), scores, counts)));
  for (std::size_t j = 0; j < scores.m; ++j) {
    double sum = static_cast<double>(scores.null[j]);
    for (std::size_t i = 0; i < scores.n; ++i) sum += static_cast<double>(scores.link[j * scores.n + i]);
    EXPECT_NEAR(sum, 1.0, 1e-3);
  }
}

}  // namespace
}  // namespace hinge::mt
