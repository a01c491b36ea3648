#include "hinge/learn/sgd.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/trimmed_task.h"
#include "hinge/learn/steps/batch_learner.h"
#include "hinge/learn/steps/gradient_bytes.h"

namespace hinge {
namespace {

// Weights w = s v that shrink by a change of s alone, and their average over the
// steps. With A_t = s_1 + ... + s_t the sum of w over the steps is A v - u, where u
// grows by A_(t-1) times each change of v (Bottou's averaged stochastic gradient):
// no pass over the vector unless s has become small.
class ScaledWeights {
 public:
  ScaledWeights(std::size_t dimension, bool average)
      : v_(dimension), u_(average ? dimension : 0), sum_(average ? dimension : 0) {}

  const Weights& unscaled() const { return v_; }
  double scale() const { return scale_; }

  void shrink(double factor) {
    scale_ *= factor;
    // Below this v and u grow large, and their differences lose digits.
    constexpr double kSmallest = 1e-2;
    if (scale_ < kSmallest) fold();
  }
  void add(double amount, const Gradient& psi) {
    axpy(amount / scale_, psi, v_);
    if (averages()) axpy(amount / scale_ * sum_of_scales_, psi, u_);
  }
  void end_step() {
    sum_of_scales_ += scale_;
    steps_ += 1.0;
  }

  Weights model() const {
    Weights w(v_.size());
    for (std::size_t id = 0; id < v_.size(); ++id) {
      const bool mean = averages() && steps_ > 0.0;
      const double value = mean ? (sum_[id] + recent_sum(id)) / steps_ : scale_ * v_[id];
      if (value != 0.0) w[id] = static_cast<float>(value);
    }
    return w;
  }

  void trim(const TrimmedTask& task) {
    fold();  // then v is w, and nothing of it is in the sum yet
    task.trim(v_);
  }

  void start_from(const Weights& w) { v_ = w; }
  void visit(State& state) {
    state.fixed(v_, u_, sum_);
    state(scale_, sum_of_scales_, steps_);
  }

 private:
  bool averages() const { return sum_.size() > 0; }
  double recent_sum(std::size_t id) const { return sum_of_scales_ * v_[id] - u_[id]; }

  void fold() {
    for (std::size_t id = 0; id < v_.size(); ++id) {
      if (v_[id] == 0.0f && (!averages() || u_[id] == 0.0f)) continue;
      if (averages()) {
        sum_[id] += recent_sum(id);
        u_[id] = 0.0f;
      }
      v_[id] = static_cast<float>(v_[id] * scale_);
    }
    sum_of_scales_ = 0.0;
    scale_ = 1.0;
  }

  Weights v_;
  Weights u_;
  ZeroedArray<double> sum_;     // of w over the steps before s was last reset to 1
  double scale_ = 1.0;          // s
  double sum_of_scales_ = 0.0;  // A, since then
  double steps_ = 0.0;
};

class Sgd final : public BatchLearner {
 public:
  Sgd(const Task& task, const SgdOptions& options, Workers& workers)
      : BatchLearner(task, options.batch, workers),
        options_(options),
        lambda_(1.0 / (options.C * static_cast<double>(std::max<std::size_t>(1, task.size())))),
        trimmed_(find_extension<TrimmedTask>(task)),
        eta0_(options.eta0),
        w_(task.dimension(), options.average),
        cuts_(most_in_batch()) {}

  void run_pass(Pass& pass) override {
    if (eta0_ == 0.0) {
      pass.updating.start();
      choose_eta0(pass);
      pass.updating.stop();
    }
    read_ = &w_;
    BatchLearner::run_pass(pass);
    if (trimmed_ != nullptr) w_.trim(*trimmed_);
  }

  Weights model() const override { return w_.model(); }
  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = options_.C}; }
  void start_from(const Weights& w) override { w_.start_from(w); }
  void visit(State& state) override { state(w_, eta0_, steps_); }

 protected:
  void prepare(std::span<const Block>) override { scale_ = w_.scale(); }

