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

}  // namespace

std::unique_ptr<Learner> make_egd(const Task& task, const EgdOptions& options) {
  return std::make_unique<Egd>(task, options);
}

}  // namespace hinge
