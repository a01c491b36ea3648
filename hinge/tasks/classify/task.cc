#include "hinge/tasks/classify/task.h"

#include <algorithm>

#include "hinge/tasks/classify/decoder.h"

namespace hinge::classify {
namespace {

struct ClassifyScratch final : Scratch {
  std::vector<float> sums;
  std::vector<std::size_t> labels;
};

}  // namespace

std::unique_ptr<Scratch> ClassifyTask::make_scratch() const { return std::make_unique<ClassifyScratch>(); }

// Scores with loss_weight added to every wrong label.
std::span<float> ClassifyTask::augmented(std::size_t i, const Weights& w, double loss_weight,
                                         Scratch& scratch) const {
  data_.use(i);
  const auto scores = score_text(data_, i, layout_, w, static_cast<ClassifyScratch&>(scratch).sums);
  const auto cost = static_cast<float>(loss_weight);
  const float gold = scores[data_.gold[i]];
  for (float& score : scores) score += cost;
  scores[data_.gold[i]] = gold;
  return scores;
}

void ClassifyTask::cut_to(std::size_t i, std::size_t rival, const Weights& w, Cut& cut) const {
  cut.psi.clear();
  cut.loss = cut.margin = 0.0;
  const std::size_t gold = data_.gold[i];
  if (rival == gold) return;
  cut.loss = 1.0;
  const float value = data_.values[i];
  double sum = 0.0;
  for (const std::uint32_t id : data_.features(i)) {
    const std::size_t row = layout_.row(id);
    cut.psi.add(static_cast<FeatureId>(row + gold), value);
    cut.psi.add(static_cast<FeatureId>(row + rival), -value);
    sum += static_cast<double>(w[row + gold]) - static_cast<double>(w[row + rival]);
  }
  cut.margin = static_cast<double>(value) * sum;
}

void ClassifyTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                                 Cut& cut) const {
  cut_to(i, best_of(augmented(i, w, loss_weight, scratch)), w, cut);
}

void ClassifyTask::most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                                   Scratch& scratch, std::vector<Cut>& cuts) const {
  auto& labels = static_cast<ClassifyScratch&>(scratch).labels;
  k_best(augmented(i, w, loss_weight, scratch), k, labels);
  cuts.resize(labels.size());
  for (std::size_t r = 0; r < labels.size(); ++r) cut_to(i, labels[r], w, cuts[r]);
}

void ClassifyTask::support(std::size_t i, Scratch&, std::vector<Block>& blocks) const {
  data_.use(i);
  const auto labels = static_cast<FeatureId>(layout_.labels);
  for (const std::uint32_t id : data_.features(i))
    blocks.push_back({static_cast<FeatureId>(layout_.row(id)), labels});
}

void ClassifyTask::expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                          Expectation& expectation) const {
  const std::span<float> scores = augmented(i, w, loss_weight, scratch);
  const std::size_t gold = data_.gold[i];
  const double gold_score = scores[gold];
  const double log_sum = softmax(scores);
  // Below zero only by rounding.
  expectation.log_loss = std::max(0.0, log_sum - gold_score);
  expectation.expected_loss = 0.0;
  for (std::size_t y = 0; y < scores.size(); ++y) expectation.expected_loss += y == gold ? 0.0 : scores[y];
  scores[gold] -= 1.0f;
  // All features share their values, so one row of numbers serves them all.
  Gradient& gradient = expectation.gradient;
  gradient.clear();
  const std::span<float> shared = gradient.values(layout_.labels);
  std::ranges::transform(scores, shared.begin(), [&](float score) { return data_.values[i] * score; });
  gradient.add_rows(data_.features(i), static_cast<FeatureId>(layout_.labels), nullptr);
}

}  // namespace hinge::classify
