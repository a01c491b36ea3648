// Coreference scores, as by the reference scorer of the CoNLL-2012 shared task
// (Pradhan et al., ACL 2014): MUC, B3, CEAF with mentions (CEAF-m) and entities
// (CEAF-e), BLANC with system mentions; and LEA, mentions alone, and the average F1 of
// MUC, B3 and CEAF-e. Numerators and denominators are summed over documents.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/scores.h"
#include "hinge/corpus/documents.h"
#include "hinge/evaluate/precision_recall.h"

namespace hinge {

struct CoreferenceScores {
  PrecisionRecall mentions;  // spans alone
  PrecisionRecall muc;
  PrecisionRecall b3;
  PrecisionRecall ceaf_m;
  PrecisionRecall ceaf_e;
  PrecisionRecall blanc;
  PrecisionRecall lea;
  double conll = 0.0;  // mean F1 of muc, b3 and ceaf_e
};

// Recall = recall / gold and precision = precision / system, each summed over documents.
struct CoreferenceFraction {
  double recall = 0.0, gold = 0.0;
  double precision = 0.0, system = 0.0;

  PrecisionRecall ratios() const;
};

struct CoreferenceCounts {
  CoreferenceFraction mentions, muc, b3, ceaf_m, ceaf_e, lea;
  // Pairs of mentions in one cluster and in different ones, for BLANC.
  CoreferenceFraction coreferent, different;
};

class CoreferenceScorer {
 public:
  // One document. Mentions come in any order; clusters are told apart by number only.
  //
  // A span given twice in one cluster counts once. A span in two clusters: of the system,
  // it counts in the cluster with the smaller number; of gold, it is a mention of both, but
  // where a mention needs one cluster, of the one with the larger number. That is
  // what the reference scorer does.
  void add(std::span<const Mention> gold, std::span<const Mention> system);

  // Appends the documents of another scorer. Documents are summed in order, so for equal
  // bytes add parts of a corpus in its order.
  void add(const CoreferenceScorer& other);
  // One document that another scorer counted.
  void add(const CoreferenceCounts& document) { documents_.push_back(document); }

  std::size_t documents() const { return documents_.size(); }

  CoreferenceCounts counts() const;  // of all documents
  CoreferenceScores scores() const;
  // Scores: conll, then the F1 of each (muc, b3, ceaf_e, ceaf_m, blanc, lea, mentions).
  // The detail has precision, recall and F1 of each.
  Evaluation evaluate() const;

 private:
  std::vector<CoreferenceCounts> documents_;
};

}  // namespace hinge
