#include "hinge/tasks/rerank/lists.h"

#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/options.h"
#include "hinge/corpus/nbest/builder.h"
#include "hinge/evaluate/words.h"
#include "hinge/files/bytes.h"

namespace hinge::rerank {
namespace {

// The n-grams of a text, of two words and more, with its ends as words.
class NGrams {
 public:
  explicit NGrams(std::size_t most) : most_(most) {}

  // Adds an entry for each that feature_of(name, 0) numbers: how often it occurs.
  // Where there is one already, since a decoder that heeds such weights lists what it
  // heeds, that stays.
  template <typename FeatureOf>
  void count(std::string_view text, const FeatureOf& feature_of, std::vector<Hypothesis::Entry>& entries) {
    if (most_ < 2) return;
    split(text);
    numbers_.clear();
    for (std::size_t begin = 0; begin < words_.size(); ++begin) {
      name_.assign("ngram:").append(words_[begin]);
      for (std::size_t k = begin + 1; k < std::min(begin + most_, words_.size()); ++k) {
        name_.append("_").append(words_[k]);
        const std::uint32_t number = feature_of(name_, 0);
        if (number != NBestBuilder::kNoFeature) numbers_.push_back(number);
      }
    }
    std::ranges::sort(numbers_);
    listed_.clear();
    for (const Hypothesis::Entry& entry : entries) listed_.push_back(entry.feature);
    std::ranges::sort(listed_);
    for (std::size_t k = 0, end = 0; k < numbers_.size(); k = end) {
      while (end < numbers_.size() && numbers_[end] == numbers_[k]) ++end;
      if (!std::ranges::binary_search(listed_, numbers_[k]))
        entries.push_back({numbers_[k], static_cast<float>(end - k)});
    }
  }

 private:
  void split(std::string_view text) {
    Words given;
    split_words(text, given);
    words_.assign(1, "<s>");
    for (const std::string_view word : given) words_.push_back(escaped(word));
    words_.emplace_back("</s>");
  }

  // A '_' in a word would make two n-grams one.
  static std::string escaped(std::string_view word) {
    std::string text;
    for (const char c : word) text += c == '_' ? std::string("%5F") : c == '%' ? "%25" : std::string(1, c);
    return text;
  }

