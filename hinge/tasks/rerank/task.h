// Choosing from n-best lists as a Task: an oracle that should win and a prediction
// that should lose are picked by model score, cost, or both (Eidelman 2012, Eq. 3),
// and the cut is between them.
#pragma once

#include <vector>

#include "hinge/core/block_task.h"
#include "hinge/core/context_task.h"
#include "hinge/core/line_task.h"
#include "hinge/corpus/nbest/lists.h"
#include "hinge/evaluate/metric.h"
#include "hinge/tasks/rerank/data.h"
#include "hinge/tasks/rerank/envelope.h"

namespace hinge::rerank {

enum class Oracle { kLeastCost, kLocal, kHope };
enum class Prediction { kBest, kMostCost, kFear };

struct PickOptions {
  Oracle oracle = Oracle::kHope;
  Prediction prediction = Prediction::kFear;
  std::size_t local = 10;  // top hypotheses a local oracle picks from
  bool context = true;     // use CorpusContext costs after the first epoch
};

// One per thread.
struct ListScratch final : Scratch {
  std::vector<double> scores;  // of the hypotheses of a list
  std::vector<std::size_t> order;
  // For line search:
  std::vector<Line> lines;      // of a list
  std::vector<Winner> winners;  // of a list
  std::vector<Change> changes;  // of all lists
  std::vector<double> sum;
};

// Costs by a corpus-level metric, with the model's choices for the other sentences
// (Watanabe et al. 2007, Eidelman 2012 section 3).
class CorpusContext final : public Context {
 public:
  // All must outlive it.
  CorpusContext(const NBestLists& lists, const Costs& costs, const Metric& metric)
      : lists_(lists), given_(costs), metric_(metric) {}
  void see(const Weights& w) override;
  // [hypotheses]; those of sentences alone if it has seen no weights.
  std::span<const float> costs() const {
    return costs_.empty() ? std::span<const float>(given_.costs) : costs_;
  }

 private:
  const NBestLists& lists_;
  const Costs& given_;
  const Metric& metric_;
  std::vector<float> costs_;
};

class RerankTask final : public Task, public ContextTask, public LineTask, public BlockTask {
 public:
  // All must outlive the task; `metric` is unused if costs were given.
  RerankTask(const NBestLists& lists, const Costs& costs, const Metric& metric, std::size_t dimension,
             const PickOptions& options)
      : lists_(lists),
        costs_(costs),
        metric_(metric),
        dimension_(dimension),
        options_(options),
        context_(std::make_unique<CorpusContext>(lists, costs, metric)) {}

  // Two hypotheses, numbered over all lists.
  struct Pick {
    std::size_t oracle;
    std::size_t prediction;
  };
  Pick pick(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch) const;

  std::size_t size() const override { return lists_.lists(); }
  std::size_t dimension() const override { return dimension_; }
  TaskFacts facts() const override { return {.fixed_gold = false, .fixed_losses = !has_context()}; }
  std::unique_ptr<Scratch> make_scratch() const override;
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return has_context() ? offer<ContextTask, LineTask, BlockTask>(*this, name)
                         : offer<LineTask, BlockTask>(*this, name);
  }
  const ExampleBlocks& blocks() const override { return lists_.use.blocks(); }
  std::size_t blocks_read() const override { return lists_.use.blocks_read(); }
  // Of the hypotheses now.
  std::span<const float> costs() const { return context_->costs(); }
  Context& context() const override { return *context_; }
  std::unique_ptr<LineSearch> make_line_search() const override;

 private:
  bool has_context() const { return options_.context && costs_.width > 0; }

  const NBestLists& lists_;
  const Costs& costs_;
  const Metric& metric_;
  std::size_t dimension_;
  PickOptions options_;
  std::unique_ptr<CorpusContext> context_;
};

double score_hypothesis(const NBestLists& lists, std::size_t hypothesis, const Weights& w);
// The best hypothesis of a list, the first if tied.
std::size_t best_of(const NBestLists& lists, std::size_t list, const Weights& w);

}  // namespace hinge::rerank
