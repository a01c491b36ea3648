// A hash map from 64-bit keys to 32-bit numbers that keeps its implementation out
// of headers.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace hinge {

class NumberMap {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  NumberMap();
  ~NumberMap();
  NumberMap(const NumberMap& other);
  NumberMap(NumberMap&& other) noexcept;
  NumberMap& operator=(NumberMap other) noexcept;

  std::uint32_t find(std::uint64_t key) const;  // kNone if absent
  bool contains(std::uint64_t key) const { return find(key) != kNone; }
  // The key's number, and whether it is new; an existing key keeps its number.
  std::pair<std::uint32_t, bool> add(std::uint64_t key, std::uint32_t number);
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  void clear();
  // Every number n becomes new_numbers[n]; keys whose number becomes kNone are
  // removed.
  void renumber(const std::vector<std::uint32_t>& new_numbers);
  std::vector<std::uint64_t> sorted_keys() const;

 private:
  struct Map;
  std::unique_ptr<Map> map_;
};

}  // namespace hinge
