#include "hinge/tasks/summarize/cuts.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

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

// Verbs that say nothing alone.
constexpr std::string_view kBeWords[] = {"'m",   "'re",   "'s", "am",  "are", "be",
                                         "been", "being", "is", "was", "were"};
// A clause that begins with one of these is no object of its verb.
constexpr std::string_view kClauseWords[] = {"after", "although", "as",       "because", "before", "if",
                                             "once",  "since",    "so",       "than",    "though", "unless",
                                             "until", "when",     "whenever", "where",   "while"};
constexpr std::string_view kOpening[] = {"(", "-LRB-", "[", "-LSB-", "{", "-LCB-", "``", "\u201c"};
constexpr std::string_view kClosing[] = {")", "-RRB-", "]", "-RSB-", "}", "-RCB-", "''", "\u201d"};
constexpr std::size_t kFewestWords = 3;  // of a sentence

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

// The other one of a pair of brackets or quotation marks, [words]; the word itself if it has none.
std::vector<std::uint32_t> partners_of(const BracketTree& tree) {
  std::vector<std::uint32_t> partner(tree.words.size()), open;
  std::iota(partner.begin(), partner.end(), 0u);
  const auto place = [](std::span<const std::string_view> marks, std::string_view word) {
    return std::ranges::find(marks, word) - marks.begin();
  };
  for (std::uint32_t k = 0; k < partner.size(); ++k) {
    const std::string_view word = tree.words[k];
    const auto opens = [&](std::uint32_t other) {
      const std::string_view mark = tree.words[other];
      if (word == "\"") return mark == "\"";
      const auto at = place(kOpening, mark);
      return at < std::ssize(kOpening) && at == place(kClosing, word);
    };
    const auto found = std::ranges::find_if(open.rbegin(), open.rend(), opens);
    if (found != open.rend()) {
      partner[k] = *found;
      partner[*found] = k;
      open.erase(std::prev(found.base()), open.end());
    } else if (word == "\"" || place(kOpening, word) < std::ssize(kOpening)) {
      open.push_back(k);
    }
  }
  return partner;
}

bool is_verb(std::string_view tag) { return tag.starts_with("VB") || tag == "MD"; }

bool is_word(std::string_view token) {
  return std::ranges::any_of(token, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
  });
}

// Finds the parts of one sentence, from the top down.
class Cutter {
 public:
  Cutter(const BracketTree& tree, std::vector<std::uint32_t>& part_of_word)
      : tree_(tree), part_of_word_(part_of_word), partner_(partners_of(tree)), tags_(tree.words.size()) {
    for (const BracketNode& node : tree.nodes) {
      if (node.word) tags_[node.begin] = node.label;
    }
  }

  void walk(std::uint32_t node, std::uint32_t part) {
    const std::vector<std::uint32_t> children = children_of(tree_, node);
    for (std::size_t at = 0; at < children.size(); ++at) {
      std::uint32_t below = part;
      const std::uint32_t kinds = kinds_of(tree_, node, children, at);
      if (kinds != 0 && is_safe(node, children, at, kinds)) {
        below = static_cast<std::uint32_t>(parts_.size());
        parts_.push_back({.parent = part, .kinds = kinds});
        mark(node, children, at, below, kinds);
      }
      walk(children[at], below);
    }
  }

  std::vector<Sentence::Part> parts() && { return std::move(parts_); }

 private:
  // Whether a sentence is left, whatever else is cut: a choice drops whole parts with all that
  // hangs on them, so pairs that no part divides are never divided, and part 0 is always there.
  bool is_safe(std::uint32_t parent, const std::vector<std::uint32_t>& children, std::size_t at,
               std::uint32_t kinds) const {
    const BracketNode& node = tree_.nodes[children[at]];
    for (std::uint32_t k = node.begin; k < node.end; ++k) {
      if (partner_[k] < node.begin || partner_[k] >= node.end) return false;
    }
    const bool stranded =
        at > 0 && tree_.nodes[children[at - 1]].label == "CC" && (kinds & kCoordination) == 0;
    return !stranded && !bares_verb(parent, children, at, kinds) &&
           (part_of_word_[node.begin] != 0 || leaves_enough(node));
  }

  // What stays at least, if this goes, too, has a verb and some words.
  bool leaves_enough(const BracketNode& node) const {
    std::size_t words = 0, verbs = 0;
    for (std::uint32_t k = 0; k < tree_.words.size(); ++k) {
      if (part_of_word_[k] != 0 || (k >= node.begin && k < node.end)) continue;
      words += is_word(tree_.words[k]);
      verbs += is_verb(tags_[k]);
    }
    return verbs > 0 && words >= kFewestWords;
  }

  // "This is", "they said": the last phrase under a verb that needs one.
  bool bares_verb(std::uint32_t parent, const std::vector<std::uint32_t>& children, std::size_t at,
                  std::uint32_t kinds) const {
    const BracketNode& node = tree_.nodes[children[at]];
    if (tree_.nodes[parent].label != "VP" || !is_verb(tree_.nodes[children[0]].label)) return false;
    for (const std::uint32_t other : children) {
      const BracketNode& phrase = tree_.nodes[other];
      if (other != children[at] && !phrase.word && part_of_word_[phrase.begin] == part_of_word_[node.begin])
        return false;
    }
    const std::string verb = lower(tree_.words[tree_.nodes[children[0]].begin]);
    if (std::ranges::find(kBeWords, verb) != std::end(kBeWords)) return true;
    return (kinds & kSubordinate) != 0 &&
           std::ranges::find(kClauseWords, lower(tree_.words[node.begin])) == std::end(kClauseWords);
  }

  // A dropped conjunct takes its conjunction along, a dropped phrase the comma after it.
  void mark(std::uint32_t parent, const std::vector<std::uint32_t>& children, std::size_t at,
            std::uint32_t part, std::uint32_t kinds) {
    const BracketNode& node = tree_.nodes[children[at]];
    const std::uint32_t outer = part_of_word_[node.begin];
    std::fill(part_of_word_.begin() + node.begin, part_of_word_.begin() + node.end, part);
    const auto take = [&](std::size_t k) {
      const BracketNode& word = tree_.nodes[children[k]];
      if (word.word && part_of_word_[word.begin] == outer) part_of_word_[word.begin] = part;
    };
    if ((kinds & kCoordination) != 0) take(at - 1);
    if (at + 1 < children.size() && tree_.nodes[children[at + 1]].label == "," &&
        tree_.nodes[parent].label != "NP")
      take(at + 1);
  }

  const BracketTree& tree_;
  std::vector<std::uint32_t>& part_of_word_;
  std::vector<std::uint32_t> partner_;
  std::vector<std::string_view> tags_;  // [words]
  std::vector<Sentence::Part> parts_{1};
};

}  // namespace

std::vector<Sentence::Part> find_parts(const BracketTree& tree, std::vector<std::uint32_t>& part_of_word) {
  part_of_word.assign(tree.words.size(), 0);
  Cutter cutter(tree, part_of_word);
  if (!tree.nodes.empty()) cutter.walk(0, 0);
  return std::move(cutter).parts();
}

}  // namespace hinge::summarize
