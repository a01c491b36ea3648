// Training data of which each rank reads its own shards: the same bytes at any number of ranks,
// and the message of one process if the data is bad.
#include <gtest/gtest.h>

#include <filesystem>

#include "hinge/core/error.h"
#include "hinge/core/shards.h"
#include "hinge/pipeline/resume.h"
#include "tests/support/gzip.h"
#include "tests/support/rank_jobs.h"
#include "tests/support/systems.h"
#include "tests/support/thread_communicator.h"

namespace hinge::test {
namespace {

constexpr int kRanks[] = {2, 3, 4, 8};

// The result of one process, after a check that it is that of several.
RankResult same_on_ranks(const RankRun& run) {
  RankResult alone = train_on(1, run);
  for (const int ranks : kRanks) {
    const RankResult together = train_on(ranks, run);
    EXPECT_TRUE(together.model == alone.model) << ranks << " ranks";
    EXPECT_EQ(together.dev, alone.dev) << ranks << " ranks";
    EXPECT_EQ(together.summary, alone.summary) << ranks << " ranks";
  }
  return alone;
}

struct Variant {
  std::string task;
  Options options = {};
};

// Every way in which a task learns its labels and features from the data.
const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"tag"},
      {"tag", {{"min_count", "2"}}},
      {"tag", {{"hash_bits", "8"}}},
      {"tag", {{"hash_bits", "8"}, {"names", "true"}}},
      {"tag", {{"features", "ner"}}},
      {"tag", {{"features", "pos"}}},
      {"tag", {{"kernel", "poly"}}},
      {"classify"},
      {"classify", {{"min_count", "2"}}},
      {"classify", {{"hash_bits", "8"}, {"names", "true"}}},
      {"dep"},
      {"dep", {{"hash_bits", "8"}, {"label_bits", "8"}, {"names", "true"}}},
      {"dep", {{"labelled", "false"}, {"decoder", "chu-liu-edmonds"}}},
      {"dep", {{"order", "2"}}},
  };
  return all;
}

TEST(RanksData, GivesTheModelOfOneProcess) {
  for (const Variant& variant : variants()) {
    const TemporaryFolder folder;
    RankRun run{.task = variant.task,
                .train = folder.write("train", sample_examples(variant.task, 90, 1)),
                .options = variant.options,
                .dev = folder.write("dev", sample_examples(variant.task, 11, 2))};
    const std::vector<std::string> all = learners_for(variant.task);
    for (const std::string& learner : variant.options.empty() ? all : std::vector<std::string>{"perceptron"}) {
      SCOPED_TRACE(fmt::format("{} {} {}", variant.task, learner,
                               variant.options.empty() ? "" : variant.options[0].first));
      run.learner = learner;
      same_on_ranks(run);
    }
  }
}

TEST(RanksData, IsTheSameInSeveralFilesOrCompressed) {
  for (const std::string task : {"tag", "classify", "dep"}) {
    SCOPED_TRACE(task);
    const TemporaryFolder folder;
    const std::string one = sample_examples(task, 40, 1), two = sample_examples(task, 5, 2),
                      three = sample_examples(task, 30, 3);
    RankRun run{.task = task, .train = folder.write("whole", one + two + three)};
    const std::string expected = same_on_ranks(run).model;
    run.train = write_gzip(folder, "whole.gz", one + two + three);
    EXPECT_TRUE(same_on_ranks(run).model == expected);
    folder.write("part1", one);
    write_gzip(folder, "part2", two);
    folder.write("part3", three);
    run.train = folder.path("part*");
    EXPECT_TRUE(same_on_ranks(run).model == expected);
  }
}

TEST(RanksData, MayHaveFewerExamplesThanShards) {
  for (const std::string task : {"tag", "classify", "dep"}) {
    const TemporaryFolder folder;
    for (const int examples : {1, 3}) {
      SCOPED_TRACE(fmt::format("{} {}", task, examples));
      same_on_ranks({.task = task, .train = folder.write("train", sample_examples(task, examples, 1))});
    }
  }
}

TEST(RanksData, IsRefusedWithTheMessageOfOneProcess) {
  const TemporaryFolder folder;
  const std::string text = sample_text("tag", 60, 1);
  const auto lines = [](std::string_view of) { return std::ranges::count(of, '\n'); };
  // A line with one column, in the first sentence, somewhere, in the last.
  for (const std::size_t place : {std::size_t{0}, text.size() / 3, text.size() / 2, text.size() - 1}) {
    const std::size_t at = place == 0 ? text.find('\n') + 1 : first_block_end(text, place);
    const std::string bad = text.substr(0, at) + "word\n" + text.substr(at);
    const std::string number = std::to_string(lines(std::string_view(bad).substr(0, at)) + 1);
    for (const std::string& file : {folder.write("bad", bad), write_gzip(folder, "bad.gz", bad)}) {
      SCOPED_TRACE(number);
      const std::string good = folder.write("good", text);
      for (const std::string& train : {file, good + "," + file, file + "," + good}) {
        const RankRun run{.task = "tag", .train = train, .options = {{"features", "pos"}}};
        const std::string told = error_on(1, run);
        EXPECT_EQ(told.find(file + ":" + number + ": has 1 column"), 0u) << told;
        for (const int ranks : kRanks) EXPECT_EQ(error_on(ranks, run), told);
      }
    }
  }
}

TEST(RanksData, IsRefusedIfThereIsNone) {
  const TemporaryFolder folder;
  RankRun run{.task = "tag", .options = {{"features", "pos"}}};
  for (const std::string& train :
       {folder.write("empty", ""), folder.write("blank", "\n\n\n\n\n\n\n\n\n\n\n"), folder.path("missing")}) {
    run.train = train;
    const std::string told = error_on(1, run);
    EXPECT_EQ(told.find(train + ": "), 0u) << told;
    for (const int ranks : kRanks) EXPECT_EQ(error_on(ranks, run), told);
  }
}

