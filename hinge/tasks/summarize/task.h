// Extractive summaries as a Task (Berg-Kirkpatrick, Gillick and Klein, ACL 2011; in the
// comparison of Kummerfeld et al., EMNLP 2015). An example is a topic; an output is a set of
// sentences, or of parts of them, within a word limit:
//
//   score(x, y) = sum over bigrams b in y, each once, of w . f(b)
//               + sum over pieces i of y of w . g(i)
//
// Gold is the choice whose bigrams have the highest recall against the references: it is
// found exactly, once. The loss is the recall missing to it, so it falls apart into bigrams,
// and cost-augmented decoding is the same program with other weights. With `word_cost` the
// words of a summary are charged, in gold and loss, which then follow F1 (data.cc).
#pragma once

#include <vector>

#include "hinge/core/block_task.h"
#include "hinge/core/task.h"
#include "hinge/tasks/summarize/decoder.h"
#include "hinge/tasks/summarize/topic_set.h"

namespace hinge::summarize {

class SummarizeTask final : public Task, public BlockTask {
 public:
  // Data must outlive the task.
  // `regression`: learning starts from it (regression.h), no longer from zeros.
  SummarizeTask(const TopicSet& data, const CoverageLimits& limits, bool regression = false)
      : data_(data), limits_(limits), layout_(layout()), regression_(regression) {}

  std::size_t size() const override { return data_.size(); }
  std::size_t dimension() const override { return layout_.dimension(); }
  TaskFacts facts() const override { return {.exact = limits_.method != CoverageMethod::kGreedy}; }
  std::unique_ptr<Scratch> make_scratch() const override;
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  bool initialize(Random& random, Weights& w) const override;
  const Extension* extension(std::string_view name) const override { return offer<BlockTask>(*this, name); }
  const ExampleBlocks& blocks() const override { return data_.use.blocks(); }
  std::size_t blocks_read() const override { return data_.use.blocks_read(); }

 private:
  const TopicSet& data_;
  CoverageLimits limits_;
  Layout layout_;
  bool regression_;
};

}  // namespace hinge::summarize
