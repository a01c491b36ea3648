// N-best lists: for each sentence its hypotheses, each with named features.
//
// Two formats of text, told apart by the first line, packed by gzip or not:
//
//   id ||| text ||| name= v v ... name2= v ||| score ||| anything    Moses, cdec
//   {"id": 0, "text": "...", "features": {"name": v, ...}, "score": x, "cost": c}
//
// In the first, score and what follows may be missing, `name=v` is the same as
// `name= v`, and a name with several values becomes the features name_1,
// name_2, ... In the second, score and cost may be missing. Features that a
// hypothesis does not name are absent from it, so they may appear late.
//
// What comes out are flat arrays, owned or mapped from a cache (nbest_cache.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hinge/corpus/text_source.h"

namespace hinge {

struct NBestOptions {
  // Hypotheses of one sentence may be scattered over a file and over files, as
  // those of a tuning loop are: they are brought together, lists in the order
  // of their first hypothesis, and of those with equal text and features the
  // first is kept. Without it a sentence that comes back is an error.
  bool merge = false;
  // The feature whose value is the cost of a hypothesis and which is no feature
  // then; every hypothesis must have it. "" for none. The key "cost" of JSON
  // needs no such option.
  std::string cost_feature;
  bool cost_optional = false;  // lists without costs are read, too
};

// The features of one hypothesis.
struct FeatureRow {
  std::span<const std::uint32_t> features;  // rising
  std::span<const float> values;            // finite, perhaps zero
};

// Views, and what keeps them alive: a copy shares all.
struct NBestLists {
  std::span<const std::uint64_t> ids;         // [lists], of the sentences; all different, in any order
  std::span<const std::uint64_t> list_begin;  // [lists + 1], numbers of hypotheses; no list is empty
  std::span<const std::uint64_t> text_begin;  // [hypotheses + 1], into texts
  std::span<const char> texts;
  std::span<const std::uint64_t> row_begin;   // [hypotheses + 1], into features and values
  std::span<const std::uint32_t> features;    // [entries], rising in each row
  std::span<const float> values;              // [entries], finite
  std::span<const float> scores;              // [hypotheses] of the decoder; or empty: none given
  std::span<const float> costs;               // [hypotheses]; or empty: none given
  std::span<const char> cost_name;            // the feature they were; or empty
  std::span<const std::uint64_t> name_begin;  // [features + 1], into names, in order of appearance
  std::span<const char> names;
  std::span<const std::uint32_t> value_index;  // [features], k where it is the k-th value of a name, or 0

  std::shared_ptr<const void> owner;

  std::size_t lists() const { return ids.size(); }
  std::size_t hypotheses() const { return text_begin.empty() ? 0 : text_begin.size() - 1; }
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

// All hypotheses of the files, "-" being standard input. A file that is a cache
// is known by its first bytes; alone and not to be merged, it is mapped. Throws
// InputError naming file and line.
NBestLists read_nbest(std::span<const std::string> paths, const NBestOptions& options = {});
NBestLists read_nbest(const TextInput& input, const NBestOptions& options = {});

}  // namespace hinge
