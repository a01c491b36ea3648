// Features with weights of their own, and their names.
#pragma once

#include <vector>

#include "hinge/core/threads.h"
#include "hinge/features/vocabulary.h"
#include "hinge/model/row_names.h"
#include "hinge/tasks/coref/document_set.h"
#include "hinge/tasks/coref/layout.h"
#include "hinge/tasks/coref/names.h"

namespace hinge::coref {

struct Dictionary {
  std::vector<Key> keys;  // [ids], the most frequent first
  FeatureNames names;     // [ids]
};

// Which features get in.
enum class Seen {
  kGold,  // with right choices: others never get evidence for being right
  kAll,   // with any choice
};

// Those of the documents, and those already in `known`. Does not depend on the number of threads.
Dictionary find_features(const DocumentSet& documents, const TemplateSet& templates, const ValueTexts& texts,
                         Seen seen, const Dictionary& known, Workers& workers);

// The names of hashed weights: those known, and those of features of all choices, in the order of
// the documents. Does not depend on the number of threads either.
RowNames name_weights(const DocumentSet& documents, const TemplateSet& templates, const ValueTexts& texts,
                      const Layout& layout, const RowNames& known, Workers& workers);

KeyIndex index_of(const std::vector<Key>& keys);

// Writes the features whose weights are not zero, with these; reads an index, which views
// the file, or everything. Throws ModelError if they are damaged.
void write_dictionary(const Dictionary& dictionary, const Weights& w, ModelWriter& out);
KeyIndex read_index(const ModelFile& file);
Dictionary read_dictionary(const ModelFile& file, const TemplateSet& templates);

}  // namespace hinge::coref
