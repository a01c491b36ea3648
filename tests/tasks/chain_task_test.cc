// ChainTask against enumeration of all label sequences. Scores are exact in
// floats (tests/support/chain_world.h), so values are compared for equality.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "hinge/core/random.h"
#include "hinge/tasks/tag/task.h"
#include "tests/support/chain_world.h"
#include "tests/support/dense_qp.h"
#include "tests/support/task_checks.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

using tag::ChainData;
using tag::ChainLayout;
using tag::ChainTask;
using tag::Scheme;

Dense minus(const Dense& a, const Dense& b) {
  Dense result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::minus<>());
  return result;
}

Dense dense(const SparseVector& v, std::size_t dimension) {
  Dense result(dimension);
  for (const Entry& entry : v.entries()) result[entry.id] += entry.value;
  return result;
}

class ChainTaskShapes : public testing::TestWithParam<ChainShape> {
 protected:
  // Calls body(world, sentence, weights) for many random worlds.
  template <typename Body>
  void everywhere(const Body& body) const {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      ChainWorld world(GetParam(), seed);
      for (std::size_t s = 0; s < world.task().size(); ++s) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", sentence " + std::to_string(s));
        body(world, s, world.random_weights());
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
};

const std::vector<std::string> kIob2{"O", "B-X", "I-X", "B-Y", "I-Y"};
const std::vector<std::string> kIobes{"E-X", "O", "I-X", "S-X", "B-X"};
const std::vector<std::string> kTwoTypes{"O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"};

const std::vector<ChainShape> kShapes = {

    ChainShape{.name = "Plain"},
    ChainShape{.name = "OneLabel", .labels = 1},
    ChainShape{.name = "FiveLabels", .labels = 5},
    ChainShape{.name = "MoreLabelsThanLanes", .labels = 19, .longest = 2},
    ChainShape{.name = "NoTransitions", .transitions = false},
    ChainShape{.name = "RealValues", .valued = true},
    ChainShape{.name = "CostMatrix", .costly = true},
    ChainShape{.name = "EdgeFeatures", .edge_features = 3},
    ChainShape{.name = "EdgeFeaturesAlone", .transitions = false, .edge_features = 3},
    ChainShape{.name = "RealValuesOnEdges", .edge_features = 3, .valued = true, .costly = true},
    ChainShape{.name = "Partial", .partial = true},
    ChainShape{.name = "PartialWithCostsAndEdges", .edge_features = 2, .partial = true, .costly = true},
    ChainShape{.name = "Iob2", .labels = 5, .scheme = Scheme::kIob2, .names = kIob2},
    ChainShape{.name = "Iobes", .labels = 5, .scheme = Scheme::kIobes, .names = kIobes},
    ChainShape{
        .name = "IobesWithEdges", .labels = 5, .edge_features = 2, .scheme = Scheme::kIobes, .names = kIobes},
    ChainShape{
        .name = "IobesOfTwoTypes", .labels = 9, .longest = 3, .scheme = Scheme::kIobes, .names = kTwoTypes},
    ChainShape{.name = "PartialIob2", .labels = 5, .partial = true, .scheme = Scheme::kIob2, .names = kIob2}};

std::vector<ChainShape> shapes_with_fixed_golds() {
  std::vector<ChainShape> shapes = kShapes;
  std::erase_if(shapes, [](const ChainShape& shape) { return shape.partial; });
  return shapes;
}

std::string shape_name(const testing::TestParamInfo<ChainShape>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, ChainTaskShapes, testing::ValuesIn(kShapes), shape_name);

// With latent golds the problem is not convex; only these shapes have a single optimum.
class ConvexChainTask : public ChainTaskShapes {};
INSTANTIATE_TEST_SUITE_P(All, ConvexChainTask, testing::ValuesIn(shapes_with_fixed_golds()), shape_name);

