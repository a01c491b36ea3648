// Word alignment of parallel text: a model per direction, trained by EM, whose
// links are combined.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "hinge/core/options.h"
#include "hinge/core/threads.h"
#include "hinge/mt/alignment.h"
#include "hinge/mt/translation_table.h"

namespace hinge::mt {

struct AlignOptions {
  std::string aligner = "hmm";
  std::int64_t align_iterations = 5;
  std::int64_t hmm_iterations = 5;
  double null_probability = 0.08;
  double align_alpha = 0.01;
  bool agree = false;
  std::string symmetrize = "grow-diag-final-and";

  void describe(OptionTable& table);
};

// After each iteration.
struct AlignStep {
  Direction direction;
  std::string_view model;  // "ibm2" or "hmm"
  std::int64_t iteration;  // from 1
  double perplexity;       // of the made side, per word, before the iteration's M step
  double tension;          // of ibm2, after it
};
std::string text_of(const AlignStep& step);  // a line of progress
using AlignProgress = std::function<void(const AlignStep&)>;

// The same links at any number of threads. Memory: that of WordPairs and of a
// DirectedAligner, or of two if they agree. Throws InputError for a sentence of more
// than 65,535 words.
Alignment align(const Bitext& text, const AlignOptions& options, Workers& workers,
                const AlignProgress& progress = {});

}  // namespace hinge::mt
