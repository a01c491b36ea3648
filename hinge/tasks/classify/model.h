// The contents of a `classify` model file, and classifying with it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/features/label_set.h"
#include "hinge/model/row_table.h"
#include "hinge/tasks/classify/explain.h"
#include "hinge/tasks/classify/features.h"
#include "hinge/tasks/classify/reader.h"
#include "hinge/tasks/system.h"

namespace hinge::classify {

// Immutable: threads may share one, each with a Workspace of its own.
class Classifier {
 public:
  class Workspace;

  // Views the file, which must outlive it. Throws ModelError if it is damaged.
  explicit Classifier(const ModelFile& file);

  const LabelSet& labels() const { return labels_; }
  const TextFormat& format() const { return format_; }
  const FeatureKinds& kinds() const { return kinds_; }
  bool likelihood() const { return likelihood_; }  // its scores are then marginals

  // Scores of all labels, [labels]; a view that is valid until the next call.
  std::span<float> scores(std::string_view text, Workspace& workspace) const;
  // The label with the highest score, the first if tied.
  std::size_t best(std::string_view text, Workspace& workspace) const;
  // Why `label` and not `rival`.
  Explanation explain(std::string_view text, std::size_t label, std::size_t rival,
                      Workspace& workspace) const;

  std::vector<WeightLine> heaviest(std::size_t n) const;
  std::size_t feature_count() const { return rows_.rows(); }
  std::size_t weight_count() const { return rows_.entries(); }

 private:
  const ModelFile& file_;
  TextFormat format_;
  LabelSet labels_;
  FeatureKinds kinds_;
  RowTable rows_;
  bool likelihood_;
};

// Memory for scoring; one per thread.
class Classifier::Workspace {
 public:
  explicit Workspace(const Classifier& classifier);

 private:
  friend class Classifier;

  FeatureFinder finder_;
  std::vector<RowTable::Row> rows_;  // of the features of a text
  std::vector<float> sums_;          // [labels], plus slack for damaged models
};

}  // namespace hinge::classify
