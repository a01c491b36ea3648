#include "hinge/tasks/rerank/pairs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/random.h"

namespace hinge::rerank {
namespace {

struct Pair {
  std::size_t better;
  std::size_t worse;
  float difference;
};

// The training pairs of one list, those that differ most first.
void sample_pairs(const NBestLists& lists, std::size_t list, std::span<const float> costs,
                  const PairOptions& options, std::vector<Pair>& pairs) {
  pairs.clear();
  Random random(lists.ids[list]);
  const std::size_t begin = lists.begin(list);
  const std::size_t n = lists.end(list) - begin;
  for (std::size_t k = 0; k < options.sampled; ++k) {
    Pair pair{begin + random.below(n), begin + random.below(n), 0.0f};
    if (costs[pair.better] > costs[pair.worse]) std::swap(pair.better, pair.worse);
    pair.difference = costs[pair.worse] - costs[pair.better];
    if (pair.difference > 0.0f && pair.difference >= options.least) pairs.push_back(pair);
  }
  const std::size_t kept = std::min(options.kept, pairs.size());
  // Not by difference alone: the order of ties depends on the standard library.
  std::ranges::partial_sort(
      pairs, pairs.begin() + static_cast<std::ptrdiff_t>(kept), std::greater(),
      [](const Pair& pair) { return std::tuple(pair.difference, pair.better, pair.worse); });
  pairs.resize(kept);
}

void append_row(const FeatureRow& row, float sign, SparseVector& sum) {
  for (std::size_t k = 0; k < row.features.size(); ++k) sum.add(row.features[k], sign * row.values[k]);
}

}  // namespace

PairData make_pairs(const NBestLists& lists, std::span<const float> costs, const PairOptions& options,
                    SpillSpace* space) {
  PairData data;
  if (space != nullptr) spill_columns(data, *space);
  std::vector<Pair> pairs;
  SparseVector psi;
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    check_interrupt();
    sample_pairs(lists, list, costs, options, pairs);
    for (const Pair& pair : pairs) {
      psi.clear();
      append_row(lists.row(pair.better), 1.0f, psi);
      append_row(lists.row(pair.worse), -1.0f, psi);
      psi.merge();
      if (psi.empty()) continue;  // no weights can rank these two
      data.entries.append(psi.entries());
      data.begin.push_back(data.entries.size());
    }
  }
  if (data.size() == 0)
    fail<InputError>(
        "no list has two hypotheses with different features and costs {} or more apart; lower least, or "
        "check the references",
        options.least);
  return data;
}

double PairTask::margin(std::size_t i, const Weights& w) const {
  double sum = 0.0;
  for (const Entry& entry : psi(i)) sum += static_cast<double>(entry.value) * w[entry.id];
  return sum;
}

void PairTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch&, Cut& cut) const {
  cut.psi.clear();
  cut.loss = 0.0;
  cut.margin = margin(i, w);
  if (loss_weight - cut.margin < 0.0) {  // the better one wins
    cut.margin = 0.0;
    return;
  }
  cut.loss = 1.0;
  for (const Entry& entry : psi(i)) cut.psi.add(entry.id, entry.value);
}

void PairTask::support(std::size_t i, Scratch&, std::vector<Block>& blocks) const {
  for (const Entry& entry : psi(i)) blocks.push_back({entry.id, 1});
}

void PairTask::expect(std::size_t i, const Weights& w, double loss_weight, Scratch&,
                      Expectation& expectation) const {
  const double lead = loss_weight - margin(i, w);  // of the worse one
  const double p = 1.0 / (1.0 + std::exp(-lead));
  expectation.log_loss = lead > 0.0 ? lead + std::log1p(std::exp(-lead)) : std::log1p(std::exp(lead));
  expectation.expected_loss = p;
  expectation.gradient.clear();
  for (const Entry& entry : psi(i)) expectation.gradient.add(entry.id, static_cast<float>(-p * entry.value));
}

}  // namespace hinge::rerank
