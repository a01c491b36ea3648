// The conjunctions of a kernel model in its file: rows of weights by key, their weights
// already multiplied by the values of the conjunctions, and the features they consist of.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hinge/features/key_filter.h"
#include "hinge/features/key_index.h"
#include "hinge/features/vocabulary.h"
#include "hinge/model/row_names.h"
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
// Rows that several conjunctions share hold plain weights, to be multiplied when read. Returns the
// rows in the order of the file.
std::vector<std::uint32_t> write_conjunctions(const HashedConjunctions& all, const FeatureNames& names,
                                              const SavedWeights& weights, ModelWriter& out);

// The section with the names of hashed features or conjunctions, if they are kept.
inline constexpr std::string_view kRowNames = "hashed.names";

// The names of a model's conjunctions, for inspecting it and for training that continues
// from it.
struct ConjunctionNames {
  FeatureNames members;                                       // the features
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;  // two members, or kConstant; none if hashed
  RowNames hashed;  // if they are kept

  static constexpr std::uint32_t kConstant = 0xFFFFFFFF;
  std::string text(std::size_t row, const std::vector<Template>& templates) const;
};
// Empty if the model has no kernel. Throws ModelError if damaged.
ConjunctionNames read_conjunction_names(const ModelFile& file, const std::vector<Template>& templates);

// "a & b", sorted, or "a ^2" for a square; "(constant)" of none.
std::string conjunction_text(std::vector<std::string> features);

// The keys of the pairs of a feature with more common ones. They are neighbours, and so
// are their slots and rows: looking up all pairs of a token touches few cache lines.
struct PairRange {
  Key begin;
  Key length;
  Key key(Key other) const { return begin + scale_to(other, length); }
};
inline constexpr Key kConstantKey = ~Key{0};

class ConjunctionTable {
 public:
  // Views the file, which must outlive it.
  ConjunctionTable(const ModelFile& file, std::size_t labels);

  // One per thread.
  struct Scratch {
    struct Member {
      std::uint32_t number;  // increasing
      Key key;
      float value;
      std::size_t place;  // in the token
    };
    std::vector<Member> members;  // the features of a token that occur in conjunctions
    std::vector<Key> keys;        // of these, if hashed
    std::vector<Key> wanted;
    std::vector<float> amounts;  // parallel
    std::vector<RowTable::Row> found;

    void resize(std::size_t n) {
      wanted.resize(n);
      amounts.resize(n);
      found.resize(n);
    }
  };

  bool empty() const { return !rows_; }  // the model has no kernel
  const RowTable& rows() const { return *rows_; }
  std::int64_t bits() const { return bits_; }  // above 0: hashed

  // Single rows, empty if there is none: of listed conjunctions,
  RowTable::Row constant() const { return rows_->find(kConstantKey); }
  RowTable::Row pair(Key a, Key b) const;
  // and of hashed ones.
  RowTable::Row hashed(std::uint32_t row) const { return rows_->find(hashed_key(row)); }

  void prefetch(Key key) const { members_.prefetch(key); }
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
      for (const std::size_t member : members) places.push_back(scratch.members[member].place);
      use(places, value, rows_->find(key));
    });
  }

 private:
  // use(key, value, its features as positions in scratch.members) for every conjunction
  // of the collected features.
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
    use(kConstantKey, 1.0f, members.first(0));
    for (pair[1] = 0; pair[1] < scratch.members.size(); ++pair[1]) {
      const Scratch::Member& b = scratch.members[pair[1]];
      const PairRange range = pairs_of(b.number);
      for (pair[0] = 0; pair[0] < pair[1] + (valued_ ? 1 : 0); ++pair[0]) {
        const Scratch::Member& a = scratch.members[pair[0]];
        use(range.key(a.key), a.value * b.value, members);
      }
    }
  }
  PairRange pairs_of(std::uint32_t member) const {
    return {pair_begin_[member], pair_begin_[member + 1] - pair_begin_[member]};
  }
  void copy_common(std::size_t labels);
  // The place of the pairs of a common member in `common_rows_`.
  std::size_t common_begin(std::size_t member) const { return member * (member + 1) / 2 * stride_; }
  void add_pairs(Scratch& scratch, float* sums) const;
  // Those of the first `count` members of the token, which are common.
  void add_common(const Scratch& scratch, std::size_t count, float* sums) const;
  void add_wanted(std::size_t n, Scratch& scratch, float* sums) const;
  void collect(std::span<const Key> keys, const float* values, Scratch& scratch) const;

  std::int64_t bits_;           // > 0: hashed
  std::vector<float> weights_;  // of hashed conjunctions, by size
  bool valued_;
  bool attributes_;                  // which may be repeated
  KeyIndex members_;                 // listed: common features have low numbers
  std::span<const Key> pair_begin_;  // [members + 1], if listed
  KeyFilter pairs_;                  // if listed
  std::optional<RowTable> rows_;
  // The pairs of the most common members once more, as a dense triangle that fits the second
  // cache: most pairs of a token are among them, and need no search.
  std::size_t stride_ = 0;          // labels, rounded up
  std::size_t common_ = 0;          // how many members
  std::vector<float> common_rows_;  // [pairs a <= b][stride]
};

}  // namespace hinge::tag
