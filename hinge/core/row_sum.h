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

class RowSum {
 public:
  void clear();

  // Begins a group: every row added until the next call stands for these
  // `count` values, zero at first and the caller's to fill at once.
  std::span<float> values(std::size_t count);
  // weights [first, first + count) get scale * values. Rows may overlap.
  void add_row(FeatureId first, float scale = 1.0f);
  // Rows at ids[k] * width, with a scale each or, where null, all with one.
  void add_rows(std::span<const std::uint32_t> ids, FeatureId width, const float* scales);
  // A single weight, of no group.
  void add(FeatureId id, float value) { singles_.add(id, value); }

  // w += scale * this.
  void add_to(double scale, Weights& w) const { add_part(scale, 0, 1, w); }
  // The same for the weights that are part `part` of `parts`: threads that take
  // a part each may work on one w, and the sums are those of add_to to the bit.
  void add_part(double scale, std::size_t part, std::size_t parts, Weights& w) const;

 private:
  struct Group {
    std::size_t rows_begin;
    std::size_t values_begin;
    std::size_t count;
  };

  std::vector<Group> groups_;
  std::vector<FeatureId> rows_;
  std::vector<float> scales_;  // [rows]
  std::vector<float> values_;
  SparseVector singles_;
};

}  // namespace hinge
