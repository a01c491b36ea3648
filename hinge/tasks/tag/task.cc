#include "hinge/tasks/tag/task.h"

#include <algorithm>

#include "hinge/decode/forward_backward.h"
#include "hinge/decode/k_best.h"

namespace hinge::tag {
namespace {

struct ChainScratch final : Scratch {
  explicit ChainScratch(std::size_t labels) : decoder(labels) {}
  ChainDecoder decoder;
  std::vector<LabelId> latent_gold;
  ForwardBackward sums;
  ChainMarginals difference;
  std::vector<LabelPair> allowed;
  std::vector<char> open;  // [tokens]
  RestrictedPath restricted;
  std::vector<LabelId> worst, best;
  std::vector<double> amounts;  // [tokens][labels], zero between calls
};

double path_score(const ChainScores& scores, std::span<const LabelId> path) {
  double sum = 0.0;
  for (std::size_t t = 0; t < scores.tokens; ++t) {
    sum += scores.node[t * scores.stride + path[t]];
    if (t > 0) sum += scores.edges_into(t)[path[t - 1] * scores.stride + path[t]];
  }
  return sum;
}

}  // namespace

ChainTask::ChainTask(const ChainData& data, const ChainLayout& layout, ChainTaskOptions options)
    : data_(data), layout_(layout), options_(std::move(options)) {}

std::unique_ptr<Scratch> ChainTask::make_scratch() const {
  return std::make_unique<ChainScratch>(layout_.labels);
}

std::span<const LabelId> ChainTask::gold_labels(std::size_t i) const {
  return std::span(data_.gold)
      .subspan(data_.sentence_begin[i], data_.sentence_begin[i + 1] - data_.sentence_begin[i]);
}

// The gold sequence; if partly known, the best allowed one under the decoder's
// scores, to which no losses have been added yet.
std::span<const LabelId> ChainTask::gold_of(std::size_t i, ChainDecoder& decoder,
                                            std::vector<LabelId>& latent) const {
  if (data_.allowed_begin.empty() || !data_.is_partial(i)) return gold_labels(i);
  ChainDecoder constrained = decoder;
  allow_acceptable(i, constrained);
  const auto best = constrained.best();
  latent.assign(best.begin(), best.end());
  return latent;
}

std::span<const LabelId> ChainTask::acceptable(std::size_t token) const {
  const auto allowed = data_.allowed(token);
  return allowed.empty() ? std::span(data_.gold).subspan(token, 1) : allowed;
}

void ChainTask::allow_acceptable(std::size_t i, ChainDecoder& decoder) const {
  for (std::size_t t = 0; t < decoder.tokens(); ++t)
    decoder.allow_only(t, acceptable(data_.sentence_begin[i] + t));
}

// All acceptable labels of a token cost nothing.
float ChainTask::cost(std::size_t token, LabelId predicted) const {
  const auto allowed = data_.allowed(token);
  if (allowed.empty()) return options_.costs[data_.gold[token] * layout_.labels + predicted];
  float least = options_.costs[allowed[0] * layout_.labels + predicted];
  for (const LabelId label : allowed)
    least = std::min(least, options_.costs[label * layout_.labels + predicted]);
  return least;
}

double ChainTask::expected_cost(std::size_t token, const float* p) const {
  double sum = 0.0;
  if (data_.allowed(token).empty()) {
    const float* costs = options_.costs.data() + data_.gold[token] * layout_.labels;
    for (std::size_t y = 0; y < layout_.labels; ++y) sum += p[y] * costs[y];
  } else {
    for (std::size_t y = 0; y < layout_.labels; ++y) sum += p[y] * cost(token, static_cast<LabelId>(y));
  }
  return sum;
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
  data_.use(i);
  auto& own = static_cast<ChainScratch&>(scratch);
  ChainDecoder& decoder = own.decoder;
  decoder.fill(data_, i, layout_, w);
  decoder.constrain(options_.constraints);
  const auto gold = gold_of(i, decoder, own.latent_gold);
  augment(i, loss_weight, decoder);
  cut_between(i, w, gold, decoder.best(), cut);
}

void ChainTask::most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                                Scratch& scratch, std::vector<Cut>& cuts) const {
  data_.use(i);
  auto& own = static_cast<ChainScratch&>(scratch);
  ChainDecoder& decoder = own.decoder;
  decoder.fill(data_, i, layout_, w);
  decoder.constrain(options_.constraints);
  const auto gold = gold_of(i, decoder, own.latent_gold);
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

void ChainTask::add_edges(std::size_t token, std::size_t pair, float sign, Gradient& psi) const {
  if (layout_.transitions) psi.add(static_cast<FeatureId>(layout_.transitions_begin() + pair), sign);
  if (layout_.edge_features == 0) return;
  for (std::size_t e = data_.edge_begin[token]; e < data_.edge_begin[token + 1]; ++e) {
    const float value = data_.edge_values.empty() ? 1.0f : data_.edge_values[e];
    psi.add(static_cast<FeatureId>(layout_.edge(data_.edge_ids[e]) + pair), sign * value);
  }
}

void ChainTask::support(std::size_t i, Scratch&, std::vector<Block>& blocks) const {
  data_.use(i);
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

void ChainTask::expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                       Expectation& expectation) const {
  data_.use(i);
  auto& own = static_cast<ChainScratch&>(scratch);
  ChainDecoder& decoder = own.decoder;
  decoder.fill(data_, i, layout_, w);
  decoder.constrain(options_.constraints);
  const bool partial = !data_.allowed_begin.empty() && data_.is_partial(i);
  double log_gold = 0.0;
  std::vector<float> gold_nodes, gold_edges;  // for partly known gold
  if (partial) {
    ChainDecoder constrained = decoder;
    allow_acceptable(i, constrained);
    log_gold = own.sums.run(constrained.scores());
    gold_nodes.assign(own.sums.nodes().begin(), own.sums.nodes().end());
    gold_edges.assign(own.sums.edges().begin(), own.sums.edges().end());
  } else {
    log_gold = path_score(decoder.scores(), gold_labels(i));
  }
  augment(i, loss_weight, decoder);
  // Below zero only by rounding.
  expectation.log_loss = std::max(0.0, own.sums.run(decoder.scores()) - log_gold);
  expectation.expected_loss = 0.0;
  const std::size_t begin = data_.sentence_begin[i];
  ChainMarginals& difference = own.difference;
  difference.nodes.assign(own.sums.nodes().begin(), own.sums.nodes().end());
  difference.edges.assign(own.sums.edges().begin(), own.sums.edges().end());
  for (std::size_t t = 0; t < decoder.tokens(); ++t)
    expectation.expected_loss += expected_cost(begin + t, difference.nodes.data() + t * decoder.stride());
  if (partial) {
    for (std::size_t k = 0; k < gold_nodes.size(); ++k) difference.nodes[k] -= gold_nodes[k];
    for (std::size_t k = 0; k < gold_edges.size(); ++k) difference.edges[k] -= gold_edges[k];
  } else {
    subtract_gold(i, difference);
  }
  expectation.gradient.clear();
  add_rows(i, difference, expectation.gradient);
}

void ChainTask::subtract_gold(std::size_t i, ChainMarginals& marginals) const {
  const std::size_t labels = layout_.labels;
  const std::size_t begin = data_.sentence_begin[i];
  const std::size_t tokens = data_.sentence_begin[i + 1] - begin;
  const LabelId* gold = data_.gold.data() + begin;
  const std::size_t step = layout_.edge_features > 0 ? labels * labels : 0;
  for (std::size_t t = 0; t < tokens; ++t) {
    marginals.nodes[t * padded_labels(labels) + gold[t]] -= 1.0f;
    if (t > 0) marginals.edges[t * step + gold[t - 1] * labels + gold[t]] -= 1.0f;
  }
}

void ChainTask::add_rows(std::size_t i, const ChainMarginals& difference, Gradient& gradient) const {
  const std::size_t labels = layout_.labels;
  const std::size_t begin = data_.sentence_begin[i];
  const std::size_t tokens = data_.sentence_begin[i + 1] - begin;
  const auto transitions = static_cast<FeatureId>(layout_.transitions_begin());
  for (std::size_t t = 0; t < tokens; ++t) {
    std::copy_n(difference.nodes.data() + t * padded_labels(labels), labels, gradient.values(labels).data());
    const std::size_t first = data_.node_begin[begin + t];
    gradient.add_rows({data_.node_ids.data() + first, data_.node_begin[begin + t + 1] - first},
                      static_cast<FeatureId>(labels),
                      data_.node_values.empty() ? nullptr : data_.node_values.data() + first);
  }
  if (layout_.edge_features == 0) {
    if (!layout_.transitions || tokens < 2) return;
    std::ranges::copy(difference.edges, gradient.values(labels * labels).data());
    gradient.add_row(transitions);
    return;
  }
  for (std::size_t t = 1; t < tokens; ++t) {
    std::copy_n(difference.edges.data() + t * labels * labels, labels * labels,
                gradient.values(labels * labels).data());
    if (layout_.transitions) gradient.add_row(transitions);
    for (std::size_t e = data_.edge_begin[begin + t]; e < data_.edge_begin[begin + t + 1]; ++e) {
      gradient.add_row(static_cast<FeatureId>(layout_.edge(data_.edge_ids[e])),
                       data_.edge_values.empty() ? 1.0f : data_.edge_values[e]);
    }
  }
}

void ChainTask::gold_support(std::size_t i, Scratch&, std::vector<Block>& blocks) const {
  data_.use(i);
  const std::size_t labels = layout_.labels;
  const auto add = [&blocks](std::size_t id) { blocks.push_back({static_cast<FeatureId>(id), 1}); };
  const std::size_t begin = data_.sentence_begin[i];
  if (options_.all_transitions && layout_.transitions) {
    blocks.push_back(
        {static_cast<FeatureId>(layout_.transitions_begin()), static_cast<FeatureId>(labels * labels)});
  }
  for (std::size_t token = begin; token < data_.sentence_begin[i + 1]; ++token) {
    for (std::size_t k = data_.node_begin[token]; options_.all_states && k < data_.node_begin[token + 1];
         ++k) {
      blocks.push_back(
          {static_cast<FeatureId>(layout_.node(data_.node_ids[k], 0)), static_cast<FeatureId>(labels)});
    }
    for (const LabelId y : acceptable(token)) {
      for (std::size_t k = data_.node_begin[token]; k < data_.node_begin[token + 1]; ++k)
        add(layout_.node(data_.node_ids[k], y));
      for (const LabelId before : token > begin ? acceptable(token - 1) : std::span<const LabelId>()) {
        const std::size_t pair = before * labels + y;
        if (layout_.transitions) add(layout_.transitions_begin() + pair);
        if (layout_.edge_features == 0) continue;
        for (std::size_t e = data_.edge_begin[token]; e < data_.edge_begin[token + 1]; ++e)
          add(layout_.edge(data_.edge_ids[e]) + pair);
      }
    }
  }
}

Part ChainTask::part(std::size_t token, std::span<const LabelId> path) const {
  const std::size_t from = token > 0 ? path[token - 1] : 0;
  return (Part{token} * layout_.labels + from) * layout_.labels + path[token];
}

// False if there is no such part.
bool ChainTask::read_part(Part part, std::size_t tokens, LabelPair& pair) const {
  const Part labels = layout_.labels;
  pair.to = static_cast<LabelId>(part % labels);
  pair.from = static_cast<LabelId>(part / labels % labels);
  const Part token = part / labels / labels;
  pair.token = static_cast<std::uint32_t>(token);
  return token < tokens && (token > 0 || pair.from == 0);
}

void ChainTask::gold_parts(std::size_t i, Scratch&, std::vector<Part>& parts) const {
  data_.use(i);
  const auto gold = gold_labels(i);
  parts.clear();
  for (std::size_t t = 0; t < gold.size(); ++t) parts.push_back(part(t, gold));
}

// The pairs that exist, and which tokens may have another label than gold.
void ChainTask::read_allowed(std::size_t i, std::span<const Part> allowed, std::vector<LabelPair>& pairs,
                             std::vector<char>& open) const {
  const auto gold = gold_labels(i);
  pairs.clear();
  open.assign(gold.size(), 0);
  LabelPair pair;
  for (const Part part : allowed) {
    if (!read_part(part, gold.size(), pair)) continue;
    pairs.push_back(pair);
    if (pair.to != gold[pair.token]) open[pair.token] = 1;
  }
}

void ChainTask::exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                         Scratch& scratch, Exchange& exchange) const {
  data_.use(i);
  auto& own = static_cast<ChainScratch&>(scratch);
  ChainDecoder& decoder = own.decoder;
  const auto gold = gold_labels(i);
  read_allowed(i, allowed, own.allowed, own.open);
  // Where all have the label of gold, its score makes no difference.
  decoder.fill(data_, i, layout_, w, search == Search::kAll ? std::span<const char>() : own.open);
  augment(i, 1.0, decoder);
  exchange.clear();
  const double gold_score = path_score(decoder.scores(), gold);  // gold costs nothing
  const bool found = own.restricted.worst(decoder.scores(), own.allowed, own.worst);
  if (found) exchange.violation = path_score(decoder.scores(), own.worst) - gold_score;
  if (search == Search::kAllowed) {
    if (!own.restricted.best(decoder.scores(), own.allowed, own.best)) return;
  } else {
    decoder.constrain(options_.constraints);
    const auto best = decoder.best();
    own.best.assign(best.begin(), best.end());
  }
  for (std::size_t t = 0; t < own.best.size(); ++t) {
    exchange.loss += cost(data_.sentence_begin[i] + t, own.best[t]);
    exchange.best.push_back(part(t, own.best));
    if (found) exchange.worst.push_back(part(t, own.worst));
  }
  exchange.margin = exchange.loss - (path_score(decoder.scores(), own.best) - gold_score);
  if (found) add_pieces(own.worst, own.best, exchange);
}

