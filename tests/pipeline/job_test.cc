// Jobs for every task and learner: option tables, what is kept from an initial
// model, and what a checkpoint records.
#include "hinge/pipeline/job.h"

#include <gtest/gtest.h>

#include <set>

#include "hinge/core/error.h"
#include "hinge/pipeline/resume.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

template <typename Body>
void each_pair(const Body& body) {
  for (const TaskRow& task : task_table()) {
    for (const LearnerRow& learner : learner_table()) {
      SCOPED_TRACE(std::string(task.name) + " by " + std::string(learner.name));
      body(Job({.task = std::string(task.name), .learner = std::string(learner.name)}));
    }
  }
}

std::set<std::string> names_of(const OptionTable& table) {
  std::set<std::string> names;
  for (const Option& option : table.options()) names.insert(option.name());
  return names;
}

std::vector<std::string> values_in(const OptionTable& table) {
  std::vector<std::string> values;
  for (const Option& option : table.options()) values.push_back(option.name() + "=" + option.value());
  return values;
}

// Sets the option to some other valid value.
void change_value(OptionTable& table, const Option& option) {
  const std::string before = option.value();
  std::vector<std::string> tried{"true", "false", "2", "3", "1", "0.5", "0.25", "other"};
  if (const std::string expected = option.expected(); expected.starts_with("one of "))
    tried = split_list(expected.substr(7));
  for (std::string value : tried) {
    try {
      table.set(option.name(), value.substr(value.find_first_not_of(' ')));
      if (option.value() != before) return;
    } catch (const OptionError&) {
      // not a valid value
    }
  }
  ADD_FAILURE() << option.name() << " takes none of the values tried";
}

struct NoData final : TrainingSet {
  const Task& task() const override { throw std::logic_error("not asked for"); }
  std::string summary() const override { return ""; }
  std::function<Scores(const Weights&)> scorer(const Source&, Workers&) const override { return nullptr; }
  std::uint64_t fingerprint() const override { return mark; }
  Weights weights_of(const ModelFile&) const override { return {}; }
  void save(const Weights&, ModelWriter&, Json&) const override {}
  std::uint64_t mark = 7;
};

TEST(Job, NoOptionBelongsToATaskAndALearner) {
  JobSettings settings;
  const OptionTable table = settings.table();
  each_pair([&table](const Job& job) {
    const std::set<std::string> learner = names_of(job.learner->options());
    for (const std::string& name : names_of(job.task->options()))
      EXPECT_FALSE(learner.contains(name)) << "-p " << name << "=... would be ambiguous";
    for (const Option& setting : table.options()) {
      // Flags, config keys and Python parameters share one namespace with settings.
      const Option* own = job.task->options().find(setting.name());
      const bool shared = setting.has(Trait::kPython) || (own != nullptr && own->has(Trait::kFlag));
      if (!shared) continue;
      EXPECT_EQ(own, nullptr) << setting.name();
      EXPECT_FALSE(learner.contains(setting.name())) << setting.name();
    }
  });
}

TEST(Job, ComesBackFromACheckpointWithEveryOptionWhereItWas) {
  const TemporaryFolder folder;
  each_pair([&folder](Job job) {
    OptionTable settings = job.settings.table();
    for (OptionTable* table : {&settings, &job.task->options(), &job.learner->options()}) {
      for (const Option& option : table->options()) {
        const bool is_name = table == &settings && (option.name() == "task" || option.name() == "learner");
        if (!is_name) change_value(*table, option);
      }
    }
    const std::string path = folder.path("c");
    job.settings.checkpoint = path;
    write_checkpoint(path, checkpoint_header(job, NoData()), [](State&) {});
    Job resumed = resume_job(path, Spelling::kFlag);
    EXPECT_EQ(values_in(resumed.settings.table()), values_in(settings));
    EXPECT_EQ(values_in(resumed.task->options()), values_in(job.task->options()));
    EXPECT_EQ(values_in(resumed.learner->options()), values_in(job.learner->options()));
  });
}

