// One training run, from options to a model. Used by the command line, Python, the
// tuning loop, first stages of tasks and jackknifed taggers.
//
//   Job job({.task = "tag", .learner = "dcd", .train = "train.txt"});
//   job.learner->options().set("C", "0.1");
//   Workers workers(job.settings.thread_count());
//   JobData data = load(job, workers, observer);
//   Learned learned = learn(job, data, workers, observer);
//   std::string bytes = model_bytes(job, data, learned);
//
// Loading is a separate step: several jobs may learn from one JobData.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hinge/core/threads.h"
#include "hinge/files/json.h"
#include "hinge/learn/driver/train.h"
#include "hinge/learn/registry.h"
#include "hinge/pipeline/job_settings.h"
#include "hinge/tasks/registry.h"

namespace hinge {

enum class Stage { kFirst, kMain };  // what a task builds on, the task itself

struct StageInfo {
  Stage stage;
  std::int64_t examples;
  std::int64_t epochs;
  std::size_t main_scores = 1;  // how many of the dev scores to show
};

class JobObserver : public Observer {
 public:
  virtual void say(const std::string& /*line*/) {}  // for people
  // The epochs reported next are those of this stage.
  virtual void stage_begins(const StageInfo& /*stage*/) {}
  // Whether scores on the training data are worth their time; see TrainingSet::train_scorer().
  virtual bool wants_train_scores() const { return false; }
};

// Passes on stop requests and nothing else: for training that is not reported.
class QuietJob final : public JobObserver {
 public:
  explicit QuietJob(Observer& observer) : observer_(observer) {}
  bool interrupts(std::int64_t examples_done) override { return observer_.interrupts(examples_done); }
  bool wants_stop() const override { return observer_.wants_stop(); }

 private:
  Observer& observer_;
};

struct Job {
  // The learner gets the defaults in the task's row. Throws OptionError if there is
  // no such task or learner.
  explicit Job(JobSettings settings);

  JobSettings settings;
  std::unique_ptr<TaskChoice> task;
  std::unique_ptr<LearnerChoice> learner;

  // In place of the files named in the settings.
  std::optional<Source> train, dev;
  std::optional<ModelFile> init;  // load() takes it

  // What the caller wants to know of its examples when it opens the model: kept in the description.
  std::optional<Json> input;

  std::optional<CheckpointFile> resume;  // see pipeline/resume.h
  std::optional<double> referee_C;       // for learners without a C of their own
};

// The options of the learner or of the task, whichever has this name; none is in
// both (tests/pipeline/job_test.cc). Throws OptionError if neither has it.
OptionTable& options_with(Job& job, std::string_view name);

struct JobData {
  std::unique_ptr<TrainingSet> set;
  std::function<Scores(const Weights&)> dev_scores;  // empty: no development data
  std::optional<ModelFile> init;                     // the model to start from
};

// Annotates and reads the data, keeping the labels and features of the model to
// start from. Throws OptionError if settings contradict each other.
JobData load(Job& job, Workers& workers, JobObserver& observer);

// A training set without the rest of a job; first trains what the task builds on.
std::unique_ptr<TrainingSet> load_set(TaskChoice& task, const Source& source, Workers& workers,
                                      JobObserver& observer);

// Trains the small model that a task builds on, if there is one, and gives it to the task.
void prepare_first_stage(TaskChoice& task, const Source& source, Workers& workers, JobObserver& observer);

struct Learned {
  TrainResult training;
  ObjectiveKind objective;

  const Weights& weights() const { return training.weights; }
};

// `start`: initial weights, instead of those named in the settings.
Learned learn(const Job& job, const JobData& data, Workers& workers, JobObserver& observer,
              std::optional<Weights> start = std::nullopt);

// The same for a bare task, without data to load or a model to write.
struct Lesson {
  const Task& task;
  LearnerChoice& learner;
  TrainSettings settings;
  Spelling spelling = Spelling::kPlain;
  std::optional<Weights> start;  // absent: zero
};
Learned learn(Lesson lesson, Workers& workers, Observer& observer);

// The contents of a model file.
std::string model_bytes(const Job& job, const JobData& data, const Learned& learned);

}  // namespace hinge
