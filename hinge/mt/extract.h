// Translation rules from aligned text: all occurrences are counted, and each rule gets
// relative frequencies and lexical weights in both directions (Chiang 2007, section 3;
// Koehn, Och and Marcu 2003).
//
// An occurrence takes 24 bytes while it is counted, a rule 32. If all occurrences would
// take more than `memory`, they are counted in several passes over the text, each
// for a part of the source sides.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "hinge/core/options.h"
#include "hinge/core/threads.h"
#include "hinge/mt/alignment.h"
#include "hinge/mt/bitext.h"
#include "hinge/mt/lexicon.h"
#include "hinge/mt/rules.h"

namespace hinge::mt {

struct ExtractOptions {
  std::int64_t phrase = 10;
  std::int64_t symbols = 5;
  std::int64_t gaps = 2;
  std::int64_t gap = 1;
  std::int64_t min_count = 1;
  std::int64_t targets = 30;
  std::int64_t memory = 2000;

  void describe(OptionTable& table);
};

// The language model's estimate for the target side of a rule.
using Estimate = std::function<float(std::span<const Symbol>)>;

// The result does not depend on the number of threads or passes.
Rules extract_rules(const Bitext& text, const Alignment& alignment, const Lexicon& lexicon,
                    const ExtractOptions& options, const Estimate& estimate, Workers& workers);

}  // namespace hinge::mt
