// Saving and loading in one function: a resumable object lists its members once, in
// `visit(State&)`, for both directions.
//
//   void visit(State& state) { state(w_, steps_); }
//
// Loading trusts nothing: lengths are checked against the rest of the file, ids of
// weights against their number. What else must hold, visit() says by fixed() and
// require().
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/core/weights.h"

namespace hinge {

class State {
 public:
  virtual ~State() = default;
  virtual bool loading() const = 0;  // rather than saving

  template <typename... Values>
  requires(sizeof...(Values) > 1) void operator()(Values&... values) { ((*this)(values), ...); }

  template <typename T>
  void operator()(T& value) {
    if constexpr (requires { value.visit(*this); }) {
      value.visit(*this);
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "give it a visit(State&)");
      transfer(&value, sizeof value);
    }
  }

  // Vectors and arrays that keep their size: a file with another is refused.
  template <typename... Arrays>
  void fixed(Arrays&... arrays) {
    const auto keep = [this](auto& array) {
      const std::size_t size = array.size();
      (*this)(array);
      require(array.size() == size);
    };
    (keep(arrays), ...);
  }

  // Refuses the file, when loading, unless the values just loaded fit.
  void require(bool fits) const {
    if (loading() && !fits) refuse();
  }
  // All indices are below `limit`.
  template <typename Index>
  void require_below(const std::vector<Index>& indices, std::uint64_t limit) const {
    if (!loading()) return;
    for (const Index index : indices) require(index < limit);
  }
  // How many weights there are.
  void set_dimension(std::uint64_t dimension) { dimension_ = dimension; }
  std::uint64_t dimension() const { return dimension_; }

  // One byte; a bool must never hold anything but 0 or 1.
  void operator()(bool& value) {
    std::uint8_t byte = value;
    transfer(&byte, 1);
    if (loading() && byte > 1) refuse();
    value = byte != 0;
  }

  void operator()(std::string& text) {
    text.resize(length(text.size(), 1));
    transfer(text.data(), text.size());
  }

  template <typename T>
  void operator()(std::vector<T>& values) {
    constexpr bool kPlain = std::is_trivially_copyable_v<T>;
    const std::uint64_t size = length(values.size(), kPlain ? sizeof(T) : 1);
    if constexpr (kPlain) {
      values.resize(size);
      transfer(values.data(), values.size() * sizeof(T));
    } else {
      // An element's size in the file is unknown: memory grows with what is read.
      if (loading()) values.clear();
      for (std::uint64_t k = 0; k < size; ++k) {
        if (loading()) values.emplace_back();
        (*this)(values[k]);
      }
    }
  }

  template <typename T>
  void operator()(std::optional<T>& value) {
    bool present = value.has_value();
    (*this)(present);
    if (!present) return value.reset();
    if (!value) value.emplace();
    (*this)(*value);
  }

  template <typename A, typename B>
  void operator()(std::pair<A, B>& value) {
    (*this)(value.first, value.second);
  }

  // Runs of zeros are not stored, in the file or in memory.
  template <typename T>
  void operator()(ZeroedArray<T>& values) {
    std::uint64_t size = values.size();
    (*this)(size);
    if (size != values.size()) values = ZeroedArray<T>(checked(size));
    constexpr std::size_t kStretch = 1024;
    for (std::size_t begin = 0; begin < size; begin += kStretch) {
      const std::size_t count = std::min<std::size_t>(kStretch, size - begin);
      std::uint8_t used = 0;
      for (std::size_t k = begin; k < begin + count && used == 0; ++k) used = !is_zero(values[k]);
      (*this)(used);
      if (used != 0) {
        transfer(values.data() + begin, count * sizeof(T));
      } else if (loading()) {
        for (std::size_t k = begin; k < begin + count; ++k) {
          if (!is_zero(values[k])) values[k] = T{};  // keep untouched pages untouched
        }
      }
    }
  }

 protected:
  // Saves the bytes, or loads into them.
  virtual void transfer(void* bytes, std::size_t count) = 0;
  virtual std::uint64_t left() const = 0;  // remaining bytes, when loading
  [[noreturn]] virtual void refuse() const = 0;

 private:
  // By its bits: minus zero is not zero here, or models would differ in it.
  template <typename T>
  static bool is_zero(T value) {
    const T zero{};
    return std::memcmp(&value, &zero, sizeof value) == 0;
  }

  std::uint64_t dimension_ = std::numeric_limits<std::uint64_t>::max();  // not known

  std::uint64_t length(std::uint64_t size, std::size_t bytes_each) {
    (*this)(size);
    if (loading() && size > left() / bytes_each) refuse();
    return size;
  }
  // Skipped zeros make arrays larger than the file, but by at most 1024 values per
  // byte.
  std::uint64_t checked(std::uint64_t size) const {
    if (loading() && size / 1024 > left()) refuse();
    return size;
  }
};

}  // namespace hinge
