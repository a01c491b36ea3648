// The search for translations: a chart of source spans, filled bottom up by cube
// pruning (Chiang 2007, section 5.3). A span keeps hypotheses that differ in what later
// scores depend on: their first words, and the state of the language model after
// their last. All ways to build them are kept in a forest.
//
// Rules cover spans of up to `span` words; longer translations are rows of such parts,
// from left to right (the glue rules of section 2.2).
//
// The search is approximate: a span tries at most `beam` combinations. With an unlimited
// beam it is exact.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "hinge/core/options.h"
#include "hinge/mt/translation_forest.h"

namespace hinge::mt {

struct SearchOptions {
  std::int64_t beam = 30;
  std::int64_t span = 15;
  std::int64_t candidates = 30;

  void describe(OptionTable& table);
};

// One per thread; keeps its memory between calls.
class Search {
 public:
  Search(const Parts& parts, const FeatureWeights& weights, const SearchOptions& options);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  // The words must stay as long as the forest, which is valid until the next call.
  const TranslationForest& run(std::span<const std::string_view> source);

 private:
  class Chart;
  std::unique_ptr<Chart> chart_;
};

}  // namespace hinge::mt
