// A vector over the weights, as tasks give it: the features by which gold
// differs from a rival, or the gradient of a log-likelihood.
//
// Such vectors have structure, and keeping it is what makes steps cheap:
//   singles  one weight each, in any order; repeats add up
//   rows     weights side by side that share values with other rows: all features
//            of a token share its label marginals, so these are stored once
//   blocks   long dense stretches, such as a layer of a neural network; they are
//            filled in place, and never sorted nor copied
// Singles, rows and blocks of one gradient must not reach the same weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/sparse.h"

namespace hinge {

// Weights are stamped, caught up and stepped in lines of so many.
inline constexpr std::size_t kLine = 16;

// Which of `slices`, a power of two, a row belongs to. Neighbours belong
// together, or cache lines would go back and forth between threads; but not too
// many of them, as the busiest features have the lowest numbers.
inline std::uint32_t slice_of(FeatureId first, std::uint32_t slices) {
  return ((first >> 8) * 0x9E3779B1u >> 16) & (slices - 1);
}

class Gradient {
 public:
  void clear();

  // A single weight.
  void add(FeatureId id, float value) { singles_.add(id, value); }

  // All entries of a vector, times scale.
  void append(const SparseVector& vector, float scale) { singles_.append(vector, scale); }

  // Begins a group: every row added until the next call stands for these
  // `count` values, zero at first and the caller's to fill at once.
  std::span<float> values(std::size_t count);
  // weights [first, first + count) get scale * values. Rows that overlap must
  // coincide.
  void add_row(FeatureId first, float scale = 1.0f);
  // Rows at ids[k] * width, with a scale each or, if null, all with one. The
  // ids and scales are not copied, and must live as long as the gradient is used.
  void add_rows(std::span<const std::uint32_t> ids, FeatureId width, const float* scales);

  // Weights [first, first + count), both multiples of kLine; zero at first and
  // the caller's to fill, until the next call of a non-const member.
  std::span<float> add_block(FeatureId first, std::size_t count);

  bool empty() const { return singles_.empty() && groups_.empty() && blocks_.empty(); }

  // Rows become singles; singles are sorted by id and summed, zeros dropped.
  // Blocks stay as they are.
  void merge();
  // The singles; after merge() all that is not in blocks.
  std::span<const Entry> entries() const { return singles_.entries(); }
  // use(first, values) for every block.
  template <typename Use>
  void each_block(const Use& use) const {
    for (const Dense& block : blocks_) use(block.first, std::span(dense_).subspan(block.begin, block.count));
  }
  bool has_blocks() const { return !blocks_.empty(); }
  // use(first, count) for every stretch of weights that it reaches; repeats are possible.
  template <typename Use>
  void each_stretch(const Use& use) const;

  // w += scale * this.
  void add_to(double scale, Weights& w) const { add_slice(scale, 0, 1, w); }
  // The same for slice `slice` of `slices`, a power of two: threads that take a
  // slice each may work on one w, and the sums are those of add_to to the bit.
  void add_slice(double scale, std::size_t slice, std::size_t slices, Weights& w) const;

  // Rows that share values.
  struct Group {
    const std::uint32_t* ids;  // null: in own_ids_, from own_begin
    const float* scales;       // null: all one
    std::uint32_t n;
    FeatureId width;
    std::uint32_t own_begin;
    std::uint32_t count;
    std::uint32_t values_begin;
  };

 private:
  struct Dense {
    FeatureId first;
    std::size_t begin;  // into dense_
    std::size_t count;
  };
  // use(first, scale, values) for every row.
  template <typename Use>
  void each_row(const Use& use) const;
  friend double dot(const Weights& w, const Gradient& g);

  SparseVector singles_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> own_ids_;
  std::vector<float> own_scales_;
  std::vector<float> values_;
  std::uint32_t count_ = 0;         // of the values of the present group
  std::uint32_t values_begin_ = 0;  // and where they begin
  std::vector<Dense> blocks_;
  std::vector<float> dense_;
};

template <typename Use>
void Gradient::each_row(const Use& use) const {
  for (const Group& group : groups_) {
    const bool own = group.ids == nullptr;
    const std::uint32_t* ids = own ? own_ids_.data() + group.own_begin : group.ids;
    const float* scales = own ? own_scales_.data() + group.own_begin : group.scales;
    const auto values = std::span(values_).subspan(group.values_begin, group.count);
    for (std::uint32_t k = 0; k < group.n; ++k)
      use(ids[k] * group.width, scales == nullptr ? 1.0f : scales[k], values);
  }
}

template <typename Use>
void Gradient::each_stretch(const Use& use) const {
  for (const Entry& entry : entries()) use(entry.id, std::size_t{1});
  each_row([&](FeatureId first, float, std::span<const float> values) { use(first, values.size()); });
  for (const Dense& block : blocks_) use(block.first, block.count);
}

double dot(const Weights& w, const Gradient& g);
void axpy(double scale, const Gradient& g, Weights& w);  // w += scale g

// These need merged gradients. Blocks of two gradients must coincide or be apart.
double squared_norm(const Gradient& g);
double dot(const Gradient& a, const Gradient& b);
// Everything as singles, zeros dropped.
SparseVector to_sparse(const Gradient& merged);
PackedVector to_packed(const Gradient& merged);

}  // namespace hinge
