// Scores a classifier on labelled texts, and files already labelled.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/evaluate/confusion.h"
#include "hinge/tasks/classify/reader.h"

namespace hinge::classify {

class Classifier;

// Counts right and wrong labels.
class LabelScorer {
 public:
  void add(std::string_view gold, std::string_view system);
  // Adds the counts of another scorer; the order does not matter.
  void add(const LabelScorer& other);
  void visit(State& state);

  std::int64_t texts() const { return texts_; }
  // Accuracy, macro F1 (the mean over all labels in gold or system) and micro F1,
  // which equals accuracy because every text has one label.
  Evaluation evaluate() const;

 private:
  struct Counts {
    std::int64_t gold = 0, found = 0, correct = 0;
  };
  static Scores scores_of(const Counts& counts);
  Counts& of(std::string_view label);

  std::map<std::string, Counts, std::less<>> labels_;
  Confusions confusions_;
  std::int64_t texts_ = 0;
  std::int64_t correct_ = 0;
};

Evaluation evaluate_classifier(const Classifier& classifier, const Source& source, Workers& workers);

// A labelled file against one with a label per line, as `hinge predict` writes it; what
// follows a tab does not count. Throws InputError if they differ in length. Without
// `gold`, lines of `system` are: gold label, tab, predicted label.
Evaluation evaluate_files(const std::string& gold, const std::string& system, const TextFormat& format);

}  // namespace hinge::classify
