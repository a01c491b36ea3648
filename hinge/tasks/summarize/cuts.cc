#include "hinge/tasks/summarize/cuts.h"

#include <algorithm>

namespace hinge::summarize {
namespace {

constexpr std::uint32_t kCoordination = 1, kAdjunct = 2, kRelative = 4, kAttribution = 8, kPrepositional = 16,
                        kTemporal = 32, kAdverb = 64, kParenthesis = 128, kSubordinate = 256;

constexpr std::string_view kTimeWords[] = {
    "april",     "august",   "day",       "days",   "december", "february", "friday",   "january", "july",
    "june",      "march",    "may",       "monday", "month",    "months",   "morning",  "night",   "november",
    "october",   "saturday", "september", "sunday", "thursday", "today",    "tomorrow", "tonight", "tuesday",
    "wednesday", "week",     "weeks",     "year",   "years",    "yesterday"};
constexpr std::string_view kSayWords[] = {"add",     "added", "adds", "claimed", "claims", "reported",
                                          "reports", "said",  "say",  "says",    "told"};

std::string lower(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return text;
}

bool has_word(const BracketTree& tree, const BracketNode& node, std::span<const std::string_view> words) {
  for (std::uint32_t k = node.begin; k < node.end; ++k) {
    if (std::ranges::find(words, lower(tree.words[k])) != words.end()) return true;
  }
  return false;
}

bool is_clause(std::string_view label) { return label == "S" || label == "SBAR" || label == "SINV"; }

std::vector<std::uint32_t> children_of(const BracketTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> children;
  for (std::uint32_t k = node + 1; k < tree.nodes[node].next; k = tree.nodes[k].next) children.push_back(k);
  return children;
}

// The kinds of child `at` of a node, 0 if it must stay.
std::uint32_t kinds_of(const BracketTree& tree, std::uint32_t parent,
                       const std::vector<std::uint32_t>& children, std::size_t at) {
  const BracketNode& node = tree.nodes[children[at]];
  const std::string_view above = tree.nodes[parent].label, label = node.label;
  if (node.word) return 0;
  std::uint32_t kinds = 0;
  const auto label_at = [&](std::size_t k) { return tree.nodes[children[k]].label; };
  // Not the first conjunct: what is left must still be a phrase.
  if (at > 0 && label_at(at - 1) == "CC" && label == label_at(0)) kinds |= kCoordination;
  if (label == "PRN") kinds |= kParenthesis;
  if (above == "NP" && at > 0 && (label == "SBAR" || label == "VP")) kinds |= kRelative;
  if (is_clause(above)) {
    bool subject_follows = false;
    for (std::size_t k = at + 1; k < children.size(); ++k) subject_follows |= label_at(k) == "NP";
    if (subject_follows && (label == "PP" || label == "ADVP" || is_clause(label))) kinds |= kAdjunct;
    if (at > 0 && is_clause(label_at(0)) && label == "VP" && has_word(tree, node, kSayWords))
      kinds |= kAttribution;
  }
  if (label == "PP" && at > 0) kinds |= kPrepositional;
  if (label == "ADVP") kinds |= kAdverb;
  if (above == "VP" && at > 0 && label == "SBAR") kinds |= kSubordinate;
  const bool timely = label == "PP" || label == "ADVP" || (label == "NP" && above == "VP" && at > 1);
  if (timely && has_word(tree, node, kTimeWords)) kinds |= kTemporal;
  return kinds;
}

// A dropped conjunct takes its conjunction along, a dropped phrase the comma after it.
void mark(const BracketTree& tree, std::uint32_t parent, const std::vector<std::uint32_t>& children,
          std::size_t at, std::uint32_t part, std::uint32_t kinds, std::vector<std::uint32_t>& part_of_word) {
  const BracketNode& node = tree.nodes[children[at]];
  const std::uint32_t outer = part_of_word[node.begin];
  std::fill(part_of_word.begin() + node.begin, part_of_word.begin() + node.end, part);
  const auto take = [&](std::size_t k) {
    const BracketNode& word = tree.nodes[children[k]];
    if (word.word && part_of_word[word.begin] == outer) part_of_word[word.begin] = part;
  };
  if ((kinds & kCoordination) != 0) take(at - 1);
  if (at + 1 < children.size() && tree.nodes[children[at + 1]].label == "," &&
      tree.nodes[parent].label != "NP")
    take(at + 1);
}

void walk(const BracketTree& tree, std::uint32_t node, std::uint32_t part, std::vector<Sentence::Part>& parts,
          std::vector<std::uint32_t>& part_of_word) {
  const std::vector<std::uint32_t> children = children_of(tree, node);
  for (std::size_t at = 0; at < children.size(); ++at) {
    std::uint32_t below = part;
    const std::uint32_t kinds = kinds_of(tree, node, children, at);
    if (kinds != 0) {
      below = static_cast<std::uint32_t>(parts.size());
      parts.push_back({.parent = part, .kinds = kinds});
      mark(tree, node, children, at, below, kinds, part_of_word);
    }
    walk(tree, children[at], below, parts, part_of_word);
  }
}

}  // namespace

std::vector<Sentence::Part> find_parts(const BracketTree& tree, std::vector<std::uint32_t>& part_of_word) {
  std::vector<Sentence::Part> parts(1);
  part_of_word.assign(tree.words.size(), 0);
  if (!tree.nodes.empty()) walk(tree, 0, 0, parts, part_of_word);
  return parts;
}

}  // namespace hinge::summarize
