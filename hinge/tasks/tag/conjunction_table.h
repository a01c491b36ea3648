// The conjunctions of a kernel model in its file: rows of weights by key, their weights
// already multiplied by the values of the conjunctions, and the features they consist of.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hinge/features/key_index.h"
#include "hinge/features/vocabulary.h"
#include "hinge/model/row_table.h"
#include "hinge/tasks/tag/conjunctions.h"
#include "hinge/tasks/tag/hashed_conjunctions.h"

namespace hinge::tag {

// The weights to be written: `w` [rows][labels]; those up to `threshold` are dropped.
struct SavedWeights {
  std::span<const float> w;
  std::size_t labels;
  float threshold;
};
// Writes the sections. `names` and `keys` are those of the features.
void write_conjunctions(const Conjunctions& all, const FeatureNames& names, const std::vector<Key>& keys,
                        const SavedWeights& weights, ModelWriter& out);
// Rows that several conjunctions share hold plain weights, to be multiplied when read.
void write_conjunctions(const HashedConjunctions& all, const FeatureNames& names, const SavedWeights& weights,
                        ModelWriter& out);

// The names of a model's conjunctions, for inspecting it and for training that continues
// from it.
struct ConjunctionNames {
  FeatureNames members;                                       // the features
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;  // two members, or kConstant; none if hashed

  static constexpr std::uint32_t kConstant = 0xFFFFFFFF;
  std::string text(std::size_t row, const std::vector<Template>& templates) const;
};
// Empty if the model has no kernel. Throws ModelError if damaged.
ConjunctionNames read_conjunction_names(const ModelFile& file, const std::vector<Template>& templates);

// "a & b", sorted, or "a ^2" for a square; "(constant)" of none.
std::string conjunction_text(std::vector<std::string> features);

class ConjunctionTable {
 public:
  // Views the file, which must outlive it.
  ConjunctionTable(const ModelFile& file, std::size_t labels);

  // The features of a token that occur in conjunctions; one per thread.
  struct Scratch {
    std::vector<Key> keys;
    std::vector<float> values;        // parallel
    std::vector<std::size_t> places;  // in the token
    std::vector<std::pair<Key, float>> wanted;
    std::vector<std::pair<RowTable::Row, float>> found;
  };

  bool empty() const { return !rows_; }  // the model has no kernel
  const RowTable& rows() const { return *rows_; }
  std::int64_t bits() const { return bits_; }  // above 0: hashed

  // Adds the weights of a token's conjunctions to `sums`. Absent keys are skipped;
  // values null means all ones.
  void add_to(std::span<const Key> keys, const float* values, Scratch& scratch, float* sums) const;

  // use(places of its features in the token, value, row) for every conjunction.
  template <typename Use>
  void each(std::span<const Key> keys, const float* values, Scratch& scratch, const Use& use) const {
    collect(keys, values, scratch);
    std::vector<std::size_t> places;
    each_key(scratch, [&](Key key, float value, std::span<const std::size_t> members) {
      places.clear();
      for (const std::size_t member : members) places.push_back(scratch.places[member]);
      use(places, value, rows_->find(key));
    });
  }

 private:
  // use(key, value, its features as positions in scratch.keys) for every conjunction of
  // the collected features.
  template <typename Use>
  void each_key(const Scratch& scratch, const Use& use) const {
    if (bits_ > 0) {
      each_set(scratch.keys, static_cast<int>(weights_.size()) - 1, [&](Key key, auto members) {
        use(hashed_key(hashed_row(key, bits_)), weights_[members.size()], members);
      });
      return;
    }
    std::array<std::size_t, 2> pair{};
    const std::span<const std::size_t> members(pair);
    use(constant_key(), 1.0f, members.first(0));
    for (pair[1] = 0; pair[1] < scratch.keys.size(); ++pair[1]) {
      for (pair[0] = 0; pair[0] < pair[1] + (valued_ ? 1 : 0); ++pair[0]) {
        use(pair_key(scratch.keys[pair[0]], scratch.keys[pair[1]]),
            scratch.values[pair[0]] * scratch.values[pair[1]], members);
      }
    }
  }
  void collect(std::span<const Key> keys, const float* values, Scratch& scratch) const;

  std::int64_t bits_;           // > 0: hashed
  std::vector<float> weights_;  // of hashed conjunctions, by size
  bool valued_;
  bool attributes_;  // which may be repeated
  KeyIndex members_;
  std::optional<RowTable> rows_;
};

}  // namespace hinge::tag
