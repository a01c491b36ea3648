// A topic as numbers: a coverage problem, the features that weigh it, and what is gold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/decode/coverage.h"
#include "hinge/tasks/summarize/features.h"
#include "hinge/tasks/summarize/phrases.h"
#include "hinge/tasks/summarize/text.h"

namespace hinge::summarize {

// Gains, costs and gold are empty without references. Pieces are sentences, or their parts. Sentences that
// repeat an earlier one word by word count in the features but cannot be chosen.
struct TopicData {
  struct Origin {
    std::uint32_t sentence;  // in the text
    std::uint32_t part;
  };

  Coverage coverage;
  std::vector<Origin> origins;      // [pieces]
  std::vector<std::uint64_t> keys;  // [concepts], of bigrams
  std::vector<float> bigram_rows;   // [concepts][layout.bigrams]
  std::vector<float> piece_rows;    // [pieces][layout.piece()]
  // What each bigram adds to the recall of the references; they sum to at most 1.
  std::vector<double> gains;                  // [concepts]
  std::vector<double> costs;                  // [pieces], what their words take from it
  std::vector<char> gold;                     // [pieces], the choice of highest recall less costs
  double gold_recall = 0.0, gold_gain = 0.0;  // gain: recall less costs
  bool gold_exact = true;

  std::span<const float> bigram_row(std::size_t c, const Layout& layout) const {
    return std::span(bigram_rows).subspan(c * layout.bigrams, layout.bigrams);
  }
  std::span<const float> piece_row(std::size_t i, const Layout& layout) const {
    return std::span(piece_rows).subspan(i * layout.piece(), layout.piece());
  }
};

struct DataOptions {
  std::uint32_t limit = 100;  // words
  bool stop_bigrams = true;   // bigrams of two stop words are concepts, too
  double word_cost = 0.0;     // in the loss, in matched bigrams
  bool mean_recall = false;   // of the references, else over all together
  std::vector<char> mask;     // of features; empty: all
  CoverageLimits solver;
};

// `own` is what the topic itself added to the phrases, in training; null otherwise.
TopicData make_data(const TopicText& text, const DataOptions& options, const Phrases& phrases,
                    const Phrases::Seen* own);

}  // namespace hinge::summarize
