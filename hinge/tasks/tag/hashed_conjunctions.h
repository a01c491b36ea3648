// Polynomial kernels of any degree, written out as conjunctions that are hashed into
// 2^bits rows: there are too many to list. Nothing is stored per token; the rows of a
// sentence are computed when it is decoded. Conjunctions of a token share prefixes, so
// each costs one exclusive or and one product. Single features keep rows of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/tasks/tag/conjunctions.h"
#include "hinge/tasks/tag/kernel.h"

namespace hinge::tag {

class HashedConjunctions {
 public:
  HashedConjunctions() = default;  // none
  // `keys` of the single features. Sorts the features of the data; throws OptionError if
  // they have values.
  HashedConjunctions(const Kernel& kernel, std::int64_t bits, std::vector<Key> keys, ChainData& data);

  bool empty() const { return bits_ == 0; }
  std::int64_t bits() const { return bits_; }
  std::size_t features() const { return keys_.size(); }
  // Rows of weights: one per feature, then those of conjunctions.
  std::size_t rows() const { return keys_.size() + (std::size_t{1} << bits_); }
  const std::vector<float>& weights() const { return weights_; }  // c_0 ... c_d
  const std::vector<Key>& keys() const { return keys_; }

  // Makes `one` that sentence of the data, expanded.
  void expand(const ChainData& data, std::size_t sentence, ChainData& one) const;

  // "123 conjunctions in 2^20 rows, 4.5 % of them share one". The number is an estimate
  // (linear counting), good to about one percent.
  std::string load(const ChainData& data) const;

 private:
  std::int64_t bits_ = 0;
  std::vector<float> weights_;
  std::vector<Key> keys_;
};

// The key of a row of conjunctions in a model file.
inline Key hashed_key(std::uint32_t row) { return combine(row, 1); }
inline std::uint32_t hashed_row(Key key, std::int64_t bits) {
  return static_cast<std::uint32_t>(key >> (64 - bits));
}

}  // namespace hinge::tag
