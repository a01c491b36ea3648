// The layout of a parser's weights: rows of kSlots weights for features of arcs
// and other parts, then rows of one weight per label.
//
// Every feature of a part is conjoined with the arc's direction, and with
// direction and binned distance. These conjunctions are slots of one row, which is
// one cache line: a feature costs one cache miss, not two or three.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "hinge/core/task.h"
#include "hinge/features/factor_template.h"
#include "hinge/features/hash.h"
#include "hinge/features/key_index.h"

namespace hinge::dep {

inline constexpr std::int64_t kMaxHashBits = 24;
inline constexpr std::size_t kSlots = 16;
static_assert(2 + 2 * kMaxDistanceBins <= kSlots);

// The two slots of an arc's features.
struct Slots {
  std::uint32_t direction;
  std::uint32_t distance;
  auto operator<=>(const Slots&) const = default;
};
inline Slots slots_of(std::size_t head, std::size_t modifier, std::uint32_t bin) {
  const std::uint32_t left = modifier < head;
  return {left, 2 + 2 * bin + left};
}

// The row that contains a part weight.
inline Block row_of(FeatureId weight) {
  return {static_cast<FeatureId>(weight / kSlots * kSlots), static_cast<FeatureId>(kSlots)};
}

// Maps feature keys to weight numbers. Hashed (Bohnet 2010): every key has a row,
// which keys may share. Otherwise each feature seen in gold trees has its own row
// and others have none.
class TreeLayout {
 public:
  static constexpr FeatureId kNone = 0xFFFFFFFF;

  TreeLayout(std::int64_t hash_bits, std::int64_t label_bits, std::size_t labels)
      : hash_bits_(hash_bits), label_bits_(label_bits), labels_(labels) {}

  bool hashed() const { return hash_bits_ > 0; }
  std::int64_t hash_bits() const { return hash_bits_; }
  std::int64_t label_bits() const { return label_bits_; }
  std::size_t labels() const { return labels_; }
  // Shifts a key to its weight in slot 0; other slots differ in the low bits.
  int shift() const { return static_cast<int>(60 - hash_bits_); }

  // The weight of a feature in slot 0, or kNone; others are at `base ^ slot`. In
  // hashed rows slots are permuted, so that rare slots are not all neighbours.
  FeatureId base(Key key) const {
    if (hashed()) return static_cast<FeatureId>(key >> shift());
    const std::uint32_t row = dictionary_.find(key);
    return row == KeyIndex::kNone ? kNone : static_cast<FeatureId>(row * kSlots);
  }
  std::size_t label_row(Key key) const { return static_cast<std::size_t>(key >> (64 - label_bits_)); }
  FeatureId label_base(std::size_t row) const {
    return static_cast<FeatureId>(part_weights() + row * labels_);
  }

  std::size_t part_weights() const {
    return (hashed() ? std::size_t{1} << hash_bits_ : dictionary_.size()) * kSlots;
  }
  std::size_t label_rows() const { return labels_ == 0 ? 0 : std::size_t{1} << label_bits_; }
  std::size_t dimension() const { return part_weights() + label_rows() * labels_; }

  KeyIndex& dictionary() { return dictionary_; }
  const KeyIndex& dictionary() const { return dictionary_; }

 private:
  std::int64_t hash_bits_;
  std::int64_t label_bits_;
  std::size_t labels_;
  KeyIndex dictionary_;
};

}  // namespace hinge::dep
