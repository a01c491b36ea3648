// The best translations in a forest, with their features.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/decode/forest.h"
#include "hinge/mt/search.h"

namespace hinge::mt {

struct Translation {
  struct Sparse {
    std::uint32_t feature;  // into NBest::names
    float value;
  };

  std::string text;
  double score = 0.0;
  std::array<float, kDenseFeatures> dense{};
  std::vector<Sparse> sparse;
};

struct NBest {
  std::vector<Translation> translations;  // best first
  std::vector<std::string> names;         // of sparse features
};

struct NBestRequest {
  std::size_t count = 1;
  bool distinct = true;  // no text twice
  SparseSet sparse;      // features to report
};

// Keeps its memory between calls.
class NBestExtractor {
 public:
  explicit NBestExtractor(const Parts& parts) : parts_(parts) {}

  // `scores` are those of the edges.
  NBest extract(const TranslationForest& forest, std::span<const float> scores, const NBestRequest& request);

 private:
  using Features = std::vector<std::uint32_t>;  // into names, with repetitions

  void find_texts();
  void read(const ForestKBest::Tree& tree);
  std::uint32_t read_from(std::uint32_t at);
  void describe(const ForestKBest::Tree& tree, Translation& translation);
  const Features& rule_features(std::uint32_t edge);
  void add_bigrams(Features& features);
  std::uint32_t number(SparseKind kind, std::string_view first, std::string_view second);
  std::string_view text_of(Word word) const;

  Parts parts_;
  const TranslationForest* forest_ = nullptr;
  NBestRequest request_;
  NBest result_;
  ForestKBest search_;
  std::vector<EdgeText> texts_;
  std::span<const std::uint32_t> edges_;  // of the tree being read
  std::vector<Word> words_;               // of its translation
  std::vector<std::uint32_t> sizes_;      // of its subtrees, by position
  absl::flat_hash_map<std::uint32_t, Features> features_of_edge_;
  absl::flat_hash_map<Key, std::uint32_t> numbers_;
};

}  // namespace hinge::mt
