// Metrics of output text against references, for tuning and for reports alike:
// what a hypothesis contributes is a short vector of statistics, the figure of
// a corpus is a function of their sum. So the figure of any choice from many
// n-best lists, and what one other choice would make of it ("BLEU in the
// context of the other sentences"), is arithmetic on vectors counted once.
//
// Words are compared as they are given; no case is folded, no text tokenized.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/evaluate/words.h"

namespace hinge {

// Counting is for one thread at a time, one object each; the scores are for any
// number of threads.
class Metric {
 public:
  virtual ~Metric() = default;

  virtual std::string_view name() const = 0;
  // Lower is better, 0 is best; otherwise higher is better, 100 is best.
  virtual bool is_error() const = 0;
  // The length of a vector of statistics.
  virtual std::size_t width() const = 0;

  // The references of the hypotheses counted from now on; copied as needed.
  // Throws InputError where there are none. One without words is a reference.
  virtual void set_references(std::span<const Words> references) = 0;
  // Writes all `width()` statistics of a hypothesis. They are float, as there
  // are millions of them; counts are exact up to 2^24.
  virtual void count(std::span<const std::string_view> words, std::span<float> stats) = 0;

  // In percent, from a sum over a corpus, which may well be weighted, decayed
  // or of two parts. In double: a sum of counts can outgrow float.
  virtual double score(std::span<const double> sum) const = 0;
  // In percent, of one sentence, smoothed where the metric needs it to tell the
  // hypotheses of one sentence apart.
  virtual double sentence_score(std::span<const float> stats) const = 0;

  // What a score, of either kind, falls short of the best: 0 where it is best.
  double cost(double score) const { return is_error() ? score : 100.0 - score; }

 protected:
  static void check_references(std::span<const Words> references);
};

// sum += factor * stats; a factor of -1 takes a sentence out again, exactly, as
// long as all factors are whole.
inline void add_stats(double factor, std::span<const float> stats, std::span<double> sum) {
  for (std::size_t i = 0; i < stats.size(); ++i) sum[i] += factor * static_cast<double>(stats[i]);
}

// One of the names; throws OptionError for any other.
std::unique_ptr<Metric> make_metric(std::string_view name);
std::vector<std::string_view> metric_names();

}  // namespace hinge
