// The layout of a classifier's weights.
#pragma once

#include <cstddef>

namespace hinge::classify {

//   [features][labels]
struct TextLayout {
  std::size_t labels = 0;
  std::size_t features = 0;

  std::size_t row(std::size_t feature) const { return feature * labels; }
  std::size_t dimension() const { return features * labels; }
};

}  // namespace hinge::classify
