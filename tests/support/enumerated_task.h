// A task small enough to list every output of every example: the ground that
// learners and decoders are checked on.
#pragma once

#include <cstdint>
#include <vector>

#include "hinge/core/task.h"

namespace hinge::test {

struct Candidate {
  SparseVector features;
  double loss = 0.0;  // 0 exactly for gold
};

class EnumeratedTask final : public Task, public KBestTask {
 public:
  EnumeratedTask(std::vector<std::vector<Candidate>> examples, std::size_t dimension)
      : examples_(std::move(examples)), dimension_(dimension) {}

  std::size_t size() const override { return examples_.size(); }
  std::size_t dimension() const override { return dimension_; }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k, Scratch& scratch,
                       std::vector<Cut>& cuts) const override;
  void support(std::size_t i, std::vector<Block>& blocks) const override;
  const KBestTask* k_best() const override { return this; }

  // Candidate 0 is gold.
  const std::vector<std::vector<Candidate>>& examples() const { return examples_; }
  Cut cut_of(std::size_t i, std::size_t candidate) const;  // margin not set

 private:
  std::vector<std::vector<Candidate>> examples_;
  std::size_t dimension_;
};

// Random problems that cannot be separated, so that the optimum is not trivial.
EnumeratedTask random_multiclass(std::uint64_t seed, std::size_t examples, std::size_t classes,
                                 std::size_t inputs);
// All label sequences of short chains with node and transition features, Hamming loss.
EnumeratedTask random_chains(std::uint64_t seed, std::size_t examples, std::size_t tokens,
                             std::size_t labels);
// All dependency trees over `words` words with arc features, loss = wrong heads.
EnumeratedTask random_trees(std::uint64_t seed, std::size_t examples, std::size_t words);

}  // namespace hinge::test
