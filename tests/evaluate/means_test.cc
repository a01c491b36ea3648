// Means, standard errors and the paired bootstrap.
#include "hinge/evaluate/means.h"

#include <gtest/gtest.h>

#include <vector>

#include "hinge/core/error.h"

namespace hinge {
namespace {

TEST(Means, AreThoseWorkedOutByHand) {
  const std::vector<double> values = {1.0, 2.0, 3.0, 6.0};
  EXPECT_DOUBLE_EQ(mean_of(values).mean, 3.0);
  EXPECT_NEAR(mean_of(values).standard_error, 1.0801234497346435, 1e-12);  // sqrt(14 / 3 / 4)
  EXPECT_EQ(mean_of(std::span(values).first(1)).standard_error, 0.0);
  EXPECT_EQ(mean_of({}).mean, 0.0);
}

// Two texts with differences 1 and -1/2: of the four draws only that of the second twice is
// not above zero.
TEST(PairedBootstrap, ApproachesTheShareOfAllDraws) {
  const std::vector<double> a = {2.0, 0.5}, b = {1.0, 1.0};
  EXPECT_NEAR(paired_bootstrap(a, b, 40000, 3), 0.25, 0.01);
  EXPECT_EQ(paired_bootstrap(a, b, 100, 3), paired_bootstrap(a, b, 100, 3));
  EXPECT_EQ(paired_bootstrap(a, a, 100, 3), 1.0) << "a tie is not better";
}

TEST(PairedBootstrap, RefusesScoresThatAreNotPairs) {
  const std::vector<double> two = {1.0, 2.0}, one = {1.0};
  EXPECT_THROW(paired_bootstrap(two, one, 10, 1), OptionError);
  EXPECT_THROW(paired_bootstrap({}, {}, 10, 1), OptionError);
  EXPECT_THROW(paired_bootstrap(two, two, 0, 1), OptionError);
}

}  // namespace
}  // namespace hinge