TEST(RanksData, IsReadByEachRankInItsOwnShardsOnly) {
  for (const std::string task : {"tag", "classify", "dep"}) {
    SCOPED_TRACE(task);
    const TemporaryFolder folder;
    const RankRun run{.task = task, .train = folder.write("train", sample_text(task, 200, 1))};
    as_ranks(4, [&](Communicator&) {
      Job job = job_of(run);
      Workers workers(1);
      JobObserver silent;
      const JobData data = load(job, workers, silent);
      const Task& own = data.set->task();
      const Shards shards = shards_of(own);
      EXPECT_EQ(shards.count(), 8u);
      EXPECT_EQ(own.size(), 200u);
      EXPECT_NE(find_extension<ShardedTask>(own), nullptr);
      EXPECT_LT(shards.last_example() - shards.first_example(), 80u);
    });
  }
}

TEST(RanksData, IsResumedOnAnotherNumberOfRanks) {
  const TemporaryFolder folder;
  for (const std::string learner : {"perceptron", "dcd", "crf"}) {
    SCOPED_TRACE(learner);
    RankRun run{.task = "tag",
                .train = folder.write("train", sample_text("tag", 80, 1)),
                .learner = learner,
                .options = {{"min_count", "2"}},
                .epochs = "3"};
    const std::string expected = train_on(1, run).model;
    run.epochs = "1";
    run.checkpoint = folder.path("checkpoint " + learner);
    train_on(3, run);
    for (const int ranks : {1, 2, 4}) {
      const std::string copy = folder.path(learner + std::to_string(ranks));
      std::filesystem::copy_file(run.checkpoint, copy);
      const auto resumed = [&copy] {
        Job job = resume_job(copy, Spelling::kFlag);
        job.learner->options().set("epochs", "3");
        return job;
      };
      EXPECT_TRUE(train_on(ranks, resumed).model == expected) << ranks << " ranks";
    }
  }
}

TEST(RanksData, ContinuesFromAModel) {
  for (const Variant& variant : variants()) {
    if (variant.options == Options{{"kernel", "poly"}}) continue;
    SCOPED_TRACE(variant.task);
    const TemporaryFolder folder;
    RankRun run{.task = variant.task,
                .train = folder.write("first", sample_examples(variant.task, 30, 3)),
                .options = variant.options};
    run.init = folder.write("model", train_on(1, run).model);
    run.train = folder.write("train", sample_examples(variant.task, 40, 1));
    same_on_ranks(run);
  }
}

// Every rank learns the taggers of the parts from all the text, and then parses its own shards.
TEST(RanksData, MayBeTaggedByModelsOfItsOtherParts) {
  const TemporaryFolder folder;
  const std::string train = folder.write("train.conllu", sample_text("dep", 60, 1));
  const RankRun tag{.task = "tag", .train = train, .shards = 1};
  const std::string tagger = folder.write("tagger", train_on(1, tag).model);
  const auto make = [&] {
    Job job = job_of({.task = "dep", .train = train});
    job.settings.tagger = tagger;
    job.settings.jackknife = 2;
    return job;
  };
  const std::string expected = train_on(1, make).model;
  for (const int ranks : kRanks) EXPECT_TRUE(train_on(ranks, make).model == expected) << ranks << " ranks";
}

// In one shard nothing is cut, and more processes are refused.
TEST(RanksData, InOneShardIsWhole) {
  const TemporaryFolder folder;
  const std::string train = folder.write("train", sample_text("tag", 20, 1));
  as_ranks(
      1,
      [&](Communicator&) {
        const auto set = load_system("tag", {}, train);
        EXPECT_EQ(find_extension<ShardedTask>(set->task()), nullptr);
      },
      /*shards=*/1);
}

TEST(RanksData, MayBePartlyLabelled) {
  const TemporaryFolder folder;
  std::string text = sample_text("tag", 60, 1);
  const std::size_t at = text.find(" B-NP\n", text.size() / 2);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 6, " B-NP|B-PP\n");
  const std::size_t other = text.find(" I-NP\n", text.size() * 3 / 4);
  ASSERT_NE(other, std::string::npos);
  text.replace(other, 6, " ?\n");
  for (const std::string learner : {"perceptron", "crf"})
    same_on_ranks({.task = "tag",
                   .train = folder.write("train", text),
                   .learner = learner,
                   .options = {{"partial", "true"}, {"features", "np-chunk"}}});
}

// Ranks at the end of the data meet no label at all.
TEST(RanksData, MayBeUnlabelledFromSomewhereOn) {
  const TemporaryFolder folder;
  std::string text = sample_text("tag", 20, 1);
  for (int k = 0; k < 200; ++k) text += "the DT ?\nreport NN ?\n\n";
  same_on_ranks({.task = "tag",
                 .train = folder.write("train", text),
                 .learner = "perceptron",
                 .options = {{"partial", "true"}, {"features", "np-chunk"}}});
}

// Attributes with values other than one only in the last sentence: other ranks keep no values.
TEST(RanksData, MayHaveValuesInSomeShardsOnly) {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 40; ++k)
    text += fmt::format("{}\ta{}\tb{}\n{}\tc{}\n\n", k % 2 ? "X" : "Y", k % 7, k % 5, k % 3 ? "X" : "Y", k % 4);
  text += "X\ta1:2.5\tb:0.5\n\n";
  for (const std::string learner : {"perceptron", "dcd", "crf"})
    same_on_ranks({.task = "tag",
                   .train = folder.write("train", text),
                   .learner = learner,
                   .options = {{"features", "attributes"}}});
}

}  // namespace
}  // namespace hinge::test
