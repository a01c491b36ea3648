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

struct PairData {
  Column<std::size_t> begin{0};  // [pairs + 1], into entries
  Column<Entry> entries;         // features of the better minus those of the worse
  BlockUse use;                  // call it before a pair is read

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    body("begin", d.begin, [](const PairData&, std::size_t i) { return i; });
    body("entries", d.entries, [](const PairData& p, std::size_t i) { return p.begin[i]; });
  }

  std::size_t size() const { return begin.size() - 1; }
};

// The pairs of all lists. `space` is where they go; null: into memory. Throws InputError if there are none.
PairData make_pairs(const NBestLists& lists, std::span<const float> costs, const PairOptions& options,
                    SpillSpace* space = nullptr);

class PairTask final : public Task, public MarginalTask, public BlockTask {
 public:
  // Data must outlive the task.
  PairTask(const PairData& data, std::size_t dimension) : data_(data), dimension_(dimension) {}

  std::size_t size() const override { return data_.size(); }
  std::size_t dimension() const override { return dimension_; }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<MarginalTask, BlockTask>(*this, name);
  }
  const ExampleBlocks& blocks() const override { return data_.use.blocks(); }
  std::size_t blocks_read() const override { return data_.use.blocks_read(); }
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    support(i, scratch, blocks);
  }

 private:
  std::span<const Entry> psi(std::size_t i) const {
    data_.use(i);
    return part_of(data_.entries, data_.begin[i], data_.begin[i + 1]);
  }
  double margin(std::size_t i, const Weights& w) const;

  const PairData& data_;
  std::size_t dimension_;
};

}  // namespace hinge::rerank
