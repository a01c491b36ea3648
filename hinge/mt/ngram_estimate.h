// Estimates an n-gram model from text: interpolated modified Kneser-Ney (Chen and
// Goodman, TR-10-98, 1998, section 3). For a word w after a history h,
//
//   P(w | h) = (c(h w) - D(c(h w))) / sum_v c(h v)  +  g(h) P(w | h')
//
// where h' is h without its oldest word, D takes one of three values D1, D2, D3+ per
// order, and g(h) is what makes the probabilities sum to one. c is the number of
// occurrences for the highest order and for n-grams that begin with <s>, and else the
// number of distinct words before the n-gram. The words are interpolated with the
// uniform distribution over all words, <unk> and </s>. The back-off form has
// p(h w) = P(w | h) and b(h) = g(h).
#pragma once

#include <cstdint>

#include "hinge/core/options.h"
#include "hinge/core/threads.h"
#include "hinge/mt/bitext.h"
#include "hinge/mt/ngram_model.h"

namespace hinge::mt {

struct NgramOptions {
  std::int64_t order = 4;

  void describe(OptionTable& table);
};

// The model's words are numbered by text.words. The tokens <s>, </s> and <unk> of the
// text count as unknown words.
//
// The same bytes with any number of threads. Memory: 13 bytes per token (and per <s> and
// </s>), 32 per n-gram of the model, and for the order at work 28 per distinct n-gram
// and 44 per one with a word less. Throws OptionError if the order is out of range,
// InputError if the text has no sentences or too many tokens.
NgramModel estimate_ngrams(const Side& text, const NgramOptions& options, Workers& workers);

}  // namespace hinge::mt
