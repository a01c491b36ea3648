// The quadratic kernel written out: a token has, beside its features, one feature for
// every pair of them and a constant, with the values of hinge/tasks/tag/kernel.h. The
// kernel problem is then a linear one, which every learner solves.
//
// Pairs are numbered by their rarer feature, whose number is the higher one, then by the
// other. So pairs that occur together lie together in memory, and those of rare
// features at the end. No hash table is needed: all tokens with one feature are visited
// together, and their other features counted in an array.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hinge/features/hash.h"
#include "hinge/tasks/tag/kernel.h"

namespace hinge::tag {

struct ChainData;

// Two features, first <= second; the square of a feature if they are equal.
struct FeaturePair {
  std::uint32_t first;
  std::uint32_t second;
};

// The key of a set of features: `keys` is the exclusive or of theirs, so their order
// does not matter.
inline Key conjunction_key(Key keys, std::uint32_t size) { return combine(keys, size); }

// use(key, its features as positions in `keys`) for the constant and all sets of 2 to
// `degree` different features.
template <typename Use>
void each_set(std::span<const Key> keys, int degree, const Use& use) {
  std::array<std::size_t, 4> set{};
  const std::span<const std::size_t> members(set);
  use(conjunction_key(0, 0), members.first(0));
  for (set[0] = 0; set[0] < keys.size(); ++set[0]) {
    for (set[1] = 0; set[1] < set[0]; ++set[1]) {
      const Key pair = keys[set[0]] ^ keys[set[1]];
      use(conjunction_key(pair, 2), members.first(2));
      for (set[2] = 0; degree > 2 && set[2] < set[1]; ++set[2]) {
        const Key triple = pair ^ keys[set[2]];
        use(conjunction_key(triple, 3), members.first(3));
        for (set[3] = 0; degree > 3 && set[3] < set[2]; ++set[3])
          use(conjunction_key(triple ^ keys[set[3]], 4), members);
      }
    }
  }
}

// What a conjunction's weight is multiplied by.
struct QuadraticWeights {
  float constant = 0.0f;
  float single = 1.0f;
  float square = 0.0f;  // of features with values; others equal their square
  float pair = 0.0f;
};
QuadraticWeights quadratic_weights(const Kernel& kernel, bool valued);

// Which pairs are listed: those that occur at least `min_count` times, and those known.
struct PairChoice {
  std::int64_t min_count = 1;
  std::span<const FeaturePair> known = {};
  std::vector<std::uint8_t> paired = {};  // [features], 0: it has no pairs; empty: all have
};

class Conjunctions {
 public:
  // Lists the pairs of the data, which has `features` different features; then expands it.
  void learn(const Kernel& kernel, std::size_t features, PairChoice choice, ChainData& data);
  // Expands other data; pairs not listed are left out.
  void expand(ChainData& data) const;

  bool has_pairs(std::uint32_t feature) const { return paired_.empty() || paired_[feature] != 0; }
  bool empty() const { return begin_.empty(); }  // nothing was learned
  std::size_t features() const { return begin_.size() - 1; }
  // Rows of weights: one per feature, the constant, one per pair.
  std::size_t rows() const { return features() + 1 + pairs(); }
  std::size_t constant_row() const { return features(); }
  std::size_t pair_row(std::size_t pair) const { return features() + 1 + pair; }
  std::size_t pairs() const { return others_.size(); }
  FeaturePair pair(std::size_t pair) const;
  // use(number, pair) for all pairs.
  template <typename Use>
  void each_pair(const Use& use) const {
    for (std::uint32_t b = 0; b < features(); ++b) {
      for (std::size_t p = begin_[b]; p < begin_[b + 1]; ++p) use(p, FeaturePair{others_[p], b});
    }
  }
  bool valued() const { return valued_; }
  const QuadraticWeights& weights() const { return weights_; }
  float weight(FeaturePair pair) const { return pair.first == pair.second ? weights_.square : weights_.pair; }
  const std::vector<std::uint32_t>& others() const { return others_; }

 private:
  class Expansion;

  QuadraticWeights weights_;
  bool valued_ = false;
  std::vector<std::uint8_t> paired_;   // see PairChoice
  std::vector<std::uint32_t> begin_;   // [features + 1], into others_
  std::vector<std::uint32_t> others_;  // [pairs], the lower feature; increasing for each feature
};

// Sorts the features of each token by number, those that are paired first, and adds up the
// values of repeated ones. Values are kept only if some differ from 1.
void sort_features(ChainData& data, std::span<const std::uint8_t> paired = {});

}  // namespace hinge::tag