// The cut must belong to a gold and a rival that enumeration also finds.
TEST_P(ChainTaskShapes, TheRivalMaximizesScorePlusWeightedLossAmongWellFormedSequences) {
  everywhere([](const ChainWorld& world, std::size_t s, const Weights& w) {
    const std::vector<Path> golds = world.golds(s, w);
    const std::vector<Path> paths = world.paths(s);
    for (const double loss_weight : {0.0, 1.0, 0.5, 4.0, -1.0}) {
      const Cut cut = cut_at(world.task(), s, w, loss_weight);
      double best = -1e9;
      for (const Path& path : paths)
        best = std::max(best, world.score(s, path, w) + loss_weight * world.loss(s, path));
      const double of_gold = world.score(s, golds[0], w);
      EXPECT_EQ(of_gold - cut.margin + loss_weight * cut.loss, best) << "loss weight " << loss_weight;

      const Dense psi = dense(to_sparse(cut.psi), w.size());
      const bool explained = std::ranges::any_of(paths, [&](const Path& rival) {
        if (world.loss(s, rival) != cut.loss) return false;
        const Dense phi = world.features(s, rival);
        return std::ranges::any_of(
            golds, [&](const Path& gold) { return minus(world.features(s, gold), phi) == psi; });
      });
      EXPECT_TRUE(explained) << "no well-formed rival has this psi and loss; loss weight " << loss_weight;
      EXPECT_EQ(cut.margin, dot(w, cut.psi));
    }
  });
}

TEST_P(ChainTaskShapes, ZeroWeightsAndAHugeLossWeightFindTheMostExpensiveSequence) {
  everywhere([](const ChainWorld& world, std::size_t s, const Weights& w) {
    double highest = 0.0;
    for (const Path& path : world.paths(s)) highest = std::max(highest, world.loss(s, path));
    EXPECT_EQ(cut_at(world.task(), s, Weights(w.size()), 1.0).loss, highest);
    EXPECT_EQ(cut_at(world.task(), s, w, 4096.0).loss, highest);
  });
}

TEST_P(ChainTaskShapes, TheKBestAreTheFirstOfAllSequencesByScoreAndAllDistinct) {
  everywhere([](const ChainWorld& world, std::size_t s, const Weights& w) {
    if (world.tokens(s) == 0) return;
    const std::vector<Path> golds = world.golds(s, w);
    const double of_gold = world.score(s, golds[0], w);
    const auto scratch = world.task().make_scratch();
    for (const double loss_weight : {0.0, 1.0}) {
      std::vector<double> scores;
      for (const Path& path : world.paths(s))
        scores.push_back(world.score(s, path, w) + loss_weight * world.loss(s, path));
      std::sort(scores.begin(), scores.end(), std::greater<>());
      for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{7}, scores.size()}) {
        if (k > scores.size()) continue;
        std::vector<Cut> cuts;
        world.task().most_violated_k(s, w, loss_weight, k, *scratch, cuts);
        ASSERT_EQ(cuts.size(), k);
        for (std::size_t r = 0; r < cuts.size(); ++r) {
          EXPECT_EQ(of_gold - cuts[r].margin + loss_weight * cuts[r].loss, scores[r]) << "rank " << r;
          EXPECT_EQ(cuts[r].margin, dot(w, cuts[r].psi));
        }
      }
    }
  });
}

TEST_P(ChainTaskShapes, KOfMoreThanThereAreListsEverySequenceOnceAndNoIllFormedOne) {
  everywhere([](const ChainWorld& world, std::size_t s, const Weights& w) {
    if (world.tokens(s) == 0) return;
    const std::vector<Path> golds = world.golds(s, w);
    if (golds.size() > 1) return;  // a tie: any gold may be used
    std::vector<Dense> expected;
    for (const Path& path : world.paths(s))
      expected.push_back(minus(world.features(s, golds[0]), world.features(s, path)));
    const auto scratch = world.task().make_scratch();
    std::vector<Cut> cuts;
    world.task().most_violated_k(s, w, 1.0, expected.size() + 10, *scratch, cuts);
    std::vector<Dense> found;
    for (const Cut& cut : cuts) found.push_back(dense(to_sparse(cut.psi), w.size()));
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_TRUE(found == expected) << found.size() << " listed, " << expected.size() << " exist";
  });
}

