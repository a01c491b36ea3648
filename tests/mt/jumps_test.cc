#include "hinge/mt/jumps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hinge/core/random.h"

namespace hinge::mt {
namespace {

std::vector<float> filled(const Jumps& jumps, std::size_t n) {
  std::vector<float> probabilities((n + 1) * n);
  jumps.fill(n, probabilities);
  return probabilities;
}

// Random expectations for sentences of several lengths, short and long.
struct Observed {
  explicit Observed(std::uint64_t seed) {
    Random random(seed);
    for (const std::size_t n : {1, 2, 5, 14, 30}) {
      lengths.push_back(n);
      std::vector<float>& one = jumps.emplace_back((n + 1) * n);
      for (float& count : one) count = static_cast<float>(random.uniform() * random.uniform());
      counts.add(n, one);
    }
  }
  double log_likelihood(const Jumps& model) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const std::vector<float> probabilities = filled(model, lengths[k]);
      for (std::size_t c = 0; c < probabilities.size(); ++c)
        sum += static_cast<double>(jumps[k][c]) * std::log(static_cast<double>(probabilities[c]));
    }
    return sum;
  }

  std::vector<std::size_t> lengths;
  std::vector<std::vector<float>> jumps;
  JumpCounts counts;
};

TEST(Jumps, FromAPositionSumToOne) {
  Jumps jumps;
  jumps.maximize(Observed(1).counts);
  for (const std::size_t n : {1, 2, 11, 12, 13, 14, 40, 100}) {
    const std::vector<float> probabilities = filled(jumps, n);
    for (std::size_t s = 0; s <= n; ++s) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(probabilities[s * n + i]);
      EXPECT_NEAR(sum, 1.0, 1e-5) << "from " << s << " of " << n;
    }
  }
}

TEST(Jumps, ThatAreFarShareAWeight) {
  const std::vector<float> probabilities = filled(Jumps(), 40);
  const float* row = probabilities.data() + 20 * 40;  // from position 20
  EXPECT_EQ(row[20 + Jumps::kFar - 1], row[39]);
  EXPECT_EQ(row[20 - Jumps::kFar - 1], row[0]);
  EXPECT_GT(row[20 + Jumps::kFar - 2], row[20 + Jumps::kFar - 1] * 28 / 10);
  EXPECT_FLOAT_EQ(row[20] / row[21], 2.0f);  // the next word, and the one after
}

TEST(Jumps, EstimatesNeverLowerTheLikelihood) {
  const Observed observed(2);
  Jumps jumps;
  double before = observed.log_likelihood(jumps);
  for (int round = 0; round < 5; ++round) {
    jumps.maximize(observed.counts);
    const double after = observed.log_likelihood(jumps);
    EXPECT_GE(after, before - 1e-4);
    if (round == 0) {
      EXPECT_GT(after, before + 1.0);
    }
    before = after;
  }
}

TEST(Jumps, ThatGeneratedTheCountsAreFoundAgain) {
  Jumps truth;
  truth.maximize(Observed(3).counts);
  JumpCounts counts;
  for (const std::size_t n : {2, 5, 14, 30}) counts.add(n, filled(truth, n));
  Jumps found;
  for (int round = 0; round < 50; ++round) found.maximize(counts);
  const std::vector<float> expected = filled(truth, 30), probabilities = filled(found, 30);
  for (std::size_t c = 0; c < expected.size(); ++c) EXPECT_NEAR(probabilities[c], expected[c], 1e-4);
}

TEST(Jumps, AreKeptIfNoneWasSeen) {
  Jumps jumps;
  jumps.maximize(JumpCounts());
  EXPECT_EQ(filled(jumps, 9), filled(Jumps(), 9));
}

}  // namespace
}  // namespace hinge::mt
