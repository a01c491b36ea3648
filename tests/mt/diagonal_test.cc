#include "hinge/mt/diagonal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hinge/core/random.h"

namespace hinge::mt {
namespace {

constexpr double kTensions[] = {0.1, 1.0, 4.0, 14.0};
constexpr std::size_t kLengths[] = {1, 2, 3, 7, 100};

TEST(Diagonal, PartitionIsTheSumItStandsFor) {
  for (const double tension : kTensions) {
    for (const std::size_t m : kLengths) {
      for (const std::size_t n : kLengths) {
        for (std::size_t j = 1; j <= m; ++j) {
          double sum = 0.0, distance = 0.0;
          for (std::size_t i = 1; i <= n; ++i) {
            const double value = std::exp(-tension * diagonal_distance(j, m, i, n));
            sum += value;
            distance += value * diagonal_distance(j, m, i, n);
          }
          const Partition partition = diagonal_partition(j, m, n, tension);
          EXPECT_NEAR(partition.sum, sum, 1e-10 * sum);
          EXPECT_NEAR(partition.mean_distance, distance / sum, 1e-9);
        }
      }
    }
  }
}

TEST(Diagonal, RowsAreTheDistribution) {
  for (const double tension : kTensions) {
    for (const std::size_t n : kLengths) {
      for (std::size_t j = 1; j <= 5; ++j) {
        std::vector<float> row(n);
        diagonal_row(j, 5, tension, row);
        const double sum = diagonal_partition(j, 5, n, tension).sum;
        for (std::size_t i = 1; i <= n; ++i)
          EXPECT_NEAR(row[i - 1], std::exp(-tension * diagonal_distance(j, 5, i, n)) / sum, 1e-6);
      }
    }
  }
}

// Random expectations for three pairs of lengths.
TensionCounts some_counts(double share_of_distance) {
  const std::vector<TensionCounts::Lengths> lengths = {{5, 7}, {1, 1}, {12, 3}, {5, 7}};
  TensionCounts counts(lengths);
  Random random(5);
  double linked = 0.0;
  for (const TensionCounts::Lengths& one : lengths) {
    std::vector<float> null(one.made);
    for (float& value : null) {
      value = static_cast<float>(random.uniform());
      linked += 1.0 - static_cast<double>(value);
    }
    counts.add(one, null);
  }
  counts.add_distance(share_of_distance * linked);
  return counts;
}

TEST(Diagonal, TensionGradientAgreesWithFiniteDifferences) {
  const TensionCounts counts = some_counts(0.1);
  constexpr double kStep = 1e-4;
  for (const double tension : kTensions) {
    const double slope = (counts.value(tension + kStep) - counts.value(tension - kStep)) / (2 * kStep);
    EXPECT_NEAR(counts.gradient(tension), slope, 1e-6);
  }
}

TEST(Diagonal, BestTensionHasTheHighestValue) {
  const TensionCounts counts = some_counts(0.1);
  const double best = counts.best();
  EXPECT_GT(best, TensionCounts::kLeast + 1);
  EXPECT_LT(best, TensionCounts::kMost - 1);
  EXPECT_NEAR(counts.gradient(best), 0.0, 1e-6);
  EXPECT_GT(counts.value(best), counts.value(best + 0.1));
  EXPECT_GT(counts.value(best), counts.value(best - 0.1));
}

TEST(Diagonal, BestTensionStaysWithinItsRange) {
  EXPECT_NEAR(some_counts(0.0).best(), TensionCounts::kMost, 1e-6);
  EXPECT_NEAR(some_counts(0.9).best(), TensionCounts::kLeast, 1e-6);
}

}  // namespace
}  // namespace hinge::mt
