#include "hinge/tasks/tag/support_vectors.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"

namespace hinge::tag {

SupportIndex::SupportIndex(const Kernel& kernel, std::size_t features, std::span<const std::size_t> begin,
                           std::span<const std::uint32_t> ids, std::span<const float> values)
    : kernel_(kernel),
      size_(begin.size() - 1),
      first_(features + 1),
      vectors_(ids.size()),
      values_(values.size()) {
  const double at_zero = kernel(0.0);
  if (at_zero < 0.0)
    fail<OptionError>("r is {}, which makes the kernel of unlike tokens negative; use 0 or more", kernel.r);
  constant_ = std::sqrt(at_zero);
  constexpr int kTable = 256;
  for (int product = 0; product < kTable; ++product)
    table_.push_back(static_cast<float>(kernel(product) - at_zero));
  for (const std::uint32_t id : ids) ++first_[id + 1];
  for (std::size_t f = 0; f < features; ++f) first_[f + 1] += first_[f];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t v = 0; v < size_; ++v) {
    for (std::size_t k = begin[v]; k < begin[v + 1]; ++k) {
      const std::size_t at = next[ids[k]]++;
      vectors_[at] = v;
      if (!values.empty()) values_[at] = values[k];
    }
  }
}

void SupportIndex::multiply(std::span<const std::uint32_t> ids, const float* values,
                            std::vector<float>& products) const {
  products.assign(size_, 0.0f);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const float value = values == nullptr ? 1.0f : values[k];
    for (std::size_t at = first_[ids[k]]; at < first_[ids[k] + 1]; ++at)
      products[vectors_[at]] += values_.empty() ? value : value * values_[at];
  }
}

ProductRows::ProductRows(const SupportIndex& index, std::span<const std::size_t> begin,
                         std::span<const std::uint32_t> ids, bool valued, std::size_t bytes)
    : size_(index.size()) {
  if (valued || size_ == 0) return;
  const std::size_t fitting = std::min(bytes / size_, size_);
  rows_.resize(fitting * size_);
  std::vector<float> products;
  for (; count_ < fitting; ++count_) {
    const auto token = ids.subspan(begin[count_], begin[count_ + 1] - begin[count_]);
    if (token.size() >= index.table().size()) return;
    index.multiply(token, nullptr, products);
    std::ranges::transform(products, rows_.begin() + static_cast<std::ptrdiff_t>(count_ * size_),
                           [](float product) { return static_cast<std::uint8_t>(product); });
  }
}

}  // namespace hinge::tag
