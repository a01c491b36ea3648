#include "hinge/core/number_map.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

namespace hinge {

struct NumberMap::Map {
  absl::flat_hash_map<std::uint64_t, std::uint32_t> numbers;
};

NumberMap::NumberMap() : map_(std::make_unique<Map>()) {}
NumberMap::~NumberMap() = default;
NumberMap::NumberMap(const NumberMap& other) : map_(std::make_unique<Map>(*other.map_)) {}
NumberMap::NumberMap(NumberMap&& other) noexcept = default;
NumberMap& NumberMap::operator=(NumberMap other) noexcept {
  map_.swap(other.map_);
  return *this;
}

std::uint32_t NumberMap::find(std::uint64_t key) const {
  const auto found = map_->numbers.find(key);
  return found == map_->numbers.end() ? kNone : found->second;
}

std::pair<std::uint32_t, bool> NumberMap::add(std::uint64_t key, std::uint32_t number) {
  const auto [entry, is_new] = map_->numbers.try_emplace(key, number);
  return {entry->second, is_new};
}

std::size_t NumberMap::size() const { return map_->numbers.size(); }

void NumberMap::clear() { map_->numbers.clear(); }

void NumberMap::renumber(const std::vector<std::uint32_t>& new_numbers) {
  absl::erase_if(map_->numbers, [&](const auto& entry) { return new_numbers[entry.second] == kNone; });
  for (auto& [key, number] : map_->numbers) number = new_numbers[number];
}

std::vector<std::uint64_t> NumberMap::sorted_keys() const {
  std::vector<std::uint64_t> keys;
  keys.reserve(size());
  for (const auto& [key, number] : map_->numbers) keys.push_back(key);
  std::ranges::sort(keys);
  return keys;
}

}  // namespace hinge
