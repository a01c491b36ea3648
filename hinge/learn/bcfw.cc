#include "hinge/learn/bcfw.h"

#include <algorithm>
#include <optional>

#include "hinge/learn/dual/rounds.h"
#include "hinge/learn/steps/gather_state.h"

namespace hinge {
namespace {

class Bcfw : public Learner {
 public:
  Bcfw(const Task& task, const BcfwOptions& options)
      : task_(task),
        options_(options),
        w_(task.dimension(), averaging()),
        loss_(1, averaging()),
        shares_(task.size()),
        losses_(task.size()),
        here_(task) {}

  void run_pass(Pass& pass) override {
    begin_pass();
    for (const std::uint32_t i : pass.order) {
      if (pass.cancelled()) return;
      loss_.add(meet(i, /*sigma=*/1.0, w_, here_, pass), one_);
      w_.end_step();
      loss_.end_step();
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

 protected:
  // What a visit to an example needs, one per thread.
  struct Visit {
    explicit Visit(const Task& task) : scratch(task.make_scratch()) {}

    std::unique_ptr<Scratch> scratch;
    Cut cut;
    SparseVector away;  // w_i - w_s
  };

  void begin_pass() {
    constexpr std::int64_t kRefreshEvery = 16;  // passes; rounding makes w drift from sum w_i
    if (++passes_ % kRefreshEvery == 0) w_.start_from(sum_of_shares());
  }

  // Decodes example i and moves its share towards the corner found; w follows, sigma
  // times (learn/dual/rounds.h). Returns the change of l_i.
  double meet(std::size_t i, double sigma, AveragedWeights& w, Visit& visit, Pass& pass) {
    pass.decoding.start();
    const Weights& seen = start_.size() > 0 ? start_ : w.current();
    task_.most_violated(i, seen, /*loss_weight=*/1.0, *visit.scratch, visit.cut);
    pass.decoding.stop();
    check_cut(visit.cut, i);
    pass.updating.start();
    const double change = step(i, sigma, w, visit, pass);
    pass.updating.stop();
    return change;
  }

  virtual Weights sum_of_shares() const {
    Weights w(task_.dimension());
    for (const SparseVector& share : shares_) axpy(1.0, share, w);
    return w;
  }

 private:
  Averaging averaging() const { return options_.average ? Averaging::kLinear : Averaging::kNone; }

  // gamma = clip(((w_i - w_s) . w + l_s - l_i) / |w_i - w_s|^2, 0, 1), with the
  // corner w_s = C psi, l_s = C Delta.
  double step(std::size_t i, double sigma, AveragedWeights& w, Visit& visit, Pass& pass) {
    auto& [scratch, cut, away] = visit;
    ++pass.examples;
    pass.loss += cut.loss;
    pass.violation += std::max(0.0, cut.violation());
    cut.psi.merge();
    away.clear();
    away.append(shares_[i], 1.0f);
    away.append(to_sparse(cut.psi), static_cast<float>(-options_.C));
    away.merge();
    const double loss_away = losses_[i] - options_.C * cut.loss;
    const double gain = dot(w.current(), away) - loss_away;
    const double curvature = sigma * squared_norm(away);
    if (!(gain > 0.0 && curvature > 0.0)) return 0.0;
    ++pass.updates;
    const double gamma = std::min(1.0, gain / curvature);
    shares_[i].append(away, static_cast<float>(-gamma));
    shares_[i].merge();
    losses_[i] -= gamma * loss_away;
    w.add(-gamma * sigma, away);
    return -gamma * loss_away;
  }

  static SparseVector unit() {
    SparseVector one;
    one.add(0, 1.0f);
    return one;
  }

 protected:
  const Task& task_;
  BcfwOptions options_;
  AveragedWeights w_;
  AveragedWeights loss_;              // l = sum l_i, a single number
  std::vector<SparseVector> shares_;  // w_i
  std::vector<double> losses_;        // l_i
  Weights start_;                     // weights to decode with in the first pass, if given
  SparseVector one_ = unit();

 private:
  std::int64_t passes_ = 0;
  Visit here_;
};

// Every pass is rounds of distributed dual ascent (learn/dual/rounds.h), and averages
// are over rounds. All points between the shares before and after are feasible.
class ShardedBcfw final : public Bcfw, private ShardedDual {
 public:
  ShardedBcfw(const Task& task, const BcfwOptions& options, Workers& workers)
      : Bcfw(task, options),
        shards_(shards_of(task)),
        rounds_(shards_, workers),
        visits_(workers, [&task] { return Visit(task); }),
        before_(task.size()) {}

  void run_pass(Pass& pass) override {
    begin_pass();
    ShardedPass parts(pass, shards_);
    if (rounds_.run(*this, w_, overlap_, parts.orders(), options_.round, parts)) start_ = Weights();
    parts.add_up();
  }

  void visit(State& state) override {
    gather_to_first(shards_, shares_);
    gather_to_first(shards_, losses_);
    Bcfw::visit(state);
    state(overlap_);
    keep_own(shards_, shares_);
    keep_own(shards_, losses_);
  }

 protected:
  Weights sum_of_shares() const override {
    ShardSum sum(shards_);
    for (std::size_t s = shards_.first(); s < shards_.last(); ++s) {
      Weights of_shard(task_.dimension());
      for (std::size_t i = shards_.begin(s); i < shards_.end(s); ++i) axpy(1.0, shares_[i], of_shard);
      sum.add(of_shard);
    }
    Weights w(task_.dimension());
    sum.finish(w);
    return w;
  }

 private:
  struct Before {
    SparseVector share;
    double loss;
  };

  void improve(std::span<const std::uint32_t> examples, double sigma, AveragedWeights& w,
               Pass& pass) override {
    for (const std::uint32_t i : examples) before_[i].reset();
    for (const std::uint32_t i : examples) {
      if (pass.cancelled()) return;
      before_[i] = Before{shares_[i], losses_[i]};
      meet(i, sigma, w, visits_.local(), pass);
    }
  }

  Ascent ascent(std::span<const std::uint32_t> examples) const override {
    Ascent sum{.limit = 1.0};
    for (const std::uint32_t i : examples) {
      if (before_[i]) sum.linear += losses_[i] - before_[i]->loss;
    }
    return sum;
  }

  void move(std::span<const std::uint32_t> examples, double step) override {
    for (const std::uint32_t i : examples) {
      if (!before_[i] || step == 1.0) continue;
      SparseVector share;
      share.append(before_[i]->share, static_cast<float>(1.0 - step));
      share.append(shares_[i], static_cast<float>(step));
      share.merge();
      shares_[i] = std::move(share);
      losses_[i] = before_[i]->loss + step * (losses_[i] - before_[i]->loss);
    }
  }

  void ended(double change) override {
    loss_.add(change, one_);
    loss_.end_step();
  }

  Shards shards_;
  Rounds rounds_;
  Overlap overlap_;
  PerThread<Visit> visits_;
  std::vector<std::optional<Before>> before_;  // [examples], of this round
};

}  // namespace

std::unique_ptr<Learner> make_bcfw(const Task& task, const BcfwOptions& options, Workers& workers) {
  if (shards_of(task).count() > 1) return std::make_unique<ShardedBcfw>(task, options, workers);
  return std::make_unique<Bcfw>(task, options);
}

}  // namespace hinge
