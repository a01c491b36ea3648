// Metrics of output text against references, for tuning and for reports. A
// hypothesis contributes a short vector of statistics, and the score of a corpus
// is a function of their sum. So the score of any selection from many n-best
// lists, and its change by another choice ("BLEU in the context of the other
// sentences"), is arithmetic on vectors that are counted once.
//
// Words are compared as given, without case folding or tokenization.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/evaluate/words.h"

namespace hinge {

// For counting, use one object per thread; score() and sentence_score() are
// thread-safe.
class Metric {
 public:
  virtual ~Metric() = default;

  virtual std::string_view name() const = 0;
  // True: lower is better, 0 is best. False: higher is better, 100 is best.
  virtual bool is_error() const = 0;
  // The length of a vector of statistics.
  virtual std::size_t width() const = 0;

  // The references of the hypotheses counted from now on; copied as needed. A
  // reference may be empty. Throws InputError if there is none.
  virtual void set_references(std::span<const Words> references) = 0;
  // Writes all `width()` statistics of a hypothesis. Floats, because there are
  // millions of them; counts are exact up to 2^24.
  virtual void count(std::span<const std::string_view> words, std::span<float> stats) = 0;

  // In percent, from a sum over a corpus, which may be weighted, decayed or of two
  // parts. In double, since a sum of counts can exceed the precision of float.
  virtual double score(std::span<const double> sum) const = 0;
  // In percent, for one sentence; smoothed if the metric needs it to distinguish
  // hypotheses of one sentence.
  virtual double sentence_score(std::span<const float> stats) const = 0;

  // How far a score of either kind is from the best; 0 is best.
  double cost(double score) const { return is_error() ? score : 100.0 - score; }

 protected:
  static void check_references(std::span<const Words> references);
};

// sum += factor * stats; a factor of -1 removes a sentence again, exactly if all
// factors are whole numbers.
inline void add_stats(double factor, std::span<const float> stats, std::span<double> sum) {
  for (std::size_t i = 0; i < stats.size(); ++i) sum[i] += factor * static_cast<double>(stats[i]);
}

// By one of the metric_names(); throws OptionError for any other name.
std::unique_ptr<Metric> make_metric(std::string_view name);
std::vector<std::string_view> metric_names();

}  // namespace hinge
