// Sparse vectors over weight ids, and the three operations learners need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/state.h"
#include "hinge/core/weights.h"

namespace hinge {

using FeatureId = std::uint32_t;

struct Entry {
  FeatureId id;
  float value;
  bool operator==(const Entry&) const = default;
};

// A list of (id, value). Before merge(), ids may be unsorted and repeat; repeated
// values add up, which dot(w, v) and axpy() handle.
class SparseVector {
 public:
  void visit(State& state) {
    state(entries_);
    for (const Entry& entry : entries_) state.require(entry.id < state.dimension());
  }
  void clear() { entries_.clear(); }
  void add(FeatureId id, float value) { entries_.push_back({id, value}); }
  void append(const SparseVector& other, float scale);
  void reserve(std::size_t n) { entries_.reserve(n); }

  // Sorts by id, sums repeated ids, drops what cancels to zero.
  void merge();

  std::span<const Entry> entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
};

// A compact merged vector: values of 1 and -1, nearly all in a difference of
// indicator features, are stored as ids only.
class PackedVector {
 public:
  PackedVector() = default;
  explicit PackedVector(std::span<const Entry> merged);
  explicit PackedVector(const SparseVector& merged) : PackedVector(merged.entries()) {}

  bool operator==(const PackedVector&) const = default;
  std::size_t size() const { return ids_.size(); }
  bool empty() const { return ids_.empty(); }
  std::span<const FeatureId> ids() const { return ids_; }  // in no order
  double squared_norm() const;
  void visit(State& state) {
    state(ids_, rest_, ones_, minus_ones_);
    state.require_below(ids_, state.dimension());
    state.require(std::uint64_t{ones_} + minus_ones_ + rest_.size() == ids_.size());
  }

 private:
  friend double dot(const Weights& w, const PackedVector& v);
  friend double dot(const PackedVector& a, const PackedVector& b);
  friend void axpy(double scale, const PackedVector& v, Weights& w);

  std::vector<FeatureId> ids_;  // of ones, then of minus ones, then of the rest
  std::vector<float> rest_;
  std::uint32_t ones_ = 0;
  std::uint32_t minus_ones_ = 0;
};

double dot(const Weights& w, const PackedVector& v);
double dot(const PackedVector& a, const PackedVector& b);
void axpy(double scale, const PackedVector& v, Weights& w);

double dot(const Weights& w, const SparseVector& v);
void axpy(double scale, const SparseVector& v, Weights& w);  // w += scale v

// Both need merged vectors.
double squared_norm(const SparseVector& v);
double dot(const SparseVector& a, const SparseVector& b);

}  // namespace hinge
