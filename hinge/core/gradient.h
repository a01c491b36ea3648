// A vector over the weights, produced by a task: the feature difference between
// gold and a rival, or the gradient of a log-likelihood.
//
// Such vectors have structure; keeping it makes steps cheap:
//   singles  one weight each, in any order; repeats add up
//   rows     adjacent weights that share values with other rows: all features
//            of a token share its label marginals, so these are stored once
//   blocks   long dense stretches, such as a layer of a neural network; they are
//            filled in place, never sorted or copied
// Singles, rows and blocks of one gradient must not touch the same weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/sparse.h"

namespace hinge {

// Learners time-stamp, catch up and update weights in lines of this many.
inline constexpr std::size_t kLine = 16;

// The slice of a row; `slices` is a power of two. Neighbours share a slice, so that
// cache lines do not bounce between threads, but only 256 weights at a time, as the
// most frequent features have the lowest ids.
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

  // Begins a group: rows added until the next call all have these `count` values.
  // They start at zero; the caller fills them at once.
  std::span<float> values(std::size_t count);
  // Weights [first, first + count) get scale * values. Overlapping rows must
  // coincide.
  void add_row(FeatureId first, float scale = 1.0f);
  // Rows at ids[k] * width, times scales[k], or 1 if scales is null. The arrays are
  // not copied and must stay valid while the gradient is used.
  void add_rows(std::span<const std::uint32_t> ids, FeatureId width, const float* scales);
  // Copies the arrays given to add_rows(), so that they need not stay valid.
  void own_rows();

  // Weights [first, first + count), both multiples of kLine. They start at zero;
  // the caller fills them before calling a non-const member.
  std::span<float> add_block(FeatureId first, std::size_t count);

  bool empty() const { return singles_.empty() && groups_.empty() && blocks_.empty(); }

  // Rows become singles; singles are sorted by id and summed, zeros dropped. Blocks
  // are unchanged.
  void merge();
  // The singles; after merge() everything outside blocks.
  std::span<const Entry> entries() const { return singles_.entries(); }
  // use(first, scale, values) for every row; rows of one group come together.
  template <typename Use>
  void each_row(const Use& use) const;
  // use(first, values) for every block.
  template <typename Use>
  void each_block(const Use& use) const {
    for (const Dense& block : blocks_) use(block.first, std::span(dense_).subspan(block.begin, block.count));
  }
  bool has_blocks() const { return !blocks_.empty(); }

  // w += scale * this.
  void add_to(double scale, Weights& w) const { add_slice(scale, 0, 1, w); }
  // The same for one of `slices` slices, a power of two. Threads may share w if
  // each takes its own slice; the sums are bit-identical to add_to.
  void add_slice(double scale, std::size_t slice, std::size_t slices, Weights& w) const;

  // Rows that share values.
  struct Group {
    const std::uint32_t* ids;  // null: in own_ids_, from own_begin
    const float* scales;       // null: all 1
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
  friend double dot(const Weights& w, const Gradient& g);

  SparseVector singles_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> own_ids_;
  std::vector<float> own_scales_;
  std::vector<float> values_;
  std::uint32_t count_ = 0;         // values in the current group
  std::uint32_t values_begin_ = 0;  // their start in values_
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

double dot(const Weights& w, const Gradient& g);
void axpy(double scale, const Gradient& g, Weights& w);  // w += scale g

// These need merged gradients. Blocks of two gradients must coincide or be
// disjoint.
double squared_norm(const Gradient& g);
double dot(const Gradient& a, const Gradient& b);
// Everything as singles, zeros dropped.
SparseVector to_sparse(const Gradient& merged);
PackedVector to_packed(const Gradient& merged);

}  // namespace hinge
