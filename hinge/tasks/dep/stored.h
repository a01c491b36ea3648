// A parser as it lies in a model file.
#pragma once

#include "hinge/features/label_set.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/dep/parser.h"

namespace hinge::dep {

// Views the file, which must outlive it. Throws ModelError where it is damaged.
struct StoredParser {
  explicit StoredParser(const ModelFile& file);
  Grammar grammar(const ModelFile& file);                           // once: takes the space

  LabelSet labels;
  TreeOptions options;
  Space space;
  ParserWeights weights{};
};

// A first-order model inside another, or made for it. Reads the fields that
// were hashed for the other, so must have its templates.
class StoredPruner {
 public:
  StoredPruner(ModelFile file, const PartTemplateSet& templates);
  const Pruner& get() const { return pruner_; }

 private:
  ModelFile file_;
  StoredParser stored_;
  Grammar grammar_;
  Pruner pruner_;
};

}  // namespace hinge::dep
