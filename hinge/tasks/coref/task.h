// Mention ranking with latent antecedents as a Task (Durrett and Klein, EMNLP 2013; in
// the comparison of Kummerfeld et al., EMNLP 2015). An example is a document. Every
// mention independently chooses one of its candidates or a new cluster:
//
//   score(x, y) = sum over mentions m of w . f(m, y_m)
//
// Any earlier mention of its cluster is right, so gold is the best of these under the
// current weights; with marginals it is their sum.
#pragma once

#include <vector>

#include "hinge/core/block_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/tasks/coref/document_set.h"
#include "hinge/tasks/coref/scorer.h"

namespace hinge::coref {

// Costs of a choice.
struct Costs {
  double false_anaphor = 0.1;  // a link where a cluster begins
  double false_new = 3.0;      // a new cluster where there is an antecedent
  double wrong_link = 1.0;     // a link to another cluster
};

class CorefTask final : public Task, public MarginalTask, public BlockTask {
 public:
  // Data, templates and layout must outlive the task.
  CorefTask(const DocumentSet& data, const TemplateSet& templates, const Layout& layout, const Costs& costs)
      : data_(data), templates_(templates), layout_(layout), costs_(costs) {}

  std::size_t size() const override { return data_.size(); }
  std::size_t dimension() const override { return layout_.dimension(); }
  TaskFacts facts() const override { return {.fixed_gold = false}; }
  std::unique_ptr<Scratch> make_scratch() const override;
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<MarginalTask, BlockTask>(*this, name);
  }
  const ExampleBlocks& blocks() const override { return data_.use.blocks(); }
  std::size_t blocks_read() const override { return data_.use.blocks_read(); }
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;

 private:
  struct CorefScratch;
  double cost(const DocumentView& data, std::size_t m, std::size_t choice) const;

  const DocumentSet& data_;
  const TemplateSet& templates_;
  const Layout& layout_;
  Costs costs_;
};

}  // namespace hinge::coref
