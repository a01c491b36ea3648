#include "hinge/tasks/coref/task.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hinge/core/interrupt.h"

namespace hinge::coref {

struct CorefTask::CorefScratch final : Scratch {
  CorefScratch(const TemplateSet& templates, const Layout& layout) : scorer(templates, layout) {}
  // Hashes the mentions of a document unless it was the last one.
  const DocumentView& prepare(const DocumentSet& data, std::size_t i) {
    data.use(i);
    if (prepared != i) scorer.prepare(data[i]);
    prepared = i;
    return scorer.data();
  }

  Scorer scorer;
  std::size_t prepared = std::numeric_limits<std::size_t>::max();
  std::vector<float> scores;
  std::vector<double> p, q;          // of all choices, and of the right ones
  std::vector<std::uint64_t> lines;  // a bit per line of weights
};

namespace {

// Too little probability for a gradient of floats.
constexpr double kNegligible = 1e-7;

bool is_right(const DocumentView& data, std::size_t m, std::size_t choice) {
  const auto candidates = data.candidates_of(m);
  return choice < candidates.size() ? candidates[choice].gold != 0 : data.anaphoric[m] == 0;
}

// Turns scores into probabilities; returns the logarithm of their sum.
double normalize(std::vector<double>& scores) {
  const double top = *std::ranges::max_element(scores);
  double sum = 0.0;
  for (double& score : scores) sum += score = std::exp(score - top);
  for (double& score : scores) score /= sum;
  return top + std::log(sum);
}

}  // namespace

std::unique_ptr<Scratch> CorefTask::make_scratch() const {
  return std::make_unique<CorefScratch>(templates_, layout_);
}

double CorefTask::cost(const DocumentView& data, std::size_t m, std::size_t choice) const {
  if (is_right(data, m, choice)) return 0.0;
  if (choice == data.candidates_of(m).size()) return costs_.false_new;
  return data.anaphoric[m] != 0 ? costs_.wrong_link : costs_.false_anaphor;
}

void CorefTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                              Cut& cut) const {
  auto& own = static_cast<CorefScratch&>(scratch);
  const DocumentView& data = own.prepare(data_, i);
  own.scorer.weigh(w.data());
  cut.psi.clear();
  cut.loss = cut.margin = 0.0;
  for (std::size_t m = 0; m < data.size(); ++m) {
    if (m % 64 == 0) check_interrupt();
    own.scorer.score(m, w.data(), own.scores);
    std::size_t gold = own.scores.size(), rival = 0;
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t choice = 0; choice < own.scores.size(); ++choice) {
      const double score = own.scores[choice] + loss_weight * cost(data, m, choice);
      const bool right = is_right(data, m, choice);
      if (right && (gold == own.scores.size() || own.scores[choice] > own.scores[gold])) gold = choice;
      if (score > best) {
        best = score;
        rival = choice;
      }
    }
    if (is_right(data, m, rival)) continue;
    cut.loss += cost(data, m, rival);
    cut.margin += static_cast<double>(own.scores[gold]) - static_cast<double>(own.scores[rival]);
    own.scorer.each_feature(m, gold, [&](FeatureId id) { cut.psi.add(id, 1.0f); });
    own.scorer.each_feature(m, rival, [&](FeatureId id) { cut.psi.add(id, -1.0f); });
  }
}

// Whole lines, found through a bitmap: a document reads most weights many times.
void CorefTask::support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const {
  auto& own = static_cast<CorefScratch&>(scratch);
  const DocumentView& data = own.prepare(data_, i);
  const std::size_t lines = (layout_.dimension() + kLine - 1) / kLine;
  own.lines.assign((lines + 63) / 64, 0);
  for (std::size_t m = 0; m < data.size(); ++m) {
    for (std::size_t choice = 0; choice <= data.candidates_of(m).size(); ++choice) {
      own.scorer.each_feature(m, choice, [&](FeatureId id) {
        const std::size_t line = id / kLine;
        own.lines[line / 64] |= std::uint64_t{1} << (line % 64);
      });
    }
  }
  for (std::size_t word = 0; word < own.lines.size(); ++word) {
    for (std::uint64_t bits = own.lines[word]; bits != 0; bits &= bits - 1) {
      const std::size_t first = kLine * (word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)));
      const std::size_t width = std::min(kLine, layout_.dimension() - first);
      blocks.push_back({static_cast<FeatureId>(first), static_cast<FeatureId>(width)});
    }
  }
}

void CorefTask::expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                       Expectation& expectation) const {
  auto& own = static_cast<CorefScratch&>(scratch);
  const DocumentView& data = own.prepare(data_, i);
  own.scorer.weigh(w.data());
  expectation.gradient.clear();
  expectation.log_loss = expectation.expected_loss = 0.0;
  for (std::size_t m = 0; m < data.size(); ++m) {
    if (m % 64 == 0) check_interrupt();
    own.scorer.score(m, w.data(), own.scores);
    own.p.assign(own.scores.begin(), own.scores.end());
    own.q.assign(own.scores.begin(), own.scores.end());
    for (std::size_t choice = 0; choice < own.p.size(); ++choice) {
      own.p[choice] += loss_weight * cost(data, m, choice);
      if (!is_right(data, m, choice)) own.q[choice] = -std::numeric_limits<double>::infinity();
    }
    // Below zero only by rounding.
    expectation.log_loss += std::max(0.0, normalize(own.p) - normalize(own.q));
    for (std::size_t choice = 0; choice < own.p.size(); ++choice) {
      expectation.expected_loss += own.p[choice] * cost(data, m, choice);
      const double value = own.p[choice] - own.q[choice];
      if (std::abs(value) < kNegligible) continue;
      expectation.gradient.values(1)[0] = static_cast<float>(value);
      own.scorer.each_feature(m, choice, [&](FeatureId id) { expectation.gradient.add_row(id); });
    }
  }
}

void CorefTask::gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const {
  auto& own = static_cast<CorefScratch&>(scratch);
  const DocumentView& data = own.prepare(data_, i);
  for (std::size_t m = 0; m < data.size(); ++m) {
    for (std::size_t choice = 0; choice <= data.candidates_of(m).size(); ++choice) {
      if (!is_right(data, m, choice)) continue;
      own.scorer.each_feature(m, choice, [&](FeatureId id) { blocks.push_back({id, 1}); });
    }
  }
}

}  // namespace hinge::coref
