// N-best lists: the hypotheses of each sentence, each with named features.
//
// Two text formats, recognized by the first line; gzip is optional:
//
//   id ||| text ||| name= v v ... name2= v ||| score ||| anything    Moses, cdec
//   {"id": 0, "text": "...", "features": {"name": v, ...}, "score": x, "cost": c}
//
// In the first, the score and what follows may be missing, `name=v` is the same
// as `name= v`, and a name with several values becomes the features name_1,
// name_2, ... In the second, score and cost may be missing. A hypothesis lacks
// the features it does not name, so new ones may appear on any line.
//
// The result is flat arrays: owned, mapped from a cache (nbest/cache.h), or in a compiled training
// set, which has no texts or scores (files/block_cache.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hinge/corpus/text_source.h"
#include "hinge/files/block_cache.h"

namespace hinge {

struct NBestOptions {
  // Joins the hypotheses of a sentence that are scattered over one or more
  // files, as in a tuning loop. Lists are in the order of their first
  // hypothesis; of hypotheses with equal text and features the first is kept.
  // Without this option, a sentence that appears again is an error.
  bool merge = false;
  // The feature that holds the cost of a hypothesis; it is then not used as a
  // feature. Every hypothesis must have it. "" for none. The JSON key "cost"
  // does not need this option.
  std::string cost_feature;
  bool cost_optional = false;  // accept lists without costs
  // Where the lists go, which it must outlive; null: into memory.
  SpillSpace* space = nullptr;
};

// The features of one hypothesis.
struct FeatureRow {
  std::span<const std::uint32_t> features;  // ascending
  std::span<const float> values;            // finite, possibly zero
};

// Views and the owner of their data; copies share the data.
struct NBestLists {
  std::span<const std::uint64_t> ids;         // [lists], sentence ids; all different, in any order
  std::span<const std::uint64_t> list_begin;  // [lists + 1], into hypotheses; no list is empty
  std::span<const std::uint64_t> text_begin;  // [hypotheses + 1], into texts
  std::span<const char> texts;
  std::span<const std::uint64_t> row_begin;   // [hypotheses + 1], into features and values
  std::span<const std::uint32_t> features;    // [entries], ascending in each row
  std::span<const float> values;              // [entries], finite
  std::span<const float> scores;              // [hypotheses], from the decoder; empty: none given
  std::span<const float> costs;               // [hypotheses]; empty: none given
  std::span<const char> cost_name;            // the feature that held the costs; or empty
  std::span<const std::uint64_t> name_begin;  // [features + 1], into names, in order of appearance
  std::span<const char> names;
  std::span<const std::uint32_t> value_index;  // [features], k for the k-th value of a name, else 0

  std::shared_ptr<const void> owner;
  BlockUse use;  // call it before a list is read

  std::size_t lists() const { return ids.size(); }
  std::size_t hypotheses() const { return row_begin.empty() ? 0 : row_begin.size() - 1; }
  std::size_t feature_count() const { return value_index.size(); }
  std::size_t begin(std::size_t list) const { return list_begin[list]; }
  std::size_t end(std::size_t list) const { return list_begin[list + 1]; }
  std::string_view text(std::size_t hypothesis) const {
    return slice(texts, text_begin[hypothesis], text_begin[hypothesis + 1]);
  }
  std::string_view name(std::size_t feature) const {
    return slice(names, name_begin[feature], name_begin[feature + 1]);
  }
  FeatureRow row(std::size_t hypothesis) const {
    const std::size_t first = row_begin[hypothesis], count = row_begin[hypothesis + 1] - first;
    return {features.subspan(first, count), values.subspan(first, count)};
  }

 private:
  static std::string_view slice(std::span<const char> text, std::size_t first, std::size_t last) {
    return {text.data() + first, last - first};
  }
};

// All hypotheses of the files; "-" is standard input. Caches are recognized by
// their first bytes; a single cache is mapped unless it must be merged. Throws
// InputError naming file and line.
NBestLists read_nbest(std::span<const std::string> paths, const NBestOptions& options = {});
NBestLists read_nbest(const TextInput& input, const NBestOptions& options = {});

}  // namespace hinge
