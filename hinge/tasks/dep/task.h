// Dependency trees as a Task: projective ones by Eisner's algorithm or all by
// Chu-Liu-Edmonds. Arcs are scored independently, labels given the tree.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hinge/core/block_task.h"
#include "hinge/core/k_best_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/tasks/dep/label_layer.h"

namespace hinge::dep {

class TreeTask final : public Task, public KBestTask, public MarginalTask, public BlockTask {
 public:
  // Both must outlive the task.
  TreeTask(const TreeData& data, const ParserPlan& plan) : data_(data), plan_(plan), labels_(data, plan) {}

  std::size_t size() const override { return data_.sentences(); }
  std::size_t dimension() const override { return plan_.layout.dimension(); }
  std::unique_ptr<Scratch> make_scratch() const override;
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    if (plan_.options.algorithm != TreeAlgorithm::kEisner) return offer<MarginalTask, BlockTask>(*this, name);
    return offer<KBestTask, MarginalTask, BlockTask>(*this, name);
  }
  const ExampleBlocks& blocks() const override { return data_.use.blocks(); }
  std::size_t blocks_read() const override { return data_.use.blocks_read(); }
  // The k best trees, each with its best labels.
  void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k, Scratch& scratch,
                       std::vector<Cut>& cuts) const override;
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;

 private:
  struct TreeScratch;
  // Arc scores including costs and label scores.
  void fill(std::size_t i, const Weights& w, double loss_weight, TreeScratch& own) const;
  void cut_between(std::size_t i, const Weights& w, std::span<const HeadId> rival, TreeScratch& own,
                   Cut& cut) const;

  const TreeData& data_;
  const ParserPlan& plan_;
  LabelLayer labels_;
};

}  // namespace hinge::dep
