// 64-bit keys to 32-bit numbers: a hash map whose implementation stays out of
// the headers that use it.
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

  std::uint32_t find(std::uint64_t key) const;  // kNone if it is not there
  bool contains(std::uint64_t key) const { return find(key) != kNone; }
  // The number of the key, and whether it is new; a key that is there keeps its number.
  std::pair<std::uint32_t, bool> add(std::uint64_t key, std::uint32_t number);
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  void clear();
  // Every number n becomes new_numbers[n]; keys whose number becomes kNone go.
  void renumber(const std::vector<std::uint32_t>& new_numbers);
  std::vector<std::uint64_t> sorted_keys() const;

 private:
  struct Map;
  std::unique_ptr<Map> map_;
};

}  // namespace hinge
