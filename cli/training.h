// One training as the command line asks for it: flags, the settings that
// follow from them, the model that comes out. `train` and `train --search`
// share it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/session.h"
#include "hinge/files/json.h"

namespace hinge::cli {

struct TrainFlags : SessionFlags {
  std::string learner;
  std::string output;
  std::string log;
  std::string objective;
  std::string init;
  std::string checkpoint;
  std::string resume;
  std::optional<std::string> checkpoint_every;
  std::optional<std::string> stop_gap;
  std::optional<std::string> time_budget;
  std::optional<std::string> early_stop;
  std::vector<std::string> search;
  bool cold = false;
};

// The learner, where it begins and ends, and the model.
void add_learner_flags(Command& command, TrainFlags& flags);
void add_train_flags(Command& command, TrainFlags& flags);
void read_train_config(TrainFlags& flags);

// The flags that a checkpoint records, and back. Loading keeps what the
// command line may change, and refuses the rest.
Json to_json(const TrainFlags& flags, const OptionTable& task, const OptionTable& learner);
void resume_flags(TrainFlags& flags, const std::string& description);

// Numbers in range, combinations that make sense; throws OptionError.
TrainSettings settings_of(const TrainFlags& flags, std::int64_t epochs);

// Throws OptionError where a gap is to be reached by a learner without a dual.
void check_gap(const TrainSettings& settings, const Learner& learner, std::string_view name);

// Throws OptionError where two of the model, the log and the checkpoint are one file.
void check_outputs_differ(const TrainFlags& flags);

// Of a model to begin from, or of a file of weights where the task reads such;
// throws ModelError where it is one of another task.
Weights initial_weights(const std::string& path, const std::string& task, const TrainingSet& set);

// `train --search`: a grid over any options; the best model by dev score.
void run_search(const TrainFlags& flags);

}  // namespace hinge::cli
