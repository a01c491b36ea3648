// Random numbers that are the same everywhere: the standard fixes the output of
// mt19937_64, but not of its distributions or std::shuffle, so those are
// implemented here.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "hinge/core/state.h"
#include "hinge/core/wide.h"

namespace hinge {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }

  // Uniform in [0, n), n > 0. Multiply-shift; its bias is below n / 2^64.
  std::uint64_t below(std::uint64_t n) { return scale_to(engine_(), n); }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  void visit(State& state);

  template <typename T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

// Text is the only form of an engine that the standard fixes.
inline void Random::visit(State& state) {
  std::stringstream text;
  text << engine_;
  std::string engine = text.str();
  state(engine);
  std::stringstream(engine) >> engine_;
}

}  // namespace hinge
