// The regression that learning may start from: its optimality conditions, and what it says of costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "hinge/core/random.h"
#include "hinge/tasks/summarize/regression.h"
#include "hinge/tasks/summarize/task.h"

namespace hinge::test {
namespace {

using summarize::TopicData;

// Topics as numbers: few bigrams in a few sentences, some too long, and two that cost.
std::vector<TopicData> random_data(double cost) {
  Random random(1);
  const summarize::Layout plan = summarize::layout();
  std::vector<TopicData> data(4);
  for (TopicData& topic : data) {
    topic.coverage.concepts = 12;
    topic.coverage.limit = 10;
    for (std::uint64_t c = 0; c < 12; ++c) {
      topic.keys.push_back(c);
      topic.gains.push_back(random.uniform() / 12);
    }
    topic.bigram_rows.resize(12 * plan.bigrams);
    for (float& value : topic.bigram_rows) value = static_cast<float>(random.uniform());
    for (std::uint32_t i = 0; i < 6; ++i) {
      topic.coverage.pieces.push_back({.length = 3 * (i + 1)});
      topic.origins.push_back({i, 0});
      topic.costs.push_back(cost * topic.coverage.pieces.back().length);
      for (int k = 0; k < 4; ++k)
        topic.coverage.occurrences.push_back({static_cast<std::uint32_t>(random.below(12)), i, i});
    }
    topic.piece_rows.resize(6 * plan.piece());
    for (float& value : topic.piece_rows) value = static_cast<float>(random.uniform());
  }
  return data;
}

summarize::TopicSet set_of(const std::vector<TopicData>& data) {
  summarize::TopicSet set(data[0].coverage.limit);
  for (const TopicData& topic : data) set.add(topic);
  return set;
}

double product(std::span<const float> row, const float* w) {
  return std::inner_product(row.begin(), row.end(), w, 0.0);
}

// r w = sum of rows times their errors, where the gradient of the objective is zero.
void expect_optimal(const std::vector<double>& sums, double strength, const float* w) {
  for (std::size_t k = 0; k < sums.size(); ++k)
    EXPECT_NEAR(sums[k], strength * static_cast<double>(w[k]), 1e-4) << "weight " << k;
}

TEST(SummarizeRegression, HasTheLeastSquaresOfBigramsAndThenOfSentencesThatFit) {
  const std::vector<TopicData> data = random_data(0.0);
  const summarize::Layout plan = summarize::layout();
  const Weights w = summarize::regression(set_of(data));
  const float* v = w.data() + plan.bigrams;
  std::vector<double> bigrams(plan.bigrams), pieces(plan.piece());
  for (const TopicData& topic : data) {
    std::vector<double> errors(topic.gains);
    for (std::size_t c = 0; c < errors.size(); ++c) {
      const auto row = topic.bigram_row(c, plan);
      errors[c] -= product(row, w.data());
      for (std::size_t k = 0; k < row.size(); ++k) bigrams[k] += errors[c] * static_cast<double>(row[k]);
    }
    for (std::uint32_t i = 0; i < topic.origins.size(); ++i) {
      if (topic.coverage.pieces[i].length > topic.coverage.limit) continue;
      std::set<std::uint32_t> covered;
      for (const Occurrence& one : topic.coverage.occurrences)
        if (one.first == i) covered.insert(one.id);
      const auto row = topic.piece_row(i, plan);
      double error = -product(row, v);
      for (const std::uint32_t c : covered) error += errors[c];
      for (std::size_t k = 0; k < row.size(); ++k) pieces[k] += error * static_cast<double>(row[k]);
    }
  }
  expect_optimal(bigrams, summarize::kBigramRidge, w.data());
  expect_optimal(pieces, summarize::kPieceRidge, v);
}

TEST(SummarizeRegression, WordsAreChargedWhatTheyCost) {
  const summarize::Layout plan = summarize::layout();
  const std::vector<std::string> names = summarize::feature_names();
  const auto words = static_cast<std::size_t>(std::ranges::find(names, "sentence:words") - names.begin());
  const auto cut_words = static_cast<std::size_t>(std::ranges::find(names, "cut:words") - names.begin());
  const auto with_lengths = [&](double cost) {
    std::vector<TopicData> data = random_data(cost);
    for (TopicData& topic : data) {
      for (std::size_t i = 0; i < topic.origins.size(); ++i) {
        float* row = topic.piece_rows.data() + i * plan.piece();
        row[words - plan.bigrams] = static_cast<float>(topic.coverage.pieces[i].length) / 10;
        row[cut_words - plan.bigrams] = 0.0f;
      }
    }
    return summarize::regression(set_of(data));
  };
  const Weights free = with_lengths(0.0), charged = with_lengths(0.05);
  for (std::size_t k = 0; k < free.size(); ++k)
    EXPECT_NEAR(charged[k] - free[k], k == words ? -0.5 : 0.0, 1e-6) << names[k];
}

TEST(SummarizeRegression, IsWhereATaskStartsIfItIsGivenOne) {
  const summarize::TopicSet data = set_of(random_data(0.0));
  Random random(1);
  Weights w(summarize::layout().dimension());
  EXPECT_FALSE(summarize::SummarizeTask(data, {}).initialize(random, w));
  EXPECT_TRUE(summarize::SummarizeTask(data, {}, /*regression=*/true).initialize(random, w));
  EXPECT_TRUE(std::ranges::equal(w.span(), summarize::regression(data).span()));
}

}  // namespace
}  // namespace hinge::test
