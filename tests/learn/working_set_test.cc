#include "hinge/learn/dual/working_set.h"

#include <gtest/gtest.h>

#include "hinge/core/random.h"

namespace hinge::test {
namespace {

constexpr std::size_t kDimension = 10;

Cut cut_of(std::vector<Entry> entries, double loss) {
  Cut cut{.loss = loss};
  for (const Entry& entry : entries) cut.psi.add(entry.id, entry.value);
  cut.psi.merge();
  return cut;
}

std::vector<float> dense(const Member& member) {
  Weights w(kDimension);
  axpy(1.0, member.psi, w);
  return {w.span().begin(), w.span().end()};
}

TEST(WorkingSet, ANewMemberComesFirstWithNoMass) {
  WorkingSet set;
  set.join(cut_of({{1, 1.0f}}, 1.0));
  set.members()[0].alpha = 0.5;
  set.join(cut_of({{7, 1.0f}, {3, -1.0f}, {8, 0.5f}}, 2.0));
  ASSERT_EQ(set.members().size(), 2u);
  const Member& first = set.members()[0];
  EXPECT_EQ(first.alpha, 0.0);
  EXPECT_EQ(first.loss, 2.0);
  EXPECT_EQ(first.curvature, 2.25);
  EXPECT_EQ(dense(first), (std::vector<float>{0, 0, 0, -1, 0, 0, 0, 1, 0.5f, 0}));
  EXPECT_EQ(set.mass(), 0.5);
}

TEST(WorkingSet, AMemberThatJoinsAgainComesToTheFrontAndKeepsItsMass) {
  WorkingSet set;
  for (const FeatureId id : {1u, 2u, 3u}) set.join(cut_of({{id, 1.0f}}, 1.0));
  for (std::size_t m = 0; m < 3; ++m) set.members()[m].alpha = static_cast<double>(3 - m);
  set.join(cut_of({{1, 0.5f}, {1, 0.5f}}, 1.0));
  ASSERT_EQ(set.members().size(), 3u);
  EXPECT_EQ(set.members()[0].alpha, 1.0);
  EXPECT_EQ(set.members()[1].alpha, 3.0);
  EXPECT_EQ(set.members()[2].alpha, 2.0);
}

TEST(WorkingSet, RivalsWithEqualFeaturesButDifferentLossesAreTwoConstraints) {
  WorkingSet set;
  set.join(cut_of({{1, 1.0f}}, 1.0));
  set.join(cut_of({{1, 1.0f}}, 2.0));
  EXPECT_EQ(set.members().size(), 2u);
}

TEST(WorkingSet, MembersWithoutMassAreForgotten) {
  WorkingSet set;
  for (const FeatureId id : {1u, 2u, 3u}) set.join(cut_of({{id, 1.0f}}, 1.0));
  set.members()[1].alpha = 0.25;
  set.drop_idle();
  ASSERT_EQ(set.members().size(), 1u);
  EXPECT_EQ(dense(set.members()[0])[2], 1.0f);
}

TEST(WorkingSet, WeightsAndDualAreTheSumsTheyStandFor) {
  constexpr double kC = 0.3;
  Random random(4);
  std::vector<WorkingSet> sets(6);
  std::vector<double> w(kDimension, 0.0);
  double gain = 0.0;
  double squares = 0.0;
  for (WorkingSet& set : sets) {
    double mass = 0.0;
    for (int m = 0; m < 4; ++m) {
      Cut cut{.loss = random.uniform()};
      for (int e = 0; e < 5; ++e) {
        cut.psi.add(static_cast<FeatureId>(random.below(kDimension)), static_cast<float>(random.uniform()));
      }
      cut.psi.merge();
      set.join(cut);
      Member& member = set.members()[0];
      member.alpha = random.uniform();
      for (const Entry& entry : cut.psi.entries()) w[entry.id] += member.alpha * entry.value;
      gain += member.alpha * cut.loss;
      mass += member.alpha;
    }
    squares += mass * mass;
  }
  Weights computed(kDimension);
  add_weights(sets, computed);
  double norm = 0.0;
  for (std::size_t d = 0; d < kDimension; ++d) {
    EXPECT_NEAR(computed[d], w[d], 1e-5);
    norm += w[d] * w[d];
  }
  EXPECT_NEAR(dual_value(sets, norm, Loss::kL1, kC), gain - 0.5 * norm, 1e-9);
  EXPECT_NEAR(dual_value(sets, norm, Loss::kL2, kC), gain - 0.5 * norm - squares / (4.0 * kC), 1e-9);
}

}  // namespace
}  // namespace hinge::test
