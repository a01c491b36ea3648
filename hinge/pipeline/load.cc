#include "hinge/pipeline/load.h"

#include <nlohmann/json.hpp>

#include "hinge/core/error.h"
#include "hinge/learn/registry.h"

namespace hinge {

std::unique_ptr<TrainingSet> load_training(TaskChoice& task, const std::string& path, Workers& workers,
                                           Observer& observer,
                                           const std::function<void(const std::string&)>& say) {
  const FirstStage first = task.first_stage();
  if (first.task != nullptr) {
    if (path == "-")
      fail<InputError>("standard input can be read once, but this task learns from it twice; give a file");
    say(first.purpose);
    const auto set = first.task->load(path);
    const auto learner = choose_learner("perceptron")->start(set->task(), workers);
    const TrainSettings settings{.epochs = first.epochs, .objective = ObjectiveWhen::kNever};
    const TrainResult result = train(set->task(), *learner, settings, workers, observer);
    task.set_first_stage(write_model(*set, result.weights,
                                     {{"hinge", HINGE_VERSION}, {"task", first.task->options().owner()}}));
  }
  return task.load(path);
}

}  // namespace hinge
