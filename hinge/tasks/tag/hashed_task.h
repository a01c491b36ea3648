// A ChainTask whose tokens have hashed conjunctions: each thread has a ChainTask of one
// sentence, which is expanded before every call.
#pragma once

#include "hinge/tasks/tag/hashed_conjunctions.h"
#include "hinge/tasks/tag/task.h"

namespace hinge::tag {

class HashedTask final : public Task, public KBestTask, public MarginalTask, public FactoredTask {
 public:
  // Data and conjunctions must outlive the task.
  HashedTask(const ChainData& data, const HashedConjunctions& conjunctions, const ChainLayout& layout,
             ChainTaskOptions options);

  std::size_t size() const override { return data_.sentences(); }
  std::size_t dimension() const override { return layout_.dimension(); }
  TaskFacts facts() const override { return {.fixed_gold = data_.allowed_begin.empty()}; }
  std::unique_ptr<Scratch> make_scratch() const override;
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k, Scratch& scratch,
                       std::vector<Cut>& cuts) const override;
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<KBestTask, MarginalTask, FactoredTask>(*this, name);
  }
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  void gold_parts(std::size_t i, Scratch& scratch, std::vector<Part>& parts) const override;
  void exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                Scratch& scratch, Exchange& exchange) const override;
  double add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                      Scratch& scratch, Gradient& features) const override;

 private:
  const ChainData& data_;
  const HashedConjunctions& conjunctions_;
  ChainLayout layout_;
  ChainTaskOptions options_;
};

}  // namespace hinge::tag
