// A feature vector that is a sum of rows: the gradient of a log-likelihood.
//
// Expected features are dense where differences of two outputs are sparse, but
// they have structure: all features that fire at one place share the same few
// values (for a token, its label marginals). So values are stored once per
// group, and a row says where in the weights they go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/sparse.h"

namespace hinge {

// Which of `parts`, a power of two, a row belongs to. Neighbours belong
// together, or cache lines would go back and forth between threads; but not too
// many of them, as the busiest features have the lowest numbers.
inline std::uint32_t part_of(FeatureId first, std::uint32_t parts) {
  return ((first >> 8) * 0x9E3779B1u >> 16) & (parts - 1);
}

class RowSum {
 public:
  void clear();

  // Begins a group: every row added until the next call stands for these
  // `count` values, zero at first and the caller's to fill at once.
  std::span<float> values(std::size_t count);
  // weights [first, first + count) get scale * values. Rows that overlap must
  // coincide.
  void add_row(FeatureId first, float scale = 1.0f);
  // Rows at ids[k] * width, with a scale each or, where null, all with one. The
  // ids and scales are not copied, and must live as long as the sum is used.
  void add_rows(std::span<const std::uint32_t> ids, FeatureId width, const float* scales);
  // A single weight, of no group; no row may reach it.
  void add(FeatureId id, float value) { singles_.add(id, value); }

  // w += scale * this.
  void add_to(double scale, Weights& w) const { add_part(scale, 0, 1, w); }
  // The same for the rows that are part `part` of `parts`, a power of two:
  // threads that take a part each may work on one w, and the sums are those of
  // add_to to the bit.
  void add_part(double scale, std::size_t part, std::size_t parts, Weights& w) const;

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
  std::vector<Group> groups_;
  std::vector<std::uint32_t> own_ids_;
  std::vector<float> own_scales_;
  std::vector<float> values_;
  std::uint32_t count_ = 0;         // of the values of the present group
  std::uint32_t values_begin_ = 0;  // and where they begin
  SparseVector singles_;
};

}  // namespace hinge
