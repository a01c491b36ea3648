// First-order chains as a Task: Viterbi, Hamming loss or a cost matrix, k-best,
// marginals, parts, constraints, and partly known gold.
#pragma once

#include <vector>

#include "hinge/core/block_task.h"
#include "hinge/core/factored_task.h"
#include "hinge/core/k_best_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/decode/restricted_path.h"
#include "hinge/tasks/tag/decoder.h"

namespace hinge::tag {

struct ChainTaskOptions {
  Constraints constraints;   // applied while training; empty: none
  std::vector<float> costs;  // [labels gold][labels predicted], zero on the diagonal
  // Also include in gold_support():
  bool all_states = false;       // all features of a sentence with every label
  bool all_transitions = false;  // every pair of labels
};

// Probabilities of labels and label pairs, or differences of these.
struct ChainMarginals {
  std::vector<float> nodes;  // [tokens][stride]
  std::vector<float> edges;  // [labels][labels] summed over tokens, or one per token
};

class ChainTask final : public Task,
                        public KBestTask,
                        public MarginalTask,
                        public FactoredTask,
                        public BlockTask {
 public:
  // The data must outlive the task.
  ChainTask(const ChainData& data, const ChainLayout& layout, ChainTaskOptions options);

  std::size_t size() const override { return data_.sentences(); }
  std::size_t dimension() const override { return layout_.dimension(); }
  TaskFacts facts() const override {
    return {.fixed_gold = data_.allowed_begin.empty() && data_.allowed_labels.empty()};
  }
  std::unique_ptr<Scratch> make_scratch() const override;
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k, Scratch& scratch,
                       std::vector<Cut>& cuts) const override;
  void support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<KBestTask, MarginalTask, FactoredTask, BlockTask>(*this, name);
  }
  const ExampleBlocks& blocks() const override { return data_.use.blocks(); }
  std::size_t blocks_read() const override { return data_.use.blocks_read(); }
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override;
  void gold_support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override;
  // Parts are label pairs: part (token labels + from) labels + to, from = 0 at the first
  // token. A part has the features and the cost of its `to`.
  void gold_parts(std::size_t i, Scratch&, std::vector<Part>& parts) const override;
  void exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                Scratch& scratch, Exchange& exchange) const override;
  double add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                      Scratch& scratch, Gradient& features) const override;

 private:
  std::span<const LabelId> gold_of(std::size_t i, ChainDecoder& decoder, std::vector<LabelId>& latent) const;
  float cost(std::size_t token, LabelId predicted) const;
  double expected_cost(std::size_t token, const float* p) const;  // p: [labels]
  void augment(std::size_t i, double loss_weight, ChainDecoder& decoder) const;
  void cut_between(std::size_t i, const Weights& w, std::span<const LabelId> gold,
                   std::span<const LabelId> rival, Cut& cut) const;
  std::span<const LabelId> gold_labels(std::size_t i) const;
  void subtract_gold(std::size_t i, ChainMarginals& marginals) const;
  void add_rows(std::size_t i, const ChainMarginals& difference, Gradient& gradient) const;
  std::span<const LabelId> acceptable(std::size_t token) const;
  void allow_acceptable(std::size_t i, ChainDecoder& decoder) const;
  void add_edges(std::size_t token, std::size_t pair, float sign, Gradient& psi) const;
  Part part(std::size_t token, std::span<const LabelId> path) const;
  bool read_part(Part part, std::size_t tokens, LabelPair& pair) const;
  void read_allowed(std::size_t i, std::span<const Part> allowed, std::vector<LabelPair>& pairs,
                    std::vector<char>& open) const;
  void add_pieces(std::span<const LabelId> worst, std::span<const LabelId> best, Exchange& exchange) const;

  const ChainData& data_;
  ChainLayout layout_;
  ChainTaskOptions options_;
};

}  // namespace hinge::tag
