#include "hinge/pipeline/job.h"

#include <fmt/core.h>

#include <vector>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/pipeline/annotation.h"
#include "hinge/pipeline/choice.h"
#include "hinge/pipeline/record.h"
#include "hinge/pipeline/resume.h"

namespace hinge {
namespace {

Source train_source(const Job& job) { return job.train ? *job.train : Source(job.settings.train); }

std::optional<Source> dev_source(const Job& job) {
  if (job.dev) return job.dev;
  return job.settings.dev.empty() ? std::nullopt : std::optional<Source>(job.settings.dev);
}

void check_settings(const Job& job) {
  if (job.settings.early_stop && !dev_source(job))
    fail<OptionError>("{} needs a development set to score on; give one with {}",
                      job.settings.spelled("early_stop"), job.settings.spelled("dev"));
}

// The model to start from, which must be of the same task.
std::optional<ModelFile> open_init(Job& job) {
  std::optional<ModelFile> model = std::move(job.init);
  const std::string& path = job.settings.init;
  if (!model && !path.empty() && ModelFile::is_model(path)) model.emplace(ModelFile::open(path));
  if (model && model->description().task() != job.task->options().owner())
    fail<ModelError>("{}: is a model of the task {}, but {} is being trained; give one of the same task",
                     model->name(), model->description().task(), job.task->options().owner());
  return model;
}

std::optional<Weights> start_weights(const Job& job, const JobData& data) {
  if (job.resume) return std::nullopt;  // the checkpoint has them
  if (data.init) return data.set->weights_of(*data.init);
  if (!job.settings.init.empty()) return data.set->weights_of_text(job.settings.init);
  return std::nullopt;
}

// Trains the small model that the task builds on; its settings are not recorded.
void learn_first_stage(TaskChoice& task, const Source& source, Workers& workers, JobObserver& observer) {
  const FirstStage first = task.first_stage();
  if (first.task == nullptr) return;
  if (source.read_once())
    fail<InputError>("standard input can be read once, but this task learns from it twice; give a file");
  observer.say(first.purpose);
  const auto set = load_set(*first.task, source, workers, observer);
  observer.stage_begins(Stage::kFirst, static_cast<std::int64_t>(set->task().size()), first.epochs);
  const auto learner = choose_learner("perceptron");
  const Learned learned = learn({.task = set->task(),
                                 .learner = *learner,
                                 .settings = {.epochs = first.epochs, .objective = ObjectiveWhen::kNever}},
                                workers, observer);
  task.set_first_stage(
      write_model(*set, learned.weights(),
                  Json().set("hinge", HINGE_VERSION).set("task", first.task->options().owner())));
}

void check_gap(const Lesson& lesson, const Learner& learner) {
  if (!lesson.settings.stop_gap) return;
  const auto name = [&lesson](std::string_view setting) { return spelled(lesson.spelling, "", setting); };
  const std::string& learner_name = lesson.learner.options().owner();
  if (!learner.dual())
    fail<OptionError>("{} needs a learner with a dual, and {} has none; use dcd, or {}", name("stop_gap"),
                      learner_name, name("time_budget"));
  if (gap_is_estimate(lesson.task))
    fail<OptionError>("{}: the gap of {} is only an estimate for this task, which lacks {}; use {} or {}",
                      name("stop_gap"), learner_name,
                      unmet_names(find_learner(learner_name).assumes, lesson.task), name("time_budget"),
                      name("early_stop"));
}

}  // namespace

Job::Job(JobSettings how) : settings(std::move(how)) {
  const TaskRow& row = find_task(settings.task);
  task = row.choose();
  learner = choose_learner(row, settings.learner);
  settings.learner = learner->options().owner();
}

OptionTable& options_with(Job& job, std::string_view name) {
  OptionTable& task = job.task->options();
  OptionTable& learner = job.learner->options();
  if (learner.has(name)) return learner;
  if (task.has(name)) return task;
  std::vector<std::string_view> names;
  for (const OptionTable* table : {&learner, &task}) {
    for (const Option& option : table->options()) names.push_back(option.name());
  }
  const std::string_view near = nearest_name(name, names);
  fail<OptionError>("neither {} nor {} has an option '{}'{}; they have: {}", learner.owner(), task.owner(),
                    name, near.empty() ? "" : fmt::format(", did you mean '{}'", near), join(names, ", "));
}

std::unique_ptr<TrainingSet> load_set(TaskChoice& task, const Source& source, Workers& workers,
                                      JobObserver& observer) {
  learn_first_stage(task, source, workers, observer);
  return task.load(source, workers);
}

JobData load(Job& job, Workers& workers, JobObserver& observer) {
  check_settings(job);
  JobData data{.init = open_init(job)};
  if (data.init) job.task->continue_from(*data.init);
  const Annotators annotators = open_annotators(job.settings.tagger, job.settings.spelled("tagger"));
  const bool annotated = !annotators.models().empty();
  if (annotated) job.task->read_only(annotators.columns());
  const auto columns_of = [&](const Source& source) {
    return annotated ? job.task->columns_of(source) : source;
  };
  QuietJob quiet(observer);
  const Source train = annotate_training(columns_of(train_source(job)), job.settings, workers, quiet,
                                         [&observer](const std::string& line) { observer.say(line); });
  data.set = load_set(*job.task, train, workers, observer);
  observer.say(data.set->summary());
  if (const auto dev = dev_source(job)) {
    data.dev_scores = data.set->scorer(annotators.annotate(columns_of(*dev), workers), workers);
  }
  return data;
}

Learned learn(Lesson lesson, Workers& workers, Observer& observer) {
  const auto learner = lesson.learner.start(lesson.task, workers);
  check_gap(lesson, *learner);
  if (lesson.start) {
    learner->start_from(*lesson.start);
    lesson.settings.started = true;
    lesson.start.reset();  // it is as large as the model
  }
  TrainResult training = train(lesson.task, *learner, lesson.settings, workers, observer);
  return {std::move(training), learner->objective()};
}

Learned learn(const Job& job, const JobData& data, Workers& workers, JobObserver& observer,
              std::optional<Weights> start) {
  const Task& task = data.set->task();
  Lesson lesson{.task = task,
                .learner = *job.learner,
                .settings = job.settings.train_settings(job.learner->epochs()),
                .spelling = job.settings.spelling,
                .start = start ? std::move(start) : start_weights(job, data)};
  lesson.settings.dev_scores = data.dev_scores;
  lesson.settings.referee_C = job.referee_C;
  if (job.resume || !job.settings.checkpoint.empty()) {
    lesson.settings.checkpoint_header = checkpoint_header(job, *data.set);
    lesson.settings.resume = job.resume ? &*job.resume : nullptr;
  }
  observer.stage_begins(Stage::kMain, static_cast<std::int64_t>(task.size()), lesson.settings.epochs);
  return learn(std::move(lesson), workers, observer);
}

std::string model_bytes(const Job& job, const JobData& data, const Learned& learned) {
  Json meta;
  meta.set("hinge", HINGE_VERSION)
      .set("task", job.task->options().owner())
      .set("learner", job.learner->options().owner())
      .set("seed", job.settings.seed)
      .set("task_options", values_of(job.task->options()))
      .set("learner_options", values_of(job.learner->options()));
  if (is_likelihood(learned.objective.loss)) meta.set("likelihood", true);
  return write_model(*data.set, learned.weights(), std::move(meta));
}

}  // namespace hinge
