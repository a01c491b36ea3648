#include "hinge/tasks/summarize/task.h"

#include <algorithm>

#include "hinge/tasks/summarize/regression.h"

namespace hinge::summarize {
namespace {

struct SummarizeScratch final : Scratch {
  explicit SummarizeScratch(const CoverageLimits& limits) : decoder(limits) {}

  Decoder decoder;
  std::vector<char> gold_covered, rival_covered;  // [concepts]
  std::vector<double> psi;                        // [weights]
};

void add_row(std::span<const float> row, double scale, double* psi) {
  for (std::size_t k = 0; k < row.size(); ++k) psi[k] += scale * static_cast<double>(row[k]);
}

}  // namespace

std::unique_ptr<Scratch> SummarizeTask::make_scratch() const {
  return std::make_unique<SummarizeScratch>(limits_);
}

// Starts from gold and not from the last solution: which thread solved a topic last, or
// whether a run was resumed, must not decide between equally good summaries.
void SummarizeTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                                  Cut& cut) const {
  auto& own = static_cast<SummarizeScratch&>(scratch);
  data_.use(i);
  const TopicView data = data_[i];
  cut.psi.clear();
  cut.loss = cut.margin = 0.0;
  own.decoder.weigh(data, w.data(), loss_weight);
  const CoverageSolution& rival = own.decoder.solve(data, data.gold);
  cut.exact = rival.exact;
  if (std::ranges::equal(rival.chosen, data.gold)) return;
  own.decoder.weigh(data, w.data(), 0.0);
  const CoverageScores scores{own.decoder.bigram_scores(), own.decoder.piece_scores()};
  cut.margin = coverage_value(data.coverage, scores, data.gold, &own.gold_covered) -
               coverage_value(data.coverage, scores, rival.chosen, &own.rival_covered);
  own.psi.assign(dimension(), 0.0);
  double gain = 0.0;
  for (std::size_t c = 0; c < data.keys.size(); ++c) {
    if (own.rival_covered[c] != 0) gain += data.gains[c];
    if (own.gold_covered[c] == own.rival_covered[c]) continue;
    add_row(data.bigram_row(c, layout_), own.gold_covered[c] - own.rival_covered[c], own.psi.data());
  }
  for (std::size_t k = 0; k < data.origins.size(); ++k) {
    if (rival.chosen[k] != 0) gain -= data.costs[k];
    if (data.gold[k] == rival.chosen[k]) continue;
    add_row(data.piece_row(k, layout_), data.gold[k] - rival.chosen[k], own.psi.data() + layout_.bigrams);
  }
  cut.loss = std::max(0.0, data.facts.gain - gain);  // below zero only by rounding, or if gold is not exact
  for (std::size_t k = 0; k < own.psi.size(); ++k) {
    const auto value = static_cast<float>(own.psi[k]);
    if (value != 0.0f) cut.psi.add(static_cast<FeatureId>(k), value);
  }
}

void SummarizeTask::support(std::size_t, Scratch&, std::vector<Block>& blocks) const {
  blocks.push_back({0, static_cast<FeatureId>(dimension())});
}

bool SummarizeTask::initialize(Random&, Weights& w) const {
  if (regression_) w = regression(data_);
  return regression_;
}

}  // namespace hinge::summarize
