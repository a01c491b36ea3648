#pragma once

#include <cstddef>
#include <vector>

namespace hinge {

// Scratch memory that grows and never shrinks. It begins on a cache line, and so
// do rows of a multiple of 64 bytes: no vector straddles two lines.
template <typename T>
class AlignedRows {
 public:
  void reserve(std::size_t n) {
    const std::size_t lines = (n * sizeof(T) + sizeof(Line) - 1) / sizeof(Line);
    if (lines_.size() < lines) lines_.resize(lines);
  }
  T* data() { return reinterpret_cast<T*>(lines_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(lines_.data()); }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> lines_;
};

}  // namespace hinge
