// Error rates: edits that turn the hypotheses into the references, in percent of
// the words of the references. Above 100 if the hypotheses are too long and nearly
// all wrong.
//
// WER: words inserted, deleted or replaced, against the reference with the lowest
// rate, the first in a tie. TER: words can also be moved; the fewest edits to any
// reference, divided by the mean length of the references. TER equals sacrebleu
// (Post, WMT 2018) with its defaults but case_sensitive, on the same words.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/evaluate/edit_distance.h"
#include "hinge/evaluate/metric.h"
#include "hinge/evaluate/words.h"

namespace hinge {

// In percent. If the references have no words: 100, or 0 if there are no edits.
double error_rate(double edits, double reference_length);

// References and a hypothesis as numbers.
class NumberedReferences {
 public:
  void assign(std::span<const Words> references);
  std::size_t size() const { return ends_.size(); }
  std::span<const std::uint32_t> operator[](std::size_t r) const;
  // Valid until the next call.
  std::span<const std::uint32_t> find(std::span<const std::string_view> words);

 private:
  WordIds ids_;
  std::vector<std::uint32_t> words_;  // of all references, concatenated
  std::vector<std::size_t> ends_;     // [references], in words_
  std::vector<std::uint32_t> found_;
};

// Statistics: edits, reference length.
class WerMetric final : public Metric {
 public:
  std::string_view name() const override { return "wer"; }
  bool is_error() const override { return true; }
  std::size_t width() const override { return 2; }
  void set_references(std::span<const Words> references) override;
  void count(std::span<const std::string_view> words, std::span<float> stats) override;
  double score(std::span<const double> sum) const override { return error_rate(sum[0], sum[1]); }
  double sentence_score(std::span<const float> stats) const override {
    return error_rate(stats[0], stats[1]);
  }

 private:
  NumberedReferences references_;
  EditDistance distance_;
};

// Statistics: edits, mean reference length.
class TerMetric final : public Metric {
 public:
  std::string_view name() const override { return "ter"; }
  bool is_error() const override { return true; }
  std::size_t width() const override { return 2; }
  void set_references(std::span<const Words> references) override;
  void count(std::span<const std::string_view> words, std::span<float> stats) override;
  double score(std::span<const double> sum) const override { return error_rate(sum[0], sum[1]); }
  double sentence_score(std::span<const float> stats) const override {
    return error_rate(stats[0], stats[1]);
  }

 private:
  NumberedReferences references_;
  ShiftDistance distance_;
};

}  // namespace hinge
