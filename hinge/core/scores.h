// Results of an evaluation, in the order they should be read.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hinge {

// Percentages, the main one first; on development data, higher is better.
using Scores = std::vector<std::pair<std::string, double>>;

// 0 of nothing is 0 %.
inline double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// How often `gold` was taken for `predicted`.
struct Confusion {
  std::string gold, predicted;
  std::int64_t count;
};

struct Evaluation {
  Scores scores;
  std::vector<std::pair<std::string, Scores>> detail;  // by type, label, ...
  std::string text;                                    // a report for people
  bool lower_is_better = false;                        // the main score is an error rate or a cost
  std::vector<Confusion> confusion;                    // right ones, too; by gold and predicted label
};

}  // namespace hinge
