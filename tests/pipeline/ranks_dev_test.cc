// Scores on development data, which several ranks compute together.
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "hinge/core/threads.h"
#include "tests/support/systems.h"
#include "tests/support/thread_communicator.h"

namespace hinge::test {
namespace {

TEST(RanksDev, ScoresAreThoseOfOneProcessForEveryTask) {
  const std::map<std::string, Options> more = {{"const", {{"hash_bits", "10"}}},
                                               {"summarize", {{"words", "20"}}}};
  for (const std::string task : {"tag", "dep", "classify", "const", "coref", "summarize", "rerank"}) {
    SCOPED_TRACE(task);
    const TemporaryFolder folder;
    Options options = options_for(task);
    if (more.contains(task)) options.insert(options.end(), more.at(task).begin(), more.at(task).end());
    const Source train(folder.write("train", sample_examples(task, 40, 1)));
    const Source dev(folder.write("dev", sample_examples(task, 13, 2)));
    const std::string learner = task == "rerank" ? "mira" : "perceptron";
    const auto trained = load_system(task, options, train);
    const Weights w = train_quietly(trained->task(), {.learner = learner, .options = {{"epochs", "1"}}}).weights;
    Scores expected;
    for (const int ranks : {1, 2, 3, 16}) {
      std::mutex mutex;
      as_ranks(
          ranks,
          [&](Communicator&) {
            Workers workers(2);
            const auto set = load_system(task, options, train);
            const Scores scores = set->scorer(dev, workers)(w);
            const std::lock_guard lock(mutex);
            if (expected.empty()) expected = scores;
            EXPECT_EQ(scores, expected) << ranks << " ranks";
          },
          /*shards=*/1);
    }
    EXPECT_FALSE(expected.empty());
  }
}

}  // namespace
}  // namespace hinge::test
