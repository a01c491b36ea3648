// A cache on several ranks: rank 0 makes it, all train from it, each reads its own blocks.
#include <gtest/gtest.h>

#include <filesystem>

#include "hinge/core/block_task.h"
#include "hinge/core/communicator.h"
#include "hinge/core/error.h"
#include "hinge/core/shards.h"
#include "hinge/files/block_cache.h"
#include "hinge/pipeline/resume.h"
#include "tests/support/rank_jobs.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

constexpr std::int64_t kShards = 8;

// Of the blocks between these offsets, how many hold an example of the rank's shards?
std::vector<std::size_t> own_blocks(int ranks, const ExampleBlocks& blocks) {
  std::vector<std::size_t> own;
  const std::size_t examples = blocks.begin.back();
  for (int rank = 0; rank < ranks; ++rank) {
    const std::size_t shard =
        share_begin(kShards, static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks));
    const std::size_t end =
        share_begin(kShards, static_cast<std::size_t>(rank) + 1, static_cast<std::size_t>(ranks));
    const std::size_t first = share_begin(examples, shard, kShards),
                      last = share_begin(examples, end, kShards);
    std::size_t count = 0;
    for (std::size_t b = 0; b + 1 < blocks.begin.size(); ++b)
      count += blocks.begin[b] < last && blocks.begin[b + 1] > first;
    own.push_back(count);
  }
  return own;
}

TEST(RanksCache, IsMadeOnceAndGivesTheModelOfOneProcess) {
  const std::vector<std::pair<std::string, Options>> tasks = {
      {"tag", {}},
      {"tag", {{"hash_bits", "8"}}},
      {"classify", {{"hash_bits", "8"}}},
      {"dep", {{"hash_bits", "8"}, {"label_bits", "8"}}},
      {"const", {{"hash_bits", "8"}, {"features", "basic"}}},
      {"const", {{"grammar", "none"}}},
      {"coref", {{"hash_bits", "8"}}},
      {"summarize", {{"words", "20"}}},
      {"rerank", options_for("rerank")}};
  for (const auto& [task, options] : tasks) {
    for (const std::string& learner : learners_for(task)) {
      SCOPED_TRACE(task + " " + learner);
      const TemporaryFolder folder;
      RankRun run{.task = task,
                  .train = folder.write("train", sample_examples(task, 40, 1)),
                  .cache = folder.path("0"),
                  .learner = learner,
                  .options = options};
      const std::string expected = train_on(1, run).model;
      for (const int ranks : {2, 3, 4}) {
        run.cache = folder.path(std::to_string(ranks));
        const RankResult made = train_on(ranks, run);
        EXPECT_EQ(made.model, expected);
        EXPECT_NE(made.lines.find("compiled"), std::string::npos);
        EXPECT_EQ(made.lines.find("compiled"), made.lines.rfind("compiled")) << "by one rank";
        const RankResult opened = train_on(ranks, run);
        EXPECT_EQ(opened.model, expected);
        EXPECT_EQ(opened.lines.find("compiled"), std::string::npos);
        EXPECT_EQ(TemporaryFolder::read(run.cache), TemporaryFolder::read(folder.path("0")));
      }
    }
  }
}

// A parser of order 2 learns its first stage while it compiles.
TEST(RanksCache, ServesTasksThatBuildOnAnother) {
  const TemporaryFolder folder;
  RankRun run{.task = "dep",
              .train = folder.write("train", sample_text("dep", 30, 1)),
              .cache = folder.path("0"),
              .options = {{"order", "2"}}};
  const std::string expected = train_on(1, run).model;
  run.cache = folder.path("3");
  EXPECT_EQ(train_on(3, run).model, expected);
}

// The costs of a pass depend on the choices for the sentences of all ranks.
TEST(RanksCache, ServesCostsInContext) {
  const TemporaryFolder folder;
  write_lists(40, folder.path("lists"), folder.path("refs"));
  RankRun run{.task = "rerank",
              .train = folder.path("lists"),
              .cache = folder.path("0"),
              .learner = "mira",
              .options = {{"refs", folder.path("refs")}},
              .epochs = "3"};
  const std::string expected = train_on(1, run).model;
  for (const std::string cache : {"0", "3"}) {
    run.cache = folder.path(cache);
    EXPECT_EQ(train_on(3, run).model, expected);
  }
}

