// A hash over arrays, by which a checkpoint recognizes its data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hinge {

// Depends on the order of calls and on the lengths of arrays.
class Fingerprint {
 public:
  void add(std::string_view text) { add_bytes(text.data(), text.size()); }
  void add(const std::vector<std::string>& texts) {
    add(texts.size());
    for (const std::string& text : texts) add(std::string_view(text));
  }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void add(T value) { add_bytes(&value, sizeof value); }
  // A vector, span or array of values without padding bytes.
  template <typename Array>
  requires requires(const Array& a) { a.data()[0]; }
  void add(const Array& values) {
    using Value = std::remove_cvref_t<decltype(values[0])>;
    static_assert(std::is_floating_point_v<Value> || std::has_unique_object_representations_v<Value>);
    add_bytes(values.data(), values.size() * sizeof(Value));
  }

  std::uint64_t value() const { return hash_; }

 private:
  void add_bytes(const void* bytes, std::size_t size);

  std::uint64_t hash_ = 0;
};

}  // namespace hinge
