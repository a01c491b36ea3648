// Chains of scores small enough to list every label sequence.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "hinge/decode/viterbi.h"

namespace hinge::test {

using Path = std::vector<LabelId>;

struct Chain {
  std::size_t tokens;
  std::size_t labels;
  bool edges_by_token;
  std::vector<float> node;
  std::vector<float> edge;

  std::size_t stride() const { return padded_labels(labels); }
  std::size_t matrices() const { return edges_by_token ? tokens : 1; }
  ChainScores scores() const {
    return {tokens, labels, stride(), node.data(), edge.data(), edges_by_token ? labels * stride() : 0};
  }
  float& node_at(std::size_t t, std::size_t y) { return node[t * stride() + y]; }
  float& edge_at(std::size_t t, std::size_t from, std::size_t to) {
    return edge[(edges_by_token ? t * labels * stride() : 0) + from * stride() + to];
  }
  double score(const Path& path) const {
    double sum = 0.0;
    for (std::size_t t = 0; t < tokens; ++t) {
      sum += node[t * stride() + path[t]];
      if (t > 0) sum += scores().edges_into(t)[path[t - 1] * stride() + path[t]];
    }
    return sum;
  }

  bool allows(const Path& path) const { return score(path) > kForbidden / 2; }

  void each_node(const std::function<void(float&)>& body) {
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t y = 0; y < labels; ++y) body(node_at(t, y));
  }
  // Edges into the first token, if there are any, belong to no sequence.
  void each_edge(const std::function<void(float&)>& body) {
    for (std::size_t t = edges_by_token ? 1 : 0; t < matrices(); ++t)
      for (std::size_t from = 0; from < labels; ++from)
        for (std::size_t to = 0; to < labels; ++to) body(edge_at(t, from, to));
  }
};

// Sequences sorted by their labels, read from the last token to the first.
inline void each_sequence(const Chain& chain, const std::function<void(const Path&)>& body) {
  Path path(chain.tokens, 0);
  while (true) {
    body(path);
    std::size_t t = 0;
    while (t < chain.tokens && ++path[t] == chain.labels) path[t++] = 0;
    if (t == chain.tokens) return;
  }
}

}  // namespace hinge::test
