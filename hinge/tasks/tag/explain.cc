// Which features decided: the score of a sequence minus that of its rival, feature by
// feature.
#include "hinge/tasks/tag/explain.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "hinge/decode/forbidden.h"
#include "hinge/tasks/tag/model.h"

namespace hinge::tag {

struct Tagger::Collector {
  Explanation& explanation;
  std::vector<float> sums;  // sized like Workspace::sums_
  std::size_t token = 0;    // the one being compared

  // Calls `name()` only for nonzero amounts.
  template <typename Name>
  void add(const RowTable& table, RowTable::Row row, std::size_t column, std::size_t rival, float value,
           std::string_view label, std::string_view rival_label, const Name& name) {
    if (row.empty()) return;
    std::ranges::fill(sums, 0.0f);
    table.add_to(row, 1.0f, sums.data());
    add(sums[column], sums[rival], value, label, rival_label, name);
  }

  template <typename Name>
  void add(float weight, float rival_weight, float value, std::string_view label,
           std::string_view rival_label, const Name& name) {
    const double amount =
        static_cast<double>(value) * (static_cast<double>(weight) - static_cast<double>(rival_weight));
    if (amount == 0.0) return;
    explanation.margin += amount;
    explanation.contributions.push_back(
        {token, name(), std::string(label), std::string(rival_label), value, amount});
  }
};

LabelId Tagger::nearest_rival(std::span<const LabelId> path, std::size_t t, const ChainScores& scores) const {
  LabelId rival = path[t];
  float best = kForbidden / 2;
  for (std::size_t y = 0; y < labels_.size(); ++y) {
    if (y == path[t]) continue;
    float score = scores.node[t * scores.stride + y];
    if (t > 0) score += scores.edges_into(t)[path[t - 1] * scores.stride + y];
    if (t + 1 < path.size()) score += scores.edges_into(t + 1)[y * scores.stride + path[t + 1]];
    if (!(score > best)) continue;
    best = score;
    rival = static_cast<LabelId>(y);
  }
  return rival;
}

// The best sequence with another label than path[t]; `path` itself if all are forbidden.
std::vector<LabelId> Tagger::best_other(std::span<const LabelId> path, std::size_t t,
                                        const ChainScores& scores) const {
  std::vector<float> node(scores.node, scores.node + scores.tokens * scores.stride);
  node[t * scores.stride + path[t]] = kForbidden;
  ChainScores without = scores;
  without.node = node.data();
  std::vector<float> forward;
  std::vector<LabelId> other(path.size());
  if (viterbi(without, forward, other) > kForbidden / 2) return other;
  return {path.begin(), path.end()};
}

// `rivals` is [tokens] or empty.
std::vector<LabelId> Tagger::rival_sequence(std::span<const LabelId> path, std::size_t t,
                                            std::span<const LabelId> rivals,
                                            const ChainScores& scores) const {
  const bool given = !rivals.empty() && rivals[t] != path[t] && rivals[t] < labels_.size();
  std::vector<LabelId> sequence(path.begin(), path.end());
  sequence[t] = given ? rivals[t] : nearest_rival(path, t, scores);
  return sequence[t] == path[t] ? best_other(path, t, scores) : sequence;
}

// `name(k)` is the name of feature k of the token.
template <typename Name>
void Tagger::explain_features(std::span<const Key> keys, const float* values, Choice of, Collector& out,
                              const Name& name) const {
  const std::string& label = labels_.names()[of.label];
  const std::string& rival = labels_.names()[of.rival];
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (keys[k] == kAbsent) continue;
    out.add(nodes_, nodes_.find(keys[k]), of.label, of.rival, values == nullptr ? 1.0f : values[k], label,
            rival, [&] { return name(k); });
  }
  if (!support_.empty()) {
    std::vector<float> sums(out.sums.size());
    SupportVectors::Scratch scratch;
    support_.add_to(keys, values, scratch, sums.data());
    out.add(sums[of.label], sums[of.rival], 1.0f, label, rival,
            [] { return std::string("(support vectors)"); });
  }
  if (conjunctions_.empty()) return;
  ConjunctionTable::Scratch scratch;
  const auto add = [&](const std::vector<std::size_t>& places, float value, RowTable::Row row) {
    out.add(conjunctions_.rows(), row, of.label, of.rival, value, label, rival, [&] {
      std::vector<std::string> names;
      for (const std::size_t k : places) names.push_back(name(k));
      return conjunction_text(names);
    });
  };
  conjunctions_.each(keys, values, scratch, add);
}

void Tagger::explain_node(std::size_t t, Choice of, const Workspace& workspace, Collector& out) const {
  if (features_.attributes) {
    const AttributeRows& rows = workspace.attributes_;
    const std::size_t first = rows.begin[t];
    std::vector<Key> keys(rows.keys + first, rows.keys + rows.begin[t + 1]);
    for (Key& key : keys) key = features_.hash_bits > 0 ? bucket_key(features_.bucket(key)) : key;
    explain_features(keys, rows.values + first, of, out,
                     [&](std::size_t k) { return std::string(rows.name(first + k)); });
    return;
  }
  const auto& templates = features_.model.templates().nodes;
  const FeatureKeys& keys = workspace.keys_;
  const std::size_t first = t * templates.size();
  explain_features(std::span(keys.nodes).subspan(first, templates.size()),
                   keys.node_values.empty() ? nullptr : keys.node_values.data() + first, of, out,
                   [&](std::size_t k) { return workspace.extractor_.feature_text(templates[k], t); });
}

// How much two neighbours, the second at token t, favour `pair` over `rival_pair`.
void Tagger::explain_pair(std::size_t t, std::size_t pair, std::size_t rival_pair, const Workspace& workspace,
                          Collector& out) const {
  const std::string label = pair_name(pair);
  const std::string rival = pair_name(rival_pair);
  out.add(transitions_[pair], transitions_[rival_pair], 1.0f, label, rival, [] { return std::string("B"); });
  const auto& templates = features_.model.templates().edges;
  const FeatureKeys& keys = workspace.keys_;
  for (const std::size_t k : features_.edge_templates) {
    const std::size_t at = t * templates.size() + k;
    if (edges_.empty() || keys.edges[at] == kAbsent) continue;
    out.add(edges_, edges_.find(keys.edges[at]), pair, rival_pair,
            keys.edge_values.empty() ? 1.0f : keys.edge_values[at], label, rival,
            [&] { return workspace.extractor_.feature_text(templates[k], t); });
  }
}

std::vector<Explanation> Tagger::explain(std::span<const LabelId> path, std::span<const LabelId> rivals,
                                         const Workspace& workspace) const {
  const std::size_t n = labels_.size();
  std::vector<Explanation> all;
  for (std::size_t t = 0; t < path.size(); ++t) {
    Explanation& of = all.emplace_back();
    of.rivals = rival_sequence(path, t, rivals, workspace.decoder_.scores());
    of.label = path[t];
    of.rival = of.rivals[t];
    Collector out{of, std::vector<float>(workspace.sums_.size())};
    for (std::size_t s = 0; s < path.size(); ++s) {
      const bool differs = path[s] != of.rivals[s];
      out.token = s;
      if (differs) explain_node(s, {path[s], of.rivals[s]}, workspace, out);
      if (s > 0 && (differs || path[s - 1] != of.rivals[s - 1]))
        explain_pair(s, path[s - 1] * n + path[s], of.rivals[s - 1] * n + of.rivals[s], workspace, out);
    }
    std::ranges::stable_sort(of.contributions, std::greater(),
                             [](const Contribution& c) { return std::abs(c.amount); });
  }
  return all;
}

}  // namespace hinge::tag
