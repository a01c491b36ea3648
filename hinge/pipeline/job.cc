#include "hinge/pipeline/job.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/core/shards.h"
#include "hinge/files/file_list.h"
#include "hinge/learn/dual/estimate.h"
#include "hinge/pipeline/annotation.h"
#include "hinge/pipeline/choice.h"
#include "hinge/pipeline/compiled_set.h"
#include "hinge/pipeline/record.h"
#include "hinge/pipeline/resume.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge {
namespace {

Source train_source(const Job& job) { return job.train ? *job.train : Source::of_files(job.settings.train); }

std::optional<Source> dev_source(const Job& job) {
  if (job.dev) return job.dev;
  if (job.settings.dev.empty()) return std::nullopt;
  return Source::of_files(job.settings.dev);
}

// Checkpoints record the files, which a pattern may no longer name later.
void name_files(Job& job) {
  for (std::string* names : {&job.settings.train, &job.settings.dev}) *names = join(list_files(*names), ",");
}

// Every process reads the data by itself.
void check_can_be_shared(const Source& source) {
  if (source.read_once() || source.has_pipe())
    fail<OptionError>("{}: only one process can read it, and there are {}; give a file that all can open",
                      source.name(), this_communicator().size());
}

void check_processes(const Job& job) {
  const int processes = this_communicator().size();
  if (processes == 1) return;
  if (processes > job.settings.shards) {
    fail<OptionError>(
        "there are {} processes but only {} of the data for them; {}", processes,
        job.settings.shards == 1 ? "one shard" : fmt::format("{} shards", job.settings.shards),
        job.resume ? fmt::format("resume on at most {}", job.settings.shards)
                   : fmt::format("give {} of at least {}", job.settings.spelled("shards"), processes));
  }
  check_can_be_shared(train_source(job));
  if (const auto dev = dev_source(job)) check_can_be_shared(*dev);
}

void check_settings(const Job& job) {
  check_processes(job);
  if (job.settings.early_stop && !dev_source(job))
    fail<OptionError>("{} needs a development set to score on; give one with {}",
                      job.settings.spelled("early_stop"), job.settings.spelled("dev"));
  if (!job.settings.cache.empty() && (train_source(job).in_memory() || train_source(job).read_once()))
    fail<OptionError>("{}: a cache is compiled from a file, but this data is not in one; leave out {}",
                      train_source(job).name(), job.settings.spelled("cache"));
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

// The examples of this rank's shards; a rank reads no others.
class OwnExamples final : public Task {
 public:
  explicit OwnExamples(const Task& task) : task_(task), shards_(shards_of(task)) {}

  std::size_t size() const override { return shards_.last_example() - shards_.first_example(); }
  std::size_t dimension() const override { return task_.dimension(); }
  std::unique_ptr<Scratch> make_scratch() const override { return task_.make_scratch(); }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override {
    task_.most_violated(shards_.first_example() + i, w, loss_weight, scratch, cut);
  }
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    task_.support(shards_.first_example() + i, scratch, blocks);
  }

 private:
  const Task& task_;
  Shards shards_;
};

// Working sets grow with the data, wherever the data is: says so when that may matter.
void tell_memory(const Job& job, const Task& task, JobObserver& observer) {
  if (!find_learner(job.settings.learner).keeps_constraints) return;
  constexpr std::size_t kMany = 100000;
  if (job.settings.cache.empty() && task.size() < kMany) return;
  const double bytes = bytes_of_constraints(OwnExamples(task));
  const double machine =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  constexpr double kLater = 2.0;  // constraints of an example after some epochs: docs/cache.md
  if (job.settings.cache.empty() && kLater * bytes < machine / 2) return;
  observer.say(fmt::format(
      "{} keeps constraints of every example: about {:.0f} MB after one epoch, {:.0f} MB later{}; mira and "
      "perceptron keep none",
      job.settings.learner, bytes / 1e6, kLater * bytes / 1e6,
      this_communicator().size() > 1 ? ", in each process" : ""));
}

// What the model depends on.
std::uint64_t settings_print(const Job& job) {
  Fingerprint print;
  JobSettings settings = job.settings;
  for (const OptionTable& table : {settings.table(), job.task->options(), job.learner->options()}) {
    for (const Option& option : table.options()) {
      if (option.has(Trait::kResume)) continue;
      print.add(option.name());
      print.add(option.value());
    }
  }
  return print.value();
}

// A meeting.
void require_same_settings(const Job& job) {
  if (this_communicator().size() > 1) require_same(this_communicator(), settings_print(job), "settings");
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

// The settings of the small model are not recorded.
void prepare_first_stage(TaskChoice& task, const Source& source, Workers& workers, JobObserver& observer) {
  const FirstStage first = task.first_stage();
  if (first.task == nullptr) return;
  if (source.read_once())
    fail<InputError>("standard input can be read once, but this task learns from it twice; give a file");
  observer.say(first.purpose);
  const auto set = load_set(*first.task, source, workers, observer);
  observer.stage_begins({Stage::kFirst, static_cast<std::int64_t>(set->task().size()), first.epochs});
  const auto learner = choose_learner("perceptron");
  const Learned learned = learn({.task = set->task(),
                                 .learner = *learner,
                                 .settings = {.epochs = first.epochs, .objective = ObjectiveWhen::kNever}},
                                workers, observer);
  task.set_first_stage(
      write_model(*set, learned.weights(),
                  Json().set("hinge", HINGE_VERSION).set("task", first.task->options().owner())));
}

std::unique_ptr<TrainingSet> load_set(TaskChoice& task, const Source& source, Workers& workers,
                                      JobObserver& observer) {
  prepare_first_stage(task, source, workers, observer);
  return task.load(source, workers);
}

JobData load(Job& job, Workers& workers, JobObserver& observer) {
  name_files(job);
  check_settings(job);
  const RankScope scope(this_communicator(), static_cast<std::size_t>(job.settings.shards));
  require_same_settings(job);  // else ranks would not meet while they read
  JobData data{.init = open_init(job)};
  if (data.init) job.task->continue_from(*data.init);
  const Annotators annotators = open_annotators(job.settings.tagger, job.settings.spelled("tagger"));
  const bool annotated = !annotators.models().empty();
  if (annotated) job.task->read_only(annotators.columns());
  const auto columns_of = [&](const Source& source) {
    return annotated ? job.task->columns_of(source) : source;
  };
  QuietJob quiet(observer);
  const Source given = train_source(job);
  const auto train = [&] {
    return annotate_training(columns_of(given), job.settings, workers, quiet,
                             [&observer](const std::string& line) { observer.say(line); });
  };
  data.set = job.settings.cache.empty() ? load_set(*job.task, train(), workers, observer)
                                        : load_compiled(job, given.files(), train, workers, observer);
  observer.say(data.set->summary());
  if (const auto dev = dev_source(job)) {
    data.dev_scores = data.set->scorer(annotators.annotate(columns_of(*dev), workers), workers);
  }
  return data;
}

Learned learn(Lesson lesson, Workers& workers, Observer& observer) {
  if (this_communicator().size() > 1) {
    Fingerprint sizes;
    sizes.add(lesson.task.size());
    sizes.add(lesson.task.dimension());
    require_same(this_communicator(), sizes.value(), "training data");
  }
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
  const RankScope scope(this_communicator(), static_cast<std::size_t>(job.settings.shards));
  const Task& task = data.set->task();
  require_same_settings(job);
  if (this_communicator().size() > 1) {
    require_same(this_communicator(), data.set->fingerprint(), "training data");
  }
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
  tell_memory(job, task, observer);
  if (observer.wants_train_scores()) lesson.settings.train_scores = data.set->train_scorer(workers);
  observer.stage_begins({Stage::kMain, static_cast<std::int64_t>(task.size()), lesson.settings.epochs,
                         data.set->main_scores()});
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
  if (job.input) meta.set("input", *job.input);
  if (is_likelihood(learned.objective.loss)) meta.set("likelihood", true);
  return write_model(*data.set, learned.weights(), std::move(meta));
}

}  // namespace hinge