  // argmax [ s v . Phi + Delta ] = argmax [ v . Phi + Delta / s ]: the decoder reads v.
  void ask(std::size_t b, std::size_t example, Scratch& scratch) override {
    task().most_violated(example, read_->unscaled(), /*loss_weight=*/1.0 / read_->scale(), scratch, cuts_[b]);
  }

  void use(std::size_t b, std::size_t example, Pass& pass) override {
    const Cut& cut = cuts_[b];
    check_cut(cut, example);
    pass.loss += cut.loss;
    pass.violation += hinge_of(cut, scale_);
    pass.updates += !cut.psi.empty();
    step(cut, w_, eta0_, steps_);
    steps_ += 1.0;
  }

  void put(std::size_t b, std::size_t example, Bytes& out) override {
    check_cut(cuts_[b], example);
    put_cut(cuts_[b], out);
  }
  void take(std::size_t b, std::span<const std::byte>& in) override { take_cut(in, cuts_[b]); }

 private:
  // Of an example that was decoded under these weights when they had this scale.
  static double hinge_of(const Cut& cut, double scale) { return std::max(0.0, cut.loss - scale * cut.margin); }

  void step(const Cut& cut, ScaledWeights& w, double eta0, double t) const {
    const double eta = eta0 / std::pow(1.0 + eta0 * lambda_ * t, 0.75);
    w.shrink(std::max(0.0, 1.0 - eta * lambda_));
    if (!cut.psi.empty()) w.add(eta, cut.psi);
    w.end_step();
  }

  void choose_eta0(Pass& pass) {
    constexpr std::size_t kSample = 1000;
    std::vector<std::uint32_t> sample(std::min(kSample, task().size()));
    for (std::uint32_t& i : sample) i = static_cast<std::uint32_t>(pass.random.below(task().size()));
    const double least = 1.0 / 32 / static_cast<double>(batch());
    double lowest = 0.0;
    for (double eta0 = 0.5; eta0 >= least; eta0 /= 2.0) {
      ScaledWeights w(task().dimension(), /*average=*/false);
      read_ = &w;
      double t = 0.0;
      for (std::size_t begin = 0; begin < sample.size(); begin += batch()) {
        if (any_stops(pass)) return;
        ask_about(batch_of(sample, begin), [&](std::size_t b, std::size_t example) {
          check_cut(cuts_[b], example);
          step(cuts_[b], w, eta0, t);
          t += 1.0;
        });
      }
      const double value = objective_of(w, sample);
      if (eta0_ == 0.0 || value < lowest) {
        lowest = value;
        eta0_ = eta0;
      }
    }
  }

  std::span<const std::uint32_t> batch_of(std::span<const std::uint32_t> sample, std::size_t begin) const {
    return sample.subspan(begin, std::min(batch(), sample.size() - begin));
  }

  double objective_of(const ScaledWeights& w, std::span<const std::uint32_t> sample) {
    double hinge = 0.0;
    for (std::size_t begin = 0; begin < sample.size(); begin += batch()) {
      ask_about(batch_of(sample, begin), [&](std::size_t b, std::size_t example) {
        check_cut(cuts_[b], example);
        hinge += hinge_of(cuts_[b], w.scale());
      });
    }
    return 0.5 * lambda_ * task().squared_norm(w.model()) + hinge / static_cast<double>(sample.size());
  }

  SgdOptions options_;
  double lambda_;
  const TrimmedTask* trimmed_;  // or null
  double eta0_;
  double steps_ = 0.0;
  ScaledWeights w_;
  const ScaledWeights* read_ = nullptr;  // what to decode with
  double scale_ = 1.0;                   // of w_ when the batch was decoded
  std::vector<Cut> cuts_;                // [most_in_batch()]
};

}  // namespace

std::unique_ptr<Learner> make_sgd(const Task& task, const SgdOptions& options, Workers& workers) {
  return std::make_unique<Sgd>(task, options, workers);
}

}  // namespace hinge
