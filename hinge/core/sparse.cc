#include "hinge/core/sparse.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace hinge {
namespace {

// Four independent sums: a single one would wait for each addition.
double sum_at(const Weights& w, std::span<const FeatureId> ids) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  std::size_t k = 0;
  for (; k + 4 <= ids.size(); k += 4) {
    a += w[ids[k]];
    b += w[ids[k + 1]];
    c += w[ids[k + 2]];
    d += w[ids[k + 3]];
  }
  for (; k < ids.size(); ++k) a += w[ids[k]];
  return (a + b) + (c + d);
}

void add_at(float amount, std::span<const FeatureId> ids, Weights& w) {
  for (const FeatureId id : ids) w[id] += amount;
}

// A part of a packed vector: sorted ids, all with one value or each with its own.
struct Stretch {
  std::span<const FeatureId> ids;
  double value;
  const float* values;  // or null

  double at(std::size_t k) const { return values != nullptr ? values[k] : value; }
};

double dot(const Stretch& a, const Stretch& b) {
  double sum = 0.0;
  for (std::size_t i = 0, j = 0; i < a.ids.size() && j < b.ids.size();) {
    if (a.ids[i] == b.ids[j]) {
      sum += a.at(i++) * b.at(j++);
    } else {
      a.ids[i] < b.ids[j] ? ++i : ++j;
    }
  }
  return sum;
}

}  // namespace

void SparseVector::append(const SparseVector& other, float scale) {
  for (const Entry& entry : other.entries_) entries_.push_back({entry.id, entry.value * scale});
}

void SparseVector::merge() {
  // Sort as 64-bit numbers, id above the bits of the value: equal ids become
  // adjacent, in an order that does not depend on the input order.
  std::vector<std::uint64_t> keys(entries_.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = std::uint64_t{entries_[i].id} << 32 | std::bit_cast<std::uint32_t>(entries_[i].value);
  }
  hwy::Sorter()(keys.data(), keys.size(), hwy::SortAscending());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keys.size();) {
    const auto id = static_cast<FeatureId>(keys[i] >> 32);
    double sum = 0.0;
    for (; i < keys.size() && keys[i] >> 32 == id; ++i)
      sum += std::bit_cast<float>(static_cast<std::uint32_t>(keys[i]));
    if (sum != 0.0) entries_[kept++] = {id, static_cast<float>(sum)};
  }
  entries_.resize(kept);
}

PackedVector::PackedVector(std::span<const Entry> entries) {
  ids_.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (entry.value == 1.0f) ids_.push_back(entry.id);
  }
  ones_ = static_cast<std::uint32_t>(ids_.size());
  for (const Entry& entry : entries) {
    if (entry.value == -1.0f) ids_.push_back(entry.id);
  }
  minus_ones_ = static_cast<std::uint32_t>(ids_.size()) - ones_;
  for (const Entry& entry : entries) {
    if (entry.value == 1.0f || entry.value == -1.0f) continue;
    ids_.push_back(entry.id);
    rest_.push_back(entry.value);
  }
}

double PackedVector::squared_norm() const {
  double sum = static_cast<double>(ones_) + minus_ones_;
  for (const float value : rest_) sum += static_cast<double>(value) * value;
  return sum;
}

double dot(const Weights& w, const PackedVector& v) {
  const std::span ids(v.ids_);
  double sum = sum_at(w, ids.first(v.ones_)) - sum_at(w, ids.subspan(v.ones_, v.minus_ones_));
  const auto others = ids.subspan(v.ones_ + v.minus_ones_);
  for (std::size_t k = 0; k < others.size(); ++k) sum += static_cast<double>(w[others[k]]) * v.rest_[k];
  return sum;
}

double dot(const PackedVector& a, const PackedVector& b) {
  const auto stretches = [](const PackedVector& v) {
    const std::span ids(v.ids_);
    return std::array<Stretch, 3>{{{ids.first(v.ones_), 1.0, nullptr},
                                   {ids.subspan(v.ones_, v.minus_ones_), -1.0, nullptr},
                                   {ids.subspan(v.ones_ + v.minus_ones_), 0.0, v.rest_.data()}}};
  };
  double sum = 0.0;
  for (const Stretch& x : stretches(a)) {
    for (const Stretch& y : stretches(b)) sum += dot(x, y);
  }
  return sum;
}

void axpy(double scale, const PackedVector& v, Weights& w) {
  const std::span ids(v.ids_);
  add_at(static_cast<float>(scale), ids.first(v.ones_), w);
  add_at(-static_cast<float>(scale), ids.subspan(v.ones_, v.minus_ones_), w);
  const auto others = ids.subspan(v.ones_ + v.minus_ones_);
  for (std::size_t k = 0; k < others.size(); ++k) w[others[k]] += static_cast<float>(scale * v.rest_[k]);
}

double squared_norm(const Weights& w) {
  double sum = 0.0;
  for (const float value : w.span()) sum += static_cast<double>(value) * value;
  return sum;
}

double dot(const Weights& w, const SparseVector& v) {
  double sum = 0.0;
  for (const Entry& entry : v.entries()) sum += static_cast<double>(w[entry.id]) * entry.value;
  return sum;
}

void axpy(double scale, const SparseVector& v, Weights& w) {
  for (const Entry& entry : v.entries()) w[entry.id] += static_cast<float>(scale * entry.value);
}

double squared_norm(const SparseVector& v) {
  assert(std::ranges::is_sorted(v.entries(), {}, &Entry::id));
  double sum = 0.0;
  for (const Entry& entry : v.entries()) sum += static_cast<double>(entry.value) * entry.value;
  return sum;
}

double dot(const SparseVector& a, const SparseVector& b) {
  double sum = 0.0;
  const auto x = a.entries();
  const auto y = b.entries();
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i].id == y[j].id) {
      sum += static_cast<double>(x[i++].value) * y[j++].value;
    } else {
      x[i].id < y[j].id ? ++i : ++j;
    }
  }
  return sum;
}

}  // namespace hinge
