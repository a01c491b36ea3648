// Which weight a feature has. Hashed: every key has one, which keys may share. Otherwise
// each feature in the dictionary has its own, and others have none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hinge/core/task.h"
#include "hinge/features/key_index.h"

namespace hinge::coref {

inline constexpr std::int64_t kMaxHashBits = 28;

class Layout {
 public:
  static constexpr FeatureId kNone = KeyIndex::kNone;

  explicit Layout(std::int64_t hash_bits) : hash_bits_(hash_bits) {}  // 0: a dictionary, empty so far
  explicit Layout(KeyIndex dictionary) : hash_bits_(0), dictionary_(std::move(dictionary)) {}

  bool hashed() const { return hash_bits_ > 0; }
  std::int64_t hash_bits() const { return hash_bits_; }
  const KeyIndex& dictionary() const { return dictionary_; }

  // Hashed only: shifts a key to its weight.
  int shift() const { return static_cast<int>(64 - hash_bits_); }
  FeatureId id(Key key) const {
    return hashed() ? static_cast<FeatureId>(key >> shift()) : static_cast<FeatureId>(dictionary_.find(key));
  }
  // An empty dictionary has one weight that nothing reads.
  std::size_t dimension() const {
    return hashed() ? std::size_t{1} << hash_bits_ : std::max<std::size_t>(dictionary_.size(), 1);
  }

 private:
  std::int64_t hash_bits_;
  KeyIndex dictionary_;
};

}  // namespace hinge::coref
