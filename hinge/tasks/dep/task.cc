#include "hinge/tasks/dep/task.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hinge/decode/k_best_trees.h"
#include "hinge/tasks/dep/search.h"

namespace hinge::dep {

struct TreeTask::TreeScratch final : Scratch {
  explicit TreeScratch(const ParserPlan& plan)
      : scorer(plan.arcs, plan.layout), search(plan.options.algorithm) {}
  // Hashes the arcs of a sentence unless it was the last one: learners ask for the
  // support of an example just before they decode it.
  void prepare(const TreeData& data, std::size_t i) {
    if (prepared == i) return;
    scorer.prepare(data.sentence(i));
    prepared = i;
  }

  ArcScorer scorer;
  std::size_t prepared = std::numeric_limits<std::size_t>::max();
  TreeSearch search;
  LabelChoices labels;
  std::vector<HeadId> heads;
  std::vector<double> p_gold;  // [words + 1]
};

// Most arcs soon have almost no probability, too little for a gradient of floats.
constexpr float kNegligible = 1e-8f;

std::unique_ptr<Scratch> TreeTask::make_scratch() const { return std::make_unique<TreeScratch>(plan_); }

void TreeTask::fill(std::size_t i, const Weights& w, double loss_weight, TreeScratch& own) const {
  data_.use(i);
  own.prepare(data_, i);
  float* scores = own.scorer.score(w.data());
  labels_.choose(i, w, loss_weight, own.labels);
  labels_.add_to_arcs(i, own.labels, scores, own.scorer.stride());
}

void TreeTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                             Cut& cut) const {
  auto& own = static_cast<TreeScratch&>(scratch);
  fill(i, w, loss_weight, own);
  if (!own.scorer.finite()) return refuse_weights(cut);
  own.heads.resize(own.scorer.words() + 1);
  own.search.best(own.scorer.scores(plan_.options.single_root), own.heads);
  cut_between(i, w, own.heads, own, cut);
}

void TreeTask::most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                               Scratch& scratch, std::vector<Cut>& cuts) const {
  auto& own = static_cast<TreeScratch&>(scratch);
  fill(i, w, loss_weight, own);
  if (!own.scorer.finite()) {
    cuts.resize(1);
    return refuse_weights(cuts[0]);
  }
  const auto trees = k_best_projective(own.scorer.scores(plan_.options.single_root), k);
  cuts.resize(trees.size());
  for (std::size_t t = 0; t < trees.size(); ++t) cut_between(i, w, trees[t].heads, own, cuts[t]);
}

void TreeTask::cut_between(std::size_t i, const Weights& w, std::span<const HeadId> rival, TreeScratch& own,
                           Cut& cut) const {
  cut.psi.clear();
  cut.loss = 0.0;
  for (std::size_t m = 1; m < rival.size(); ++m) {
    const HeadId gold = data_.heads[data_.begin[i] + m];
    if (rival[m] == gold) continue;
    own.scorer.each_feature(gold, m, [&](FeatureId id) { cut.psi.add(id, 1.0f); });
    own.scorer.each_feature(rival[m], m, [&](FeatureId id) { cut.psi.add(id, -1.0f); });
  }
  labels_.add_to_cut(i, rival, own.labels, cut);
  cut.margin = dot(w, cut.psi);
}

void TreeTask::support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const {
  data_.use(i);
  auto& own = static_cast<TreeScratch&>(scratch);
  own.prepare(data_, i);
  own.scorer.append_rows(blocks);
  labels_.support(i, blocks);
}

void TreeTask::expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                      Expectation& expectation) const {
  data_.use(i);
  auto& own = static_cast<TreeScratch&>(scratch);
  ArcScorer& scorer = own.scorer;
  own.prepare(data_, i);
  float* scores = scorer.score(w.data());
  const std::span<const HeadId> gold = data_.heads_of(i);
  const std::size_t stride = scorer.stride();
  double gold_score = labels_.sum(i, w, loss_weight, own.labels);
  for (std::size_t m = 1; m < gold.size(); ++m) gold_score += scores[gold[m] * stride + m];
  labels_.add_to_arcs(i, own.labels, scores, stride);
  expectation.expected_loss = 0.0;
  expectation.gradient.clear();
  expectation.log_loss = std::numeric_limits<double>::quiet_NaN();
  if (!scorer.finite()) return;  // learners stop at a NaN log-loss
  // Below zero only by rounding.
  expectation.log_loss = std::max(0.0, own.search.sum(scorer.scores(plan_.options.single_root)) - gold_score);
  const std::span<const float> p = own.search.marginals();
  own.p_gold.assign(gold.size(), 0.0);
  for (std::size_t m = 1; m < gold.size(); ++m) {
    own.p_gold[m] = p[gold[m] * stride + m];
    for (std::size_t h = 0; h < gold.size(); ++h) {
      const float value = h == m ? 0.0f : p[h * stride + m] - (h == gold[m] ? 1.0f : 0.0f);
      if (std::abs(value) < kNegligible) continue;
      expectation.gradient.values(1)[0] = value;
      scorer.each_feature(h, m, [&](FeatureId id) { expectation.gradient.add_row(id); });
    }
  }
  labels_.add_to_expectation(i, own.p_gold, own.labels, expectation);
}

void TreeTask::gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const {
  data_.use(i);
  auto& own = static_cast<TreeScratch&>(scratch);
  own.prepare(data_, i);
  const std::span<const HeadId> gold = data_.heads_of(i);
  for (std::size_t m = 1; m < gold.size(); ++m)
    own.scorer.each_feature(gold[m], m, [&](FeatureId id) { blocks.push_back({id, 1}); });
  labels_.gold_support(i, blocks);
}

}  // namespace hinge::dep
