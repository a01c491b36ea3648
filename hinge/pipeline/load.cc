#include "hinge/pipeline/load.h"

#include "hinge/core/error.h"
#include "hinge/learn/registry.h"

namespace hinge {

std::unique_ptr<TrainingSet> load_training(TaskChoice& task, const Source& source, Workers& workers,
                                           Observer& observer,
                                           const std::function<void(const std::string&)>& say) {
  const FirstStage first = task.first_stage();
  if (first.task != nullptr) {
    if (source.read_once())
      fail<InputError>("standard input can be read once, but this task learns from it twice; give a file");
    say(first.purpose);
    const auto set = first.task->load(source);
    const auto learner = choose_learner("perceptron")->start(set->task(), workers);
    const TrainSettings settings{.epochs = first.epochs, .objective = ObjectiveWhen::kNever};
    const TrainResult result = train(set->task(), *learner, settings, workers, observer);
    task.set_first_stage(write_model(
        *set, result.weights, Json().set("hinge", HINGE_VERSION).set("task", first.task->options().owner())));
  }
  return task.load(source);
}

Weights weights_of_model(const ModelFile& model, std::string_view task, const TrainingSet& set) {
  const std::string other = model.description().task();
  if (other != task) {
    fail<ModelError>("{}: is a model of the task {}, but {} is being trained; give one of the same task",
                     model.name(), other, task);
  }
  return set.weights_of(model);
}

}  // namespace hinge
