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
struct CkyRows {
  std::size_t words, tags, stride;
  float* inside;
  float* outside;
  std::span<const char> present;
  std::span<const CkyRule> rules;

  // Where the row of a symbol and a width begins: a row of zeros, then one per tag, then one per
  // phrase and width.
  std::size_t at(std::size_t symbol, std::size_t width) const {
    return (symbol < tags ? 1 + symbol : 1 + tags + (symbol - tags) * words + width - 1) * stride;
  }
};

// Keeps its memory between calls; one per thread.
class CkyChart {
 public:
  // tag_scores[i * tags + t] >= 0: how well tag t fits word i; only ratios matter. False if the
  // grammar has no tree for the sentence.
  bool fill(const CkyGrammar& grammar, std::size_t words, std::span<const float> tag_scores);

  // use(symbol, begin, end, probability) for every symbol and span whose
  // probability of being in the tree is above the threshold.
  template <typename Use>
  void each_likely(float threshold, const Use& use) const {
    const float least = threshold * total_;
    for (std::size_t a = 0; a < symbols_; ++a) {
      if (!present_[a]) continue;
      const std::size_t widest = a < tags_ ? 1 : words_;
      for (std::size_t width = 1; width <= widest; ++width) {
        const float* in = inside_.data() + row(a, width);
        const float* out = outside_.data() + row(a, width);
        for (std::size_t begin = 0; begin + width <= words_; ++begin) {
          const float product = in[begin] * out[begin];
          if (product > least) use(a, begin, begin + width, product / total_);
        }
      }
    }
  }

 private:
  std::size_t row(std::size_t symbol, std::size_t width) const {
    return CkyRows{words_, tags_, stride_, nullptr, nullptr, {}, {}}.at(symbol, width);
  }
  CkyRows rows();
  void start(const CkyGrammar& grammar, std::span<const float> tag_scores);
  bool settle(const CkyGrammar& grammar, std::size_t width);
  void rescale(std::size_t width, float factor);
  void fill_inside(const CkyGrammar& grammar);
  void fill_outside(const CkyGrammar& grammar);

  std::size_t words_ = 0, symbols_ = 0, tags_ = 0, stride_ = 0;
  float total_ = 0.0f;
  AlignedRows<float> inside_, outside_;  // [tags][stride], then [phrases][width][stride], by first word
  std::vector<char> present_;            // [symbols] in some span
  std::vector<CkyRule> active_;          // rules whose tags are in the sentence
};

}  // namespace hinge
