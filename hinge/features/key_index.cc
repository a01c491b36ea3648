#include "hinge/features/key_index.h"

#include <algorithm>
#include <bit>

#include "hinge/core/error.h"

namespace hinge {

KeyIndex::KeyIndex(std::span<const Key> slots, std::span<const std::uint32_t> numbers)
    : slots_(slots), numbers_(numbers) {
  const auto used = slots.size() - static_cast<std::size_t>(std::ranges::count(slots, kAbsent));
  const bool in_range =
      std::ranges::all_of(numbers, [used](std::uint32_t number) { return number < used || number == 0; });
  if (slots.size() != numbers.size() || (!slots.empty() && !std::has_single_bit(slots.size())) ||
      (!slots.empty() && used == slots.size()) || !in_range)
    fail<ModelError>("the dictionary of a model is damaged; train it again");
  size_ = used;
}

std::uint32_t KeyIndex::add(Key key) {
  if (2 * (size_ + 1) > own_slots_.size()) grow();
  const std::size_t mask = own_slots_.size() - 1;
  std::size_t slot = home(key);
  while (own_slots_[slot] != key && own_slots_[slot] != kAbsent) slot = (slot + 1) & mask;
  if (own_slots_[slot] == kAbsent) {
    own_slots_[slot] = key;
    own_numbers_[slot] = static_cast<std::uint32_t>(size_++);
  }
  return own_numbers_[slot];
}

void KeyIndex::grow() {
  std::vector<Key> slots(std::max<std::size_t>(16, own_slots_.size() * 2), kAbsent);
  std::vector<std::uint32_t> numbers(slots.size());
  slots.swap(own_slots_);
  numbers.swap(own_numbers_);
  slots_ = own_slots_;
  numbers_ = own_numbers_;
  const std::size_t mask = own_slots_.size() - 1;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (slots[k] == kAbsent) continue;
    std::size_t slot = home(slots[k]);
    while (own_slots_[slot] != kAbsent) slot = (slot + 1) & mask;
    own_slots_[slot] = slots[k];
    own_numbers_[slot] = numbers[k];
  }
}

}  // namespace hinge
