#include "hinge/learn/egd.h"

#include <algorithm>

#include "hinge/core/marginal_task.h"
#include "hinge/learn/batch/expect_all.h"
#include "hinge/learn/steps/averaging.h"

namespace hinge {
namespace {

class Egd final : public Learner {
 public:
  Egd(const Task& task, const EgdOptions& options)
      : task_(task),
        options_(options),
        scratch_(task.make_scratch()),
        w_(0, Averaging::kNone),
        theta_(task.size()),
        seen_(task.dimension()),
        sum_(task.dimension()) {
    start(Weights(task.dimension()), /*a=*/0.0);  // uniform distributions
  }

  void run_pass(Pass& pass) override {
    for (const std::uint32_t i : pass.order) {
      if (pass.cancelled()) return;
      step(i, pass);
    }
  }

  Weights model() const override { return w_.model(); }
  Weights take_model() override { return w_.take_model(); }
  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = options_.C}; }

  std::optional<double> dual() const override {
    double loss = 0.0;
    for (const Theta& theta : theta_) loss += theta.expected_loss;
    return options_.C * loss - 0.5 * squared_norm(w_.current());
  }

  void start_from(const Weights& w) override { start(w, /*a=*/1.0); }
  void visit(State& state) override {
    state(w_);
    state.fixed(theta_);
  }

 private:
  // log p(y) = a Delta(y) + u . Phi(y) up to a constant; u in the order of the
  // example's support, empty if zero.
  struct Theta {
    double a = 0.0;
    double eta = 0.0;
    double expected_loss = 0.0;
    std::vector<float> u;

    void visit(State& state) { state(a, eta, expected_loss, u); }
  };

  void start(const Weights& u, double a) {
    Weights w(task_.dimension());
    for (std::size_t i = 0; i < task_.size(); ++i) {
      marginals_.expect(i, u, a, *scratch_, now_);
      check_expectation(now_.log_loss, now_.expected_loss, i);
      now_.gradient.add_to(-options_.C, w);
      theta_[i] = {.a = a, .eta = options_.eta, .expected_loss = now_.expected_loss};
      if (a == 0.0) continue;
      distinct_support(task_, i, *scratch_, blocks_);
      each_weight([&](std::size_t, FeatureId id) { theta_[i].u.push_back(u[id]); });
    }
    w_ = AveragedWeights(task_.dimension(), options_.average ? Averaging::kUniform : Averaging::kNone);
    w_.start_from(w);
  }

  void step(std::size_t i, Pass& pass) {
    Theta& theta = theta_[i];
    distinct_support(task_, i, *scratch_, blocks_);
    std::size_t size = 0;
    for (const Block& block : blocks_) size += block.count;
    theta.u.resize(size, 0.0f);
    pass.decoding.start();
    expect(i, theta, /*eta=*/0.0, now_);
    pass.decoding.stop();
    constexpr int kTrials = 8;
    for (int trial = 0; trial < kTrials; ++trial, theta.eta /= 2.0) {
      pass.decoding.start();
      expect(i, theta, theta.eta, next_);
      pass.decoding.stop();
      pass.updating.start();
      const bool better = move_if_better(theta);
      pass.updating.stop();
      if (!better) continue;
      ++pass.updates;
      theta.eta *= trial == 0 ? 2.0 : 1.05;
      break;
    }
    ++pass.examples;
    pass.loss += theta.expected_loss;
    pass.violation += theta.expected_loss;
    w_.end_step();
  }

  // The expectation under theta + eta (Delta + w . Phi).
  void expect(std::size_t i, const Theta& theta, double eta, Expectation& expectation) {
    const Weights& w = w_.current();
    each_weight(
        [&](std::size_t k, FeatureId id) { seen_[id] = static_cast<float>(theta.u[k] + eta * w[id]); });
    marginals_.expect(i, seen_, theta.a + eta, *scratch_, expectation);
    check_expectation(expectation.log_loss, expectation.expected_loss, i);
  }

  bool move_if_better(Theta& theta) {
    now_.gradient.add_to(options_.C, sum_);
    next_.gradient.add_to(-options_.C, sum_);
    change_.clear();
    each_weight([&](std::size_t, FeatureId id) {
      if (sum_[id] != 0.0f) change_.add(id, sum_[id]);
      sum_[id] = 0.0f;
    });
    const Weights& w = w_.current();
    double norm = 0.0;
    for (const Entry& entry : change_.entries()) norm += double{entry.value} * entry.value;
    const double rise =
        options_.C * (next_.expected_loss - now_.expected_loss) - dot(w, change_) - 0.5 * norm;
    if (!(rise > 0.0)) return false;
    theta.a += theta.eta;
    each_weight([&](std::size_t k, FeatureId id) {
      theta.u[k] = static_cast<float>(theta.u[k] + theta.eta * w[id]);
    });
    theta.expected_loss = next_.expected_loss;
    w_.add(1.0, change_);
    return true;
  }

