// ClassifyTask against brute force over labels and finite differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hinge/core/random.h"
#include "hinge/learn/driver/check_task.h"
#include "hinge/tasks/classify/task.h"
#include "tests/support/task_checks.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

using classify::ClassifyTask;
using classify::TextData;
using classify::TextLayout;

// Random texts with some of `features` features each. All have the first, the bias;
// the first text has no other.
struct World {
  World(std::size_t labels, std::uint64_t seed)
      : random(seed), layout{.labels = labels, .features = 7}, task(data, layout) {
    for (std::size_t i = 0; i < 6; ++i) {
      std::size_t n = 0;
      for (std::uint32_t f = 0; f < layout.features; ++f) {
        if (f > 0 && (i == 0 || random.uniform() < 0.5)) continue;
        data.ids.push_back(f);
        ++n;
      }
      data.begin.push_back(data.ids.size());
      data.values.push_back(classify::value_of_each(n + 1));  // one is unknown
      data.gold.push_back(static_cast<std::uint16_t>(random.below(labels)));
    }
  }

  Weights random_weights() {
    Weights w(task.dimension());
    for (std::size_t d = 0; d < w.size(); ++d) w[d] = static_cast<float>(2.0 * random.uniform() - 1.0);
    return w;
  }

  // In doubles, feature by feature.
  double score(std::size_t i, std::size_t label, const Weights& w) const {
    double sum = 0.0;
    for (const std::uint32_t f : data.features(i))
      sum += static_cast<double>(data.values[i]) * static_cast<double>(w[layout.row(f) + label]);
    return sum;
  }
  double loss(std::size_t i, std::size_t label) const { return label == data.gold[i] ? 0.0 : 1.0; }

  Random random;
  TextData data;
  TextLayout layout;
  ClassifyTask task;
};

class ClassifyTaskLabels : public testing::TestWithParam<std::size_t> {
 protected:
  // Calls body(world, text, weights) for many random worlds.
  template <typename Body>
  void everywhere(const Body& body) const {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      World world(GetParam(), seed);
      for (std::size_t i = 0; i < world.task.size(); ++i) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", text " + std::to_string(i));
        body(world, i, world.random_weights());
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, ClassifyTaskLabels, testing::Values(1, 2, 3, 17, 40),
                         [](const auto& instance) { return std::to_string(instance.param); });

TEST_P(ClassifyTaskLabels, TheMostViolatedLabelIsThatOfBruteForce) {
  everywhere([&](const World& world, std::size_t i, const Weights& w) {
    for (const double loss_weight : {0.0, 0.5, 1.0}) {
      const Cut cut = cut_at(world.task, i, w, loss_weight);
      double best = -1e9;
      for (std::size_t y = 0; y < GetParam(); ++y)
        best = std::max(best, world.score(i, y, w) + loss_weight * world.loss(i, y));
      const double gold = world.score(i, world.data.gold[i], w);
      EXPECT_NEAR(gold - cut.margin + loss_weight * cut.loss, best, 1e-5);
      EXPECT_NEAR(dot(w, cut.psi), cut.margin, 1e-5);
      EXPECT_EQ(cut.loss == 0.0, cut.psi.empty());
    }
  });
}

TEST_P(ClassifyTaskLabels, TheKBestAreTheBestOfAllLabelsInOrder) {
  everywhere([&](const World& world, std::size_t i, const Weights& w) {
    std::vector<double> expected;
    for (std::size_t y = 0; y < GetParam(); ++y)
      expected.push_back(world.score(i, y, w) + 0.5 * world.loss(i, y));
    std::ranges::sort(expected, std::greater());
    const auto scratch = world.task.make_scratch();
    std::vector<Cut> cuts;
    for (const std::size_t k : {1u, 2u, 100u}) {
      world.task.most_violated_k(i, w, 0.5, k, *scratch, cuts);
      ASSERT_EQ(cuts.size(), std::min<std::size_t>(k, GetParam()));
      const double gold = world.score(i, world.data.gold[i], w);
      for (std::size_t r = 0; r < cuts.size(); ++r)
        EXPECT_NEAR(gold - cuts[r].margin + 0.5 * cuts[r].loss, expected[r], 1e-5);
    }
  });
}

