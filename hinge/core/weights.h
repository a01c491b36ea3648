// The parameter vector. Floats, because decoding is bound by the bytes it
// reads; every sum over them is done in double.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hinge {

// Decoders read whole vector registers at a time: this many floats beyond the
// end of a Weights may be read (they are zero) but never written.
inline constexpr std::size_t kReadableSlack = 64;

class Weights {
 public:
  Weights() : Weights(0) {}
  explicit Weights(std::size_t dimension) : values_(dimension + kReadableSlack, 0.0f) {}

  std::size_t size() const { return values_.size() - kReadableSlack; }
  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }
  float& operator[](std::size_t id) { return values_[id]; }
  float operator[](std::size_t id) const { return values_[id]; }
  std::span<float> span() { return {values_.data(), size()}; }
  std::span<const float> span() const { return {values_.data(), size()}; }

 private:
  std::vector<float> values_;
};

double squared_norm(const Weights& w);

}  // namespace hinge
