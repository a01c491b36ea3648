// The other side of the contract: an optimizer at work on one task.
//
// A Learner does passes; the driver (learn/train.h) decides how many, in which
// order the examples come, when to score the development set, when to stop and
// what to report. So a new optimizer is its own step and nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "hinge/core/random.h"
#include "hinge/core/task.h"

namespace hinge {

// psi(h) = h (L1-loss) or h^2 (L2-loss) of the objective
//   P(w) = 1/2 |w|^2 + C sum_i psi(H_i(w)).
enum class Loss { kL1, kL2 };

// Which objective a learner descends, for the referee. `C` is absent where a
// learner has no global objective (perceptron, MIRA).
struct ObjectiveKind {
  Loss loss = Loss::kL1;
  std::optional<double> C;
  bool l1_regularizer = false;  // |w|_1 in place of 1/2 |w|^2
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

// Asked between examples how far the pass is; true ends it early, with a
// usable model.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual bool interrupts(std::int64_t examples_done) = 0;
};

// One pass over the training set: what the learner is given, and what it
// tells. Sums are over the examples of the pass as they were met, each under
// the weights of its moment; they are not the objective, which only the
// referee (learn/objective.h) computes.
struct Pass {
  std::span<const std::uint32_t> order;
  Random& random;
  Watcher& watcher;

  std::int64_t examples = 0;
  std::int64_t updates = 0;  // examples that moved the weights
  double loss = 0.0;         // sum of Delta of the rivals met
  double violation = 0.0;    // sum of max(0, Delta - margin)
  Stopwatch decoding;
  Stopwatch updating;

  bool cancelled() const { return watcher.interrupts(examples); }
};

class Learner {
 public:
  virtual ~Learner() = default;

  virtual void run_pass(Pass& pass) = 0;

  // The model as it stands: averaged where the learner averages.
  virtual Weights model() const = 0;

  // The same once training is over, in the learner's own memory where that is
  // possible; only objective() may be called afterwards.
  virtual Weights take_model() { return model(); }

  virtual ObjectiveKind objective() const = 0;

  // Dual learners: D(alpha), a lower bound of the objective where the task is
  // exact, has fixed golds and is linear.
  virtual std::optional<double> dual() const { return std::nullopt; }
};

// Throws, naming the example, where a task breaks its promises.
void check_cut(const Cut& cut, std::size_t example);

}  // namespace hinge
