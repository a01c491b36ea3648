// Kernels without a finite feature map, and polynomial ones by request: a token's score
// for label y is
//
//   f(x, y) = sum_v alpha_vy kappa(x, x_v)
//
// over support vectors x_v, the features of training tokens. An inverted index from
// features to vectors gives all products <x, x_v> at once; vectors without common
// features are never touched: kappa(0) is taken out of the sum and becomes a constant
// feature with the value sqrt(kappa(0)), which has the same product.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/tasks/tag/kernel.h"

namespace hinge::tag {

class SupportIndex {
 public:
  // Vector v has the features ids[begin[v] .. begin[v + 1]), below `features`; values
  // empty means all ones.
  SupportIndex(const Kernel& kernel, std::size_t features, std::span<const std::size_t> begin,
               std::span<const std::uint32_t> ids, std::span<const float> values);

  std::size_t size() const { return size_; }
  std::size_t features() const { return first_.size() - 1; }
  double constant() const { return constant_; }  // sqrt(kappa(0))

  // products[v] = <x, x_v> for all v, for a token with these features.
  void multiply(std::span<const std::uint32_t> ids, const float* values, std::vector<float>& products) const;
  // kappa - kappa(0).
  float kernel(float product) const {
    if (product >= 0.0f && product < static_cast<float>(table_.size())) {
      const auto whole = static_cast<std::size_t>(product);
      if (static_cast<float>(whole) == product) return table_[whole];
    }
    return static_cast<float>(kernel_(product) - constant_ * constant_);
  }

 private:
  Kernel kernel_;
  double constant_;
  std::size_t size_;
  std::vector<float> table_;        // of small whole products, which all are if features have no values
  std::vector<std::size_t> first_;  // [features + 1], into vectors_
  std::vector<std::uint32_t> vectors_;
  std::vector<float> values_;  // parallel, or empty
};

}  // namespace hinge::tag
