#include "hinge/sample/layers.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <utility>

namespace hinge::sampling {
namespace {

int next_sibling(const std::vector<Node>& nodes, int node) {
  const int size = static_cast<int>(nodes.size());
  int next = node + 1;
  while (next < size && nodes[next].parent >= node) ++next;
  return next < size && nodes[next].parent == nodes[node].parent ? next : -1;
}

// Children follow their parents, so one backward sweep finds every head word.
void find_head_words(std::vector<Node>& nodes) {
  for (std::size_t i = nodes.size() - 1; i > 0; --i) {
    assert(nodes[i].word >= 0);
    if (nodes[i].relation.empty()) nodes[nodes[i].parent].word = nodes[i].word;
  }
}

// In Universal Dependencies, conjunctions and commas attach to the next conjunct.
int governor(const std::vector<Node>& nodes, int node) {
  const auto joins = [&](int i) { return nodes[i].relation == "cc" || nodes[i].relation == "punct"; };
  if (!joins(node)) return nodes[node].attach;
  int next = next_sibling(nodes, node);
  while (next >= 0 && joins(next)) next = next_sibling(nodes, next);
  return next >= 0 && nodes[next].relation == "conj" ? next : nodes[node].attach;
}

void write_heads(const std::vector<Node>& nodes, std::vector<SampleToken>& tokens) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].relation.empty()) continue;
    SampleToken& token = tokens[nodes[i].word];
    token.head = i == 0 ? 0 : nodes[governor(nodes, static_cast<int>(i))].word + 1;
    token.deprel = nodes[i].relation;
  }
}

class Chunker {
 public:
  explicit Chunker(const std::vector<Node>& nodes) : nodes_(nodes), owner_(nodes.size(), -1) {}

  void write(std::vector<SampleToken>& tokens) {
    int previous = -1;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      owner_[i] = nodes_[i].is_leaf ? leaf_owner(static_cast<int>(i)) : phrase_owner(static_cast<int>(i));
      if (!nodes_[i].is_leaf) continue;
      std::string& chunk = tokens[nodes_[i].word].chunk;
      const std::string_view kind = chunk_kind(label(owner_[i]));
      chunk = kind.empty() ? "O" : owner_[i] == previous ? "I-" : "B-";
      chunk += kind;
      previous = owner_[i];
    }
  }

 private:
  std::string_view label(int node) const { return node < 0 ? "" : nodes_[node].label; }
  int owner(int node) const { return node < 0 ? -1 : owner_[node]; }

  static std::string_view chunk_kind(std::string_view label) {
    if (label == "S" || label == "SINV") return "";
    return label.starts_with("WH") ? label.substr(2) : label;
  }

  // The node whose chunk contains a phrase's own words: itself or an ancestor.
  int phrase_owner(int node) const {
    const std::string_view phrase = nodes_[node].label;
    const int above = owner(nodes_[node].parent);
    if (label(above) == "VP") {  // "wants to sell" and "has also sold" are one chunk
      if (phrase == "VP" || phrase == "S") return above;
      if (phrase == "ADVP" && label(next_sibling(nodes_, node)) == "VP") return above;
    }
    const bool is_modifier = phrase == "ADJP" || phrase == "QP";
    return is_modifier && label(nodes_[node].parent) == "NP" ? above : node;
  }

  int leaf_owner(int node) const {
    const std::string_view tag = nodes_[node].label;
    const int parent = nodes_[node].parent;
    if (tag == "POS") return owner(nodes_[parent].parent);  // "'s" begins the chunk of the thing possessed
    const bool is_mark = tag == "," || tag == "." || tag == "``" || tag == "''";
    if (!is_mark && tag != "CC") return owner(parent);
    // Part of the chunk between words ("oil and gas"), but not between phrases.
    const bool follows_word = nodes_[node - 1].parent == parent;
    return follows_word && (tag == "CC" || label(parent) == "NP") ? owner(parent) : -1;
  }

  const std::vector<Node>& nodes_;
  std::vector<int> owner_;  // [nodes] node that gives the chunk its kind, or -1
};

std::string write_tree(const Derivation& derivation) {
  std::string tree;
  int open = -1;
  for (std::size_t i = 0; i < derivation.nodes.size(); ++i) {
    const Node& node = derivation.nodes[i];
    for (; open != node.parent; open = derivation.nodes[open].parent) tree += ')';
    if (i > 0) tree += ' ';
    (tree += '(') += node.label;
    if (node.is_leaf) (tree += ' ') += derivation.words[node.word].form;
    open = static_cast<int>(i);
  }
  for (; open >= 0; open = derivation.nodes[open].parent) tree += ')';
  return tree;
}

std::string_view universal_tag(const Word& word) {
  static constexpr std::pair<std::string_view, std::string_view> kByPrefix[] = {
      {"NNP", "PROPN"}, {"NN", "NOUN"}, {"VB", "VERB"},  {"MD", "AUX"},   {"JJ", "ADJ"},
      {"RB", "ADV"},    {"WRB", "ADV"}, {"PRP", "PRON"}, {"WP", "PRON"},  {"WDT", "PRON"},
      {"EX", "PRON"},   {"DT", "DET"},  {"CD", "NUM"},   {"CC", "CCONJ"}, {"IN", "ADP"},
      {"TO", "ADP"},    {"RP", "ADP"},  {"POS", "PART"}, {"$", "SYM"}};
  const std::string_view xpos = word.xpos, relation = word.relation;
  if (xpos.starts_with("VB") && (relation.starts_with("aux") || relation == "cop")) return "AUX";
  if (xpos == "IN" && relation == "mark") return "SCONJ";
  if (xpos == "DT" && relation != "det") return "PRON";
  if ((xpos == "TO" && relation == "mark") || word.lemma == "not") return "PART";
  if (word.form == "%") return "SYM";
  const auto* found = std::find_if(std::begin(kByPrefix), std::end(kByPrefix),
                                   [&](const auto& entry) { return xpos.starts_with(entry.first); });
  return found == std::end(kByPrefix) ? "PUNCT" : found->second;
}

}  // namespace

SampleSentence write_layers(Derivation derivation) {
  SampleSentence sentence;
  sentence.tree = write_tree(derivation);
  sentence.tokens.resize(derivation.words.size());
  for (std::size_t i = 0; i < derivation.words.size(); ++i) {
    Word& word = derivation.words[i];
    SampleToken& token = sentence.tokens[i];
    token.upos = universal_tag(word);
    token.xpos = word.xpos;
    token.form = std::move(word.form);
    token.lemma = std::move(word.lemma);
    token.entity = word.entity.empty() ? "O" : word.begins_entity ? "B-" : "I-";
    token.entity += word.entity;
  }
  find_head_words(derivation.nodes);
  write_heads(derivation.nodes, sentence.tokens);
  Chunker(derivation.nodes).write(sentence.tokens);
  return sentence;
}

}  // namespace hinge::sampling
