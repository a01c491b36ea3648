// The options of the `rerank` task, and its row in the table of tasks.
#pragma once

#include <memory>

#include "hinge/tasks/system.h"

namespace hinge::rerank {

struct RerankOptions {
  std::string refs;
  std::string dev_refs;
  std::string metric = "bleu";
  std::string cost;
  std::string oracle = "hope";
  std::string prediction = "fear";
  std::int64_t local = 10;
  bool context = true;
  std::int64_t pairs = 0;
  std::int64_t sampled = 5000;
  double least = 0.05;
  bool subset = false;
  std::int64_t ngrams = 0;

  void describe(OptionTable& table);
  // The options that `hinge evaluate` also has.
  void describe_metric(OptionTable& table);
  void describe_subset(OptionTable& table);
};

std::unique_ptr<TaskChoice> choose();
std::unique_ptr<Predictor> open(const ModelFile& file);

}  // namespace hinge::rerank
