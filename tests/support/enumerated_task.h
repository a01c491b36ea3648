// A task small enough to list every output of every example, for testing
// learners and decoders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/core/factored_task.h"
#include "hinge/core/k_best_task.h"
#include "hinge/core/line_task.h"
#include "hinge/core/marginal_task.h"

namespace hinge::test {

struct Candidate {
  SparseVector features;  // merged
  double loss = 0.0;      // 0 exactly for gold
};

// Ties are decided against gold (the last candidate wins), so that a learner
// that starts at w = 0 makes mistakes. A psi is left unmerged, as in decoders. The only
// part of a candidate is the candidate, so its factored dual is the ordinary one.
class EnumeratedTask final : public Task,
                             public KBestTask,
                             public MarginalTask,
                             public LineTask,
                             public FactoredTask {
 public:
  EnumeratedTask(std::vector<std::vector<Candidate>> examples, std::size_t dimension);

  std::size_t size() const override { return examples_.size(); }
  std::size_t dimension() const override { return dimension_; }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k, Scratch& scratch,
                       std::vector<Cut>& cuts) const override;
  void support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<KBestTask, MarginalTask, LineTask, FactoredTask>(*this, name);
  }
  std::unique_ptr<LineSearch> make_line_search() const override;
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  void gold_support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override;
  void gold_parts(std::size_t i, Scratch&, std::vector<Part>& parts) const override;
  void exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search, Scratch&,
                Exchange& exchange) const override;
  double add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts, Scratch&,
                      Gradient& features) const override;

  // Candidate 0 is gold.
  const std::vector<std::vector<Candidate>>& examples() const { return examples_; }
  Cut cut_of(std::size_t i, std::size_t candidate) const;  // psi merged, margin not set

 private:
  std::vector<double> scores(std::size_t i, const Weights& w, double loss_weight) const;
  void fill(std::size_t i, std::size_t candidate, const Weights& w, Cut& cut) const;

  std::vector<std::vector<Candidate>> examples_;
  std::vector<std::vector<Block>> support_;  // [examples], without repeats
  std::size_t dimension_;
};

// Random problems that no w separates, so that the optimum is not trivial: the
// last example has the input of the first but another gold.
EnumeratedTask random_multiclass(std::uint64_t seed, std::size_t examples, std::size_t classes,
                                 std::size_t inputs);
// All label sequences of short chains with node and transition features, Hamming loss.
EnumeratedTask random_chains(std::uint64_t seed, std::size_t examples, std::size_t tokens,
                             std::size_t labels);
// All dependency trees over `words` words with arc features, loss = wrong heads.
EnumeratedTask random_trees(std::uint64_t seed, std::size_t examples, std::size_t words);

// Multiclass examples that some w separates with a margin.
EnumeratedTask separable_multiclass(std::uint64_t seed, std::size_t examples, std::size_t classes,
                                    std::size_t inputs);

struct NamedTask {
  std::string name;  // with the seed, for SCOPED_TRACE
  EnumeratedTask task;
};

// One of each random kind, of 12 to 20 examples.
std::vector<NamedTask> small_problems(std::uint64_t seed);

}  // namespace hinge::test
