// A derivation of the sampler's grammar, and the layers read from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/sample/sampler.h"

namespace hinge::sampling {

struct Node {
  std::string_view label;     // of a phrase, or the Penn tag of a word
  std::string_view relation;  // empty: the head child of its parent
  int parent = -1;
  int attach = -1;  // node whose head word governs this node's head word
  int word = -1;    // of a phrase: its head word, set by write_layers()
  bool is_leaf = false;
};

struct Word {
  std::string form, lemma;
  std::string_view relation, xpos, entity;
  bool begins_entity = false;
  bool is_human = false;
  std::uint64_t rank = 0;  // in its class; decides which prepositions the word prefers
};

struct Derivation {
  std::vector<Node> nodes;  // in preorder
  std::vector<Word> words;
};

SampleSentence write_layers(Derivation derivation);

}  // namespace hinge::sampling
