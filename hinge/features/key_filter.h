// Tells most absent keys by one bit, so that a table need not be searched for them.
// The bits are those of a Bloom filter with one hash, used in place if they come from a
// model file. Near keys have near bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/wide.h"
#include "hinge/features/hash.h"

namespace hinge {

class KeyFilter {
 public:
  // An absent key passes with probability 1 - exp(-1/8), about 12 %.
  static constexpr std::size_t kBitsPerKey = 8;

  KeyFilter() = default;
  // A view. There must be at least one word.
  explicit KeyFilter(std::span<const std::uint64_t> words) : words_(words) {}

  static std::vector<std::uint64_t> words_of(std::span<const Key> keys) {
    std::vector<std::uint64_t> words(keys.size() * kBitsPerKey / 64 + 1);
    for (const Key key : keys) {
      const std::size_t bit = scale_to(key, words.size() * 64);
      words[bit / 64] |= std::uint64_t{1} << bit % 64;
    }
    return words;
  }

  bool may_have(Key key) const {
    const std::size_t bit = scale_to(key, words_.size() * 64);
    return (words_[bit / 64] >> bit % 64 & 1) != 0;
  }

 private:
  std::span<const std::uint64_t> words_;
};

}  // namespace hinge
