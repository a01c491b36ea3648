// How well a language model predicts a text.
#pragma once

#include <cstddef>

#include "hinge/core/threads.h"
#include "hinge/mt/bitext.h"
#include "hinge/mt/ngram_model.h"

namespace hinge::mt {

struct Perplexity {
  double log_prob = 0.0;          // natural, of all words and sentence ends
  double unknown_log_prob = 0.0;  // the part of unknown words
  std::size_t words = 0;
  std::size_t unknown = 0;
  std::size_t sentences = 0;

  // Per word and sentence end; 1 if there are none.
  double all() const;
  double known() const;  // without unknown words
};

// `words` are the model's; the text has its own. The same result with any number of
// threads.
Perplexity perplexity(const NgramModel& model, const Words& words, const Side& text, Workers& workers);

}  // namespace hinge::mt
