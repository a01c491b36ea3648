// Little-endian records inside model files. Reading checks every length before
// trusting it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hinge/core/error.h"

namespace hinge {

static_assert(std::endian::native == std::endian::little, "model files are mapped without byte swapping");

class ByteWriter {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T>
  void put(T value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(std::string_view text) {
    put<std::uint64_t>(text.size());
    bytes_.append(text);
  }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put_array(std::span<const T> values) {
    put<std::uint64_t>(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  // Numbers of any size, small ones in one byte.
  void put_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Throws ModelError if the record ends too early.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string_view what) : rest_(bytes), what_(what) {}

  template <typename T>
  requires std::is_arithmetic_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view get_text() {
    const auto size = get<std::uint64_t>();
    return take(size);
  }
  template <typename T>
  requires std::is_trivially_copyable_v<T> std::vector<T> get_array() {
    const auto size = get<std::uint64_t>();
    if (size > rest_.size() / sizeof(T)) refuse();
    const std::string_view bytes = take(size * sizeof(T));
    std::vector<T> values(size);
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::uint64_t get_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = get<std::uint8_t>();
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    refuse();
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) refuse();
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  [[noreturn]] void refuse() const {
    fail<ModelError>("the {} of the model is damaged; train again or restore the file", what_);
  }

  std::string_view rest_;
  std::string what_;
};

}  // namespace hinge
