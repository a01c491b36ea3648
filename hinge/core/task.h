// THE contract between problems and optimizers. Read this file first.
//
// A Task is a training set bound to a decoder. Learners ask it one question:
// "which output of example i violates the margin most under w?"
//
//   y* = argmax_y [ w . Phi(x_i, y) + loss_weight * Delta_i(y) ]
//
// and get back a Cut. Perceptron, MIRA, subgradient, cutting planes, dual
// coordinate descent and Frank-Wolfe need nothing else, so a task of your own
// that answers it can be trained by all of them.
//
// What only some tasks can do is a separate small interface (KBestTask,
// MarginalTask and LineTask below), handed to the learners that need it; there
// are no fallbacks.
//
// Threads: tasks are const and shared; everything that changes during a decode
// lives in a Scratch, one a thread. Virtual calls happen once per example.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hinge/core/row_sum.h"
#include "hinge/core/sparse.h"
#include "hinge/core/weights.h"

namespace hinge {

// One linear constraint on the weights: margin >= loss, up to slack.
struct Cut {
  SparseVector psi;     // Phi(gold) - Phi(rival); for a non-linear model the gradient of the margin
  double loss = 0.0;    // Delta(rival) >= 0, never multiplied by loss_weight
  double margin = 0.0;  // score(gold) - score(rival) under the weights of the call

  double violation() const { return loss - margin; }
};

// What a learner may assume. Where one is false a duality gap is an estimate,
// and reports say so.
struct TaskFacts {
  bool exact = true;       // the argmax is exact, up to the rounding of floats
  bool fixed_gold = true;  // gold does not depend on w (no latent structure)
  bool linear = true;      // score is w . Phi
};

// Weights [first, first + count).
struct Block {
  FeatureId first;
  FeatureId count;
};

class Scratch {
 public:
  virtual ~Scratch() = default;
};

class KBestTask;
class MarginalTask;
class ContextTask;
class LineTask;

class Task {
 public:
  virtual ~Task() = default;

  virtual std::size_t size() const = 0;       // examples
  virtual std::size_t dimension() const = 0;  // weights
  virtual TaskFacts facts() const { return {}; }
  virtual std::unique_ptr<Scratch> make_scratch() const { return std::make_unique<Scratch>(); }

  // Fills `cut` (reusing its memory). loss_weight 0 asks for the plain
  // prediction. A rival equal to gold gives an empty psi and loss 0.
  virtual void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                             Cut& cut) const = 0;

  // Appends every weight that decoding example i may read; repeats are
  // harmless, but blocks that overlap must coincide. Learners that regularize lazily bring exactly these up
  // to date before they ask, so that decoders always see plain weights.
  virtual void support(std::size_t i, std::vector<Block>& blocks) const = 0;

  virtual const KBestTask* k_best() const { return nullptr; }
  virtual const MarginalTask* marginals() const { return nullptr; }
  virtual const ContextTask* context() const { return nullptr; }
  virtual const LineTask* lines() const { return nullptr; }
};

// The k highest-scoring outputs, for k-best MIRA.
class KBestTask {
 public:
  virtual ~KBestTask() = default;

  // Fills `cuts` with at most k cuts of distinct rivals, best first; gold may
  // be among them (as an empty psi with loss 0).
  virtual void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                               Scratch& scratch, std::vector<Cut>& cuts) const = 0;
};

// A task whose losses depend on what the model says of all examples together,
// as a metric of a whole corpus does.
class ContextTask {
 public:
  virtual ~ContextTask() = default;

  // Told the model before every pass but the first; nothing else is asked of
  // the task meanwhile.
  virtual void see(const Weights& w) const = 0;
};

// What a distribution over the outputs of one example amounts to.
struct Expectation {
  RowSum gradient;             // E[Phi] - Phi(gold)
  double log_loss = 0.0;       // log sum_y exp(w . Phi(y) + loss_weight Delta(y)) - w . Phi(gold)
  double expected_loss = 0.0;  // E[Delta]
};

// Sums over all outputs, for learners of likelihoods: the distribution is
//   p(y) ~ exp(w . Phi(x_i, y) + loss_weight * Delta_i(y)).
class MarginalTask {
 public:
  virtual ~MarginalTask() = default;

  // Fills `expectation` (reusing its memory). Where gold is only partly known,
  // Phi(gold) and w . Phi(gold) stand for the expectation and the log-sum over
  // the acceptable outputs.
  virtual void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                      Expectation& expectation) const = 0;

  // Appends the weights that acceptable outputs of example i have; repeats are
  // harmless. Many models keep only these.
  virtual void gold_support(std::size_t i, std::vector<Block>& blocks) const = 0;
};

// A point of a line of weights, w + step * direction.
struct LinePoint {
  double step = 0.0;
  double cost = 0.0;  // as LineSearch::cost() there
};

// All lines of weights through one point w, which starts at zero and can be
// moved. All but moving it is for any number of threads at once.
class LineSearch {
 public:
  virtual ~LineSearch() = default;

  virtual void move_to(const Weights& w) = 0;

  // Of the whole training set where every example has its best output under w,
  // in the units of Cut::loss, as a sum over the examples.
  virtual double cost() const = 0;

  // Where the cost along w + t * direction is least, exactly but for rounding: it
  // changes only where an example gets another best output. Step 0 and cost()
  // where no other point costs less; otherwise the middle of the widest of the
  // best intervals. The direction is merged; one of a single entry may be quicker.
  virtual LinePoint best_on_line(const SparseVector& direction, Scratch& scratch) const = 0;

  // [dimension] By how much each feature differs among the outputs of one example,
  // on average; 0 where it never does, so that its weight changes nothing.
  virtual std::span<const double> spreads() const = 0;
};

// A task whose outputs can be listed, so that the cost of all examples together,
// even of a metric that is no sum over examples, is known along a line (MERT).
class LineTask {
 public:
  virtual ~LineTask() = default;
  // The task must outlive it.
  virtual std::unique_ptr<LineSearch> make_line_search() const = 0;
};

}  // namespace hinge
