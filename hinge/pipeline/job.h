// One training, from options to a model. The command line, Python, the tuning
// loop, the first stage of a task and taggers learned anew all train by this.
//
//   Job job({.task = "tag", .learner = "dcd", .train = "train.txt"});
//   job.learner->options().set("C", "0.1");
//   Workers workers(job.settings.thread_count());
//   JobData data = load(job, workers, observer);
//   Learned learned = learn(job, data, workers, observer);
//   std::string bytes = model_bytes(job, data, learned);
//
// Loading is a step of its own: several jobs may learn from one JobData.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hinge/core/threads.h"
#include "hinge/learn/driver/train.h"
#include "hinge/learn/registry.h"
#include "hinge/pipeline/job_settings.h"
#include "hinge/tasks/registry.h"

namespace hinge {

enum class Stage { kFirst, kMain };  // what a task is built on, the task itself

class JobObserver : public Observer {
 public:
  virtual void say(const std::string& /*line*/) {}  // for people
  // The epochs reported next are those of this stage.
  virtual void stage_begins(Stage /*stage*/, std::int64_t /*examples*/, std::int64_t /*epochs*/) {}
};

// Passes on when to stop, and nothing else: for trainings nobody is to hear of.
class QuietJob final : public JobObserver {
 public:
  explicit QuietJob(Observer& observer) : observer_(observer) {}
  bool interrupts(std::int64_t examples_done) override { return observer_.interrupts(examples_done); }
  bool wants_stop() const override { return observer_.wants_stop(); }

 private:
  Observer& observer_;
};

struct Job {
  // The learner is set as the task's row says. Throws OptionError if there is
  // no such task or learner.
  explicit Job(JobSettings settings);

  JobSettings settings;
  std::unique_ptr<TaskChoice> task;
  std::unique_ptr<LearnerChoice> learner;

  // In place of the files that the settings name.
  std::optional<Source> train, dev;
  std::optional<ModelFile> init;  // load() takes it

  std::optional<CheckpointFile> resume;  // see pipeline/resume.h
  std::optional<double> referee_C;       // judges learners that have no C of their own
};

// The options of the learner or of the task, whichever has this one: no name
// belongs to both (tests/pipeline/job_test.cc). Throws OptionError if neither has it.
OptionTable& options_with(Job& job, std::string_view name);

struct JobData {
  std::unique_ptr<TrainingSet> set;
  std::function<Scores(const Weights&)> dev_scores;  // empty: no development data
  std::optional<ModelFile> init;                     // the model to begin from
};

// Annotates and reads the data; labels and features of the model to begin from
// are kept. Throws OptionError if settings contradict each other.
JobData load(Job& job, Workers& workers, JobObserver& observer);

// A training set without the rest of a job: first learns what the task is built on.
std::unique_ptr<TrainingSet> load_set(TaskChoice& task, const Source& source, Workers& workers,
                                      JobObserver& observer);

struct Learned {
  TrainResult training;
  ObjectiveKind objective;

  const Weights& weights() const { return training.weights; }
};

// `start`: where to begin, instead of at the model or weights that the settings name.
Learned learn(const Job& job, const JobData& data, Workers& workers, JobObserver& observer,
              std::optional<Weights> start = std::nullopt);

// The same for a bare task, without data to load or a model to write.
struct Lesson {
  const Task& task;
  LearnerChoice& learner;
  TrainSettings settings;
  Spelling spelling = Spelling::kPlain;
  std::optional<Weights> start;  // absent: at zero
};
Learned learn(Lesson lesson, Workers& workers, Observer& observer);

// A model file.
std::string model_bytes(const Job& job, const JobData& data, const Learned& learned);

}  // namespace hinge
