// Parsing without a grammar as a Task: all trees of labelled spans compete.
#pragma once

#include "hinge/core/block_task.h"
#include "hinge/core/k_best_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/core/task.h"
#include "hinge/tasks/constituents/data.h"
#include "hinge/tasks/constituents/spans.h"

namespace hinge::constituents {

class SpanTask final : public Task, public KBestTask, public MarginalTask, public BlockTask {
 public:
  // All must outlive the task. Gold trees have the symbols of the coarse grammar.
  SpanTask(const ParseData& data, const Plan& plan, const SpanLabels& labels, const SpanLayout& layout)
      : data_(data), plan_(plan), labels_(labels), layout_(layout) {}

  std::size_t size() const override { return data_.sentences(); }
  std::size_t dimension() const override { return layout_.dimension(); }
  std::unique_ptr<Scratch> make_scratch() const override;

  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<KBestTask, MarginalTask, BlockTask>(*this, name);
  }
  const ExampleBlocks& blocks() const override { return data_.use.blocks(); }
  std::size_t blocks_read() const override { return data_.use.blocks_read(); }
  // Different trees, each with the best tags.
  void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k, Scratch& scratch,
                       std::vector<Cut>& cuts) const override;
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;

 private:
  struct SpanScratch;
  SpanScratch& load(std::size_t i, Scratch& scratch) const;
  void score(const Weights& w, double loss_weight, SpanScratch& scratch) const;
  void fill(std::span<const LabelledSpan> tree, double loss_weight, SpanScratch& scratch, Cut& cut) const;
  template <typename Use>
  void each_span_row(SpanScratch& scratch, std::size_t begin, std::size_t end, const Use& use) const;
  template <typename Use>
  void each_word_row(SpanScratch& scratch, std::size_t word, const Use& use) const;

  const ParseData& data_;
  const Plan& plan_;
  const SpanLabels& labels_;
  const SpanLayout& layout_;
};

// Adds to `out` [sentence]: every row that the layout has, times w.
void score_sentence(EdgeScorer& keys, const SpanLayout& layout, const float* w, SpanSentence& out);

}  // namespace hinge::constituents
