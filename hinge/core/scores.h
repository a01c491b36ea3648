// Results of an evaluation, in the order they should be read.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hinge {

// Percentages, the main one first; on development data, higher is better.
using Scores = std::vector<std::pair<std::string, double>>;

struct Evaluation {
  Scores scores;
  std::vector<std::pair<std::string, Scores>> detail;  // by type, label, ...
  std::string text;                                    // a report for people
  bool lower_is_better = false;                        // the main score is an error rate or a cost
};

}  // namespace hinge
