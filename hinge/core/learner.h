// The other side of the contract: an optimizer working on one task.
//
// A Learner does passes; the driver (learn/driver/train.h) decides how many, the
// order of the examples, when to score the development set, when to stop and what
// to report. So a new optimizer implements only its step.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "hinge/core/random.h"
#include "hinge/core/scores.h"
#include "hinge/core/state.h"
#include "hinge/core/task.h"

namespace hinge {

// The loss of one example in the objective P(w) = R(w) + C sum_i loss_i(w):
// the hinge H_i = max_y [ Delta - w . psi ] (L1), its square (L2), or
// log sum_y exp(w . Phi(y)) - w . Phi(gold), without (log) or with Delta in the
// exponent (softmax-margin).
enum class Loss { kL1, kL2, kLog, kSoftmaxMargin };

std::string_view loss_name(Loss loss);  // "L1", "L2", "log", "log+cost"
constexpr bool is_likelihood(Loss loss) { return loss == Loss::kLog || loss == Loss::kSoftmaxMargin; }

// The objective a learner minimizes, for the referee (learn/driver/objective.h).
// `C` is absent if the learner has no global objective (perceptron, MIRA). The
// regularizer is R(w) = l2 / 2 |w|^2 + l1 |w|_1.
struct ObjectiveKind {
  Loss loss = Loss::kL1;
  std::optional<double> C;
  double l2 = 1.0;
  double l1 = 0.0;
};

class Stopwatch {
 public:
  void start() { begin_ = Clock::now(); }
  void stop() { total_ += Clock::now() - begin_; }
  double seconds() const { return std::chrono::duration<double>(total_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_;
  Clock::duration total_{};
};

// Told between examples how far the pass is; returning true ends it early, with a
// usable model.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual bool interrupts(std::int64_t examples_done) = 0;
};

// One pass over the training set: the learner's input and its report. Sums are over
// the examples of the pass, each under the weights at that moment; they are not the
// objective, which only the referee (learn/driver/objective.h) computes.
struct Pass {
  std::span<const std::uint32_t> order;
  Random& random;
  Watcher& watcher;

  std::int64_t examples = 0;
  std::int64_t updates = 0;  // examples that moved the weights
  double loss = 0.0;         // sum of the rivals' Delta
  double violation = 0.0;    // sum of max(0, Delta - margin)
  Stopwatch decoding;
  Stopwatch updating;
  bool converged = false;  // the learner has nothing more to do
  Scores measures;         // what this learner goes by; shown in place of updates and loss

  bool cancelled() const { return watcher.interrupts(examples); }
};

class Learner {
 public:
  virtual ~Learner() = default;

  virtual void run_pass(Pass& pass) = 0;

  // The current model, averaged if the learner averages.
  virtual Weights model() const = 0;

  // The same after training, reusing the learner's memory if possible; only
  // objective() may be called afterwards.
  virtual Weights take_model() { return model(); }

  virtual ObjectiveKind objective() const = 0;

  // Dual learners: D(alpha), a lower bound of the objective if the task is exact,
  // linear and has fixed golds.
  virtual std::optional<double> dual() const { return std::nullopt; }

  // Starts from another model's weights instead of zero; only before the first
  // pass. A dual learner, whose weights are sums of constraints, starts with the
  // constraints that these weights violate most.
  virtual void start_from(const Weights& w) = 0;

  // Everything the next pass depends on: a learner with the same task and options
  // that loads it continues bit-identically.
  virtual void visit(State& state) = 0;
};

// The support of an example, sorted, without repeats.
void distinct_support(const Task& task, std::size_t i, Scratch& scratch, std::vector<Block>& blocks);

// Throws, naming the example, if a task breaks its promises.
void check_violation(double loss, double margin, std::size_t example);
inline void check_cut(const Cut& cut, std::size_t example) { check_violation(cut.loss, cut.margin, example); }

}  // namespace hinge