TEST_P(ChainTaskShapes, WeightsOutsideTheSupportAreNotRead) {
  std::size_t outside = 0;
  everywhere([&](const ChainWorld& world, std::size_t s, const Weights& w) {
    outside += expect_support_is_all_that_is_read(world.task(), s, w);
  });
  EXPECT_GT(outside, 0u);
}

TEST_P(ChainTaskShapes, AScratchUsedBeforeGivesTheSameCutAsAFreshOne) {
  ChainWorld world(GetParam(), 3, 10);
  expect_scratch_can_be_used_again(world.task(), world.random_weights());
}

TEST_P(ChainTaskShapes, TheTaskSaysWhetherItsGoldsAreFixed) {
  ChainWorld world(GetParam(), 1);
  EXPECT_EQ(world.task().facts().fixed_gold, !GetParam().partial);
  EXPECT_TRUE(world.task().facts().exact);
  EXPECT_TRUE(world.task().facts().linear);
}

TEST_P(ConvexChainTask, DcdEndsAtTheOptimumOfTheSameProblemEnumerated) {
  ChainWorld world(GetParam(), 5, 10);
  const EnumeratedTask enumerated = world.enumerated();
  const ObjectiveKind kind{.loss = Loss::kL2, .C = 0.3};
  const Optimum optimum = dense_optimum(enumerated, kind);
  const TrainResult result =
      train_quietly(world.task(), {.learner = "dcd",
                                   .options = {{"C", "0.3"}, {"epochs", "400"}, {"tolerance", "1e-6"}},
                                   .objective = ObjectiveWhen::kEnd});
  const Objective& end = result.history.back().objective.value();
  EXPECT_NEAR(end.primal, optimum.value, 1e-4 * optimum.value + 1e-9);
  EXPECT_NEAR(end.dual.value(), optimum.value, 1e-4 * optimum.value + 1e-9);
  EXPECT_NEAR(dense_primal(enumerated, kind, in_double(result.weights)), end.primal, 1e-5 * end.primal);
}

TEST(ChainTask, ASentenceWhereAnyLabelWillDoTeachesNothing) {
  ChainData data;
  for (int t = 0; t < 3; ++t) {
    data.node_ids.push_back(0);
    data.node_begin.push_back(data.node_ids.size());
    data.edge_begin.push_back(0);
    data.gold.push_back(1);
    data.allowed_begin.push_back(0);
    data.allowed_end.push_back(2);
  }
  data.allowed_labels = {0, 1};
  data.sentence_begin.push_back(3);
  const ChainLayout layout{.labels = 2, .node_features = 1};
  const ChainTask task(data, layout, {.constraints = {}, .costs = {0, 1, 1, 0}});
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    Weights w(layout.dimension());
    for (float& value : w.span()) value = static_cast<float>(random.uniform());
    for (const double loss_weight : {0.0, 1.0, 10.0}) {
      const Cut cut = cut_at(task, 0, w, loss_weight);
      EXPECT_TRUE(cut.psi.empty());
      EXPECT_EQ(cut.loss, 0.0);
    }
  }
}

TEST(ChainTask, AnEmptySentenceGivesAnEmptyCut) {
  ChainData data;
  data.sentence_begin.push_back(0);
  const ChainLayout layout{.labels = 3, .node_features = 2};
  const ChainTask task(data, layout, {.constraints = {}, .costs = std::vector<float>(9, 1.0f)});
  const Cut cut = cut_at(task, 0, Weights(layout.dimension()), 1.0);
  EXPECT_TRUE(cut.psi.empty());
  EXPECT_EQ(cut.loss, 0.0);
  const auto scratch = task.make_scratch();
  std::vector<Cut> cuts(3);
  task.most_violated_k(0, Weights(layout.dimension()), 1.0, 5, *scratch, cuts);
  for (const Cut& listed : cuts) EXPECT_TRUE(listed.psi.empty());
}

