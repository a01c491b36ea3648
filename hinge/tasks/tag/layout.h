// The layout of a tagger's weights.
#pragma once

#include <cstddef>

namespace hinge::tag {

//   nodes [node features][labels] · transitions [labels][labels] · edges [edge features][labels][labels]
struct ChainLayout {
  std::size_t labels = 0;
  std::size_t node_features = 0;
  std::size_t edge_features = 0;
  bool transitions = true;

  std::size_t node(std::size_t feature, std::size_t label) const { return feature * labels + label; }
  std::size_t transitions_begin() const { return node_features * labels; }
  std::size_t edges_begin() const { return transitions_begin() + (transitions ? labels * labels : 0); }
  std::size_t edge(std::size_t feature) const { return edges_begin() + feature * labels * labels; }
  std::size_t dimension() const { return edge(edge_features); }
};

}  // namespace hinge::tag
