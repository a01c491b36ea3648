#include "hinge/learn/driver/check_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/support/enumerated_task.h"
#include "tests/support/wrapped_task.h"

namespace hinge {
namespace {

using test::EnumeratedTask;
using test::WrappedTask;

bool says(const std::vector<std::string>& findings, const std::string& text) {
  return std::ranges::any_of(findings, [&text](const std::string& f) { return f.find(text) != f.npos; });
}

TEST(CheckTask, FindsNothingWrongWithRightTasks) {
  for (const auto& problem : test::small_problems(3)) {
    SCOPED_TRACE(problem.name);
    EXPECT_EQ(check_task(problem.task), std::vector<std::string>());
  }
}

// A task with a wrong answer to most_violated.
class Wrong : public Task {
 public:
  using Answer = std::function<void(const Task&, std::size_t, const Weights&, double, Scratch&, Cut&)>;
  Wrong(const Task& inner, Answer answer) : inner_(inner), answer_(std::move(answer)) {}
  std::size_t size() const override { return inner_.size(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    inner_.support(i, scratch, blocks);
  }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override {
    answer_(inner_, i, w, loss_weight, scratch, cut);
  }

 private:
  const Task& inner_;
  Answer answer_;
};

TEST(CheckTask, SaysThatDecodeIgnoresTheLoss) {
  const EnumeratedTask right = test::random_multiclass(1, 12, 5, 6);
  const Wrong task(right, [](const Task& inner, std::size_t i, const Weights& w, double, Scratch& scratch,
                             Cut& cut) { inner.most_violated(i, w, 0.0, scratch, cut); });
  EXPECT_TRUE(says(check_task(task), "ignores the loss"));
}

TEST(CheckTask, SeesHowOftenTheLossIsAddedWhateverItsSize) {
  const EnumeratedTask right = test::random_multiclass(1, 12, 5, 6);
  for (const double size : {0.001, 1.0, 1000.0}) {
    const auto with_loss_added = [&](double times) {
      return Wrong(right, [=](const Task& inner, std::size_t i, const Weights& w, double loss_weight,
                              Scratch& scratch, Cut& cut) {
        inner.most_violated(i, w, times * size * loss_weight, scratch, cut);
        cut.loss *= size;
      });
    };
    EXPECT_EQ(check_task(with_loss_added(1.0)), std::vector<std::string>()) << size;
    EXPECT_TRUE(says(check_task(with_loss_added(2.0)), "with the loss added")) << size;
  }
}

TEST(CheckTask, SaysThatTheLossIsAlwaysZero) {
  const EnumeratedTask right = test::random_multiclass(1, 12, 5, 6);
  const Wrong task(
      right, [](const Task& inner, std::size_t i, const Weights& w, double, Scratch& scratch, Cut& cut) {
        inner.most_violated(i, w, 0.0, scratch, cut);
        cut.loss = 0.0;
      });
  EXPECT_TRUE(says(check_task(task), "nothing to learn"));
}

TEST(CheckTask, SaysThatTheAnswerIsNotTheArgmax) {
  const EnumeratedTask right = test::random_multiclass(1, 12, 5, 6);
  const Wrong task(right, [](const Task& inner, std::size_t i, const Weights& w, double loss_weight,
                             Scratch& scratch, Cut& cut) {
    Weights other(w.size());
    for (std::size_t id = 0; id < w.size(); ++id) other[id] = -w[id];
    inner.most_violated(i, other, loss_weight, scratch, cut);
    cut.margin = -cut.margin;
  });
  EXPECT_TRUE(says(check_task(task), "is not the argmax"));
}

struct Mistake {
  const char* said;
  WrappedTask::Alter alter;
};

TEST(CheckTask, SaysWhichPromiseIsBroken) {
  const EnumeratedTask right = test::random_multiclass(1, 12, 5, 6);
  int calls = 0;
  const std::vector<Mistake> mistakes{
      {"never negative", [](std::size_t, Cut& cut) { cut.loss = -cut.loss; }},
      {"must be finite", [](std::size_t, Cut& cut) { cut.loss = std::numeric_limits<double>::quiet_NaN(); }},
      {"not zero on gold", [](std::size_t, Cut& cut) { cut.psi.clear(), cut.loss = 1.0, cut.margin = 0.0; }},
      {"but w . psi is", [](std::size_t, Cut& cut) { cut.margin *= 2.0; }},
      {"but the dimension is",
       [&](std::size_t, Cut& cut) { cut.psi.add(static_cast<FeatureId>(right.dimension()), 1.0f); }},
      {"two answers", [&](std::size_t, Cut& cut) { cut.loss += ++calls; }},
  };
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.said);
    EXPECT_TRUE(says(check_task(WrappedTask(right, mistake.alter)), mistake.said));
  }
}

class NoSupport final : public Wrong {
 public:
  using Wrong::Wrong;
  void support(std::size_t, Scratch&, std::vector<Block>&) const override {}
};

TEST(CheckTask, SaysThatSupportMissesAFeature) {
  const EnumeratedTask right = test::random_multiclass(1, 12, 5, 6);
  const NoSupport task(
      right, [](const Task& inner, std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                Cut& cut) { inner.most_violated(i, w, loss_weight, scratch, cut); });
  EXPECT_TRUE(says(check_task(task), "support() does not name"));
}

}  // namespace
}  // namespace hinge
