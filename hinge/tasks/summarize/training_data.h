// The training data of a summarizer, all that its training set is made of: read, or from a
// cache (compiled.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/tasks/summarize/options.h"
#include "hinge/tasks/summarize/plan.h"
#include "hinge/tasks/summarize/topic_set.h"
#include "hinge/tasks/summarize/trees.h"

namespace hinge::summarize {

struct TopicCounts {
  std::uint64_t sentences = 0;
  std::uint64_t gold = 0;   // pieces
  std::uint64_t exact = 0;  // topics
  double recall = 0.0;      // mean of all topics, in percent

  void visit(State& state) { state(sentences, gold, exact, recall); }
};

struct TopicParts {
  Plan plan;
  std::unique_ptr<TreeMaker> trees;  // or null
  TopicSet data;
  TopicCounts counts;
  std::optional<std::uint64_t> fingerprint;  // absent: not known yet
  std::shared_ptr<BlockCache> cache;         // where the data lies, or null

  explicit TopicParts(const SummarizeOptions& options)
      : plan(make_plan(options)), trees(make_trees(plan.parser)), data(plan.data.limit) {}
};

// `space` is where columns go, and then the source is read twice; null: into memory.
TopicParts read_parts(const Source& source, const SummarizeOptions& options, const Phrases& known,
                      Workers& workers, SpillSpace* space);

// On all threads.
std::vector<TopicText> split_all(std::span<const Topic> topics, const Plan& plan, const TreeMaker* trees,
                                 Workers& workers);

}  // namespace hinge::summarize
