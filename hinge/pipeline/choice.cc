#include "hinge/pipeline/choice.h"

namespace hinge {

std::unique_ptr<LearnerChoice> choose_learner(const TaskRow& task, std::string_view learner) {
  auto choice = choose_learner(learner.empty() ? task.learner : learner);
  for (const TaskRow::Setting& setting : task.settings) {
    if (setting.learner == choice->options().owner()) choice->options().set(setting.option, setting.value);
  }
  return choice;
}

}  // namespace hinge