TEST(RanksCache, IsReadByEachRankInItsOwnBlocksOnly) {
  const TemporaryFolder folder;
  RankRun run{.task = "tag",
              .train = folder.write("train", sample_text("tag", 9000, 1)),
              .cache = folder.path("cache"),
              .options = {{"hash_bits", "10"}},
              .window = 2};
  for (const std::string learner : {"perceptron", "crf", "dcd", "ops"}) {
    SCOPED_TRACE(learner);
    run.learner = learner;
    run.epochs = "1";
    const RankResult alone = train_on(1, run);
    const auto cache = BlockCache::open(run.cache, 2 << 20);
    ASSERT_GE(cache->block_count(), 10u);
    EXPECT_EQ(alone.blocks_read, std::vector<std::size_t>{cache->block_count()});
    for (const int ranks : {2, 4}) {
      const RankResult together = train_on(ranks, run);
      EXPECT_EQ(together.model, alone.model);
      EXPECT_EQ(together.blocks_read, own_blocks(ranks, cache->blocks()));
    }
  }
}

TEST(RanksCache, IsResumedOnAnotherNumberOfRanks) {
  const TemporaryFolder folder;
  RankRun run{.task = "tag",
              .train = folder.write("train", sample_text("tag", 4000, 1)),
              .cache = folder.path("cache"),
              .options = {{"hash_bits", "10"}},
              .window = 2};
  run.epochs = "3";
  const std::string expected = train_on(1, run).model;
  run.epochs = "1";
  run.checkpoint = folder.path("checkpoint");
  train_on(3, run);
  for (const int ranks : {1, 2, 4}) {
    const std::string copy = folder.path("on" + std::to_string(ranks));
    std::filesystem::copy_file(run.checkpoint, copy);
    const auto resumed = [&copy] {
      Job job = resume_job(copy, Spelling::kFlag);
      job.learner->options().set("epochs", "3");
      return job;
    };
    EXPECT_EQ(train_on(ranks, resumed).model, expected);
  }
}

// Else the parts of two different problems would be added up.
TEST(Ranks, WithDifferentDataOrSettingsAreRefused) {
  const TemporaryFolder folder;
  const std::string some = folder.write("some", sample_text("tag", 40, 1));
  const std::string others = folder.write("others", sample_text("tag", 40, 2));
  const auto told = [&](const std::function<void(Job&, int)>& change) -> std::string {
    try {
      train_on(3, [&] {
        Job job = job_of({.task = "tag", .train = some, .options = {{"hash_bits", "8"}}});
        change(job, this_communicator().rank());
        return job;
      });
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(told([](Job&, int) {}), "");
  const std::string remedy = " than process 0; give all machines the same files and flags";
  EXPECT_EQ(told([&](Job& job, int rank) { job.train = Source(rank == 2 ? others : some); }),
            "process 2 has other training data" + remedy);
  EXPECT_EQ(told([&](Job& job, int rank) { job.settings.seed = rank == 1 ? 2 : 1; }),
            "process 1 has other settings" + remedy);
}

TEST(Ranks, CannotShareStandardInput) {
  try {
    train_on(2, [] { return job_of({.task = "tag", .train = "-"}); });
    FAIL() << "accepted";
  } catch (const OptionError& error) {
    EXPECT_EQ(std::string(error.what()),
              "standard input: only one process can read it, and there are 2; give a file that all can open");
  }
}

TEST(RanksCache, IsRefusedByAllRanksInTheSameWords) {
  const TemporaryFolder folder;
  RankRun run{.task = "tag",
              .train = folder.write("train", sample_text("tag", 40, 1)),
              .cache = folder.path("cache")};
  const auto told = [&](int ranks) { return error_on(ranks, run); };
  EXPECT_EQ(told(3), "");
  run.options = {{"min_count", "2"}};
  EXPECT_NE(told(1).find("was compiled with min_count=1"), std::string::npos);
  EXPECT_EQ(told(3), told(1));
  run.options = {};
  std::string bytes = TemporaryFolder::read(run.cache);
  folder.write("cache", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(told(1).find("cut short"), std::string::npos);
  EXPECT_EQ(told(3), told(1));
  bytes[bytes.size() * 9 / 10] ^= 4;
  folder.write("cache", bytes);
  EXPECT_NE(told(1).find("damaged"), std::string::npos) << told(1);
  EXPECT_EQ(told(3), told(1)) << "noticed while training";
  run.cache = folder.path("missing/cache");
  EXPECT_NE(told(1), "");
  EXPECT_EQ(told(3), told(1));
}

}  // namespace
}  // namespace hinge::test