  std::size_t most_;
  std::vector<std::string> words_;
  std::string name_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> listed_;  // features given, sorted
};

// feature_of(name, part) says the number of a feature, or kNoFeature to leave it out.
template <typename FeatureOf>
NBestLists rebuild(const NBestLists& lists, std::size_t ngrams, NBestBuilder& builder,
                   const FeatureOf& feature_of) {
  std::vector<std::uint32_t> numbers(lists.feature_count());
  for (std::size_t f = 0; f < numbers.size(); ++f) numbers[f] = feature_of(lists.name(f), lists.parts[f]);
  NGrams counter(ngrams);
  builder.add(lists, numbers,
              [&](std::size_t h, auto& entries) { counter.count(lists.text(h), feature_of, entries); }, {});
  return builder.finish();
}

// The score of a choice, chosen(list) being a hypothesis: of the metric, or the mean cost.
template <typename Choice>
double score_choice(const NBestLists& lists, const Costs& costs, const Metric& metric, const Choice& chosen) {
  std::vector<double> sum(costs.width, 0.0);
  double cost = 0.0;
  for (std::size_t i = 0; i < lists.lists(); ++i) {
    check_interrupt();
    const std::size_t h = chosen(i);
    cost += costs.costs[h];
    if (costs.width > 0) add_stats(1.0, std::span(costs.stats).subspan(h * costs.width, costs.width), sum);
  }
  return costs.width > 0 ? metric.score(sum) : cost / static_cast<double>(lists.lists());
}

void check_complete(const NBestLists& lists, const std::string& name, const References& references,
                    const std::string& path) {
  if (lists.lists() >= references.sentences()) return;  // more are told by their ids
  std::vector<bool> has(references.sentences());
  for (const std::uint64_t id : lists.ids) {
    if (id < has.size()) has[id] = true;
  }
  const auto missing = std::ranges::find(has, false) - has.begin();
  fail<InputError>(
      "{}: has lists of {} sentences, but {} has {}; sentence {}, counted from 0, is missing (-p subset=true "
      "where "
      "that is meant)",
      name, lists.lists(), path, references.sentences(), missing);
}

}  // namespace

NBestLists with_more(const NBestLists& lists, const std::vector<FeatureName>& known, std::size_t ngrams) {
  NBestBuilder builder;
  for (const auto& [name, part] : known) builder.feature(name, part);
  return rebuild(lists, ngrams, builder,
                 [&](std::string_view name, std::uint32_t part) { return builder.feature(name, part); });
}

NBestLists with_names(const NBestLists& lists, const std::vector<std::string>& names, std::size_t ngrams) {
  NBestBuilder builder;
  for (const std::string& name : names) builder.feature(name);
  return rebuild(lists, ngrams, builder,
                 [&](std::string_view name, std::uint32_t) { return builder.find(name); });
}

Costs costs_of(const NBestLists& lists, const Source& source, const ReferenceOptions& references,
               Metric& metric) {
  const auto memory = memory_of<Lists>(source, "n-best lists");
  if (memory != nullptr && memory->references.per_sentence() > 0)
    return count_costs(lists, memory->references, "references", metric);
  const std::vector<std::string> paths = split_list(references.paths);
  if (!paths.empty()) {
    const References given = read_references(paths);
    if (!references.subset) check_complete(lists, source.name(), given, paths[0]);
    return count_costs(lists, given, paths[0], metric);
  }
  if (lists.costs.empty())
    fail<OptionError>(
        "{}: gives no costs, so references are needed; name them with --refs, or say with -p cost=NAME "
        "which feature is the cost",
        source.name());
  return {.width = 0, .stats = {}, .costs = {lists.costs.begin(), lists.costs.end()}};
}

std::pair<std::string, double> score_of(const NBestLists& lists, const Costs& costs, const Metric& metric,
                                        const Weights& w) {
  return {costs.width > 0 ? std::string(metric.name()) : "cost",
          score_choice(lists, costs, metric, [&](std::size_t i) { return best_of(lists, i, w); })};
}

PickScores score_picks(const NBestLists& lists, const Costs& costs, const Metric& metric,
                       const RerankTask& task, const Weights& w) {
  if (task.context() != nullptr) task.context()->see(w);
  const auto scratch = task.make_scratch();
  std::vector<RerankTask::Pick> picks;
  for (std::size_t i = 0; i < lists.lists(); ++i) {
    check_interrupt();
    picks.push_back(task.pick(i, w, /*loss_weight=*/1.0, *scratch));
  }
  return {score_choice(lists, costs, metric, [&](auto i) { return picks[i].oracle; }),
          score_choice(lists, costs, metric, [&](auto i) { return picks[i].prediction; })};
}

Evaluation report(const NBestLists& lists, const Costs& costs, const Metric& metric, const Weights& w) {
  const auto [name, score] = score_of(lists, costs, metric, w);
  Evaluation result;
  result.scores.emplace_back(name, score);
  // The oracle is greedy: the least cost of each sentence by itself.
  const double first = score_choice(lists, costs, metric, [&](std::size_t i) { return lists.begin(i); });
  const double oracle = score_choice(lists, costs, metric, [&](std::size_t i) {
    const auto begin = costs.costs.begin() + static_cast<std::ptrdiff_t>(lists.begin(i));
    const auto end = costs.costs.begin() + static_cast<std::ptrdiff_t>(lists.end(i));
    return static_cast<std::size_t>(std::min_element(begin, end) - costs.costs.begin());
  });
  result.detail.emplace_back("first", Scores{{name, first}});
  result.detail.emplace_back("oracle", Scores{{name, oracle}});
  result.text = fmt::format(
      "{:<8} {:.2f}\nfirst    {:.2f}  of each list as it came\noracle   {:.2f}  least cost of each list\n",
      name, score, first, oracle);
  return result;
}

std::size_t stored_ngrams(const ModelFile& file) {
  const auto ngrams = file.description().whole("ngrams");
  if (ngrams < 0 || ngrams > kMostNGrams)
    fail<ModelError>("{}: the length of its n-grams is damaged; train it again", file.name());
  return static_cast<std::size_t>(ngrams);
}

Reranker::Reranker(const ModelFile& file) : ngrams_(stored_ngrams(file)) {
  const StoredWeights stored(file);
  names_ = stored.names;
  parts_ = stored.parts;
  weights_ = Weights(names_.size());
  std::ranges::copy(stored.values, weights_.data());
}

std::vector<double> Reranker::scores(const NBestLists& given) const {
  const NBestLists lists = under_model(given);
  std::vector<double> scores(lists.hypotheses());
  for (std::size_t h = 0; h < scores.size(); ++h) scores[h] = score_hypothesis(lists, h, weights_);
  return scores;
}

StoredWeights::StoredWeights(const ModelFile& file) : values(file.array<float>("weights")) {
  ByteReader bytes(file.section("names"), "feature names");
  const auto count = bytes.get<std::uint64_t>();
  for (std::uint64_t k = 0; k < count; ++k) {
    names.emplace_back(bytes.get_text());
    parts.push_back(bytes.get<std::uint32_t>());
  }
  if (values.size() != names.size())
    fail<ModelError>("{}: its weights are cut short; train it again", file.name());
}

}  // namespace hinge::rerank
