// The parameter vector. Floats, because decoding is bound by the bytes it
// reads; every sum over them is done in double.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace hinge {

// Kernels work on whole vector registers: this many values beyond the end of
// an array may be read, and written by code that owns the array.
inline constexpr std::size_t kReadableSlack = 64;

// An array that is all zero at first, in which pages never written take no
// memory: features are numbered by falling count, so the many rare ones that
// no learner ever moves lie together at the end and cost nothing.
template <typename T>
class ZeroedArray {
 public:
  ZeroedArray() : ZeroedArray(0) {}
  explicit ZeroedArray(std::size_t size)
      : size_(size), memory_(allocate(size)), values_(aligned(memory_.get())) {}
  ZeroedArray(const ZeroedArray& other) : ZeroedArray(other.size_) {
    for (std::size_t id = 0; id < size_; ++id) {
      if (other[id] != T{}) values_[id] = other[id];
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

  // For an array that will be used all over: large pages, which cost fewer
  // misses, where the system has them. Pages never written then count as used.
  void prefer_large_pages() {
    constexpr std::uintptr_t kPage = 4096;
    const auto begin = (reinterpret_cast<std::uintptr_t>(values_) + kPage - 1) / kPage * kPage;
    const auto end = reinterpret_cast<std::uintptr_t>(values_ + size_) / kPage * kPage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }

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

  // calloc gives pages that are zero without being written, but not at a
  // multiple of a cache line, across which rows of weights should not lie.
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
