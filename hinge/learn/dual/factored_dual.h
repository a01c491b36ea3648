// The factored dual of the structural SVM: the dual variables of an example are
// represented by the marginals mu of the parts of outputs (core/factored_task.h).
//
//   max_mu  sum_i mu_i . Delta_i - 1/2 |w(mu)|^2      w = sum_i ( |mu_i| Phi_i(gold) - mu_i . Phi_i )
//     L1-loss: |mu_i| = C
//     L2-loss: - 1/(4C) |mu_i|^2 in the objective, |mu_i| >= 0
//
// mu_i is |mu_i| times a mean of outputs, so the number of variables is the number of
// parts (Taskar et al. 2004, section 4; they scale |mu_i| to 1). A step moves mass
// between two outputs in closed form. Marginals are whole multiples of a unit, C / 2^40:
// however many steps are made, they stay exactly consistent and none falls below zero.
#pragma once

#include <cstdint>
#include <vector>

#include "hinge/core/factored_task.h"
#include "hinge/core/learner.h"
#include "hinge/core/threads.h"
#include "hinge/learn/steps/averaging.h"

namespace hinge {

struct FactoredSettings {
  Loss loss;  // kL1 or kL2
  double C;
  bool average = false;  // the model is the mean of w over the visits
};

struct PartMass {
  Part part;
  std::int64_t mass;  // in units
};

class FactoredDual {
 public:
  static constexpr std::int64_t kWhole = std::int64_t{1} << 40;  // units that are C

  FactoredDual(const Task& task, Workers& workers, const FactoredSettings& settings);

  // What a visit to an example found.
  struct Finding {
    double loss;       // of the most violated output
    double violation;  // its violation
    double distance;   // from optimal: the most that a unit of mass gains by moving, with the weights seen
  };
  // Finds the outputs between which mass should move, with weights `seen`, and moves it.
  // move() follows find() of the same example and returns whether anything moved.
  Finding find(std::size_t i, const Weights& seen, Search search);
  bool move(std::size_t i);
  void end_visit() { w_.end_step(); }
  // Whether no output but gold has mass.
  bool is_gold(std::size_t i) const { return shifts_[i].empty(); }

  const Weights& weights() const { return w_.current(); }
  // Computed from the marginals, unless averaged: free of the rounding of steps.
  Weights model() const;
  Weights take_model();
  void refresh();  // sets weights() to that
  // At the current marginals.
  double value() const;

  // All that are above zero, by part.
  std::vector<PartMass> marginals(std::size_t i);

  void visit(State& state);

 private:
  using Masses = std::vector<PartMass>;  // sorted by part

  void open(std::size_t i);
  void close(std::size_t i);
  double ridge() const { return settings_.loss == Loss::kL2 ? 1.0 / (2.0 * settings_.C) : 0.0; }
  double price(std::size_t i) const;
  double gain(std::size_t i, std::span<const Part> parts, std::size_t lost);
  void difference(std::span<const Part> from, std::span<const Part> to);
  std::int64_t least_mass(std::span<const Part> parts) const;
  std::int64_t step(double gain, double ridge, std::int64_t limit);
  void change(std::span<const Part> parts, std::int64_t units);
  bool move_piece(std::size_t i, const Exchange::Piece& piece);
  bool grow_or_shrink(std::size_t i);
  double rebuild(Weights& w) const;

  const Task& task_;
  const FactoredTask& parts_;
  Workers& workers_;
  FactoredSettings settings_;
  double unit_;
  std::unique_ptr<Scratch> scratch_;
  AveragedWeights w_;
  std::vector<Masses> shifts_;       // [examples] mu_i - |mu_i| gold, where it is not zero
  std::vector<std::int64_t> total_;  // [examples] |mu_i| in units

  // Of the example that is open.
  std::vector<Part> gold_;
  Masses masses_;  // not zero
  std::vector<Part> support_;
  Exchange found_;
  std::vector<Part> differing_;
  std::size_t lost_ = 0;  // of differing_
  std::vector<double> amounts_;
  Gradient psi_;
};

}  // namespace hinge
