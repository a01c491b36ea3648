// The parameter vector. Floats, because decoding is bound by memory traffic; sums
// over them are in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace hinge {

// Kernels work on whole vector registers: this many values beyond the end of
// an array may be read, and written by code that owns the array.
inline constexpr std::size_t kReadableSlack = 64;

// Asks the system for large pages, if it has any.
void prefer_large_pages(void* begin, std::size_t bytes);

// A zero-initialized array whose untouched pages take no memory: features are
// numbered by falling count, so the many rare ones that no learner ever updates lie
// together at the end and cost nothing.
template <typename T>
class ZeroedArray {
 public:
  ZeroedArray() : ZeroedArray(0) {}
  explicit ZeroedArray(std::size_t size)
      : size_(size), memory_(allocate(size)), values_(aligned(memory_.get())) {}
  ZeroedArray(const ZeroedArray& other) : ZeroedArray(other.size_) {
    for (std::size_t id = 0; id < size_; ++id) {
      const T zero{};  // by bits: minus zero is kept
      if (std::memcmp(&other.values_[id], &zero, sizeof zero) != 0) values_[id] = other[id];
    }
  }
  ZeroedArray(ZeroedArray&& other) noexcept
      : size_(std::exchange(other.size_, 0)),
        memory_(std::move(other.memory_)),
        values_(std::exchange(other.values_, nullptr)) {}
  ZeroedArray& operator=(ZeroedArray other) noexcept {
    std::swap(size_, other.size_);
    std::swap(values_, other.values_);
    memory_.swap(other.memory_);
    return *this;
  }

  // For an array that will be used throughout: large pages cause fewer TLB misses,
  // if the system has them, but untouched pages then take memory, too.
  void prefer_large_pages() { hinge::prefer_large_pages(values_, size_ * sizeof(T)); }

  std::size_t size() const { return size_; }
  T* data() { return values_; }
  const T* data() const { return values_; }
  T& operator[](std::size_t id) { return values_[id]; }
  T operator[](std::size_t id) const { return values_[id]; }
  std::span<T> span() { return {values_, size_}; }
  std::span<const T> span() const { return {values_, size_}; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;

  // calloc returns untouched zero pages, but not aligned to cache lines, which rows
  // of weights should not straddle.
  static constexpr std::size_t kCacheLine = 64;
  static Memory allocate(std::size_t size) {
    void* memory = std::calloc(1, (size + kReadableSlack) * sizeof(T) + kCacheLine);
    if (memory == nullptr) throw std::bad_alloc();
    return Memory(memory);
  }
  static T* aligned(void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    return reinterpret_cast<T*>((address + kCacheLine - 1) / kCacheLine * kCacheLine);
  }

  std::size_t size_;
  Memory memory_;
  T* values_;  // in memory_
};

using Weights = ZeroedArray<float>;

double squared_norm(const Weights& w);

}  // namespace hinge
