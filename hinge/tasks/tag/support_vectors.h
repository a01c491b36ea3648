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
  // table()[p] = kernel(p) for whole p.
  std::span<const float> table() const { return table_; }
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

// The products of training tokens with each other, for as many tokens as fit: each epoch
// needs all of them once, so keeping the same ones is as good as keeping the latest.
class ProductRows {
 public:
  ProductRows() = default;  // none
  // At most `bytes`. Only whole products below 256 are kept, so none if features have values.
  ProductRows(const SupportIndex& index, std::span<const std::size_t> begin,
              std::span<const std::uint32_t> ids, bool valued, std::size_t bytes);

  // [vectors], or null.
  const std::uint8_t* row(std::size_t token) const {
    return token < count_ ? rows_.data() + token * size_ : nullptr;
  }
  std::size_t size() const { return count_; }

 private:
  std::size_t size_ = 0;
  std::size_t count_ = 0;
  std::vector<std::uint8_t> rows_;  // [count_][size_]
};

}  // namespace hinge::tag
