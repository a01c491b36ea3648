// Means and standard errors.
#include "hinge/evaluate/means.h"

#include <gtest/gtest.h>

#include <vector>

namespace hinge {
namespace {

TEST(Means, AreThoseWorkedOutByHand) {
  const std::vector<double> values = {1.0, 2.0, 3.0, 6.0};
  EXPECT_DOUBLE_EQ(mean_of(values).mean, 3.0);
  EXPECT_NEAR(mean_of(values).standard_error, 1.0801234497346435, 1e-12);  // sqrt(14 / 3 / 4)
  EXPECT_EQ(mean_of(std::span(values).first(1)).standard_error, 0.0);
  EXPECT_EQ(mean_of({}).mean, 0.0);
}

}  // namespace
}  // namespace hinge