// A piece goes from one label that the sequences share to the next.
void ChainTask::add_pieces(std::span<const LabelId> worst, std::span<const LabelId> best,
                           Exchange& exchange) const {
  for (std::size_t t = 0; t < best.size(); ++t) {
    if (worst[t] == best[t]) continue;
    std::size_t end = t;
    while (end < best.size() && worst[end] != best[end]) ++end;
    const std::size_t last = std::min(end, best.size() - 1);  // its pair differs in `from`
    Exchange::Piece piece{.begin = exchange.parts.size(), .middle = 0, .end = 0};
    for (std::size_t k = t; k <= last; ++k) exchange.parts.push_back(part(k, worst));
    piece.middle = exchange.parts.size();
    for (std::size_t k = t; k <= last; ++k) exchange.parts.push_back(part(k, best));
    piece.end = exchange.parts.size();
    exchange.pieces.push_back(piece);
    t = last;
  }
}

double ChainTask::add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                               Scratch& scratch, Gradient& features) const {
  data_.use(i);
  std::vector<double>& sums = static_cast<ChainScratch&>(scratch).amounts;
  const std::size_t begin = data_.sentence_begin[i];
  const std::size_t tokens = data_.sentence_begin[i + 1] - begin;
  const std::size_t labels = layout_.labels;
  sums.resize(std::max(sums.size(), tokens * labels), 0.0);
  double loss = 0.0;
  LabelPair pair;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!read_part(parts[k], tokens, pair)) continue;
    sums[pair.token * labels + pair.to] += amounts[k];
    loss += amounts[k] * cost(begin + pair.token, pair.to);
    if (pair.token > 0)
      add_edges(begin + pair.token, pair.from * labels + pair.to, static_cast<float>(amounts[k]), features);
  }
  // Each label of a token once, however many pairs end in it.
  for (const Part part : parts) {
    if (!read_part(part, tokens, pair)) continue;
    double& sum = sums[pair.token * labels + pair.to];
    if (sum == 0.0) continue;
    const std::size_t token = begin + pair.token;
    for (std::size_t k = data_.node_begin[token]; k < data_.node_begin[token + 1]; ++k) {
      const double value = data_.node_values.empty() ? 1.0 : data_.node_values[k];
      features.add(static_cast<FeatureId>(layout_.node(data_.node_ids[k], pair.to)),
                   static_cast<float>(sum * value));
    }
    sum = 0.0;
  }
  return loss;
}

}  // namespace hinge::tag
