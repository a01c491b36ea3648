#include "hinge/tasks/dep/label_layer.h"

#include <algorithm>
#include <cmath>

namespace hinge::dep {
namespace {

// log sum exp; `p` becomes the distribution.
float normalize(std::span<float> p) {
  const float highest = *std::ranges::max_element(p);
  double sum = 0.0;
  for (float& x : p) {
    x = std::exp(x - highest);
    sum += x;
  }
  for (float& x : p) x = static_cast<float>(x / sum);
  return static_cast<float>(highest + std::log(sum));
}

LabelId best_of(std::span<const float> scores) {
  return static_cast<LabelId>(std::ranges::max_element(scores) - scores.begin());
}

}  // namespace

std::span<const std::uint32_t> LabelLayer::rows(std::size_t i, std::size_t word) const {
  const std::size_t width = plan_.labels.size();
  return std::span(data_.label_rows).subspan((data_.words_before(i) + word - 1) * width, width);
}

void LabelLayer::score(std::size_t i, std::size_t word, const Weights& w, float* sums) const {
  sum_rows(w.data() + plan_.layout.part_weights(), rows(i, word), nullptr, plan_.layout.labels(),
           padded_labels(plan_.layout.labels()), sums);
}

void LabelLayer::choose(std::size_t i, const Weights& w, double loss_weight, LabelChoices& choices) const {
  const std::size_t end = data_.begin[i + 1] - data_.begin[i];
  choices.with_right.assign(end, 0.0f);
  choices.with_wrong.assign(end, 0.0f);
  choices.right.assign(end, 0);
  choices.wrong.assign(end, 0);
  std::vector<float>& sums = choices.p_right;
  sums.resize(padded_labels(plan_.layout.labels()));
  const auto scores = std::span(sums).first(plan_.layout.labels());
  for (std::size_t m = 1; m < end; ++m) {
    const std::size_t row = data_.begin[i] + m;
    const auto cost = static_cast<float>(loss_weight * data_.costs[row]);
    choices.with_wrong[m] = cost;
    if (!labelled()) continue;
    score(i, m, w, sums.data());
    choices.wrong[m] = best_of(scores);
    choices.with_wrong[m] += scores[choices.wrong[m]];
    const float label_cost = plan_.options.label_cost ? cost : 0.0f;
    scores[data_.labels[row]] -= label_cost;
    choices.right[m] = best_of(scores);
    choices.with_right[m] = scores[choices.right[m]] + label_cost;
  }
}

void LabelLayer::add_to_cut(std::size_t i, std::span<const HeadId> rival, const LabelChoices& choices,
                            Cut& cut) const {
  for (std::size_t m = 1; m < rival.size(); ++m) {
    const std::size_t row = data_.begin[i] + m;
    const bool right = rival[m] == data_.heads[row];
    const LabelId label = right ? choices.right[m] : choices.wrong[m];
    const bool other = labelled() && label != data_.labels[row];
    if (!right || (other && plan_.options.label_cost)) cut.loss += data_.costs[row];
    if (!other) continue;
    for (const std::uint32_t feature : rows(i, m)) {
      const FeatureId base = plan_.layout.label_base(feature);
      cut.psi.add(base + data_.labels[row], 1.0f);
      cut.psi.add(base + label, -1.0f);
    }
  }
}

double LabelLayer::sum(std::size_t i, const Weights& w, double loss_weight, LabelChoices& choices) const {
  const std::size_t end = data_.begin[i + 1] - data_.begin[i];
  const std::size_t labels = plan_.layout.labels();
  const std::size_t stride = padded_labels(labels);
  choices.with_right.assign(end, 0.0f);
  choices.with_wrong.assign(end, 0.0f);
  choices.p_right.resize(end * stride);
  choices.p_wrong.resize(end * stride);
  double gold = 0.0;
  for (std::size_t m = 1; m < end; ++m) {
    const std::size_t row = data_.begin[i] + m;
    const auto cost = static_cast<float>(loss_weight * data_.costs[row]);
    choices.with_wrong[m] = cost;
    if (!labelled()) continue;
    const auto wrong = std::span(choices.p_wrong).subspan((m - 1) * stride, labels);
    const auto right = std::span(choices.p_right).subspan((m - 1) * stride, labels);
    score(i, m, w, wrong.data());
    gold += wrong[data_.labels[row]];
    for (std::size_t y = 0; y < labels; ++y)
      right[y] = wrong[y] + (plan_.options.label_cost && y != data_.labels[row] ? cost : 0.0f);
    choices.with_right[m] = normalize(right);
    choices.with_wrong[m] += normalize(wrong);
  }
  return gold;
}

void LabelLayer::add_to_expectation(std::size_t i, std::span<const double> p_gold,
                                    const LabelChoices& choices, Expectation& expectation) const {
  const std::size_t labels = plan_.layout.labels();
  const std::size_t stride = padded_labels(labels);
  for (std::size_t m = 1; m < p_gold.size(); ++m) {
    const std::size_t row = data_.begin[i] + m;
    double p_error = 1.0 - p_gold[m];
    if (labelled()) {
      const float* right = choices.p_right.data() + (m - 1) * stride;
      const float* wrong = choices.p_wrong.data() + (m - 1) * stride;
      if (plan_.options.label_cost) p_error += p_gold[m] * (1.0 - right[data_.labels[row]]);
      const std::span<float> difference = expectation.gradient.values(labels);
      for (std::size_t y = 0; y < labels; ++y)
        difference[y] = static_cast<float>(p_gold[m] * right[y] + (1.0 - p_gold[m]) * wrong[y]);
      difference[data_.labels[row]] -= 1.0f;
      for (const std::uint32_t feature : rows(i, m))
        expectation.gradient.add_row(plan_.layout.label_base(feature));
    }
    expectation.expected_loss += data_.costs[row] * std::max(0.0, p_error);
  }
}

void LabelLayer::add_to_arcs(std::size_t i, const LabelChoices& choices, float* scores,
                             std::size_t stride) const {
  const std::span<const HeadId> gold = data_.heads_of(i);
  for (std::size_t h = 0; h < gold.size(); ++h) {
    float* row = scores + h * stride;
    for (std::size_t m = 1; m < gold.size(); ++m) row[m] += choices.with_wrong[m];
  }
  for (std::size_t m = 1; m < gold.size(); ++m)
    scores[gold[m] * stride + m] += choices.with_right[m] - choices.with_wrong[m];
}

void LabelLayer::support(std::size_t i, std::vector<Block>& blocks) const {
  const std::size_t width = plan_.labels.size();
  const auto labels = static_cast<FeatureId>(plan_.layout.labels());
  for (std::size_t k = data_.words_before(i) * width; labelled() && k < data_.words_before(i + 1) * width;
       ++k)
    blocks.push_back({plan_.layout.label_base(data_.label_rows[k]), labels});
}

void LabelLayer::gold_support(std::size_t i, std::vector<Block>& blocks) const {
  for (std::size_t m = 1; labelled() && m < data_.heads_of(i).size(); ++m) {
    for (const std::uint32_t feature : rows(i, m))
      blocks.push_back({plan_.layout.label_base(feature) + data_.labels[data_.begin[i] + m], 1});
  }
}

}  // namespace hinge::dep
