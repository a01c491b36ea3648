// The driver every learner runs under: shuffles, counts epochs, asks the
// referee, scores the development set, reports, saves checkpoints, stops.
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
  std::optional<double> referee_C;                   // judges learners that have no C of their own
  std::function<Scores(const Weights&)> dev_scores;  // empty: no development set
  bool started = false;                              // start_from() was called: not where the task would begin

  // Ends of training other than the last epoch.
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
  double loss = 0.0;              // as met during the pass
  double violation = 0.0;         // as met during the pass
  double decode_seconds = 0.0;    // of this epoch
  double update_seconds = 0.0;    // of this epoch
  double epoch_seconds = 0.0;     // decoding, updating and all else of the pass
  double training_seconds = 0.0;  // of all passes so far, referee and scoring excluded
  double elapsed_seconds = 0.0;   // since training began, all included
  std::optional<Objective> objective;
  Scores dev;
  Stop stop = Stop::kNot;
  bool best = false;  // the dev score is the best so far

  bool interrupted() const { return stop == Stop::kInterrupted; }
  void visit(State& state);
};

// Default observer: ignores everything.
class Observer : public Watcher {
 public:
  // Asked between examples, by the thread that trains.
  bool interrupts(std::int64_t /*examples_done*/) override { return false; }
  // Asked during long decodes, by any thread: should training stop?
  virtual bool wants_stop() const { return false; }
  virtual void epoch_done(const EpochReport& /*report*/) {}
  // Something went wrong that training survives: a checkpoint not written.
  virtual void warn(const std::string& /*message*/) {}
};

struct TrainResult {
  Weights weights;
  std::vector<EpochReport> history;
  std::size_t chosen = 0;  // of the history: the epoch whose weights these are
};

// Throws OptionError where a setting needs what the learner or the caller does
// not give.
TrainResult train(const Task& task, Learner& learner, const TrainSettings& settings, Workers& workers,
                  Observer& observer);

}  // namespace hinge
