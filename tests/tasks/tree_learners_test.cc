// Every learner in the table on dependency trees.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "hinge/files/output_file.h"
#include "hinge/tasks/registry.h"
#include "tests/support/data.h"
#include "tests/support/dense_likelihood.h"
#include "tests/support/systems.h"
#include "tests/support/training.h"
#include "tests/support/tree_world.h"

namespace hinge {

void PrintTo(const LearnerRow& row, std::ostream* out) { *out << row.name; }

}  // namespace hinge

namespace hinge::test {
namespace {

struct Recipe {
  Options options;
  double tolerance;  // relative distance to the optimum
};

Recipe recipe_for(std::string_view learner) {
  if (learner == "ops") return {{{"epochs", "1500"}, {"eta", "0.03"}}, 5e-3};
  if (learner == "softmax-margin") return {{{"epochs", "1000"}, {"eta", "0.03"}}, 5e-3};
  if (learner == "crf") return {{{"epochs", "300"}, {"unobserved", "true"}, {"tolerance", "1e-12"}}, 1e-5};
  if (learner == "sgd") return {{{"epochs", "4000"}, {"average", "true"}}, 5e-3};
  if (learner == "bcfw" || learner == "smd") return {{{"epochs", "4000"}}, 5e-3};
  if (learner == "egd") return {{{"epochs", "1000"}}, 5e-3};
  if (learner == "extragradient") return {{{"epochs", "3000"}}, 5e-3};
  if (learner == "one-slack" || learner == "cutting-plane")
    return {{{"epochs", "1000"}, {"epsilon", "1e-5"}}, 1e-3};
  return {{{"epochs", "1000"}, {"tolerance", "1e-6"}}, 1e-3};
}

Optimum optimum_of(const EnumeratedTask& task, std::string_view loss, double C) {
  if (loss == "log") return dense_likelihood_optimum(task, {.loss = Loss::kLog, .C = C});
  if (loss == "log+cost") return dense_likelihood_optimum(task, {.loss = Loss::kSoftmaxMargin, .C = C});
  return dense_optimum(task, {.loss = loss == "L2" ? Loss::kL2 : Loss::kL1, .C = C}, 1e-6);
}

class EveryLearnerOfTrees : public testing::TestWithParam<LearnerRow> {
 protected:
  std::string learner() const { return std::string(GetParam().name); }
};

std::string test_name(const testing::TestParamInfo<LearnerRow>& info) {
  std::string name(info.param.name);
  std::erase(name, '-');
  return name;
}

std::vector<LearnerRow> learners_of_trees() {
  std::vector<LearnerRow> rows(learner_table().begin(), learner_table().end());
  std::erase_if(rows,
                [](const LearnerRow& row) { return asks_for<LineTask>(row) || asks_for<FactoredTask>(row); });
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLearnerOfTrees, testing::ValuesIn(learners_of_trees()), test_name);

TEST_P(EveryLearnerOfTrees, EndsAtTheOptimumOfTheSameProblemEnumerated) {
  if (GetParam().loss == "-") return;
  TreeWorld world({.name = "", .options = {.single_root = false}, .labels = 2, .longest = 3, .costly = true},
                  /*seed=*/5, /*sentences=*/6);
  const Optimum optimum = optimum_of(world.enumerated(), GetParam().loss, 0.1);
  auto [options, tolerance] = recipe_for(learner());
  options.emplace_back("C", "0.1");
  const TrainResult result = train_quietly(
      world.task(), {.learner = learner(), .options = options, .objective = ObjectiveWhen::kEnd});
  const double relative = result.history.back().objective->primal / optimum.value - 1.0;
  EXPECT_GE(relative, -1e-5);
  EXPECT_LE(relative, tolerance);
  RecordProperty("relative_distance", fmt::format("{:.1e}", relative));
}

// A few sentences that word-pair features can separate.
class TinyTreebank : public EveryLearnerOfTrees {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    OutputFile out(folder_->path("train.conllu"));
    find_task("dep").choose()->sample(8, 3, out);
    out.commit();
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::unique_ptr<TrainingSet> load(const std::string& decoder) {
    const auto task = find_task("dep").choose();
    task->options().set("decoder", decoder);
    task->options().set("features", "dep-plain");
    task->options().set("hash_bits", "11");
    task->options().set("label_bits", "10");
    return task->load(folder_->path("train.conllu"));
  }
  static TemporaryFolder* folder_;
};

TemporaryFolder* TinyTreebank::folder_ = nullptr;

INSTANTIATE_TEST_SUITE_P(Table, TinyTreebank, testing::ValuesIn(learners_of_trees()), test_name);

TEST_P(TinyTreebank, IsLearnedByHeart) {
  for (const std::string decoder : {"eisner", "chu-liu-edmonds"}) {
    SCOPED_TRACE(decoder);
    const auto set = load(decoder);
    Options options{{"epochs", "20"}};
    if (GetParam().loss != "-") options.emplace_back("C", "0.1");
    const TrainResult result = train_quietly(set->task(), {.learner = learner(), .options = options});
    const Scores scores = test::dev_scores(*set, folder_->path("train.conllu"), result.weights);
    EXPECT_EQ(scores[0].first, "uas");
    EXPECT_EQ(scores[0].second, 100.0);
    EXPECT_EQ(scores[1].first, "las");
    EXPECT_EQ(scores[1].second, 100.0);
  }
}

}  // namespace
}  // namespace hinge::test
