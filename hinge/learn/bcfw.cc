#include "hinge/learn/bcfw.h"

#include <algorithm>

#include "hinge/learn/steps/averaging.h"

namespace hinge {
namespace {

class Bcfw final : public Learner {
 public:
  Bcfw(const Task& task, const BcfwOptions& options)
      : task_(task),
        options_(options),
        scratch_(task.make_scratch()),
        w_(task.dimension(), averaging()),
        loss_(1, averaging()),
        shares_(task.size()),
        losses_(task.size()) {}

  void run_pass(Pass& pass) override {
    constexpr std::int64_t kRefreshEvery = 16;  // passes; rounding makes w drift from sum w_i
    if (++passes_ % kRefreshEvery == 0) w_.start_from(sum_of_shares());
    for (const std::uint32_t i : pass.order) {
      if (pass.cancelled()) return;
      pass.decoding.start();
      const Weights& seen = start_.size() > 0 ? start_ : w_.current();
      task_.most_violated(i, seen, /*loss_weight=*/1.0, *scratch_, cut_);
      pass.decoding.stop();
      check_cut(cut_, i);
      pass.updating.start();
      step(i, pass);
      pass.updating.stop();
    }
    start_ = Weights();
  }

  Weights model() const override { return w_.model(); }
  Weights take_model() override { return w_.take_model(); }
  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = options_.C}; }

  // w and the losses are averaged alike, so they belong to the same alpha.
  std::optional<double> dual() const override { return loss_.model()[0] - 0.5 * squared_norm(w_.model()); }

  void start_from(const Weights& w) override { start_ = w; }
  void visit(State& state) override {
    state(w_, loss_);
    state.fixed(shares_, losses_);
    state(start_, passes_);
    state.require(start_.size() == 0 || start_.size() == state.dimension());
  }

 private:
  Averaging averaging() const { return options_.average ? Averaging::kLinear : Averaging::kNone; }

  // gamma = clip(((w_i - w_s) . w + l_s - l_i) / |w_i - w_s|^2, 0, 1), with the
  // corner w_s = C psi, l_s = C Delta.
  void step(std::size_t i, Pass& pass) {
    ++pass.examples;
    pass.loss += cut_.loss;
    pass.violation += std::max(0.0, cut_.violation());
    cut_.psi.merge();
    away_.clear();  // w_i - w_s
    away_.append(shares_[i], 1.0f);
    away_.append(to_sparse(cut_.psi), static_cast<float>(-options_.C));
    away_.merge();
    const double loss_away = losses_[i] - options_.C * cut_.loss;
    const double gain = dot(w_.current(), away_) - loss_away;
    const double curvature = squared_norm(away_);
    if (gain > 0.0 && curvature > 0.0) {
      ++pass.updates;
      const double gamma = std::min(1.0, gain / curvature);
      shares_[i].append(away_, static_cast<float>(-gamma));
      shares_[i].merge();
      losses_[i] -= gamma * loss_away;
      w_.add(-gamma, away_);
      loss_.add(-gamma * loss_away, one_);
    }
    w_.end_step();
    loss_.end_step();
  }

  Weights sum_of_shares() const {
    Weights w(task_.dimension());
    for (const SparseVector& share : shares_) axpy(1.0, share, w);
    return w;
  }

  static SparseVector unit() {
    SparseVector one;
    one.add(0, 1.0f);
    return one;
  }

  const Task& task_;
  BcfwOptions options_;
  std::unique_ptr<Scratch> scratch_;
  AveragedWeights w_;
  AveragedWeights loss_;              // l = sum l_i, a single number
  std::vector<SparseVector> shares_;  // w_i
  std::vector<double> losses_;        // l_i
  Weights start_;                     // weights to decode with in the first pass, if given
  std::int64_t passes_ = 0;
  SparseVector one_ = unit();
  SparseVector away_;
  Cut cut_;
};

}  // namespace

std::unique_ptr<Learner> make_bcfw(const Task& task, const BcfwOptions& options) {
  return std::make_unique<Bcfw>(task, options);
}

}  // namespace hinge
