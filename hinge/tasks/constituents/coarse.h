// The generative model: a grammar with relative frequencies and P(word | tag). It
// prunes: what it thinks unlikely, other models do not look at. It is also a model of its own
// (features=generative) and a feature of others.
#pragma once

#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "hinge/decode/cky.h"
#include "hinge/tasks/constituents/grammar.h"
#include "hinge/tasks/constituents/lexicon.h"

namespace hinge::constituents {

// Logarithms of relative frequencies.
struct RuleModel {
  std::vector<float> rules;  // [rules]
  std::vector<float> roots;  // [symbols], -infinity: never a root

  // From counts of rules and of roots.
  static RuleModel estimate(const Grammar& grammar, std::span<const double> rules,
                            std::span<const double> roots);
};

// A symbol over words begin..end.
struct Item {
  Symbol symbol;
  std::uint16_t begin, end;

  bool operator==(const Item&) const = default;
  // The order of items everywhere.
  static bool before(const Item& a, const Item& b) {
    return std::tuple(a.end - a.begin, a.begin, a.symbol) < std::tuple(b.end - b.begin, b.begin, b.symbol);
  }
};

class CoarseModel {
 public:
  CoarseModel(const Grammar& grammar, const RuleModel& rules, TagModel tags);

  // Keeps its memory between calls; one per thread.
  struct Workspace {
    CkyChart chart;
    std::vector<float> tag_scores;  // [words][tags], P(tag | word)
    std::vector<float> ratios;      // the same / P(tag), which is proportional to P(word | tag)
    std::vector<float> best;        // [words] the probability of the best tag
    std::vector<float> phrases;     // [words + 1][words + 1] the probability of a phrase
  };

  // Items whose probability is above the threshold, by width, first word and symbol; and the
  // most likely tag of each word. If the grammar has no tree, only tags remain.
  // Words may have given tags; kNoSymbol: none.
  void prune(std::span<const std::string_view> words, std::span<const Symbol> given, float threshold,
             Workspace& workspace, std::vector<Item>& items, std::vector<Symbol>& tags) const;

  const TagModel& tags() const { return tags_; }

 private:
  CkyGrammar grammar_;
  std::vector<char> is_phrase_;  // [symbols] neither tag nor partial
  TagModel tags_;
};

}  // namespace hinge::constituents
