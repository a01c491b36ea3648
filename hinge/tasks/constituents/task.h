// Constituency parsing as a Task: all trees of the pruned forest compete.
#pragma once

#include "hinge/core/block_task.h"
#include "hinge/core/factored_task.h"
#include "hinge/core/k_best_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/core/task.h"
#include "hinge/tasks/constituents/decoder.h"
#include "hinge/tasks/constituents/parts.h"

namespace hinge::constituents {

class ConstituentTask final : public Task,
                              public KBestTask,
                              public MarginalTask,
                              public FactoredTask,
                              public BlockTask {
 public:
  // Both must outlive the task. Every gold tree must be in its forest.
  ConstituentTask(const ParseData& data, const Plan& plan, Errors errors, bool exhaustive)
      : data_(data), plan_(plan), errors_(errors), exhaustive_(exhaustive) {}

  std::size_t size() const override { return data_.sentences(); }
  std::size_t dimension() const override { return plan_.dimension(); }
  TaskFacts facts() const override { return {.linear = plan_.network.hidden == 0}; }
  std::unique_ptr<Scratch> make_scratch() const override;
  bool initialize(Random& random, Weights& w) const override;

  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<KBestTask, MarginalTask, FactoredTask, BlockTask>(*this, name);
  }
  const ExampleBlocks& blocks() const override { return data_.use.blocks(); }
  std::size_t blocks_read() const override { return data_.use.blocks_read(); }
  void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k, Scratch& scratch,
                       std::vector<Cut>& cuts) const override;
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  // Parts are those of parts.h. Only for linear models.
  void gold_parts(std::size_t i, Scratch& scratch, std::vector<Part>& parts) const override;
  void exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                Scratch& scratch, Exchange& exchange) const override;
  double add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                      Scratch& scratch, Gradient& features) const override;

 private:
  struct TreeScratch;
  TreeScratch& load(std::size_t i, Scratch& scratch) const;
  PartTrees& load_parts(std::size_t i, Scratch& scratch) const;
  double augment(const Weights& w, double loss_weight, TreeScratch& scratch) const;
  void fill(std::span<const std::uint32_t> edges, const Weights& w, double gold_score, double rival_score,
            TreeScratch& scratch, Cut& cut) const;

  const ParseData& data_;
  const Plan& plan_;
  Errors errors_;
  bool exhaustive_;
};

}  // namespace hinge::constituents
