// Made-up documents with coreference: sampled sentences (hinge/sample) that are given a
// cast. Names recur in full and by surname, definite noun phrases take up what was
// introduced before, pronouns stand for the one mentioned last that agrees with them and is
// no argument of the same word; in conversations "I" and "you" are the speakers.
// Clusters of one are not marked, as in OntoNotes.
#pragma once

#include <cstdint>
#include <string>

#include "hinge/core/random.h"
#include "hinge/corpus/documents.h"
#include "hinge/files/output_file.h"
#include "hinge/sample/sampler.h"

namespace hinge::coref {

// The same seed gives the same documents on every platform, in both formats.
class DocumentSampler {
 public:
  DocumentSampler(std::uint64_t seed, DocumentFormat format)
      : format_(format), sampler_(seed), random_(seed) {}

  static constexpr std::int64_t kFewestSentences = 8, kMostSentences = 24;

  // The text of the next document: CoNLL-U with Entity=, or CoNLL-2012 with all columns.
  // It has at most `most` sentences, at least one.
  std::string next(std::int64_t most = kMostSentences);
  std::int64_t sentences() const { return sentences_; }  // of all documents so far

 private:
  DocumentFormat format_;
  Sampler sampler_;
  Random random_;
  std::int64_t sentences_ = 0;
  std::int64_t documents_ = 0;
};

// Documents with this many sentences in all.
void sample_documents(std::int64_t sentences, std::uint64_t seed, DocumentFormat format, OutputFile& out);

}  // namespace hinge::coref
