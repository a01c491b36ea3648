#include "hinge/pipeline/choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hinge/core/error.h"

namespace hinge {
namespace {

std::string value_of(LearnerChoice& choice, std::string_view option) {
  return std::ranges::find(choice.options().options(), option, &Option::name)->value();
}

TEST(Choice, EveryTaskHasALearnerAndSettingsThatThereAre) {
  for (const TaskRow& row : task_table()) {
    EXPECT_EQ(choose_learner(row, "")->options().owner(), row.learner);
    for (const TaskRow::Setting& setting : row.settings) {
      const auto choice = choose_learner(row, setting.learner);
      EXPECT_EQ(value_of(*choice, setting.option), setting.value) << row.name;
      EXPECT_NE(value_of(*choose_learner(setting.learner), setting.option), setting.value)
          << row.name << " sets what is so anyway";
    }
  }
}

TEST(Choice, ALearnerIsSetAsItsTaskWants) {
  EXPECT_EQ(choose_learner(find_task("rerank"), "mira")->epochs(), 20);
  EXPECT_EQ(choose_learner(find_task("tag"), "mira")->epochs(), 10);
  EXPECT_THROW(choose_learner(find_task("tag"), "mirra"), OptionError);
}

}  // namespace
}  // namespace hinge
