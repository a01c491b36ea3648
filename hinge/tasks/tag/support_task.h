// Chains whose tokens are compared by a kernel, as a Task: the parameters are the
// coefficients alpha of hinge/tasks/tag/support_vectors.h, one row per training token,
// then a row for the constant, then transitions.
//
// A cut's psi is the change of the function, not of its values: adding psi to the
// parameters adds Phi(gold) - Phi(rival) to the function, which changes only the
// coefficients of the sentence's own tokens. So a subgradient step is what it is for
// linear models; products and norms are not, which facts() says (euclidean).
#pragma once

#include "hinge/core/trimmed_task.h"
#include "hinge/tasks/tag/support_vectors.h"
#include "hinge/tasks/tag/task.h"

namespace hinge::tag {

// How much a SupportTask may keep.
struct SupportLimits {
  std::size_t budget = 0;       // most vectors after a pass; 0: any number
  std::size_t cache_bytes = 0;  // of products of tokens
};

class SupportTask final : public Task, public FactoredTask, public TrimmedTask {
 public:
  // The vectors of the index are the tokens of the data, whose features are sorted. Both must
  // outlive the task.
  SupportTask(const ChainData& data, const SupportIndex& index, std::size_t labels, bool transitions,
              ChainTaskOptions options, SupportLimits limits);

  std::size_t size() const override { return data_.sentences(); }
  std::size_t dimension() const override { return layout_.dimension(); }
  TaskFacts facts() const override { return {.fixed_gold = data_.allowed_begin.empty(), .euclidean = false}; }
  std::unique_ptr<Scratch> make_scratch() const override;
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override {
    return offer<FactoredTask, TrimmedTask>(*this, name);
  }
  // Parts are those of a ChainTask.
  void gold_parts(std::size_t i, Scratch& scratch, std::vector<Part>& parts) const override;
  void exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                Scratch& scratch, Exchange& exchange) const override;
  double add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                      Scratch& scratch, Gradient& features) const override;
  // Products in the space of the kernel: sum_vy g_vy f(x_v, y), and those of the other weights.
  double product(const Weights& w, const Gradient& features, Scratch& scratch) const override;
  double squared_length(const Gradient& features, Scratch& scratch) const override;
  // |f|^2 = sum_vy alpha_vy f(x_v, y), and the squares of the other weights.
  double squared_norm(const Weights& w) const override;

  const ChainLayout& layout() const { return layout_; }
  const ChainData& data() const { return data_; }
  // |alpha_v kappa(x_v, .)|^2: how much a vector contributes.
  double squared_length(std::uint32_t vector, const Weights& w) const;
  // Replaces `vectors` by those with a coefficient that is not zero.
  void active(const Weights& w, std::vector<std::uint32_t>& vectors) const;
  // Of these the `budget` longest, in their order; all if it is 0.
  std::vector<std::uint32_t> largest(const Weights& w, std::size_t budget) const;
  void trim(Weights& w) const override;
  // The scores of one token, [labels]; `products` is memory to work in.
  void score(std::span<const std::uint32_t> ids, const float* values, std::span<const std::uint32_t> active,
             const Weights& w, std::vector<float>& products, float* scores) const;

 private:
  struct SentenceScratch;
  void score_sentence(std::size_t i, const Weights& w, SentenceScratch& own) const;
  void add_to(std::size_t i, const Gradient& of_sentence, const ChainLayout& layout, Gradient& out) const;
  // The same for a token of the training data.
  void score_vector(std::uint32_t vector, std::span<const std::uint32_t> active, const Weights& w,
                    std::vector<float>& products, float* scores) const;
  // use(v, kappa(x, x_v)) for the active vectors v, x being a token of the training data.
  template <typename Use>
  void each_kernel(std::uint32_t vector, std::span<const std::uint32_t> active, std::vector<float>& products,
                   const Use& use) const;
  double inner(std::uint32_t u, std::uint32_t v) const;
  std::span<const std::uint32_t> features(std::uint32_t vector) const;
  const float* values(std::uint32_t vector) const;

  const ChainData& data_;
  const SupportIndex& index_;
  ChainLayout layout_;
  ChainTaskOptions options_;
  SupportLimits limits_;
  ProductRows rows_;
};

}  // namespace hinge::tag
