// Models that fill in columns for others: parsers read tags that taggers wrote.
// In use the tags are a tagger's; in training they should have the same errors,
// so each part of the data is annotated by models learned from the rest
// ("jackknifing"). All of it happens in memory, line by line as in the original:
// messages name the file and line that the user has.
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

  // The source as text, annotated; each line stays where it is. Without models the
  // source itself.
  Source annotate(const Source& source, Workers& workers) const;

  // What `predictor` writes for the source as annotated, sentence by sentence.
  void predict(const Predictor& predictor, const Source& source, OutputFile& out,
               const PredictSettings& settings, Workers& workers) const;

 private:
  std::vector<ModelFile> models_;
  std::vector<std::unique_ptr<Predictor>> predictors_;
};

// The source, annotated in `folds` parts of consecutive sentences: each by models
// like `annotators`, of the same tasks, options, learners and seeds, learned from
// the rest. `say` hears of each part, `observer` watches the models learn.
Source jackknife(const Annotators& annotators, std::size_t folds, const Source& source, Workers& workers,
                 Observer& observer, const std::function<void(const std::string&)>& say);

}  // namespace hinge
