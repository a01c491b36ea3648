// Scores of dependency trees as in the CoNLL 2018 shared task with given words:
// UAS and LAS over all words, and CLAS, the F1 of LAS over content words.
// Relations are compared without their subtype ("nmod:poss" is "nmod"), except by
// las_full, which compares them whole.
//
// A content word has a relation that the task lists as such: those of UD 2 except
// aux, case, cc, clf, cop, det, mark and punct. With other relation sets,
// including UD 1, CLAS covers only the names they share with that list.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "hinge/core/scores.h"
#include "hinge/evaluate/confusion.h"
#include "hinge/core/state.h"

namespace hinge {

// Whether scores "without punctuation" leave a word out. A universal UPOS tag
// decides; otherwise ("_", or a tag of another set, as in CoNLL-X) a word is
// punctuation if all its characters are punctuation in Unicode.
bool is_punctuation(std::string_view upos, std::string_view form);

// All [words + 1], by word; element 0 is ignored.
struct AttachmentSentence {
  std::span<const std::uint32_t> gold_heads;
  std::span<const std::uint32_t> system_heads;
  std::span<const std::string_view> gold_labels;    // empty: none
  std::span<const std::string_view> system_labels;  // empty: none
  std::span<const char> is_punctuation;             // of the gold words
};

class AttachmentScorer {
 public:
  // A sentence without words changes nothing.
  void add(const AttachmentSentence& sentence);

  // Adds the counts of another scorer; the order does not matter.
  void add(const AttachmentScorer& other);
  void visit(State& state);

  std::int64_t sentences() const { return sentences_; }

  // In percent: uas, las, clas, exact (all heads of a sentence correct),
  // exact_labelled, label (correct relations, whatever the heads), uas_nopunct,
  // las_nopunct, las_full. If a sentence had no labels, only uas, exact and
  // uas_nopunct. No clas if gold has no content words. The detail is labelled
  // attachment by universal relation.
  Evaluation evaluate() const;

 private:
  struct Counts {
    std::int64_t gold = 0;
    std::int64_t found = 0;
    std::int64_t correct = 0;

    void add(const Counts& other);
  };
  using ByRelation = std::map<std::string, Counts, std::less<>>;

  void add_labels(const AttachmentSentence& sentence);
  static Scores scores_of(const Counts& counts);
  Counts content() const;
  std::string text() const;

  std::int64_t words_ = 0;
  std::int64_t punctuation_ = 0;
  std::int64_t heads_ = 0;  // correct ones, also in all counts of arcs, labels and trees
  std::int64_t heads_nopunct_ = 0;
  std::int64_t labels_ = 0;
  std::int64_t arcs_ = 0;  // head and universal relation
  std::int64_t arcs_nopunct_ = 0;
  std::int64_t arcs_full_ = 0;  // subtypes too
  std::int64_t sentences_ = 0;
  std::int64_t trees_ = 0;
  std::int64_t labelled_trees_ = 0;
  ByRelation relations_;
  Confusions confusions_;  // of relations, whatever the heads
  bool labelled_ = true;  // false after a sentence without labels
};

// Compares two files with the same words, CoNLL-U or CoNLL-X, both with trees.
// If a file has "_" for every DEPREL, labels are not scored.
Evaluation evaluate_dependency_files(const std::string& gold_path, const std::string& system_path);

}  // namespace hinge
