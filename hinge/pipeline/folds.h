// Cross-validation: labelled text in parts of about the same number of examples, each held
// out once while the others are learned.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hinge/pipeline/job.h"

namespace hinge {

class Folds {
 public:
  // Sentences, documents, lists, ... are dealt out in random order: the same seed gives the
  // same folds. Throws InputError if there are fewer examples than folds, OptionError if the
  // data is not in files of text.
  Folds(const TaskChoice& task, const Source& source, std::int64_t folds, std::uint64_t seed);

  std::size_t size() const { return folds_; }
  // Examples in the order of the files.
  Source training(std::size_t fold) const { return text_of(fold, /*held_out=*/false); }
  Source held_out(std::size_t fold) const { return text_of(fold, /*held_out=*/true); }

 private:
  void add_file(const TaskChoice& task, std::string text, const std::string& name);
  Source text_of(std::size_t fold, bool held_out) const;

  std::string name_;
  std::vector<std::string> files_;
  std::string text_;
  std::size_t folds_;
  std::vector<std::size_t> begin_;      // [examples + 1], into text_
  std::vector<std::size_t> file_of_;    // [examples], into files_
  std::vector<std::uint32_t> fold_of_;  // [examples]
};

// The scores of each fold on its held-out part, as far as they got before an interrupt.
// `make_job` is called for every fold; its training and development data are replaced.
std::vector<Scores> cross_validate(const std::function<Job()>& make_job, const Folds& folds, Workers& workers,
                                   JobObserver& observer);

}  // namespace hinge
