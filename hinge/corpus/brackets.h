// Phrase-structure trees in Penn brackets: (S (NP (DT The) (NN dog)) (VP (VBZ barks))).
// A tree may span lines, and a line may hold several trees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/text_source.h"

namespace hinge {

// One node of a tree. Nodes are in preorder: the children of node k begin at k + 1,
// and its next sibling is nodes[k].next.
struct BracketNode {
  std::string_view label;    // of a phrase, or the tag of a word; may be empty at the top
  std::uint32_t begin, end;  // words
  std::uint32_t next;        // just after the last node below this one
  bool word;                 // a tag over its word
};

// Views: they live as long as the text they came from.
struct BracketTree {
  std::vector<BracketNode> nodes;
  std::vector<std::string_view> words;

  void clear() {
    nodes.clear();
    words.clear();
  }
};

// Fills in `next` of nodes that are in preorder, none of them empty.
void link_nodes(BracketTree& tree);

// What is left out while reading.
struct BracketCleaning {
  bool keep_functions = false;  // NP-SBJ, NP=2 and NP|X stay; otherwise they become NP
  bool keep_empty = false;      // -NONE- and phrases without words stay
};

// Trees deeper than this, or with more words, are refused.
inline constexpr std::size_t kMostBracketDepth = 1000;
inline constexpr std::size_t kMostTreeWords = 1000;

// Reads trees one by one.
class BracketReader {
 public:
  explicit BracketReader(const TextInput& input, BracketCleaning cleaning = {});

  // False at the end. The tree is valid until the next call. Trees whose words are
  // all empty elements are skipped. Throws InputError naming file and line.
  bool next(BracketTree& tree);

  // The line on which the last tree begins, from 1.
  std::size_t line() const { return tree_line_; }
  const std::string& name() const { return name_; }
  std::string where() const;  // "file:line" of the last tree

 private:
  bool fill();
  bool begin_file();
  bool holds_tree();
  [[noreturn]] void refuse(std::size_t line, const std::string& problem) const;

  TextSource source_;
  BracketCleaning cleaning_;
  std::string name_;        // of the file of the last tree
  std::size_t part_ = 0;    // its number
  std::string_view ahead_;  // the beginning of the next file
  std::string text_;        // the lines of the current tree and what follows it
  std::size_t at_ = 0;      // in text_
  std::size_t seen_ = 0;    // in text_: brackets before it are counted
  std::ptrdiff_t open_ = 0;
  std::size_t line_ = 1;  // of at_
  std::size_t tree_line_ = 0;
  bool at_end_ = false;
};

// Parses one tree, or a row of trees without a common root such as
// "(DT The) (NN dog)", which get a root with an empty label. False if the text is empty.
// `where` begins messages.
bool parse_brackets(std::string_view text, std::string_view where, BracketCleaning cleaning,
                    BracketTree& tree);

// Whether a line is brackets rather than plain words: "(" and a label, or two
// opening brackets.
bool looks_like_brackets(std::string_view line);

// Appends the tree on one line, without a line end. Round brackets in words become
// -LRB- and -RRB-.
void append_brackets(const BracketTree& tree, std::string& out);

// Appends a word with "-LRB-" for "(" and "-RRB-" for ")".
void append_escaped(std::string_view word, std::string& out);

}  // namespace hinge
