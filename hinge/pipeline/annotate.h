// Models that fill in columns for others: parsers read tags that taggers wrote.
// Training tags should have the same errors as a tagger's, so each part of the
// training data is annotated by models learned from the rest ("jackknifing"). All
// of it happens in memory and keeps every line in place, so that messages name the
// user's file and line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/learn/driver/train.h"
#include "hinge/tasks/system.h"

namespace hinge {

// Models that annotate CoNLL-U one after the other. Immutable: threads may share
// them.
class Annotators {
 public:
  // Throws ModelError if a model fills in no column.
  explicit Annotators(const std::vector<std::string>& paths);
  explicit Annotators(std::vector<ModelFile> models);

  const std::vector<ModelFile>& models() const { return models_; }
  std::vector<std::string> columns() const;  // that they fill in

  // The annotated source as text, every line in its place. Without models the
  // source itself.
  Source annotate(const Source& source, Workers& workers) const;

  // Scores of `predictor` on the annotated source.
  Evaluation evaluate(const Predictor& predictor, const Source& gold, Workers& workers) const;
  // Writes the output of `predictor` for the annotated source, sentence by sentence or
  // document by document.
  void predict(const Predictor& predictor, const Source& source, OutputFile& out, PredictSettings settings,
               Workers& workers) const;
  // The same for Predictor::explain().
  void explain(const Predictor& predictor, const Source& source, OutputFile& out,
               const ExplainSettings& settings, Workers& workers) const;

 private:
  void predict_slices(const Predictor& predictor, const MakeSlicePredictor& last, const Source& source,
                      OutputFile& out, Workers& workers) const;

  std::vector<ModelFile> models_;
  std::vector<std::unique_ptr<Predictor>> predictors_;
};

// The source, annotated in `folds` parts of consecutive sentences: each by models
// with the tasks, options, learners and seeds of `annotators`, learned from the
// rest. `say` is told of each part, `observer` watches the training.
Source jackknife(const Annotators& annotators, std::size_t folds, const Source& source, Workers& workers,
                 Observer& observer, const std::function<void(const std::string&)>& say);

}  // namespace hinge
