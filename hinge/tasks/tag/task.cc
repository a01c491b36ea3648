#include "hinge/tasks/tag/task.h"

#include <algorithm>

#include "hinge/decode/k_best.h"

namespace hinge::tag {
namespace {

struct ChainScratch final : Scratch {
  explicit ChainScratch(std::size_t labels) : decoder(labels) {}
  ChainDecoder decoder;
  std::vector<LabelId> latent_gold;
};

}  // namespace

ChainTask::ChainTask(const ChainData& data, const ChainLayout& layout, ChainTaskOptions options)
    : data_(data), layout_(layout), options_(std::move(options)) {}

std::unique_ptr<Scratch> ChainTask::make_scratch() const {
  return std::make_unique<ChainScratch>(layout_.labels);
}

// The gold sequence; where it is only partly known, the best one the model
// sees among those allowed. The decoder holds the plain scores.
std::span<const LabelId> ChainTask::gold_of(std::size_t i, ChainDecoder& decoder,
                                            std::vector<LabelId>& latent) const {
  const std::size_t begin = data_.sentence_begin[i];
  const std::size_t tokens = data_.sentence_begin[i + 1] - begin;
  if (data_.allowed_begin.empty() || !data_.is_partial(i))
    return std::span(data_.gold).subspan(begin, tokens);
  ChainDecoder constrained = decoder;
  for (std::size_t t = 0; t < tokens; ++t) {
    const auto allowed = data_.allowed(begin + t);
    constrained.allow_only(t, allowed.empty() ? std::span(data_.gold).subspan(begin + t, 1) : allowed);
  }
  const auto best = constrained.best();
  latent.assign(best.begin(), best.end());
  return latent;
}

// A token with several acceptable labels costs nothing for any of them.
float ChainTask::cost(std::size_t token, LabelId predicted) const {
  const auto allowed = data_.allowed(token);
  if (allowed.empty()) return options_.costs[data_.gold[token] * layout_.labels + predicted];
  float least = options_.costs[allowed[0] * layout_.labels + predicted];
  for (const LabelId label : allowed)
    least = std::min(least, options_.costs[label * layout_.labels + predicted]);
  return least;
}

void ChainTask::augment(std::size_t i, double loss_weight, ChainDecoder& decoder) const {
  if (loss_weight == 0.0) return;
  const auto weight = static_cast<float>(loss_weight);
  const std::size_t begin = data_.sentence_begin[i];
  for (std::size_t t = 0; t < decoder.tokens(); ++t) {
    float* node = decoder.node(t);
    if (data_.allowed(begin + t).empty()) {
      const float* costs = options_.costs.data() + data_.gold[begin + t] * layout_.labels;
      for (std::size_t y = 0; y < layout_.labels; ++y) node[y] += weight * costs[y];
    } else {
      for (std::size_t y = 0; y < layout_.labels; ++y)
        node[y] += weight * cost(begin + t, static_cast<LabelId>(y));
    }
  }
}

void ChainTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                              Cut& cut) const {
  auto& [decoder, latent] = static_cast<ChainScratch&>(scratch);
  decoder.fill(data_, i, layout_, w);
  decoder.constrain(options_.constraints);
  const auto gold = gold_of(i, decoder, latent);
  augment(i, loss_weight, decoder);
  cut_between(i, w, gold, decoder.best(), cut);
}

void ChainTask::most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                                Scratch& scratch, std::vector<Cut>& cuts) const {
  auto& [decoder, latent] = static_cast<ChainScratch&>(scratch);
  decoder.fill(data_, i, layout_, w);
  decoder.constrain(options_.constraints);
  const auto gold = gold_of(i, decoder, latent);
  augment(i, loss_weight, decoder);
  const std::vector<ScoredPath> paths = k_best_paths(decoder.scores(), k);
  cuts.resize(paths.size());
  for (std::size_t p = 0; p < paths.size(); ++p) cut_between(i, w, gold, paths[p].labels, cuts[p]);
}

void ChainTask::cut_between(std::size_t i, const Weights& w, std::span<const LabelId> gold,
                            std::span<const LabelId> rival, Cut& cut) const {
  cut.psi.clear();
  cut.loss = 0.0;
  const std::size_t begin = data_.sentence_begin[i];
  const std::size_t labels = layout_.labels;
  for (std::size_t t = 0; t < gold.size(); ++t) {
    const std::size_t token = begin + t;
    if (gold[t] != rival[t]) {
      cut.loss += cost(token, rival[t]);
      for (std::size_t k = data_.node_begin[token]; k < data_.node_begin[token + 1]; ++k) {
        const float value = data_.node_values.empty() ? 1.0f : data_.node_values[k];
        cut.psi.add(static_cast<FeatureId>(layout_.node(data_.node_ids[k], gold[t])), value);
        cut.psi.add(static_cast<FeatureId>(layout_.node(data_.node_ids[k], rival[t])), -value);
      }
    }
    if (t > 0 && (gold[t] != rival[t] || gold[t - 1] != rival[t - 1])) {
      add_edges(token, gold[t - 1] * labels + gold[t], 1.0f, cut.psi);
      add_edges(token, rival[t - 1] * labels + rival[t], -1.0f, cut.psi);
    }
  }
  cut.margin = dot(w, cut.psi);
}

void ChainTask::add_edges(std::size_t token, std::size_t pair, float sign, SparseVector& psi) const {
  if (layout_.transitions) psi.add(static_cast<FeatureId>(layout_.transitions_begin() + pair), sign);
  if (layout_.edge_features == 0) return;
  for (std::size_t e = data_.edge_begin[token]; e < data_.edge_begin[token + 1]; ++e) {
    const float value = data_.edge_values.empty() ? 1.0f : data_.edge_values[e];
    psi.add(static_cast<FeatureId>(layout_.edge(data_.edge_ids[e]) + pair), sign * value);
  }
}

void ChainTask::support(std::size_t i, std::vector<Block>& blocks) const {
  const auto labels = static_cast<FeatureId>(layout_.labels);
  const std::size_t begin = data_.sentence_begin[i];
  const std::size_t end = data_.sentence_begin[i + 1];
  for (std::size_t k = data_.node_begin[begin]; k < data_.node_begin[end]; ++k) {
    blocks.push_back({static_cast<FeatureId>(layout_.node(data_.node_ids[k], 0)), labels});
  }
  if (layout_.transitions)
    blocks.push_back({static_cast<FeatureId>(layout_.transitions_begin()), labels * labels});
  if (layout_.edge_features == 0) return;
  for (std::size_t e = data_.edge_begin[begin]; e < data_.edge_begin[end]; ++e) {
    blocks.push_back({static_cast<FeatureId>(layout_.edge(data_.edge_ids[e])), labels * labels});
  }
}

}  // namespace hinge::tag
