#include "hinge/learn/one_slack.h"

#include <algorithm>
#include <limits>

#include "hinge/learn/batch/decode_all.h"
#include "hinge/learn/dual/simplex_qp.h"
#include "hinge/learn/dual/working_set.h"

namespace hinge {
namespace {

constexpr float kInward = 0.3f;

class OneSlack final : public Learner {
 public:
  OneSlack(const Task& task, const OneSlackOptions& options, Workers& workers)
      : task_(task),
        options_(options),
        workers_(workers),
        all_(task, workers),
        w_(task.dimension()),
        best_(task.dimension()),
        sum_(task.dimension()),
        shard_sum_(all_.shards()) {}

  void run_pass(Pass& pass) override {
    for (float& value : sum_.span()) {  // only reads pages that stay zero
      if (value != 0.0f) value = 0.0f;
    }
    const bool decoded = all_.sum_pass(w_, pass, shard_sum_, sum_,
                                       [](const Cut& cut, Weights& sum) { axpy(1.0, cut.psi, sum); });
    if (!decoded) return;
    Member plane;
    plane.loss = pass.loss;
    pass.updating.start();
    const double value = 0.5 * squared_norm(w_) + options_.C * pass.violation;
    if (value < best_value_) {
      best_value_ = value;
      best_ = w_;
    }
    add_plane(plane);
    pass.updates = !plane.psi.empty();
    const double tolerance = options_.epsilon * static_cast<double>(task_.size());
    solve_dual(0.1 * std::clamp(beyond_, 1e-3 * tolerance, tolerance));
    drop_unused();
    beyond_ = (best_value_ - dual_value()) / options_.C;
    pass.converged = beyond_ <= tolerance;
    move_between();
    pass.updating.stop();
  }

  Weights model() const override { return best_; }
  Weights take_model() override { return std::move(best_); }
  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = options_.C}; }

  std::optional<double> dual() const override { return dual_value(); }

  void start_from(const Weights& w) override { w_ = best_ = w; }  // to find the first plane
  void visit(State& state) override {
    state.fixed(w_, best_);
    state(best_value_, beyond_, planes_, idle_, gram_);
    state.require(idle_.size() == planes_.size() && gram_.size() == planes_.size() * planes_.size());
  }

 private:
  double dual_value() const {
    const std::size_t n = planes_.size();
    double value = 0.0;
    for (std::size_t a = 0; a < n; ++a) {
      if (planes_[a].alpha == 0.0) continue;
      double along = 0.0;
      for (std::size_t b = 0; b < n; ++b) along += gram_[a * n + b] * planes_[b].alpha;
      value += planes_[a].alpha * (planes_[a].loss - 0.5 * along);
    }
    return value;
  }

  // The next point to decode at: kInward of the way from the best point seen to the
  // minimum of the planes, which jumps about while they are few.
  void move_between() {
    for (std::size_t id = 0; id < w_.size(); ++id) {
      const float kept = (1.0f - kInward) * best_[id];
      if (kept != w_[id]) w_[id] = kept;
    }
    for (const Member& plane : planes_) {
      if (plane.alpha > 0.0) axpy(kInward * plane.alpha, plane.psi, w_);
    }
  }

  void add_plane(Member& plane) {
    SparseVector psi;
    for (std::size_t id = 0; id < sum_.size(); ++id) {
      if (sum_[id] != 0.0f) psi.add(static_cast<FeatureId>(id), sum_[id]);
    }
    if (psi.empty()) return;
    plane.psi = PackedVector(psi);
    plane.curvature = plane.psi.squared_norm();
    const std::size_t n = planes_.size();
    std::vector<double> products(n);
    workers_.each(n, [&](std::size_t k) { products[k] = dot(sum_, planes_[k].psi); });
    std::vector<double> gram((n + 1) * (n + 1));
    for (std::size_t a = 0; a < n; ++a) {
      std::copy_n(gram_.begin() + static_cast<std::ptrdiff_t>(a * n), n,
                  gram.begin() + static_cast<std::ptrdiff_t>(a * (n + 1)));
      gram[a * (n + 1) + n] = gram[n * (n + 1) + a] = products[a];
    }
    gram.back() = plane.curvature;
    gram_ = std::move(gram);
    planes_.push_back(plane);
    idle_.push_back(0);
  }

  void solve_dual(double tolerance) {
    std::vector<double> loss, alpha;
    for (const Member& plane : planes_) {
      loss.push_back(plane.loss);
      alpha.push_back(plane.alpha);
    }
    constexpr int kSteps = 100000;
    solve({.gram = gram_, .linear = loss, .C = options_.C}, alpha, tolerance, kSteps);
    for (std::size_t k = 0; k < planes_.size(); ++k) {
      planes_[k].alpha = alpha[k];
      idle_[k] = alpha[k] > 0.0 ? 0 : idle_[k] + 1;
    }
  }

  void drop_unused() {
    const std::size_t n = planes_.size();
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < n; ++k) {
      if (idle_[k] < options_.keep_idle) kept.push_back(k);
    }
    if (kept.size() == n) return;
    std::vector<double> gram;
    for (const std::size_t a : kept) {
      for (const std::size_t b : kept) gram.push_back(gram_[a * n + b]);
    }
    gram_ = std::move(gram);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (kept[k] == k) continue;
      planes_[k] = std::move(planes_[kept[k]]);
      idle_[k] = idle_[kept[k]];
    }
    planes_.resize(kept.size());
    idle_.resize(kept.size());
  }

  const Task& task_;
  OneSlackOptions options_;
  Workers& workers_;
  AllDecoder all_;
  Weights w_;     // where the next plane is found
  Weights best_;  // the best point decoded at
  Weights sum_;   // of the cuts of a round
  ShardSum shard_sum_;
  double best_value_ = std::numeric_limits<double>::infinity();  // the objective there
  double beyond_ = std::numeric_limits<double>::infinity();      // by how much it exceeds the dual, / C
  std::vector<Member> planes_;
  std::vector<std::int64_t> idle_;  // [planes], rounds since alpha was above zero
  std::vector<double> gram_;        // [planes][planes]
};

}  // namespace

std::unique_ptr<Learner> make_one_slack(const Task& task, const OneSlackOptions& options, Workers& workers) {
  return std::make_unique<OneSlack>(task, options, workers);
}

}  // namespace hinge
