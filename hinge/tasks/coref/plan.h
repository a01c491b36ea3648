// Everything but the weights: what a training set and a model share.
#pragma once

#include <string>
#include <vector>

#include "hinge/corpus/documents.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/coref/data.h"
#include "hinge/tasks/coref/detector.h"
#include "hinge/tasks/coref/scorer.h"

namespace hinge::coref {

struct Plan {
  TemplateSet templates;
  Layout layout{20};
  FrequentWords frequent;
  Reach reach;
  ColumnMask columns;
  bool gold_mentions = true;
  Detector detector;        // unless mentions are given
  bool singletons = false;  // clusters of one mention are kept
};

// Writes all of it but the dictionary into a model, and reads it with that from one; a dictionary
// views the file. Throws ModelError if it is damaged.
void write_plan(const Plan& plan, ModelWriter& out, Json& meta);
Plan read_plan(const ModelFile& file);

// The mentions in the document's own annotation.
FoundSpans given_spans(const Document& document);
// Candidates and their properties, which a detector sees.
std::vector<FieldKeys> describe_candidates(const Tokens& tokens, const std::vector<Span>& spans,
                                           const FrequentWords& frequent);
// Those that the detector takes for mentions.
FoundSpans detect(std::span<const Span> spans, std::span<const FieldKeys> fields, const Detector& detector);
// Of several with the same head the best, and the best coordination, such as "Anna and
// Ben", whose head is its first part.
FoundSpans best_per_head(const Tokens& tokens, const FoundSpans& found);
// What a model sees: the given mentions or detected ones.
FoundSpans find_spans(const Document& document, const Tokens& tokens, const Plan& plan);

// The cluster of each span in the document's own annotation, or kNoCluster. A span in
// several clusters counts in the first.
std::vector<std::uint32_t> gold_clusters(const Document& document, std::span<const Span> spans);

}  // namespace hinge::coref
