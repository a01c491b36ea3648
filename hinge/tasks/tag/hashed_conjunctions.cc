#include "hinge/tasks/tag/hashed_conjunctions.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "hinge/core/error.h"
#include "hinge/tasks/tag/data.h"

namespace hinge::tag {
HashedConjunctions::HashedConjunctions(const Kernel& kernel, std::int64_t bits, std::vector<Key> keys,
                                       ChainData& data)
    : bits_(bits), keys_(std::move(keys)) {
  for (const double weight : set_weights(kernel)) weights_.push_back(static_cast<float>(weight));
  sort_features(data);
  if (!data.node_values.empty())
    fail<OptionError>(
        "a kernel with hash_bits needs features without values, each at most once per token; use degree=2 "
        "and "
        "hash_bits=0");
}

void HashedConjunctions::expand(const ChainData& data, std::size_t sentence, ChainData& one) const {
  const std::size_t begin = data.sentence_begin[sentence];
  const std::size_t end = data.sentence_begin[sentence + 1];
  copy_sentence(data, sentence, one);
  one.node_begin.assign(1, 0);
  one.node_ids.clear();
  one.node_values.clear();
  std::vector<Key> token;
  for (std::size_t t = begin; t < end; ++t) {
    token.clear();
    for (std::size_t k = data.node_begin[t]; k < data.node_begin[t + 1]; ++k) {
      token.push_back(keys_[data.node_ids[k]]);
      one.node_ids.push_back(data.node_ids[k]);
      one.node_values.push_back(weights_[1]);
    }
    each_set(token, static_cast<int>(weights_.size()) - 1, [&](Key key, auto members) {
      one.node_ids.push_back(static_cast<std::uint32_t>(keys_.size()) + hashed_row(key, bits_));
      one.node_values.push_back(weights_[members.size()]);
    });
    one.node_begin.push_back(one.node_ids.size());
  }
}

// Whang, Vander-Zanden & Taylor (1990): of m bits, n different keys leave m exp(-n/m) unset.
std::string HashedConjunctions::load(const ChainData& data) const {
  constexpr int kBits = 28;
  std::vector<std::uint64_t> seen((std::size_t{1} << kBits) / 64);
  std::vector<Key> token;
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    token.clear();
    for (std::size_t k = data.node_begin[t]; k < data.node_begin[t + 1]; ++k)
      token.push_back(keys_[data.node_ids[k]]);
    each_set(token, static_cast<int>(weights_.size()) - 1, [&](Key key, auto) {
      const Key bit = key & ((Key{1} << kBits) - 1);  // not the bits that choose the row
      seen[bit / 64] |= std::uint64_t{1} << bit % 64;
    });
  }
  std::size_t set = 0;
  for (const std::uint64_t word : seen) set += static_cast<std::size_t>(std::popcount(word));
  const double m = std::ldexp(1.0, kBits);
  const double n = -m * std::log1p(-std::min(static_cast<double>(set), m - 1.0) / m);
  // A conjunction is alone in its row if none of the others is there.
  const double shared = -std::expm1(-n / std::ldexp(1.0, static_cast<int>(bits_)));
  return fmt::format("about {:.0f} conjunctions in 2^{} rows, {:.1f} % of them share one", n, bits_,
                     100.0 * shared);
}

}  // namespace hinge::tag