TEST_P(ClassifyTaskLabels, LogLossAndExpectedLossAreThoseOfAllLabels) {
  everywhere([&](const World& world, std::size_t i, const Weights& w) {
    for (const double loss_weight : {0.0, 1.0}) {
      Expectation expectation;
      world.task.expect(i, w, loss_weight, *world.task.make_scratch(), expectation);
      double sum = 0.0, lost = 0.0;
      for (std::size_t y = 0; y < GetParam(); ++y) {
        const double power = std::exp(world.score(i, y, w) + loss_weight * world.loss(i, y));
        sum += power;
        lost += power * world.loss(i, y);
      }
      EXPECT_NEAR(expectation.log_loss, std::log(sum) - world.score(i, world.data.gold[i], w), 1e-5);
      EXPECT_NEAR(expectation.expected_loss, lost / sum, 1e-5);
    }
  });
}

TEST_P(ClassifyTaskLabels, TheGradientIsThatOfFiniteDifferences) {
  everywhere([&](const World& world, std::size_t i, Weights w) {
    Expectation expectation;
    world.task.expect(i, w, 1.0, *world.task.make_scratch(), expectation);
    Weights gradient(w.size());
    expectation.gradient.add_to(1.0, gradient);
    const auto scratch = world.task.make_scratch();
    const auto log_loss = [&] {
      Expectation moved;
      world.task.expect(i, w, 1.0, *scratch, moved);
      return moved.log_loss;
    };
    constexpr float kStep = 0.0078125f;
    for (std::size_t d = 0; d < w.size(); d += 3) {
      const float before = w[d];
      w[d] = before + kStep;
      const double above = log_loss();
      w[d] = before - kStep;
      const double below = log_loss();
      w[d] = before;
      EXPECT_NEAR(gradient[d], (above - below) / (2.0 * static_cast<double>(kStep)), 2e-4) << d;
    }
  });
}

TEST_P(ClassifyTaskLabels, OnlyTheSupportIsRead) {
  everywhere([](const World& world, std::size_t i, const Weights& w) {
    const std::size_t outside = expect_support_is_all_that_is_read(world.task, i, w);
    if (i > 0) return;
    EXPECT_EQ(outside, w.size() - world.layout.labels);
  });
}

TEST_P(ClassifyTaskLabels, KeepsTheContract) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    World world(GetParam(), seed);
    EXPECT_EQ(check_task(world.task), std::vector<std::string>());
    expect_scratch_can_be_used_again(world.task, world.random_weights());
  }
}

// One feature of each text tells its label, the other nothing.
TEST(ClassifyTask, EveryLearnerThatSuitsItSeparatesWhatCanBeSeparated) {
  TextData data;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::uint32_t label = i % 3;
    for (const std::uint32_t id : {3u + i % 5u, label}) data.ids.push_back(id);
    data.begin.push_back(data.ids.size());
    data.values.push_back(classify::value_of_each(2));
    data.gold.push_back(static_cast<std::uint16_t>(label));
  }
  const ClassifyTask task(data, {.labels = 3, .features = 8});
  int trained = 0;
  for (const LearnerRow& row : learner_table()) {
    if (!row.suits(task)) continue;
    SCOPED_TRACE(row.name);
    const Weights w =
        train_quietly(task, {.learner = std::string(row.name), .options = {{"epochs", "50"}}}).weights;
    double wrong = 0.0;
    for (std::size_t i = 0; i < task.size(); ++i) wrong += cut_at(task, i, w, 0.0).loss;
    EXPECT_LE(wrong, 1.0);  // averaged weights may err where the last ones do not
    ++trained;
  }
  EXPECT_GT(trained, 10);
}

}  // namespace
}  // namespace hinge::test
