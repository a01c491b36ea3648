// A topic as numbers: a coverage problem, the features that weigh it, and what is gold.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/decode/coverage.h"
#include "hinge/tasks/summarize/features.h"
#include "hinge/tasks/summarize/phrases.h"
#include "hinge/tasks/summarize/text.h"

namespace hinge::summarize {

// Where a piece comes from.
struct Origin {
  std::uint32_t sentence;  // in the text
  std::uint32_t part;
};

struct GoldFacts {
  double recall = 0.0;
  double gain = 0.0;        // recall less costs
  std::uint64_t exact = 1;  // 0: a better choice may exist
};

// Gains, costs and gold are empty without references. Pieces are sentences, or their parts. Sentences that
// repeat an earlier one word by word count in the features but cannot be chosen.
template <template <typename> typename Array>
struct TopicArrays {
  CoverageArrays<Array> coverage;
  Array<Origin> origins;      // [pieces]
  Array<std::uint64_t> keys;  // [concepts], of bigrams
  Array<float> bigram_rows;   // [concepts][layout.bigrams]
  Array<float> piece_rows;    // [pieces][layout.piece()]
  // What each bigram adds to the recall of the references; they sum to at most 1.
  Array<double> gains;  // [concepts]
  Array<double> costs;  // [pieces], what their words take from it
  Array<char> gold;     // [pieces], the choice of highest recall less costs
  GoldFacts facts;

  operator TopicArrays<Viewed>() const  // NOLINT: the same, elsewhere
      requires std::same_as<Array<int>, Owned<int>> {
    return {coverage, origins, keys, bigram_rows, piece_rows, gains, costs, gold, facts};
  }

  std::span<const float> bigram_row(std::size_t c, const Layout& layout) const {
    return std::span(bigram_rows).subspan(c * layout.bigrams, layout.bigrams);
  }
  std::span<const float> piece_row(std::size_t i, const Layout& layout) const {
    return std::span(piece_rows).subspan(i * layout.piece(), layout.piece());
  }
};
using TopicData = TopicArrays<Owned>;
using TopicView = TopicArrays<Viewed>;

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
