// One label per text as a Task: multiclass classification with cost 1 for every
// wrong label, after Crammer and Singer (JMLR 2001), with k-best labels and marginals.
//
//   score(x, y) = value * sum over features f of x of w[f][y]
#pragma once

#include <vector>

#include "hinge/core/block_task.h"
#include "hinge/core/k_best_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/tasks/classify/data.h"
#include "hinge/tasks/classify/layout.h"

namespace hinge::classify {

class ClassifyTask final : public Task, public KBestTask, public MarginalTask, public BlockTask {
 public:
  // The data must outlive the task.
  ClassifyTask(const TextData& data, const TextLayout& layout) : data_(data), layout_(layout) {}

  std::size_t size() const override { return data_.size(); }
  std::size_t dimension() const override { return layout_.dimension(); }
  std::unique_ptr<Scratch> make_scratch() const override;
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k, Scratch& scratch,
                       std::vector<Cut>& cuts) const override;
  void support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<KBestTask, MarginalTask, BlockTask>(*this, name);
  }
  const ExampleBlocks& blocks() const override { return data_.use.blocks(); }
  std::size_t blocks_read() const override { return data_.use.blocks_read(); }
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  // Whole rows: a word that a label never has is evidence against it, which a model
  // of the pairs seen in training could not learn.
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    support(i, scratch, blocks);
  }

 private:
  std::span<float> augmented(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch) const;
  void cut_to(std::size_t i, std::size_t rival, const Weights& w, Cut& cut) const;

  const TextData& data_;
  TextLayout layout_;
};

}  // namespace hinge::classify
