#include "hinge/learn/mira.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/k_best_task.h"
#include "hinge/learn/dual/simplex_qp.h"
#include "hinge/learn/steps/mixing.h"

namespace hinge {
namespace {

class Mira final : public MixableLearner {
 public:
  Mira(const Task& task, const MiraOptions& options)
      : task_(task),
        options_(options),
        scratch_(task.make_scratch()),
        weights_(task.dimension(), options.average ? Averaging::kUniform : Averaging::kNone) {
    if (options.k > 1 && find_extension<KBestTask>(task) == nullptr) {
      fail<OptionError>("mira: k is {} but this task has no k-best outputs; use k=1", options.k);
    }
  }

  void run_pass(Pass& pass) override {
    for (const std::uint32_t i : pass.order) {
      if (pass.cancelled()) return;
      pass.decoding.start();
      decode(i);
      pass.decoding.stop();
      for (const Cut& cut : cuts_) check_cut(cut, i);
      pass.updating.start();
      count(pass);
      project(pass);
      weights_.end_step();
      pass.updating.stop();
    }
  }

  Weights model() const override { return weights_.model(); }
  Weights take_model() override { return weights_.take_model(); }
  void start_from(const Weights& w) override { weights_.start_from(w); }
  void visit(State& state) override { state(weights_); }
  AveragedWeights& weights() override { return weights_; }
  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = std::nullopt}; }

 private:
  void decode(std::size_t i) {
    if (options_.k == 1) {
      cuts_.resize(1);
      task_.most_violated(i, weights_.current(), /*loss_weight=*/1.0, *scratch_, cuts_[0]);
    } else {
      k_best_->most_violated_k(i, weights_.current(), /*loss_weight=*/1.0,
                               static_cast<std::size_t>(options_.k), *scratch_, cuts_);
    }
  }

  void count(Pass& pass) const {
    ++pass.examples;
    if (cuts_.empty()) return;
    pass.loss += cuts_[0].loss;
    pass.violation += std::max(0.0, cuts_[0].violation());
  }

  void project(Pass& pass) {
    std::erase_if(cuts_, [](const Cut& cut) { return cut.psi.empty(); });
    for (Cut& cut : cuts_) cut.psi.merge();
    std::erase_if(cuts_, [](const Cut& cut) { return cut.psi.empty(); });
    if (cuts_.size() == 1) {
      const double tau = std::clamp(cuts_[0].violation() / squared_norm(cuts_[0].psi), 0.0, options_.C);
      alpha_.assign(1, tau);
    } else {
      solve_dual();
    }
    bool moved = false;
    for (std::size_t j = 0; j < cuts_.size(); ++j) {
      if (alpha_[j] == 0.0) continue;
      weights_.add(alpha_[j], cuts_[j].psi);
      moved = true;
    }
    pass.updates += moved;
  }

  void solve_dual() {
    const std::size_t n = cuts_.size();
    gram_.resize(n * n);
    violation_.resize(n);
    alpha_.assign(n, 0.0);
    for (std::size_t a = 0; a < n; ++a) {
      violation_[a] = cuts_[a].violation();
      for (std::size_t b = 0; b <= a; ++b) {
        gram_[a * n + b] = gram_[b * n + a] = dot(cuts_[a].psi, cuts_[b].psi);
      }
    }
    constexpr double kTolerance = 1e-6;
    const int max_steps = std::max(1000, 20 * static_cast<int>(n));
    solve({.gram = gram_, .linear = violation_, .C = options_.C}, alpha_, kTolerance, max_steps);
  }

  const Task& task_;
  const KBestTask* k_best_ = find_extension<KBestTask>(task_);
  MiraOptions options_;
  std::unique_ptr<Scratch> scratch_;
  AveragedWeights weights_;
  std::vector<Cut> cuts_;
  std::vector<double> gram_;  // [cuts][cuts]
  std::vector<double> violation_;
  std::vector<double> alpha_;
};

}  // namespace

std::unique_ptr<Learner> make_mira(const Task& task, const MiraOptions& options, Workers& workers) {
  const auto make = [&task, options] { return std::make_unique<Mira>(task, options); };
  return make_mixed(task, make, options.mixes, workers);
}

}  // namespace hinge
