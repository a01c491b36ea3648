#include "tests/support/rank_jobs.h"

#include <gtest/gtest.h>

#include <mutex>

#include "hinge/core/block_task.h"
#include "hinge/core/error.h"
#include "tests/support/thread_communicator.h"

namespace hinge::test {
namespace {

struct Heard final : JobObserver {
  void say(const std::string& line) override { lines += line + "\n"; }
  std::string lines;
};

}  // namespace

Job job_of(const RankRun& run) {
  Job job({.task = run.task,
           .learner = run.learner,
           .train = run.train,
           .dev = run.dev,
           .init = run.init,
           .cache = run.cache,
           .cache_window = run.window,
           .shards = run.shards,
           .checkpoint = run.checkpoint,
           .spelling = Spelling::kFlag});
  for (const auto& [name, value] : run.options) job.task->options().set(name, value);
  job.learner->options().set("epochs", run.epochs);
  return job;
}

RankResult train_on(int ranks, const std::function<Job()>& make) {
  RankResult result;
  result.blocks_read.resize(static_cast<std::size_t>(ranks));
  std::vector<float> weights;
  std::mutex mutex;
  as_ranks(ranks, [&](Communicator& communicator) {
    Job job = make();
    Workers workers(1);
    Heard heard;
    const JobData data = load(job, workers, heard);
    const Learned learned = learn(job, data, workers, heard);
    const bool writes = communicator.rank() == 0;
    const std::string bytes = writes ? model_bytes(job, data, learned) : "";
    const std::vector<float> mine(learned.weights().span().begin(), learned.weights().span().end());
    const Scores dev = learned.training.history.back().dev;
    const std::lock_guard lock(mutex);
    if (const auto* blocks = find_extension<BlockTask>(data.set->task()))
      result.blocks_read[static_cast<std::size_t>(communicator.rank())] = blocks->blocks_read();
    if (writes) result.model = bytes;
    result.lines += heard.lines;
    EXPECT_TRUE(weights.empty() || mine == weights);
    EXPECT_TRUE(weights.empty() || dev == result.dev);
    EXPECT_TRUE(weights.empty() || data.set->summary() == result.summary);
    weights = mine;
    result.dev = dev;
    result.summary = data.set->summary();
  });
  return result;
}

RankResult train_on(int ranks, const RankRun& run) {
  return train_on(ranks, [&run] { return job_of(run); });
}

std::string error_on(int ranks, const RankRun& run) {
  try {
    train_on(ranks, run);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace hinge::test
