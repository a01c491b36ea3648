// Trees as they were read, in columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/brackets.h"
#include "hinge/corpus/columns.h"
#include "hinge/features/label_set.h"
#include "hinge/files/word_columns.h"
#include "hinge/tasks/constituents/options.h"
#include "hinge/tasks/source.h"

namespace hinge::constituents {

struct Treebank {
  struct Node {
    std::uint16_t label, begin, end, word;  // word: whether it is a tag
  };
  WordColumns words;
  LabelSet labels;             // of phrases and words
  RowColumn<Node> nodes;       // in preorder
  Column<std::uint16_t> tags;  // [words] labels from a tagger; empty: those of the trees
  std::string wrapper = "-";   // the label around whole trees, removed here; "-": none
  std::size_t skipped = 0;     // longer than `longest`

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    WordColumns::each_column(d.words, body);
    each_row_column<&Treebank::nodes>("nodes", "node_begin", d, body);
    body("tags", d.tags, 0);
  }

  std::size_t size() const { return words.sentences(); }
  void add(const BracketTree& tree, std::span<const std::string_view> found_tags);
  // Views of this.
  void read(std::size_t i, BracketTree& tree) const;
  // The tags that a parser is given for a tree.
  void given_tags(std::size_t i, const BracketTree& tree, std::vector<std::string_view>& out) const;
};

// Removes the wrapper of a tree and returns its label; "-" if there is none.
std::string remove_wrapper(BracketTree& tree);

// The tags of a tree.
void tags_of(const BracketTree& tree, std::vector<std::string_view>& tags);

// What tags from a tagger do: they are kept beside those of the trees, or take their place.
enum class FoundTags : std::uint8_t { kBeside, kInstead };

struct TreebankFormat {
  BracketCleaning cleaning = {};
  std::int64_t longest = 0;  // leave out trees with more words; 0: none
  std::size_t tag_column = kXpos;
  FoundTags tags = FoundTags::kBeside;
};

// Reads trees, or what tree_columns() made of them, with the tags in that column. Throws InputError if
// there is no tree. `space` is where columns go; null: into memory.
Treebank read_treebank(const Source& source, const TreebankFormat& format, SpillSpace* space = nullptr);

// Trees to learn from, with the tags that prediction will have; and trees to score on.
Treebank read_training(const Source& source, const ConstOptions& options, SpillSpace* space);
Treebank read_dev(const Source& source, const ConstOptions& options);

}  // namespace hinge::constituents
