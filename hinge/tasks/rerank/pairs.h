// Tuning as ranking (PRO: Hopkins and May, EMNLP 2011, Figure 4): samples pairs of
// hypotheses from every list and keeps those that differ most in cost. Each pair is
// an example with two outputs, of which the better should win.
#pragma once

#include <vector>

#include "hinge/core/marginal_task.h"
#include "hinge/tasks/rerank/task.h"

namespace hinge::rerank {

struct PairOptions {
  std::size_t sampled = 5000;  // pairs per list, with replacement: Gamma
  std::size_t kept = 50;       // those that differ most: Xi
  double least = 0.05;         // minimum difference of a pair: alpha
};

class PairTask final : public Task, public MarginalTask {
 public:
  PairTask(const NBestLists& lists, std::span<const float> costs, std::size_t dimension,
           const PairOptions& options);

  std::size_t size() const override { return begin_.size() - 1; }
  std::size_t dimension() const override { return dimension_; }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<MarginalTask>(*this, name);
  }
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    support(i, scratch, blocks);
  }

 private:
  std::span<const Entry> psi(std::size_t i) const {
    return std::span(entries_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }
  double margin(std::size_t i, const Weights& w) const;

  std::size_t dimension_;
  std::vector<std::size_t> begin_{0};  // [pairs + 1], into entries_
  std::vector<Entry> entries_;         // features of the better minus those of the worse
};

}  // namespace hinge::rerank
