// THE contract between problems and optimizers. Read this file first.
//
// A Task is a training set bound to a decoder. Learners ask it one question:
// "which output of example i violates the margin most under w?"
//
//   y* = argmax_y [ w . Phi(x_i, y) + loss_weight * Delta_i(y) ]
//
// and get back a Cut. Perceptron, MIRA, subgradient, cutting planes, dual
// coordinate descent and Frank-Wolfe need nothing else, so they can all train your
// own task. check_task() in learn/driver/check_task.h finds the usual mistakes in
// one.
//
// The scaling rule. Learners may store w as s v and call with v and loss_weight / s
// instead of w and loss_weight. So for every a > 0
//
//   decode(a w, a loss_weight) = decode(w, loss_weight)
//
// must hold: the choice may depend on costs only through loss_weight * Delta.
// (Nonlinear models are never called this way.)
//
// Optional abilities are Extensions, each an interface in its own header
// (k_best_task.h, marginal_task.h, context_task.h, line_task.h, factored_task.h,
// trimmed_task.h).
// learn/registry.cc lists those that a learner needs; there are no fallbacks.
//
// Threads: tasks are const and shared; everything that changes during a decode
// lives in a Scratch, one per thread. Virtual calls happen once per example. A long
// decode calls check_interrupt() (core/interrupt.h) now and then, so that it can be
// cancelled.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "hinge/core/gradient.h"
#include "hinge/core/random.h"
#include "hinge/core/weights.h"

namespace hinge {

// The highest cost of a mistake that an option or a file may set: sums over an example stay far from the
// limits of floats.
inline constexpr double kMostCost = 1e6;

// One linear constraint on the weights: margin >= loss, up to slack.
struct Cut {
  Gradient psi;         // Phi(gold) - Phi(rival); the gradient of the margin if the model is not linear
  double loss = 0.0;    // Delta(rival) >= 0, never multiplied by loss_weight
  double margin = 0.0;  // score(gold) - score(rival) under the weights of the call
  bool exact = true;    // false: the search was incomplete, another rival may violate more

  double violation() const { return loss - margin; }
};

// What learners may assume. If one is false, some learners refuse the task; for
// others the duality gap becomes an estimate, and reports say so.
struct TaskFacts {
  bool exact = true;         // the argmax is exact, up to the rounding of floats
  bool fixed_gold = true;    // gold does not depend on w (no latent structure)
  bool fixed_losses = true;  // losses do not change between passes
  bool linear = true;        // score is w . Phi
  bool euclidean = true;     // squared_norm(w) is the sum of the squared weights
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

// The base of all extensions. Each has a `kName`, to pass to Task::extension().
class Extension {
 public:
  virtual ~Extension() = default;
};

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

  // Appends every weight that decoding example i may read; repeats are harmless,
  // but overlapping blocks must coincide. Learners that regularize lazily update
  // exactly these before decoding, so decoders always see current weights. Results
  // of this work may be kept in the scratch for the following decode of the same
  // example.
  virtual void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const = 0;

  // The extension of that name, or null. offer() below implements it.
  virtual const Extension* extension(std::string_view /*name*/) const { return nullptr; }

  // Sets the initial weights and returns true if zeros will not do: a hidden layer
  // of zeros has no gradient.
  virtual bool initialize(Random& /*random*/, Weights& /*w*/) const { return false; }

  // |w|^2 in the objective. Parameters other than feature weights, such as the dual
  // variables of a kernel model, have another norm (facts().euclidean).
  virtual double squared_norm(const Weights& w) const { return hinge::squared_norm(w); }
};

// For Task::extension(): `task` cast to the one of `Es` with this name, or null.
template <typename... Es, typename T>
const Extension* offer(const T& task, std::string_view name) {
  const Extension* found = nullptr;
  ((name == Es::kName ? static_cast<void>(found = static_cast<const Es*>(&task)) : void()), ...);
  return found;
}

// Null if the task lacks it.
template <typename E>
const E* find_extension(const Task& task) {
  return dynamic_cast<const E*>(task.extension(E::kName));
}

}  // namespace hinge