TEST(Job, ResumedMayChangeOnlyWhatLeavesTheResultAlone) {
  const TemporaryFolder folder;
  each_pair([&folder](Job job) {
    write_checkpoint(folder.path("c"), checkpoint_header(job, NoData()), [](State&) {});
    Job resumed = resume_job(folder.path("c"), Spelling::kFlag);
    OptionTable settings = resumed.settings.table();
    for (OptionTable* table : {&settings, &resumed.task->options(), &resumed.learner->options()}) {
      for (const Option& option : table->options()) {
        const std::string before = option.value();
        EXPECT_NO_THROW(change(*table, option.name(), before, "it")) << option.name();
        change_value(*table, option);
        const std::string other = option.value();
        table->set(option.name(), before);
        if (option.has(Trait::kResume) || option.name() == "epochs") {
          EXPECT_NO_THROW(change(*table, option.name(), other, "it")) << option.name();
        } else {
          EXPECT_THROW(change(*table, option.name(), other, "it"), OptionError) << option.name();
        }
      }
    }
  });
}

TEST(Job, RefusesACheckpointOfOtherData) {
  const TemporaryFolder folder;
  Job job({.task = "tag", .train = "train.txt"});
  NoData data;
  write_checkpoint(folder.path("c"), checkpoint_header(job, data), [](State&) {});
  const Job resumed = resume_job(folder.path("c"), Spelling::kFlag);
  EXPECT_NO_THROW(checkpoint_header(resumed, data));
  data.mark = 8;
  EXPECT_THROW(checkpoint_header(resumed, data), InputError);
}

TEST(Job, ReadsTheCheckpointsOfEarlierVersions) {
  const TemporaryFolder folder;
  const std::string description =
      R"({"task":"dep","train":"t","dev":"d","learner":"cutting-plane","seed":5,"stop_gap":"","early_stop":"2",)"
      R"("objective":"","checkpoint_every":"","task_options":{"loss":"head"},"learner_options":{"loss":"l2"}})";
  write_checkpoint(folder.path("c"), {description, 7}, [](State&) {});
  Job job = resume_job(folder.path("c"), Spelling::kFlag);
  EXPECT_EQ(job.settings.seed, 5);
  EXPECT_EQ(job.settings.early_stop, 2);
  EXPECT_FALSE(job.settings.stop_gap);
  EXPECT_EQ(job.settings.objective, "end");
  EXPECT_EQ(job.settings.checkpoint, folder.path("c"));
  EXPECT_EQ(job.task->options().find("cost")->value(), "head");
  EXPECT_EQ(job.learner->options().find("loss")->value(), "l2");
}

TEST(Job, TakesSeedsAndThreadsInRange) {
  JobSettings settings;
  OptionTable table = settings.table();
  table.set("seed", "9223372036854775807");
  EXPECT_EQ(settings.seed, INT64_MAX);
  table.set("seed", "0");
  for (const char* seed : {"-1", "99999999999999999999", "1.5", ""})
    EXPECT_THROW(table.set("seed", seed), OptionError) << seed;
  table.set("threads", "1024");
  EXPECT_EQ(settings.thread_count(), 1024);
  for (const char* threads : {"-1", "1025", "two"}) EXPECT_THROW(table.set("threads", threads), OptionError);
  table.set("threads", "0");
  EXPECT_GE(settings.thread_count(), 1);
}

std::string train_tagger(const std::string& train, const std::string& init) {
  Job job({.task = "tag", .learner = "perceptron", .train = train, .init = init});
  Workers workers(1);
  JobObserver silent;
  const JobData data = load(job, workers, silent);
  return model_bytes(job, data, learn(job, data, workers, silent));
}

TEST(Job, KeepsTheLabelsOfTheModelItBeginsFrom) {
  const TemporaryFolder folder;
  const std::string more = folder.write("more", "a X\nb Y\nc Z\n");
  const std::string fewer = folder.write("fewer", "b Y\na X\nd W\n");
  const std::string init = folder.write("init", train_tagger(more, ""));
  const ModelFile model = ModelFile::from_bytes(train_tagger(fewer, init), "model");
  EXPECT_EQ(model.description().texts("labels"), (std::vector<std::string>{"X", "Y", "Z", "W"}));
}

TEST(Job, RefusesAModelOfAnotherTask) {
  const TemporaryFolder folder;
  const std::string init = folder.write("init", train_tagger(folder.write("train", "a X\nb Y\n"), ""));
  Job job({.task = "dep", .train = "nowhere", .init = init});
  Workers workers(1);
  JobObserver silent;
  EXPECT_THROW(load(job, workers, silent), ModelError);
}

}  // namespace
}  // namespace hinge
