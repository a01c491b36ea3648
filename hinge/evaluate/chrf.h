// chrF: the F-score of character n-grams, ignoring spaces.
//
//   chrF = 100 (1 + b^2) P R / (b^2 P + R),   b = 2
//
// P and R are precision and recall of n-grams, averaged over n = 1..6 (Popovic,
// WMT 2015). chrF++ also averages over word 1- and 2-grams (Popovic, WMT 2017),
// where punctuation at the end of a word, or else at its beginning, is a word of
// its own. If there are several references, the one with the best F-score for the
// sentence counts. Equal to sacrebleu (Post, WMT 2018) on the same words.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/evaluate/metric.h"
#include "hinge/evaluate/ngrams.h"
#include "hinge/evaluate/words.h"

namespace hinge {

struct ChrfOptions {
  std::size_t character_order = 6;
  std::size_t word_order = 0;  // chrF++ has 2
  double beta = 2.0;           // recall counts beta times as much as precision

  std::size_t orders() const { return character_order + word_order; }
};

// In percent. stats: for each order, characters first, the number of n-grams of
// the hypotheses, of the references, and matches. Orders for which either side is
// too short are left out of the averages.
double chrf(std::span<const double> stats, const ChrfOptions& options = {});

// Statistics: those of chrf().
class ChrfMetric final : public Metric {
 public:
  explicit ChrfMetric(const ChrfOptions& options);

  std::string_view name() const override { return options_.word_order == 0 ? "chrf" : "chrf++"; }
  bool is_error() const override { return false; }
  std::size_t width() const override { return 3 * options_.orders(); }
  void set_references(std::span<const Words> references) override;
  void count(std::span<const std::string_view> words, std::span<float> stats) override;
  double score(std::span<const double> sum) const override;
  double sentence_score(std::span<const float> stats) const override;

 private:
  struct Reference {
    NgramTable characters;
    NgramTable words;
    std::size_t character_count = 0;
    std::size_t word_count = 0;
  };

  void count_against(Reference& reference, std::span<double> stats);

  ChrfOptions options_;
  WordIds ids_;
  std::vector<Reference> references_;  // kept between sentences to reuse their memory
  std::size_t reference_count_ = 0;    // how many are in use

  // For the current sentence:
  std::vector<std::uint32_t> characters_;
  std::vector<std::uint32_t> words_;
  Words pieces_;
  std::vector<std::uint32_t> matches_;  // [orders]
  std::vector<double> stats_;           // [width]
  std::vector<double> best_;            // [width]
};

}  // namespace hinge
