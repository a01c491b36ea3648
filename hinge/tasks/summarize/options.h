// The options of the `summarize` task, and its row in the table of tasks.
#pragma once

#include <memory>

#include "hinge/evaluate/rouge.h"
#include "hinge/tasks/system.h"

namespace hinge::summarize {

// How summaries are scored.
struct ScoreOptions {
  bool stem = true;
  bool remove_stop_words = false;
  std::string references = "average";
  bool jackknife = false;

  void describe(OptionTable& table);
  RougeOptions rouge() const;
};

struct SummarizeOptions {
  std::int64_t words = 100;
  std::string features = "all";
  bool stop_bigrams = true;
  double word_cost = 0.0;
  std::string recall = "pooled";
  std::string start = "zero";
  bool compress = false;
  std::string tree_parser;
  std::string lines = "wrapped";
  std::string encoding = "utf-8";
  std::string solver = "auto";
  std::int64_t search_nodes = 20000;
  std::int64_t cbc_nodes = 10000;
  ScoreOptions scores;

  void describe(OptionTable& table);
};

std::unique_ptr<TaskChoice> choose();
std::unique_ptr<Predictor> open(const ModelFile& file);

}  // namespace hinge::summarize
