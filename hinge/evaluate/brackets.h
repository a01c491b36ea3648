// Scores of phrase-structure trees with the counts of EVALB (Sekine and Collins, 1997)
// and its COLLINS.prm: labelled precision, recall and F1 over all brackets of a corpus.
//
// A bracket is a label and the words it spans. Brackets are compared as multisets: a
// label may occur several times over the same words. Tags over words are not
// brackets. What counts, and what does not:
//   - Labels are cut before "-" or "=" (NP-SBJ and NP=2 are NP), except those that begin
//     with one of them. Tags are compared whole.
//   - TOP, ROOT, S1, -NONE-, the tags below and the empty label are not counted. Of
//     the roots COLLINS.prm names only TOP; the others are roots of other treebanks.
//   - PRT is ADVP.
//   - Words tagged -NONE- are removed from each tree, then words whose gold tag is one of
//     , : `` '' and . from both. Brackets without words left are not counted.
//   - A crossing bracket is one of the system that crosses at least one gold bracket.
//   - The length of a sentence, for the groups, includes punctuation but no -NONE-.
//
// EVALB removes punctuation by each tree's own tags and refuses the sentence if the words
// left differ. Here the gold tags decide for both: a wrong tag is a wrong tag, and no
// sentence is lost. If both trees tag the same words as punctuation, the counts are equal.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "hinge/core/scores.h"
#include "hinge/core/state.h"
#include "hinge/corpus/brackets.h"

namespace hinge {

class BracketScorer {
 public:
  // Both trees must have the same words; only their number is checked. If it differs
  // (without -NONE-) the sentence is counted as an error, not scored, and the result is
  // false. A sentence of punctuation alone is not scored either, as in EVALB.
  bool add(const BracketTree& gold, const BracketTree& system);

  // Adds the counts of another scorer; the order does not matter.
  void add(const BracketScorer& other);
  void visit(State& state);

  // Those that were scored.
  std::size_t sentences() const { return static_cast<std::size_t>(groups_.back().sentences); }

  // In percent: f1, precision, recall, exact (all brackets of a sentence correct), tags
  // (correct ones of the words not removed), and f1_15 and f1_40 of the sentences of at
  // most so many words. The detail has the groups "<= 15", "<= 40" and "all", with
  // crossing (mean number of crossing brackets), no_crossing and two_crossing
  // (sentences with none, with at most two), then the labels.
  Evaluation evaluate() const;

 private:
  struct Counts {
    std::int64_t gold = 0;
    std::int64_t found = 0;
    std::int64_t correct = 0;

    void add(const Counts& other);
  };

  // Of all sentences up to some length.
  struct Group {
    Counts brackets;
    std::int64_t sentences = 0;
    std::int64_t exact = 0;         // sentences
    std::int64_t crossing = 0;      // brackets
    std::int64_t no_crossing = 0;   // sentences
    std::int64_t two_crossing = 0;  // sentences
    std::int64_t words = 0;
    std::int64_t tags = 0;  // correct ones

    void add(const Group& other);
  };

  static Scores scores_of(const Counts& counts);
  static Scores scores_of(const Group& group);
  std::string text() const;

  std::array<Group, 3> groups_;  // at most 15 words, at most 40, all
  std::map<std::string, Counts, std::less<>> labels_;
  std::int64_t errors_ = 0;   // sentences whose numbers of words differ
  std::int64_t skipped_ = 0;  // sentences without words to score
};

}  // namespace hinge
