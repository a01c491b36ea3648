#include "hinge/learn/extragradient.h"

#include <algorithm>

#include "hinge/learn/batch/expect_all.h"

namespace hinge {
namespace {

class Extragradient final : public Learner {
 public:
  Extragradient(const Task& task, const ExtragradientOptions& options, Workers& workers)
      : task_(task),
        options_(options),
        expecter_(task, workers),
        w_(task.dimension()),
        u_(task.dimension()),
        mean_(task.dimension()),
        eta_(options.eta) {}

  void run_pass(Pass& pass) override {
    Look here{.gradient = Weights(task_.dimension())};
    if (!look(u_, a_, pass, here)) return;
    Look ahead{.gradient = Weights(task_.dimension())};
    constexpr int kTrials = 20;
    for (int trial = 0; trial < kTrials; ++trial, eta_ /= 2.0) {
      ahead.gradient = Weights(task_.dimension());
      if (!look(plus(u_, eta_, w_), a_ + eta_, pass, ahead)) return;
      if (is_short_enough(here, ahead)) break;
    }
    pass.updating.start();
    const Weights w_ahead = prox(here.gradient);
    w_ = prox(ahead.gradient);
    u_ = plus(u_, eta_, w_ahead);
    a_ += eta_;
    eta_ *= 1.1;
    rounds_ += 1.0;
    add_to_mean(ahead);
    pass.updating.stop();
    pass.updates = squared_norm(w_) > 0.0;
    pass.examples = static_cast<std::int64_t>(task_.size());
    pass.loss = pass.violation = ahead.sums.expected_loss;
  }

  Weights model() const override { return mean_; }
  Weights take_model() override { return std::move(mean_); }
  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = options_.C}; }
  std::optional<double> dual() const override { return options_.C * mean_loss_ - 0.5 * squared_norm(mean_); }

  void start_from(const Weights& w) override {
    w_ = u_ = w;
    a_ = 1.0;
  }
  void visit(State& state) override {
    state.fixed(w_, u_, mean_);
    state(a_, mean_loss_, eta_, rounds_);
  }

 private:
  // Sums over the distributions exp(a Delta + u . Phi).
  struct Look {
    Weights gradient;  // sum_i E[Phi] - Phi(gold)
    AllExpecter::Sums sums;
  };

  bool look(const Weights& u, double a, Pass& pass, Look& look) {
    pass.decoding.start();
    look.sums = {};
    const auto stop = [&pass](std::size_t done) {
      pass.examples = static_cast<std::int64_t>(done);
      return pass.cancelled();
    };
    const bool done = expecter_.run(u, a, stop, std::span(&look.gradient, 1), look.sums);
    pass.decoding.stop();
    return done;
  }

  // The change of the gradient in w must be covered by the divergence between the
  // distributions, or the look ahead says nothing about the current point.
  bool is_short_enough(const Look& here, const Look& ahead) const {
    double change = 0.0;
    double score = 0.0;  // w . gradient ahead
    for (std::size_t id = 0; id < w_.size(); ++id) {
      const double d = double{ahead.gradient[id]} - here.gradient[id];
      change += d * d;
      score += double{w_[id]} * ahead.gradient[id];
    }
    // KL(ahead, here) summed over the examples; w . Phi(gold) cancels.
    const double divergence =
        eta_ * (ahead.sums.expected_loss + score) - (ahead.sums.log_loss - here.sums.log_loss);
    constexpr double kSafety = 0.9;
    return options_.tau * eta_ * options_.C * change <= 2.0 * kSafety * std::max(divergence, 0.0) + 1e-12;
  }

  // argmin_v  1/2 |v|^2 + C v . gradient + 1/(2 tau) |v - w|^2
  Weights prox(const Weights& gradient) const {
    Weights v(w_.size());
    for (std::size_t id = 0; id < v.size(); ++id) {
      const double value = (w_[id] - options_.tau * options_.C * gradient[id]) / (1.0 + options_.tau);
      if (value != 0.0) v[id] = static_cast<float>(value);
    }
    return v;
  }

  static Weights plus(const Weights& u, double scale, const Weights& w) {
    Weights sum(u.size());
    for (std::size_t id = 0; id < sum.size(); ++id) {
      const double value = u[id] + scale * w[id];
      if (value != 0.0) sum[id] = static_cast<float>(value);
    }
    return sum;
  }

  void add_to_mean(const Look& ahead) {
    const double share = 2.0 / (rounds_ + 1.0);
    for (std::size_t id = 0; id < mean_.size(); ++id) {
      const double value = mean_[id] + share * (-options_.C * ahead.gradient[id] - mean_[id]);
      if (value != mean_[id]) mean_[id] = static_cast<float>(value);
    }
    mean_loss_ += share * (ahead.sums.expected_loss - mean_loss_);
  }

  const Task& task_;
  ExtragradientOptions options_;
  AllExpecter expecter_;
  Weights w_;
  Weights u_;
  double a_ = 0.0;
  Weights mean_;            // w of the averaged distributions
  double mean_loss_ = 0.0;  // their E[Delta], all examples
  double eta_;
  double rounds_ = 0.0;
};

}  // namespace

std::unique_ptr<Learner> make_extragradient(const Task& task, const ExtragradientOptions& options,
                                            Workers& workers) {
  return std::make_unique<Extragradient>(task, options, workers);
}

}  // namespace hinge
