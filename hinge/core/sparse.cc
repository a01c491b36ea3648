#include "hinge/core/sparse.h"

#include <algorithm>
#include <cassert>

namespace hinge {
namespace {

bool by_id(const Entry& a, const Entry& b) { return a.id < b.id; }

}  // namespace

void SparseVector::append(const SparseVector& other, float scale) {
  for (const Entry& entry : other.entries_) entries_.push_back({entry.id, entry.value * scale});
}

void SparseVector::merge() {
  std::stable_sort(entries_.begin(), entries_.end(), by_id);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size();) {
    const FeatureId id = entries_[i].id;
    double sum = 0.0;
    for (; i < entries_.size() && entries_[i].id == id; ++i) sum += entries_[i].value;
    if (sum != 0.0) entries_[kept++] = {id, static_cast<float>(sum)};
  }
  entries_.resize(kept);
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
  assert(std::is_sorted(v.entries().begin(), v.entries().end(), by_id));
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
