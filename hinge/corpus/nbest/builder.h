// Builds n-best lists one hypothesis at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/interrupt.h"
#include "hinge/core/number_map.h"
#include "hinge/corpus/nbest/arrays.h"

namespace hinge {

// For messages: "file:line", or only the file if line is 0.
struct Place {
  std::string_view file;
  std::size_t line = 0;

  std::string text() const;
};

struct Hypothesis {
  struct Entry {
    std::uint32_t feature;
    float value;
  };

  std::uint64_t id = 0;
  std::string_view text;
  std::vector<Entry> entries;  // in any order
  std::optional<float> score;
  std::optional<float> cost;
};

class NBestBuilder {
 public:
  static constexpr std::uint32_t kNoFeature = 0xFFFFFFFF;

  explicit NBestBuilder(NBestOptions options = {});

  const NBestOptions& options() const { return options_; }

  // The number of a feature; adds the feature if it is new. value_index: k if the file
  // gives it as the k-th of several values of one name, else 0.
  std::uint32_t feature(std::string_view name, std::uint32_t value_index = 0);
  std::uint32_t find(std::string_view name) const;  // kNoFeature if unknown

  // Sorts the entries. Throws InputError if a feature is given twice, if the
  // list of the sentence has ended before (unless merging), or if only this
  // hypothesis, or only those before it, have a score or a cost.
  void add(Hypothesis& hypothesis, Place where);
  void add(const NBestLists& lists, std::string_view file);  // all hypotheses

  // Adds all hypotheses. Feature f becomes numbers[f], or is dropped if that is
  // kNoFeature; more(h, entries) may append further entries to hypothesis h.
  template <typename More>
  void add(const NBestLists& lists, std::span<const std::uint32_t> numbers, const More& more,
           std::string_view file);

  std::size_t hypotheses() const { return arrays_->hypotheses(); }

  // Call it last.
  NBestLists finish();

 private:
  struct Start {
    std::size_t file;
    std::size_t line;
  };

  void begin_list(std::uint64_t id, Place where);
  void sort_entries(std::vector<Hypothesis::Entry>& entries, Place where) const;
  void add_number(std::optional<float> number, std::string_view what, Column<float>& numbers,
                  Place where) const;

  NBestOptions options_;
  std::unique_ptr<NBestArrays> arrays_;
  NumberMap feature_of_hash_;
  NumberMap start_of_id_;      // into starts_
  std::vector<Start> starts_;  // where each sentence's first list begins
  std::vector<std::string> files_;
};

template <typename More>
void NBestBuilder::add(const NBestLists& lists, std::span<const std::uint32_t> numbers, const More& more,
                       std::string_view file) {
  Hypothesis hypothesis;
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    check_interrupt();
    hypothesis.id = lists.ids[list];
    for (std::size_t h = lists.begin(list); h < lists.end(list); ++h) {
      hypothesis.text = lists.text(h);
      hypothesis.entries.clear();
      const FeatureRow row = lists.row(h);
      for (std::size_t k = 0; k < row.features.size(); ++k) {
        if (numbers[row.features[k]] != kNoFeature)
          hypothesis.entries.push_back({numbers[row.features[k]], row.values[k]});
      }
      more(h, hypothesis.entries);
      if (!lists.scores.empty()) hypothesis.score = lists.scores[h];
      if (!lists.costs.empty()) hypothesis.cost = lists.costs[h];
      add(hypothesis, {file});
    }
  }
}

}  // namespace hinge
