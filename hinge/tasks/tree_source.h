// Trees as CoNLL-U, for taggers: a sentence per tree, whose tags are in UPOS and
// XPOS, and the tree itself in a comment "# tree = (S ...)".
#pragma once

#include <string>
#include <string_view>

#include "hinge/corpus/brackets.h"
#include "hinge/corpus/columns.h"
#include "hinge/tasks/source.h"

namespace hinge {

// Appends words and tags as a sentence; empty tags become "_". `tree`: the brackets, or "".
void append_tree_columns(std::string_view tree, std::span<const std::string_view> words,
                         std::span<const std::string_view> tags, std::string& out);

// All trees of a source. Empty elements are words if they are kept.
Source tree_columns(const Source& source, bool keep_empty = false);

// tree_columns() if the source is a file or text that begins as a tree does, else the
// source.
Source columns_of_trees(const Source& source);

// Whether this is what tree_columns() made.
bool is_tree_columns(const Source& source);
// The brackets in the comment of a sentence; "" if there are none.
std::string_view tree_of(const ColumnSentence& sentence);

}  // namespace hinge
