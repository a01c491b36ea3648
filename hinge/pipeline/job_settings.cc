#include "hinge/pipeline/job_settings.h"

#include "hinge/core/threads.h"

namespace hinge {
namespace {

constexpr std::int64_t kMostThreads = 1024;

ObjectiveWhen objective_when(std::string_view name) {
  if (name == "never") return ObjectiveWhen::kNever;
  return name == "epoch" ? ObjectiveWhen::kEveryEpoch : ObjectiveWhen::kEnd;
}

}  // namespace

void JobSettings::describe(OptionTable& t) {
  using enum Trait;
  t.begin_group("Data");
  t.add("task", task, "what to learn; see 'hinge tasks'");
  t.add("train", train, "training data: a file, 'a,b', 'part-*', or '-' for standard input")
      .with({kInput, kFiles, kResume});
  t.begin_group("Training");
  t.add("learner", learner, "see 'hinge learners' (default: the task's, see 'hinge tasks')");
  t.begin_group("Data");
  t.add("dev", dev, "labelled data to score after every epoch").with({kInput, kFiles});
  t.add("init", init, "start from the weights of this model or weights file").with({kInput});
  t.add("tagger", tagger, "models, separated by commas, that fill in their columns of the dev data")
      .with({kInput, kList});
  t.add("jackknife", jackknife,
        "tag the training data in this many parts, each with taggers like these learned from the others")
      .at_least(2);
  t.add("cache", cache,
        "a file of the compiled training data, made if it is missing: for data larger than memory, and to "
        "start "
        "at once")
      .with({kOutput, kPython});
  t.add("cache_window", cache_window,
        "megabytes of a cache that are in memory at a time; larger data is shuffled by blocks")
      .at_least(1)
      .with({kPython});
  t.begin_group("Training");
  t.add("seed", seed, "same seed, same model").at_least(0).with({kPython});
  t.add("threads", threads, "how many threads, all cores if not given; never changes the result")
      .at_least(0)
      .at_most(kMostThreads)
      .with({kResume, kPython});
  t.add("shards", shards,
        "above 1: parts of the training data that learn side by side; see docs/scale.md. The number of "
        "threads or processes never changes the result, but that of shards does")
      .at_least(1)
      .at_most(10000)
      .with({kPython});
  t.add("objective", objective, "when to compute the exact objective and its gap")
      .one_of({"never", "end", "epoch"})
      .with({kResume, kPython});
  t.begin_group("When training ends");
  t.add("early_stop", early_stop,
        "stop after this many epochs without a better dev score; keep the best model")
      .at_least(1)
      .with({kResume, kPython});
  t.add("stop_gap", stop_gap, "stop when the duality gap is this fraction of the objective, say 0.01")
      .above(0)
      .with({kResume, kPython});
  t.add("time_budget", time_budget, "stop after this many seconds of training")
      .unit("seconds")
      .above(0)
      .with({kResume, kPython});
  t.begin_group("Results");
  t.add("output", output, "the model file (default: TASK.model)").with({kOutput, kResume});
  t.add("log", log, "a file for a JSON line per epoch").with({kOutput, kResume});
  t.add("checkpoint", checkpoint, "a file to save the training to after every epoch")
      .with({kOutput, kResume});
  t.add("checkpoint_every", checkpoint_every, "epochs between checkpoints").at_least(1).with({kResume});
}

OptionTable JobSettings::table() {
  OptionTable table("training", spelling);
  describe(table);
  return table;
}

std::string JobSettings::spelled(std::string_view name) const {
  return hinge::spelled(spelling, "training", name);
}

int JobSettings::thread_count() const {
  if (threads.value_or(0) > 0) return static_cast<int>(*threads);
  return usable_cores();
}

TrainSettings JobSettings::train_settings(std::int64_t epochs) const {
  TrainSettings settings{
      .epochs = epochs, .seed = static_cast<std::uint64_t>(seed), .objective = objective_when(objective)};
  settings.stop_gap = stop_gap;
  settings.time_budget = time_budget;
  settings.patience = early_stop;
  settings.checkpoint = checkpoint;
  settings.checkpoint_every = checkpoint_every;
  return settings;
}

}  // namespace hinge