// The Expectation, by listing all sequences.
struct Listed {
  double log_loss;
  double expected_loss;
  Dense gradient;
};

Listed listed(const ChainWorld& world, std::size_t s, const Weights& w, double loss_weight) {
  double total = 0.0;
  double accepted = 0.0;
  for (const Path& path : world.paths(s)) {
    total += std::exp(world.score(s, path, w) + loss_weight * world.loss(s, path));
    if (world.is_accepted(s, path)) accepted += std::exp(world.score(s, path, w));
  }
  Listed result{std::log(total) - std::log(accepted), 0.0, Dense(w.size())};
  for (const Path& path : world.paths(s)) {
    const double score = world.score(s, path, w);
    const double p = std::exp(score + loss_weight * world.loss(s, path)) / total;
    const double q = world.is_accepted(s, path) ? std::exp(score) / accepted : 0.0;
    result.expected_loss += p * world.loss(s, path);
    const Dense phi = world.features(s, path);
    for (std::size_t d = 0; d < phi.size(); ++d) result.gradient[d] += (p - q) * phi[d];
  }
  return result;
}

Expectation expectation_at(const ChainTask& task, std::size_t s, const Weights& w, double loss_weight) {
  const auto scratch = task.make_scratch();
  Expectation expectation;
  task.expect(s, w, loss_weight, *scratch, expectation);
  return expectation;
}

TEST_P(ChainTaskShapes, ExpectationsAreThoseOfAListOfAllSequences) {
  everywhere([](const ChainWorld& world, std::size_t s, const Weights& w) {
    for (const double loss_weight : {0.0, 1.0, 2.5}) {
      const Listed wanted = listed(world, s, w, loss_weight);
      const Expectation given = expectation_at(world.task(), s, w, loss_weight);
      EXPECT_NEAR(given.log_loss, wanted.log_loss, 1e-5 * (1.0 + wanted.log_loss));
      EXPECT_NEAR(given.expected_loss, wanted.expected_loss, 1e-5 * (1.0 + wanted.expected_loss));
      Weights gradient(w.size());
      given.gradient.add_to(1.0, gradient);
      for (std::size_t d = 0; d < w.size(); ++d) EXPECT_NEAR(gradient[d], wanted.gradient[d], 2e-5) << d;
    }
  });
}

TEST_P(ChainTaskShapes, TheGradientIsThatOfFiniteDifferences) {
  everywhere([](const ChainWorld& world, std::size_t s, const Weights& w) {
    Weights gradient(w.size());
    expectation_at(world.task(), s, w, 1.0).gradient.add_to(1.0, gradient);
    for (std::size_t d = 0; d < w.size(); d += 5) {
      constexpr float kStep = 1.0f / 64;
      Weights up = w;
      Weights down = w;
      up[d] += kStep;
      down[d] -= kStep;
      const double slope = (expectation_at(world.task(), s, up, 1.0).log_loss -
                            expectation_at(world.task(), s, down, 1.0).log_loss) /
                           (2.0 * kStep);
      EXPECT_NEAR(gradient[d], slope, 2e-3) << d;
    }
  });
}

TEST_P(ChainTaskShapes, GoldSupportIsTheFeaturesOfAcceptableSequences) {
  everywhere([](const ChainWorld& world, std::size_t s, const Weights& w) {
    std::vector<Block> blocks;
    world.task().gold_support(s, *world.task().make_scratch(), blocks);
    std::vector<bool> named(w.size());
    for (const Block& block : blocks) {
      for (FeatureId id = block.first; id < block.first + block.count; ++id) named[id] = true;
    }
    for (const Path& path : world.paths(s)) {
      if (!world.is_accepted(s, path)) continue;
      const Dense phi = world.features(s, path);
      for (std::size_t d = 0; d < phi.size(); ++d) EXPECT_TRUE(phi[d] == 0.0 || named[d]) << d;
    }
  });
}

}  // namespace
}  // namespace hinge::test
