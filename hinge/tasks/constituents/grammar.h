// The grammar of a treebank in binary form.
//
// A phrase with children c1 c2 ... cn becomes  X -> c1 @X,  @X -> c2 @X, ...: @X is
// a partial phrase, which remembers up to `horizontal` children before it. Chains of
// phrases over the same words become one symbol (S+VP); over a single word they are
// a unary rule, S+VP -> tag. With vertical=2 a phrase knows its parent (NP^S), and so
// on (Johnson 1998; Klein and Manning 2003).
//
// Symbols below tags() are tags. Every symbol has a coarse symbol, in the grammar
// with horizontal=0 and vertical=1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"
#include "hinge/corpus/brackets.h"
#include "hinge/features/label_set.h"
#include "hinge/files/bytes.h"

namespace hinge::constituents {

using Symbol = std::uint16_t;
inline constexpr Symbol kNoSymbol = 0xFFFF;
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

struct Rule {
  Symbol parent, left, right;  // right is kNoSymbol: over a tag
};

struct Markovization {
  std::int64_t vertical = 1;
  std::int64_t horizontal = 0;

  bool minimal() const { return vertical == 1 && horizontal == 0; }
};

// A node of a tree in binary form. Nodes are in preorder; tags have no children,
// phrases over one word have only a left one.
struct BinaryNode {
  Symbol symbol;
  std::uint16_t begin, end;
  std::uint32_t rule;         // kNone: a tag
  std::uint32_t left, right;  // kNone: none
};
using Derivation = std::vector<BinaryNode>;

class Grammar {
 public:
  // Tags must all be known before the first tree is added.
  void add_tag(std::string_view tag) { tags_.intern(tag); }
  // Adds the rules it lacks; `out` is the tree in binary form.
  void add(const BracketTree& tree, const Markovization& order, Derivation& out);
  // Adds the phrases and rules of another grammar, whose tags must be known.
  void add(const Grammar& other);
  // After the last tree.
  void finish();

  std::size_t tags() const { return tags_.size(); }
  std::size_t symbols() const { return tags_.size() + phrases_.size(); }
  const std::vector<Rule>& rules() const { return rules_; }
  const LabelSet& tag_names() const { return tags_; }

  bool is_tag(Symbol s) const { return s < tags_.size(); }
  bool is_partial(Symbol s) const { return !is_tag(s) && partial_[s - tags_.size()] != 0; }
  // "NP", "S+VP", "@NP" or "NP^S", for people.
  std::string name(Symbol s) const;
  // The labels of a chain, from the top, separated by blanks.
  std::string_view chain(Symbol s) const;
  // The key of the coarse symbol.
  std::string coarse_key(Symbol s) const;
  // The symbol of a key, or kNoSymbol.
  Symbol find_phrase(std::string_view key) const;
  // [symbols of the other] those with the same names here, or kNoSymbol.
  std::vector<Symbol> symbols_of(const Grammar& other) const;
  // The number of a rule, or kNone.
  std::uint32_t find_rule(Symbol parent, Symbol left, Symbol right) const;

  // Rules with these children; over a tag, with this one. Numbers of rules.
  std::span<const std::uint32_t> with_children(Symbol left, Symbol right) const {
    const std::uint32_t group = groups_.find(std::uint64_t{left} << 16 | right);
    return group == NumberMap::kNone ? std::span<const std::uint32_t>() : members(group);
  }
  // Binary rules with this left child.
  std::span<const std::uint32_t> with_left(Symbol left) const {
    return std::span(by_children_).subspan(left_begin_[left], left_end_[left] - left_begin_[left]);
  }
  std::span<const std::uint32_t> over_tag(Symbol tag) const { return with_children(tag, kNoSymbol); }

  // What a node is, as a number: a tag, or after all tags a rule. The numbers of a tree in preorder say
  // everything about it.
  std::uint32_t number_of(Symbol symbol, std::uint32_t rule) const {
    return rule == kNone ? symbol : static_cast<std::uint32_t>(tags()) + rule;
  }
  // The tree of these numbers; false if there is none.
  bool read_tree(std::span<const std::uint32_t> numbers, Derivation& out) const;

  void write(ByteWriter& out) const;
  static Grammar load(ByteReader& in);

 private:
  struct Builder;
  std::span<const std::uint32_t> members(std::uint32_t group) const {
    return std::span(by_children_)
        .subspan(group_begin_[group], group_begin_[group + 1] - group_begin_[group]);
  }
  Symbol phrase(const std::string& key);
  std::uint32_t rule(Symbol parent, Symbol left, Symbol right);

  LabelSet tags_;
  LabelSet phrases_;           // keys: chain, then "\t^parent ...", then "\t@siblings ..."
  std::vector<char> partial_;  // [phrases]
  std::vector<Rule> rules_;
  NumberMap rule_ids_;
  NumberMap groups_;  // by children, into group_begin_
  std::vector<std::uint32_t> group_begin_;
  std::vector<std::uint32_t> by_children_;            // sorted by left, then right child
  std::vector<std::uint32_t> left_begin_, left_end_;  // [symbols], into by_children_
};

// Whether the labels of a chain, separated by blanks, include one.
bool chain_has(std::string_view chain, std::string_view label);

// Labels that are only a wrapper around the whole tree: ROOT, TOP, S1 and "".
bool is_wrapper(std::string_view label);

// The tree without binary form: a wrapper with that label, unless it is "-", and
// below it the phrases. Views of the grammar and of `words`.
void unbinarize(const Grammar& grammar, std::span<const BinaryNode> nodes, std::string_view wrapper,
                std::span<const std::string_view> words, BracketTree& tree);

}  // namespace hinge::constituents
