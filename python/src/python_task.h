// A task written in Python: an object with features(x, y), loss(gold, y) and
// decode(x, score, augment).
//
// Features have names; a name gets a weight when it first occurs in a psi. All
// calls into Python take the GIL; only one thread uses the task.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "hinge/core/task.h"

namespace hinge::python {

namespace nb = nanobind;

// Maps feature names to numbers below `most`. A Python dict, because Python
// strings cache their hashes.
class FeatureIds {
 public:
  explicit FeatureIds(std::size_t most) : most_(most) {}

  std::size_t size() const { return nb::len(ids_); }
  std::size_t most() const { return most_; }
  // -1: not seen yet.
  std::int64_t find(PyObject* name) const;
  FeatureId intern(PyObject* name);  // throws InputError if all numbers are taken
  const nb::dict& dict() const { return ids_; }

 private:
  nb::dict ids_;
  std::size_t most_;
};

// score(features) under the current weights; valid only during decode().
class Score {
 public:
  Score(const FeatureIds& ids) : ids_(&ids) {}
  void set(const Weights* w) { w_ = w; }
  double operator()(nb::handle features) const;

 private:
  const FeatureIds* ids_;
  const Weights* w_ = nullptr;
};

// augment(y): the loss term added to the score of y; valid only during decode().
class Augment {
 public:
  Augment() = default;
  void set(nb::object loss, nb::object gold, double weight);
  void clear() { set({}, {}, 0.0); }
  double operator()(nb::handle y) const;

 private:
  nb::object loss_, gold_;
  double weight_ = 0.0;
};

// Throws InputError unless the loss is finite and not negative.
double checked_loss(const nb::object& loss, nb::handle gold, nb::handle y);

class PythonTask final : public Task {
 public:
  // X and y are lists of the same length. Calls features(x, gold) once per example.
  PythonTask(nb::object task, nb::list X, nb::list y, std::size_t most_features);
  ~PythonTask() override;
  PythonTask(const PythonTask&) = delete;
  PythonTask& operator=(const PythonTask&) = delete;

  std::size_t size() const override { return inputs_.size(); }
  std::size_t dimension() const override { return ids_.most(); }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override;

  nb::object decode(nb::handle x, const Weights& w) const;
  double mean_loss(nb::list X, nb::list y, const Weights& w) const;

  FeatureIds& ids() { return ids_; }
  const FeatureIds& ids() const { return ids_; }

 private:
  nb::object decode(nb::handle x, const Weights& w, nb::handle augment) const;

  nb::object features_, loss_, decode_;
  std::vector<nb::object> inputs_, golds_;
  mutable FeatureIds ids_;
  Score* score_;  // owned by the objects below
  Augment* augment_;
  nb::object score_object_, augment_object_;
  std::vector<SparseVector> gold_features_;
};

void bind_python_task(nb::module_& m);

}  // namespace hinge::python
