// The parameter vector. Floats, because decoding is bound by the bytes it
// reads; every sum over them is done in double.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace hinge {

// Kernels work on whole vector registers: this many values beyond the end of
// an array may be read, and written by code that owns the array.
inline constexpr std::size_t kReadableSlack = 64;

// Asks the system for large pages, if it has such a thing.
void prefer_large_pages(void* begin, std::size_t bytes);

// An array that is all zero at first, in which pages never written take no
// memory: features are numbered by falling count, so the many rare ones that
// no learner ever moves lie together at the end and cost nothing.
template <typename T>
class ZeroedArray {
 public:
  ZeroedArray() : ZeroedArray(0) {}
  explicit ZeroedArray(std::size_t size) : size_(size), values_(allocate(size)) {}
  ZeroedArray(const ZeroedArray& other) : ZeroedArray(other.size_) {
    for (std::size_t id = 0; id < size_; ++id) {
      if (other[id] != T{}) values_[id] = other[id];
    }
  }
  ZeroedArray(ZeroedArray&& other) noexcept
      : size_(std::exchange(other.size_, 0)), values_(std::move(other.values_)) {}
  ZeroedArray& operator=(ZeroedArray other) noexcept {
    std::swap(size_, other.size_);
    values_.swap(other.values_);
    return *this;
  }

  // For an array that will be used all over: large pages, which cost fewer
  // misses, where the system has them. Pages never written then count as used.
  void prefer_large_pages() { hinge::prefer_large_pages(values_.get(), size_ * sizeof(T)); }

  std::size_t size() const { return size_; }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T& operator[](std::size_t id) { return values_[id]; }
  T operator[](std::size_t id) const { return values_[id]; }
  std::span<T> span() { return {values_.get(), size_}; }
  std::span<const T> span() const { return {values_.get(), size_}; }

 private:
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  using Values = std::unique_ptr<T[], Free>;

  static Values allocate(std::size_t size) {
    auto* values = static_cast<T*>(std::calloc(size + kReadableSlack, sizeof(T)));
    if (values == nullptr) throw std::bad_alloc();
    return Values(values);
  }

  std::size_t size_;
  Values values_;
};

using Weights = ZeroedArray<float>;

double squared_norm(const Weights& w);

}  // namespace hinge
