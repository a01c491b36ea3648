#include "hinge/tasks/rerank/task.h"

#include <algorithm>
#include <numeric>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/nbest/references.h"
#include "hinge/tasks/rerank/line_search.h"

namespace hinge::rerank {
namespace {

// The first index of the highest value.
template <typename Value>
std::size_t argmax(std::size_t n, const Value& value) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < n; ++k) {
    if (value(k) > value(best)) best = k;
  }
  return best;
}

}  // namespace

double score_hypothesis(const NBestLists& lists, std::size_t hypothesis, const Weights& w) {
  const FeatureRow row = lists.row(hypothesis);
  double sum = 0.0;
  for (std::size_t k = 0; k < row.features.size(); ++k)
    sum += static_cast<double>(row.values[k]) * w[row.features[k]];
  return sum;
}

std::unique_ptr<Scratch> RerankTask::make_scratch() const { return std::make_unique<ListScratch>(); }

RerankTask::Pick RerankTask::pick(std::size_t i, const Weights& w, double loss_weight,
                                  Scratch& scratch) const {
  auto& own = static_cast<ListScratch&>(scratch);
  lists_.use(i);
  const std::span<const float> costs = context_->costs();
  const std::size_t begin = lists_.begin(i);
  const std::size_t n = lists_.end(i) - begin;
  own.scores.resize(n);
  for (std::size_t k = 0; k < n; ++k) own.scores[k] = score_hypothesis(lists_, begin + k, w);
  const auto score = [&](std::size_t k) { return own.scores[k]; };
  const auto cost = [&](std::size_t k) { return static_cast<double>(costs[begin + k]); };
  const auto pick_local = [&] {
    own.order.resize(n);
    std::iota(own.order.begin(), own.order.end(), std::size_t{0});
    const std::size_t kept = std::min(options_.local, n);
    std::ranges::partial_sort(
        own.order, own.order.begin() + static_cast<std::ptrdiff_t>(kept),
        [&](auto a, auto b) { return score(a) > score(b) || (score(a) == score(b) && a < b); });
    return own.order[argmax(kept, [&](std::size_t k) { return -cost(own.order[k]); })];
  };
  const auto plain = [&] { return argmax(n, score); };
  const std::size_t prediction =
      loss_weight == 0.0 || options_.prediction == Prediction::kBest ? plain()
      : options_.prediction == Prediction::kMostCost
          ? argmax(n, cost)
          : argmax(n, [&](std::size_t k) { return score(k) + loss_weight * cost(k); });
  const std::size_t oracle = options_.oracle == Oracle::kHope && loss_weight > 0.0
                                 ? argmax(n, [&](std::size_t k) { return score(k) - loss_weight * cost(k); })
                             : options_.oracle == Oracle::kLocal
                                 ? pick_local()
                                 : argmax(n, [&](std::size_t k) { return -cost(k); });
  return {begin + oracle, begin + prediction};
}

void RerankTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                               Cut& cut) const {
  const auto [oracle, prediction] = pick(i, w, loss_weight, scratch);
  const auto cost = [&](std::size_t h) { return static_cast<double>(context_->costs()[h]); };
  cut.psi.clear();
  // A prediction as good as the oracle teaches nothing.
  cut.loss = std::max(0.0, cost(prediction) - cost(oracle));
  cut.margin = 0.0;
  if (cut.loss == 0.0) return;
  const auto add = [&](std::size_t h, float sign) {
    const FeatureRow row = lists_.row(h);
    for (std::size_t e = 0; e < row.features.size(); ++e) cut.psi.add(row.features[e], sign * row.values[e]);
  };
  add(oracle, 1.0f);
  add(prediction, -1.0f);
  const std::vector<double>& scores = static_cast<ListScratch&>(scratch).scores;
  cut.margin = scores[oracle - lists_.begin(i)] - scores[prediction - lists_.begin(i)];
}

void RerankTask::support(std::size_t i, Scratch&, std::vector<Block>& blocks) const {
  lists_.use(i);
  for (std::size_t k = lists_.row_begin[lists_.begin(i)]; k < lists_.row_begin[lists_.end(i)]; ++k)
    blocks.push_back({lists_.features[k], 1});
}

std::unique_ptr<LineSearch> RerankTask::make_line_search() const {
  if (costs_.width == 0) return rerank::make_line_search(lists_, dimension_, {.stats = costs_.costs});
  return rerank::make_line_search(lists_, dimension_,
                                  {.stats = costs_.stats,
                                   .width = costs_.width,
                                   .metric = &metric_,
                                   .scale = static_cast<double>(size()) / 100.0});
}

void CorpusContext::see(const Weights& w) {
  std::vector<double> sum(given_.width, 0.0);
  std::vector<std::size_t> chosen(lists_.lists());
  const auto stats = [&](std::size_t h) {
    return std::span(given_.stats).subspan(h * given_.width, given_.width);
  };
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    chosen[i] = best_of(lists_, i, w);
    add_stats(1.0, stats(chosen[i]), sum);
  }
  // One choice has a small effect on the whole; times the number of sentences it is
  // the effect if all did as well.
  const auto scale = static_cast<double>(chosen.size()) / 100.0;
  std::vector<double> others(given_.width);
  costs_.resize(lists_.hypotheses());
  std::vector<double> costs;  // of one list
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    lists_.use(i);
    others = sum;
    add_stats(-1.0, stats(chosen[i]), others);
    std::vector<double> with(given_.width);
    costs.clear();
    for (std::size_t h = lists_.begin(i); h < lists_.end(i); ++h) {
      with = others;
      add_stats(1.0, stats(h), with);
      costs.push_back(scale * metric_.cost(metric_.score(with)));
    }
    const double least = *std::ranges::min_element(costs);
    for (std::size_t k = 0; k < costs.size(); ++k)
      costs_[lists_.begin(i) + k] = static_cast<float>(costs[k] - least);
  }
}

std::size_t best_of(const NBestLists& lists, std::size_t list, const Weights& w) {
  lists.use(list);
  const std::size_t begin = lists.begin(list);
  std::vector<double> scores(lists.end(list) - begin);
  for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = score_hypothesis(lists, begin + k, w);
  return begin + argmax(scores.size(), [&](std::size_t k) { return scores[k]; });
}

}  // namespace hinge::rerank
