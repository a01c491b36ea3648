// Dependency trees, counted as the CoNLL 2018 shared task counts them where the
// words are given: UAS and LAS over all words, and CLAS, the F1 of LAS over
// content words. Relations are compared up to their subtype ("nmod:poss" is
// "nmod") except by las_full, which compares them whole.
//
// A content word is one whose relation the task lists as such: those of UD 2
// but aux, case, cc, clf, cop, det, mark and punct. Of other sets of relations,
// UD 1 included, CLAS sees the names they share with that list.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "hinge/core/scores.h"

namespace hinge {

// Whether scores "without punctuation" leave a word out. Its UPOS decides where
// it is one of the universal tags; otherwise ("_", or a tag of another set, as
// in CoNLL-X) whether all characters of the form are punctuation in Unicode.
bool is_punctuation(std::string_view upos, std::string_view form);

// All [words + 1], by word; what stands at 0 is not looked at.
struct AttachmentSentence {
  std::span<const std::uint32_t> gold_heads;
  std::span<const std::uint32_t> system_heads;
  std::span<const std::string_view> gold_labels;    // or empty: none
  std::span<const std::string_view> system_labels;  // or empty: none
  std::span<const char> is_punctuation;             // of the gold words
};

class AttachmentScorer {
 public:
  // A sentence without words changes nothing.
  void add(const AttachmentSentence& sentence);

  // All that another has counted, in any order.
  void add(const AttachmentScorer& other);

  std::int64_t sentences() const { return sentences_; }

  // In percent: uas, las, clas, exact (all heads of a sentence right),
  // exact_labelled, label (right relations, whatever the heads), uas_nopunct,
  // las_nopunct, las_full. Where a sentence came without labels only uas, exact
  // and uas_nopunct; without content words in gold no clas, which would mean
  // nothing. Details are by universal relation, labelled attachment.
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
  std::int64_t heads_ = 0;  // right, as all below
  std::int64_t heads_nopunct_ = 0;
  std::int64_t labels_ = 0;
  std::int64_t arcs_ = 0;  // head and universal relation
  std::int64_t arcs_nopunct_ = 0;
  std::int64_t arcs_full_ = 0;  // subtypes too
  std::int64_t sentences_ = 0;
  std::int64_t trees_ = 0;
  std::int64_t labelled_trees_ = 0;
  ByRelation relations_;
  bool labelled_ = true;  // until a sentence comes without
};

// Compares two files of the same words, CoNLL-U or CoNLL-X, both with trees.
// A file may have "_" for every DEPREL: then there are no scores of labels.
Evaluation evaluate_dependency_files(const std::string& gold_path, const std::string& system_path);

}  // namespace hinge
