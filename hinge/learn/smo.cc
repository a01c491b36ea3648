#include "hinge/learn/smo.h"

#include <algorithm>
#include <vector>

#include "hinge/learn/dual/factored_dual.h"

namespace hinge {
namespace {

class Smo final : public Learner {
 public:
  Smo(const Task& task, const SmoOptions& options, Workers& workers)
      : options_(options),
        kind_(options.loss == "l2" ? Loss::kL2 : Loss::kL1),
        dual_(task, workers, {.loss = kind_, .C = options.C, .average = options.average}),
        rests_(task.size()) {}

  void run_pass(Pass& pass) override {
    constexpr std::int64_t kRefreshEvery = 16;  // passes; rounding makes w drift from w(mu)
    if (++passes_ % kRefreshEvery == 0) dual_.refresh();
    pass.updating.start();
    sweep(pass);
    pass.updating.stop();
    const bool starting = start_.size() > 0;  // distances say nothing about our own weights
    double most = 0.0, sum = 0.0;
    bool all = true;
    for (const std::uint32_t i : pass.order) {
      if (pass.cancelled()) return;
      Rest& rest = rests_[i];
      if (rest.left > 0) {
        --rest.left;
        all = false;
        continue;
      }
      const double distance = visit_example(i, pass);
      most = std::max(most, distance);
      sum += distance;
      if (options_.shrink && !starting) rest.note(distance <= calm_);
    }
    start_ = Weights();
    if (starting) return;
    calm_ = std::max(options_.epsilon,
                     kCalm * sum / static_cast<double>(std::max<std::int64_t>(1, pass.examples)));
    if (most > options_.epsilon) return;
    pass.converged = all;
    for (Rest& rest : rests_) rest = {};  // the next pass visits all
  }

  Weights model() const override { return dual_.model(); }
  Weights take_model() override { return dual_.take_model(); }
  ObjectiveKind objective() const override { return {.loss = kind_, .C = options_.C}; }
  // At the current marginals; also a valid bound for averaged weights.
  std::optional<double> dual() const override { return dual_.value(); }
  void start_from(const Weights& w) override { start_ = w; }
  void visit(State& state) override {
    state(dual_);
    state.fixed(rests_);
    state(start_, calm_, passes_);
    state.require(start_.size() == 0 || start_.size() == state.dimension());
  }

 private:
  // An example is calm if its distance is below this share of the mean of the last pass.
  static constexpr double kCalm = 0.1;

  // How long an example is left out: for 1, 3, 7, then 15 passes, while it stays calm.
  struct Rest {
    std::uint8_t left = 0;
    std::uint8_t length = 0;

    void note(bool calm) {
      length = calm ? static_cast<std::uint8_t>(std::min(15, 2 * length + 1)) : 0;
      left = length;
    }
  };

  // Without inference, over examples that have mass elsewhere than on gold; the second
  // sweep and those after it leave out what the one before found optimal.
  void sweep(Pass& pass) {
    active_.clear();
    for (const std::uint32_t i : pass.order) {
      if (!dual_.is_gold(i)) active_.push_back(i);
    }
    constexpr std::size_t kAskEvery = 256;
    for (std::int64_t r = 0; r < options_.inner_passes && !active_.empty(); ++r) {
      std::size_t kept = 0;
      for (std::size_t k = 0; k < active_.size(); ++k) {
        if (k % kAskEvery == 0 && pass.cancelled()) return;
        const std::uint32_t i = active_[k];
        const double distance = dual_.find(i, dual_.weights(), Search::kAllowed).distance;
        if (distance > options_.epsilon && dual_.move(i)) active_[kept++] = i;
      }
      active_.resize(kept);
    }
  }

  // Returns how far from optimal the example was.
  double visit_example(std::size_t i, Pass& pass) {
    pass.decoding.start();
    const auto found = dual_.find(i, start_.size() > 0 ? start_ : dual_.weights(), Search::kAll);
    pass.decoding.stop();
    pass.updating.start();
    ++pass.examples;
    pass.loss += found.loss;
    const double h = std::max(0.0, found.violation);
    pass.violation += kind_ == Loss::kL2 ? h * h : h;
    pass.updates += dual_.move(i);
    dual_.end_visit();
    pass.updating.stop();
    return found.distance;
  }

  SmoOptions options_;
  Loss kind_;
  FactoredDual dual_;
  std::vector<Rest> rests_;
  std::vector<std::uint32_t> active_;
  Weights start_;      // weights to decode with in the first pass, if given
  double calm_ = 0.0;  // distance up to which an example is calm
  std::int64_t passes_ = 0;
};

}  // namespace

std::unique_ptr<Learner> make_smo(const Task& task, const SmoOptions& options, Workers& workers) {
  return std::make_unique<Smo>(task, options, workers);
}

}  // namespace hinge
