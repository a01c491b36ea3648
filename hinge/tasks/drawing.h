// Drawings for web pages (tasks/html.h): phrases and tags in colour, dependency trees as arcs above
// the words, phrase-structure trees above theirs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hinge/corpus/brackets.h"

namespace hinge {

// "rank 2, score 1.5, probability 0.25" above an output of an n-best list.
void draw_rank(std::size_t rank, double score, std::optional<double> probability, std::string& out);

struct DrawnToken {
  std::string_view word;
  std::string_view label;
  std::size_t number = 0;       // of the label, or its type; chooses the colour
  std::optional<double> score;  // shown if there is one and it is finite; of a phrase the lowest
};

// If `phrases`, labels such as B-NP and I-NP become one coloured phrase; otherwise every word stands above
// its label.
void draw_tags(std::span<const DrawnToken> tokens, bool phrases, std::string& out);

struct DrawnWord {
  std::string_view word;
  std::string_view tag;         // below the word; may be empty
  std::size_t head = 0;         // from 1; 0: the root
  std::string_view label;       // of the arc from the head; may be empty
  std::optional<double> score;  // of the arc
};

void draw_dependencies(std::span<const DrawnWord> words, std::string& out);

// Labels of marked nodes [nodes] stand out; none are if it is empty.
void draw_tree(const BracketTree& tree, std::span<const char> marked, std::string& out);

}  // namespace hinge
