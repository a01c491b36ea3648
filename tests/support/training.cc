#include "tests/support/training.h"

namespace hinge::test {

std::unique_ptr<LearnerChoice> configured(const std::string& learner, const Options& options) {
  std::unique_ptr<LearnerChoice> choice = choose_learner(learner);
  for (const auto& [name, value] : options) choice->options().set(name, value);
  return choice;
}

TrainResult train_quietly(const Task& task, const TrainingRun& run) {
  const std::unique_ptr<LearnerChoice> choice = configured(run.learner, run.options);
  Workers workers(run.threads);
  const std::unique_ptr<Learner> learner = choice->start(task, workers);
  Quiet observer;
  return train(task, *learner, {.epochs = choice->epochs(), .seed = run.seed, .objective = run.objective},
               workers, observer);
}

void run_pass(Learner& learner, const std::vector<std::uint32_t>& order, Random& random) {
  Quiet observer;
  Pass pass{.order = order, .random = random, .watcher = observer};
  learner.run_pass(pass);
}

}  // namespace hinge::test
