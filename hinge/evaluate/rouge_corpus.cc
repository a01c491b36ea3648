// Means of ROUGE over a corpus, and bigram recall.
#include <fmt/core.h>

#include <algorithm>

#include "hinge/evaluate/means.h"
#include "hinge/evaluate/rouge.h"

namespace hinge {
namespace {

// ROUGE-2 first: it is what summaries are usually compared by.
constexpr std::array<RougeType, kRougeTypes> kReadingOrder = {RougeType::kTwo, RougeType::kOne, RougeType::kL,
                                                              RougeType::kLsum, RougeType::kSu4};

constexpr std::array kParts = {&PrecisionRecall::precision, &PrecisionRecall::recall, &PrecisionRecall::f1};

// Every part of every type, as value(mean and error of that part over the texts).
template <typename Value>
RougeScores over_texts(std::span<const RougeScores> texts, const Value& value) {
  RougeScores result;
  std::vector<double> values(texts.size());
  for (std::size_t type = 0; type < kRougeTypes; ++type) {
    for (const auto part : kParts) {
      for (std::size_t i = 0; i < texts.size(); ++i) values[i] = texts[i][type].*part;
      result[type].*part = value(mean_of(values));
    }
  }
  return result;
}

}  // namespace

RougeScores RougeCorpus::means() const {
  return over_texts(texts_, [](const Mean& mean) { return mean.mean; });
}

RougeScores RougeCorpus::standard_errors() const {
  return over_texts(texts_, [](const Mean& mean) { return mean.standard_error; });
}

Evaluation RougeCorpus::evaluate() const {
  const RougeScores mean = means();
  const RougeScores error = standard_errors();
  Evaluation result;
  result.text = fmt::format("{:>9}  {:>6} {:>6} {:>6}  {:>7}\n", "", "P", "R", "F1", "+-");
  for (const RougeType type : kReadingOrder) {
    const std::string name(rouge_name(type));
    const PrecisionRecall& all = mean[static_cast<std::size_t>(type)];
    const double f1_error = error[static_cast<std::size_t>(type)].f1;
    result.scores.emplace_back(name, all.f1);
    result.detail.emplace_back(name, Scores{{"f1", all.f1},
                                            {"precision", all.precision},
                                            {"recall", all.recall},
                                            {"standard_error", f1_error}});
    result.text += fmt::format("{:>9}: {:6.2f} {:6.2f} {:6.2f}  {:7.2f}\n", name, all.precision, all.recall,
                               all.f1, f1_error);
  }
  return result;
}

std::vector<std::uint64_t> BigramRecall::bigrams_of(const RougeText& text, bool drop_stop_bigrams) {
  std::vector<std::uint64_t> bigrams;
  std::size_t at = 0;
  for (const std::size_t end : text.sentence_ends) {
    for (; at + 1 < end; ++at) {
      const bool stops = text.is_stop[at] != 0 && text.is_stop[at + 1] != 0;
      if (!stops || !drop_stop_bigrams) bigrams.push_back(bigram_key(text.words[at], text.words[at + 1]));
    }
    at = end;
  }
  std::sort(bigrams.begin(), bigrams.end());
  bigrams.erase(std::unique(bigrams.begin(), bigrams.end()), bigrams.end());
  return bigrams;
}

BigramRecall::BigramRecall(std::span<const RougeText> references, bool drop_stop_bigrams)
    : drop_stop_bigrams_(drop_stop_bigrams) {
  std::vector<std::uint64_t> all;
  for (const RougeText& reference : references) {
    const auto bigrams = bigrams_of(reference, drop_stop_bigrams);
    all.insert(all.end(), bigrams.begin(), bigrams.end());
  }
  std::sort(all.begin(), all.end());
  total_ = all.size();
  for (const std::uint64_t bigram : all) {
    if (bigrams_.empty() || bigrams_.back() != bigram) {
      bigrams_.push_back(bigram);
      counts_.push_back(0);
    }
    ++counts_.back();
  }
}

std::uint32_t BigramRecall::count(std::uint64_t bigram) const {
  const auto at = std::lower_bound(bigrams_.begin(), bigrams_.end(), bigram);
  if (at == bigrams_.end() || *at != bigram) return 0;
  return counts_[static_cast<std::size_t>(at - bigrams_.begin())];
}

double BigramRecall::recall(const RougeText& candidate) const {
  std::uint64_t covered = 0;
  for (const std::uint64_t bigram : bigrams_of(candidate, drop_stop_bigrams_)) covered += count(bigram);
  return percent(static_cast<std::int64_t>(covered), static_cast<std::int64_t>(total_));
}

}  // namespace hinge
