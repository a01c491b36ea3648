// Sums over all trees of a context-free grammar in binary form: inside and outside
// probabilities of all spans (Baker 1979; CKY order). O(words^3 rules) time,
// O(words^2 symbols) memory. SIMD, chosen at run time: vectors run over spans of one
// width, so nothing is looked up per span.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hinge/decode/aligned_rows.h"

namespace hinge {

// parent -> left right. Symbols below `tags` are tags: they span single words.
struct CkyRule {
  std::uint32_t parent, left, right;
  float probability;
};

struct CkyGrammar {
  std::size_t symbols = 0;
  std::size_t tags = 0;
  std::vector<CkyRule> rules;  // any order; the fastest is by parent
  std::vector<CkyRule> unary;  // parent -> left, a tag: phrases of one word
  std::vector<float> root;     // [symbols], probability of being the whole tree
};

// The chart as its kernels see it.
template <typename T>
struct CkyRows {
  std::size_t words, tags, stride;
  T* inside;
  T* outside;
  std::span<const char> present;
  std::span<const CkyRule> rules;

  // Where the row of a symbol and a width begins: a row of zeros, then one per tag, then one per
  // phrase and width.
  std::size_t at(std::size_t symbol, std::size_t width) const {
    return (symbol < tags ? 1 + symbol : 1 + tags + (symbol - tags) * words + width - 1) * stride;
  }
};

// The chart in floats or doubles.
template <typename T>
class CkyTable {
 public:
  // False if there is no tree, or none was found because values became too small.
  bool fill(const CkyGrammar& grammar, std::size_t words, std::span<const float> tag_scores);
  // Whether the probabilities of every word's tags add up to one: nothing that matters
  // became zero.
  bool sound() const;

  template <typename Use>
  void each_likely(float threshold, const Use& use) const {
    const T least = static_cast<T>(threshold) * total_;
    for (std::size_t a = 0; a < symbols_; ++a) {
      if (!present_[a]) continue;
      const std::size_t widest = a < tags_ ? 1 : words_;
      for (std::size_t width = 1; width <= widest; ++width) {
        const T* in = inside_.data() + row(a, width);
        const T* out = outside_.data() + row(a, width);
        for (std::size_t begin = 0; begin + width <= words_; ++begin) {
          const T product = in[begin] * out[begin];
          if (product > least) use(a, begin, begin + width, static_cast<float>(product / total_));
        }
      }
    }
  }

 private:
  std::size_t row(std::size_t symbol, std::size_t width) const {
    return CkyRows<T>{words_, tags_, stride_, nullptr, nullptr, {}, {}}.at(symbol, width);
  }
  CkyRows<T> rows() { return {words_, tags_, stride_, inside_.data(), outside_.data(), present_, active_}; }
  void start(const CkyGrammar& grammar, std::span<const float> tag_scores);
  void settle(std::size_t width);
  void rescale(std::size_t width, T factor);
  void fill_inside();
  void fill_outside(const CkyGrammar& grammar);

  std::size_t words_ = 0, symbols_ = 0, tags_ = 0, stride_ = 0;
  T total_ = 0;
  AlignedRows<T> inside_, outside_;  // see CkyRows
  std::vector<char> present_;        // [symbols] in some span
  std::vector<CkyRule> active_;      // rules whose tags are in the sentence
};

// Keeps its memory between calls; one per thread.
class CkyChart {
 public:
  // tag_scores[i * tags + t] >= 0: how well tag t fits word i; only ratios matter. False if the
  // grammar has no tree for the sentence (or only trees that are less probable, by a factor of
  // 10^250, than other trees of some part of it).
  bool fill(const CkyGrammar& grammar, std::size_t words, std::span<const float> tag_scores);

  // use(symbol, begin, end, probability) for every symbol and span whose
  // probability of being in the tree is above the threshold.
  template <typename Use>
  void each_likely(float threshold, const Use& use) const {
    in_doubles_ ? doubles_.each_likely(threshold, use) : floats_.each_likely(threshold, use);
  }

 private:
  CkyTable<float> floats_;
  CkyTable<double> doubles_;  // if floats do not suffice
  bool in_doubles_ = false;
};

}  // namespace hinge
