// Numbers keys in order of appearance and finds them by open addressing in two flat
// arrays, which are used in place if they come from a model file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/features/hash.h"

namespace hinge {

class KeyIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  KeyIndex() = default;
  KeyIndex(KeyIndex&&) = default;  // no copies: they would view the arrays of the original
  KeyIndex& operator=(KeyIndex&&) = default;
  // Views arrays of a file, which must outlive this. Throws ModelError unless there are
  // as many slots as numbers, a power of two, at least one of them free, and every number
  // is less than size().
  KeyIndex(std::span<const Key> slots, std::span<const std::uint32_t> numbers);

  // The number of a key; adds the key if it is new. Not for views.
  std::uint32_t add(Key key);
  // kNone if unknown.
  std::uint32_t find(Key key) const {
    if (slots_.empty()) return kNone;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = home(key);; slot = (slot + 1) & mask) {
      if (slots_[slot] == key) return numbers_[slot];
      if (slots_[slot] == kAbsent) return kNone;
    }
  }

  void prefetch(Key key) const {
    if (!slots_.empty()) __builtin_prefetch(slots_.data() + home(key));
  }

  // Calls body(key, number) for every key, in slot order.
  template <typename Body>
  void each(const Body& body) const {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot] != kAbsent) body(slots_[slot], numbers_[slot]);
    }
  }

  std::size_t size() const { return size_; }
  std::span<const Key> slots() const { return slots_; }
  std::span<const std::uint32_t> numbers() const { return numbers_; }

 private:
  std::size_t home(Key key) const { return static_cast<std::size_t>(key >> 8) & (slots_.size() - 1); }
  void grow();

  std::span<const Key> slots_;  // kAbsent where free
  std::span<const std::uint32_t> numbers_;
  std::vector<Key> own_slots_;
  std::vector<std::uint32_t> own_numbers_;
  std::size_t size_ = 0;
};

}  // namespace hinge
