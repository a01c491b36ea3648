// Wraps a task so that tests see the weights passed to it and may change its
// answers. Offers no k-best outputs.
#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "hinge/core/marginal_task.h"

namespace hinge::test {

class WrappedTask final : public Task, public MarginalTask {
 public:
  using Alter = std::function<void(std::size_t example, Cut& cut)>;
  using AlterExpectation = std::function<void(std::size_t example, Expectation& expectation)>;

  explicit WrappedTask(
      const Task& inner, Alter alter = [](std::size_t, Cut&) {})
      : inner_(inner), alter_(std::move(alter)) {}
  WrappedTask(const Task& inner, AlterExpectation alter)
      : inner_(inner), alter_([](std::size_t, Cut&) {}), alter_expectation_(std::move(alter)) {}

  std::size_t size() const override { return inner_.size(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  std::unique_ptr<Scratch> make_scratch() const override { return inner_.make_scratch(); }
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    inner_.support(i, scratch, blocks);
  }

  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override {
    asked_with_ = &w;
    inner_.most_violated(i, w, loss_weight, scratch, cut);
    alter_(i, cut);
  }

  // Offered only if expectations are altered.
  const Extension* extension(std::string_view name) const override {
    return alter_expectation_ ? offer<MarginalTask>(*this, name) : nullptr;
  }
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override {
    find_extension<MarginalTask>(inner_)->expect(i, w, loss_weight, scratch, expectation);
    alter_expectation_(i, expectation);
  }
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    find_extension<MarginalTask>(inner_)->gold_support(i, scratch, blocks);
  }

  // The weights passed to the last call, with their current values.
  const Weights& asked_with() const { return *asked_with_; }

 private:
  const Task& inner_;
  Alter alter_;
  AlterExpectation alter_expectation_;
  mutable std::atomic<const Weights*> asked_with_ = nullptr;
};

}  // namespace hinge::test
