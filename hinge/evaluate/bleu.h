// BLEU: n-gram precision with a brevity penalty.
//
//   BLEU = 100 min(1, exp(1 - r/c)) (p_1 p_2 p_3 p_4)^(1/4)
//
// Papineni, Roukos, Ward, Zhu (ACL 2002): p_n is the share of the hypotheses'
// n-grams that match, each counted at most as often as in the reference that has
// most of it. c is the length of the hypotheses, r that of the references, using
// for each sentence the reference closest in length, the shorter one in a tie.
//
// For a corpus, equal to sacrebleu (Post, WMT 2018) with tokenize="none" on the
// same words, including smoothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/evaluate/metric.h"
#include "hinge/evaluate/ngrams.h"
#include "hinge/evaluate/words.h"

namespace hinge {

inline constexpr std::size_t kBleuOrder = 4;

// Counts of a sentence, of a corpus, or of a corpus with one sentence replaced:
// `corpus - old + candidate`. Doubles, so that sums can decay.
struct BleuStats {
  std::array<double, kBleuOrder> match{};  // [n - 1]
  std::array<double, kBleuOrder> total{};  // [n - 1]
  double length = 0.0;
  double reference_length = 0.0;

  BleuStats& operator+=(const BleuStats& other);
  BleuStats& operator-=(const BleuStats& other);
  friend BleuStats operator+(BleuStats left, const BleuStats& right) { return left += right; }
  friend BleuStats operator-(BleuStats left, const BleuStats& right) { return left -= right; }
  bool operator==(const BleuStats&) const = default;
};

// How to treat a precision of 0; numbers as in Chen and Cherry (WMT 2014).
enum class BleuSmoothing {
  kNone,   // BLEU is 0
  kFloor,  // 1: `value` matches instead of 0
  kAddK,   // 2: `value` more matches and n-grams for every n > 1 (Lin and Och, COLING 2004: one more)
  kExp,    // 3: 1/2 match at the first n without any, 1/4 at the next, ...
};

struct BleuOptions {
  BleuSmoothing smoothing = BleuSmoothing::kExp;
  double value = 0.0;  // for kFloor (usually 0.1) and kAddK (usually 1)
  // Averages only over the orders the hypotheses are long enough for; otherwise
  // BLEU is 0 if they have no four words in a row. For single sentences.
  bool effective_order = false;
};

// In percent; 0 if nothing matches, with any smoothing.
double bleu(const BleuStats& stats, const BleuOptions& options = {});

// BLEU of one sentence with one more match and n-gram for every n > 1: the
// "BLEU+1" of Lin and Och, used to tune translation. Sentences of fewer than four
// words can also reach 100.
double sentence_bleu(const BleuStats& stats);

// Counts many hypotheses of a sentence: references are split into n-grams once,
// and counting a hypothesis does not allocate. Words are numbers of the caller's
// choice; 0xFFFFFFFF stands for any word that is in no reference.
class BleuCounter {
 public:
  void clear();  // for the next sentence
  void add_reference(std::span<const std::uint32_t> words);
  // Needs at least one reference.
  BleuStats count(std::span<const std::uint32_t> words);

 private:
  double closest_length(std::size_t length) const;

  NgramTable ngrams_{kBleuOrder};
  std::vector<std::size_t> lengths_;  // [references]
};

// Statistics: match[4], total[4], length, reference length.
class BleuMetric final : public Metric {
 public:
  static constexpr std::size_t kWidth = 2 * kBleuOrder + 2;

  std::string_view name() const override { return "bleu"; }
  bool is_error() const override { return false; }
  std::size_t width() const override { return kWidth; }
  void set_references(std::span<const Words> references) override;
  void count(std::span<const std::string_view> words, std::span<float> stats) override;
  double score(std::span<const double> sum) const override;
  double sentence_score(std::span<const float> stats) const override;  // sentence_bleu

 private:
  WordIds ids_;
  BleuCounter counter_;
  std::vector<std::uint32_t> sentence_;  // the current words
};

}  // namespace hinge