  template <typename Use>
  void each_weight(const Use& use) const {
    std::size_t k = 0;
    for (const Block& block : blocks_) {
      for (FeatureId id = block.first; id < block.first + block.count; ++id) use(k++, id);
    }
  }

  const Task& task_;
  const MarginalTask& marginals_ = *find_extension<MarginalTask>(task_);
  EgdOptions options_;
  std::unique_ptr<Scratch> scratch_;
  AveragedWeights w_;
  std::vector<Theta> theta_;  // [examples]
  Weights seen_;              // u of one example, indexed by weight
  Weights sum_;               // zero between steps
  Expectation now_, next_;
  SparseVector change_;
  std::vector<Block> blocks_;
};

class BatchEgd final : public Learner {
 public:
  BatchEgd(const Task& task, const EgdOptions& options, Workers& workers)
      : task_(task),
        options_(options),
        expecter_(task, workers),
        w_(task.dimension()),
        u_(task.dimension()),
        mean_(options.average ? task.dimension() : 0),
        eta_(options.eta) {}

  void run_pass(Pass& pass) override {
    if (!begun_ && !move_to(std::move(u_), a_, pass)) return;
    begun_ = true;
    constexpr int kTrials = 20;
    const double before = dual_value();
    for (int trial = 0; trial < kTrials; ++trial, eta_ /= 2.0) {
      Weights old_u = u_, old_w = w_;
      const double old_a = a_, old_loss = loss_;
      if (!move_to(ahead(), a_ + eta_, pass)) return;
      if (dual_value() > before) {
        ++pass.updates;
        eta_ *= trial == 0 ? 2.0 : 1.05;
        break;
      }
      u_ = std::move(old_u);
      w_ = std::move(old_w);
      a_ = old_a;
      loss_ = old_loss;
    }
    pass.converged = pass.updates == 0;
    pass.examples = static_cast<std::int64_t>(task_.size());
    pass.loss = pass.violation = loss_;
    passes_ += 1.0;
    for (std::size_t id = 0; id < mean_.size(); ++id)
      mean_[id] = static_cast<float>(mean_[id] + (w_[id] - mean_[id]) / passes_);
  }

  Weights model() const override { return options_.average ? mean_ : w_; }
  Weights take_model() override { return std::move(options_.average ? mean_ : w_); }
  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = options_.C}; }
  std::optional<double> dual() const override { return dual_value(); }

  void start_from(const Weights& w) override {
    u_ = w;
    a_ = 1.0;
  }
  void visit(State& state) override {
    state.fixed(w_, u_, mean_);
    state(a_, loss_, eta_, passes_, begun_);
  }

 private:
  double dual_value() const { return options_.C * loss_ - 0.5 * squared_norm(w_); }

  // u + eta w
  Weights ahead() const {
    Weights u = u_;
    for (std::size_t id = 0; id < u.size(); ++id) {
      if (w_[id] != 0.0f) u[id] = static_cast<float>(u[id] + eta_ * w_[id]);
    }
    return u;
  }

  // To the distributions exp(a Delta + u . Phi). False if cancelled.
  bool move_to(Weights u, double a, Pass& pass) {
    u_ = std::move(u);
    a_ = a;
    Weights gradient(task_.dimension());
    AllExpecter::Sums sums;
    pass.decoding.start();
    const auto stop = [&pass](std::size_t done) {
      pass.examples = static_cast<std::int64_t>(done);
      return pass.cancelled();
    };
    const bool done = expecter_.run(u_, a_, stop, std::span(&gradient, 1), sums);
    pass.decoding.stop();
    if (!done) return false;
    for (float& value : gradient.span()) {
      if (value != 0.0f) value = static_cast<float>(-options_.C * value);
    }
    w_ = std::move(gradient);
    loss_ = sums.expected_loss;
    return true;
  }

  const Task& task_;
  EgdOptions options_;
  AllExpecter expecter_;
  Weights w_;
  Weights u_;
  double a_ = 0.0;
  Weights mean_;       // of w over the passes, if averaged
  double loss_ = 0.0;  // sum_i E[Delta]
  double eta_;
  double passes_ = 0.0;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Learner> make_egd(const Task& task, const EgdOptions& options, Workers& workers) {
  if (shards_of(task).count() > 1) return std::make_unique<BatchEgd>(task, options, workers);
  return std::make_unique<Egd>(task, options);
}

}  // namespace hinge
