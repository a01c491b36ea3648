#include "hinge/learn/driver/objective.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "hinge/core/interrupt.h"
#include "hinge/learn/batch/decode_all.h"
#include "hinge/learn/batch/expect_all.h"

namespace hinge {
namespace {

double absolute_sum(const Weights& w) {
  double sum = 0.0;
  for (const float value : w.span()) sum += std::abs(static_cast<double>(value));
  return sum;
}

double regularizer_of(const Task& task, const Weights& w, const ObjectiveKind& kind) {
  double value = 0.0;
  if (kind.l2 > 0.0) value += 0.5 * kind.l2 * task.squared_norm(w);
  if (kind.l1 > 0.0) value += kind.l1 * absolute_sum(w);
  return value;
}

// The stop() of loops that check it before every wave.
bool stops() {
  check_interrupt();
  return false;
}

struct ShardHinge {
  double loss = 0.0;
  std::int64_t violated = 0;
  std::int64_t inexact = 0;
};

void add_hinge(const Task& task, const Weights& w, Loss loss, Workers& workers, Objective& result) {
  AllDecoder decoder(task, workers);
  std::vector<ShardHinge> of_shards(decoder.shards().mine());
  decoder.measure(w, check_interrupt, [&](std::size_t shard, std::size_t, const Violation& v) {
    const double h = std::max(0.0, v.loss - v.margin);
    ShardHinge& sum = of_shards[shard - decoder.shards().first()];
    sum.loss += loss == Loss::kL2 ? h * h : h;
    sum.violated += h > 0.0;
    sum.inexact += !v.exact;
  });
  for (const ShardHinge& sum : gather_values(this_communicator(), std::span<const ShardHinge>(of_shards))) {
    result.loss += sum.loss;
    result.violated += sum.violated;
    result.estimate = result.estimate || sum.inexact > 0;
  }
}

void add_log_loss(const Task& task, const Weights& w, Loss loss, Workers& workers, Objective& result) {
  AllExpecter expecter(task, workers);
  AllExpecter::Sums sums;
  expecter.run(
      w, loss == Loss::kSoftmaxMargin ? 1.0 : 0.0, [](std::size_t) { return stops(); }, {}, sums);
  result.loss = sums.log_loss;
}

}  // namespace

bool gap_is_estimate(const Task& task) {
  const TaskFacts facts = task.facts();
  return !(facts.exact && facts.fixed_gold && facts.fixed_losses && facts.linear);
}

Objective measure_objective(const Task& task, const Weights& w, const ObjectiveKind& kind, Workers& workers) {
  assert(kind.C.has_value());
  Objective result;
  (is_likelihood(kind.loss) ? add_log_loss : add_hinge)(task, w, kind.loss, workers, result);
  result.regularizer = regularizer_of(task, w, kind);
  result.primal = result.regularizer + *kind.C * result.loss;
  result.estimate = result.estimate || gap_is_estimate(task);
  return result;
}

}  // namespace hinge
