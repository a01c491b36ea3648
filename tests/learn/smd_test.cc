// What stochastic meta-descent keeps of its steps.
#include "hinge/learn/smd.h"

#include <gtest/gtest.h>

#include "tests/support/enumerated_task.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

// With one example a pass is one step, so shorter trainings show the weights after each.
TEST(Smd, KeepsTheMeanOfItsWeightsEachCountedByItsStep) {
  Candidate gold, rival{.loss = 1.0};
  gold.features.add(0, 1.0f);
  rival.features.add(1, 1.0f);
  rival.features.add(2, 0.5f);
  const EnumeratedTask task({{gold, rival}}, 3);
  constexpr int kSteps = 7;
  const auto weights_after = [&](int steps, const std::string& average) {
    const Options options{{"epochs", std::to_string(steps)}, {"average", average}, {"C", "2"}};
    return train_quietly(task, {.learner = "smd", .options = options}).weights;
  };
  std::vector<double> sum(3);
  for (int step = 1; step <= kSteps; ++step) {
    const Weights w = weights_after(step, "false");
    for (std::size_t id = 0; id < 3; ++id) sum[id] += step * double{w[id]};
  }
  const Weights mean = weights_after(kSteps, "true");
  for (std::size_t id = 0; id < 3; ++id) {
    EXPECT_NE(sum[id], 0.0);
    EXPECT_NEAR(mean[id], sum[id] / (kSteps * (kSteps + 1) / 2), 1e-6);
  }
}

}  // namespace
}  // namespace hinge::test
