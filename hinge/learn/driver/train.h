// The driver that runs every learner: shuffles, counts epochs, calls the referee,
// scores the development set, reports, saves checkpoints, stops.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/learn/driver/checkpoint.h"
#include "hinge/learn/driver/objective.h"

namespace hinge {

enum class ObjectiveWhen { kNever, kEnd, kEveryEpoch };

struct TrainSettings {
  std::int64_t epochs = 10;
  std::uint64_t seed = 1;
  ObjectiveWhen objective = ObjectiveWhen::kEnd;
  std::optional<double> referee_C;                   // for learners without a C of their own
  std::function<Scores(const Weights&)> dev_scores;  // empty: no development set
  // Scores on the training data, shown in place of updates and loss; empty: none.
  std::function<Scores(const Weights&)> train_scores;
  bool started = false;  // start_from() was called; skips Task::initialize()

  // Reasons to stop before the last epoch.
  std::optional<double> stop_gap;        // gap <= this times the objective; needs a dual
  std::optional<double> time_budget;     // seconds, counted from the start of training
  std::optional<std::int64_t> patience;  // epochs without a better first dev score; keeps the best model

  std::string checkpoint;             // a file, or empty
  std::int64_t checkpoint_every = 1;  // epochs
  CheckpointHeader checkpoint_header;
  const CheckpointFile* resume = nullptr;
};

enum class Stop { kNot, kEpochs, kInterrupted, kTime, kGap, kNoBetter, kConverged };

struct EpochReport {
  std::int64_t epoch = 0;  // from 1
  std::int64_t epochs = 0;
  std::int64_t examples = 0;
  std::int64_t updates = 0;
  double loss = 0.0;              // summed during the pass
  double violation = 0.0;         // summed during the pass
  double decode_seconds = 0.0;    // of this epoch
  double update_seconds = 0.0;    // of this epoch
  double epoch_seconds = 0.0;     // the whole pass
  double training_seconds = 0.0;  // all passes so far, without referee and scoring
  double elapsed_seconds = 0.0;   // since training began, everything included
  std::optional<Objective> objective;
  Scores measures;  // of the learner or of the weights on the training data, if they have any
  Scores dev;
  Stop stop = Stop::kNot;
  bool best = false;  // the dev score is the best so far

  bool interrupted() const { return stop == Stop::kInterrupted; }
  void visit(State& state);
};

// Default observer: ignores everything.
class Observer : public Watcher {
 public:
  // Called between examples, by the training thread.
  bool interrupts(std::int64_t /*examples_done*/) override { return false; }
  // Called during long decodes, by any thread: should training stop?
  virtual bool wants_stop() const { return false; }
  virtual void epoch_done(const EpochReport& /*report*/) {}
  // A problem that training survives, such as a checkpoint that cannot be written.
  virtual void warn(const std::string& /*message*/) {}
};

struct TrainResult {
  Weights weights;
  std::vector<EpochReport> history;
  std::size_t chosen = 0;  // index in history of the epoch that has these weights
};

// Throws OptionError if a setting needs something that the learner or the caller
// lacks.
TrainResult train(const Task& task, Learner& learner, const TrainSettings& settings, Workers& workers,
                  Observer& observer);

}  // namespace hinge
