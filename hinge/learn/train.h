// The driver every learner runs under: shuffles, counts epochs, asks the
// referee, scores the development set, reports, stops.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/learn/objective.h"

namespace hinge {

enum class ObjectiveWhen { kNever, kEnd, kEveryEpoch };

struct TrainSettings {
  std::int64_t epochs = 10;
  std::uint64_t seed = 1;
  ObjectiveWhen objective = ObjectiveWhen::kEnd;
  std::optional<double> referee_C;                   // judges learners that have no C of their own
  std::function<Scores(const Weights&)> dev_scores;  // empty: no development set
};

struct EpochReport {
  std::int64_t epoch = 0;  // from 1
  std::int64_t epochs = 0;
  std::int64_t examples = 0;
  std::int64_t updates = 0;
  double loss = 0.0;              // as met during the pass
  double violation = 0.0;         // as met during the pass
  double decode_seconds = 0.0;    // of this epoch
  double update_seconds = 0.0;    // of this epoch
  double epoch_seconds = 0.0;     // decoding, updating and all else of the pass
  double training_seconds = 0.0;  // of all passes so far, referee and scoring excluded
  double elapsed_seconds = 0.0;   // since training began, all included
  std::optional<Objective> objective;
  Scores dev;
  bool cancelled = false;
};

class Observer : public Watcher {
 public:
  virtual void epoch_done(const EpochReport& report) = 0;
};

struct TrainResult {
  Weights weights;
  std::vector<EpochReport> history;
};

TrainResult train(const Task& task, Learner& learner, const TrainSettings& settings, Workers& workers,
                  Observer& observer);

}  // namespace hinge
