#include "hinge/learn/mert.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hinge/core/error.h"

namespace hinge {
namespace {

constexpr std::size_t kMaxFeatures = 100;

class Mert final : public Learner {
 public:
  Mert(const Task& task, const MertOptions& options, Workers& workers)
      : options_(options),
        examples_(static_cast<std::int64_t>(task.size())),
        workers_(workers),
        scratches_(task, workers),
        search_(find_extension<LineTask>(task)->make_line_search()),
        best_(task.dimension()),
        best_cost_(search_->cost()),
        sum_(task.dimension()) {
    for (std::size_t id = 0; id < task.dimension(); ++id) {
      if (search_->spreads()[id] > 0.0) active_.push_back(static_cast<FeatureId>(id));
    }
  }

  void run_pass(Pass& pass) override {
    if (pass.cancelled()) return;
    if (!active_.empty()) ascend(pass);
    pass.examples = examples_;
    pass.loss = best_cost_;
    pass.converged = active_.empty();
    ++passes_;
  }

  Weights model() const override {
    if (!options_.average || ends_ == 0.0) return best_;
    Weights mean = best_;
    for (const FeatureId id : active_) mean[id] = static_cast<float>(sum_[id] / ends_);
    return rescale(mean) ? mean : best_;
  }
  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = std::nullopt}; }

  void start_from(const Weights& w) override {
    best_ = w;
    search_->move_to(w);
    best_cost_ = search_->cost();
    if (const double size = size_of(w); size > 0.0) size_ = size;
  }

  void visit(State& state) override {
    state.fixed(best_, sum_);
    state(best_cost_, size_, passes_, ends_);
  }

 private:
  void ascend(Pass& pass) {
    Weights w = start(pass.random);
    search_->move_to(w);
    while (!pass.cancelled() && step(w, pass)) ++pass.updates;
    for (const FeatureId id : active_) sum_[id] += w[id];
    ends_ += 1.0;
    // Even a cancelled ascent ends at a usable model; all-zero weights are not one.
    if (search_->cost() < best_cost_ || size_of(best_) == 0.0) {
      best_cost_ = search_->cost();
      best_ = std::move(w);
    }
  }

  // |w|_1. Outputs do not depend on it; it is kept at its initial value, or 1, so
  // that it cannot drift out of float range or surprise a decoder that uses the
  // weights.
  double size_of(const Weights& w) const {
    double sum = 0.0;
    for (const FeatureId id : active_) sum += std::abs(static_cast<double>(w[id]));
    return sum;
  }

  bool rescale(Weights& w) const {
    const double size = size_of(w);
    if (!(size > 0.0) || !std::isfinite(size)) return false;
    for (const FeatureId id : active_) w[id] = static_cast<float>(w[id] * (size_ / size));
    return true;
  }

  // Adds noise that has the same effect on scores for every feature.
  Weights start(Random& random) const {
    Weights w = best_;
    const double size = size_of(w);
    if (passes_ == 0 && size > 0.0) return w;
    double reach = 0.0;  // the mean of |w_j| times the spread of feature j
    for (const FeatureId id : active_)
      reach +=
          std::abs(static_cast<double>(w[id])) * search_->spreads()[id] / static_cast<double>(active_.size());
    const double range = size > 0.0 ? options_.range * reach : 1.0;
    constexpr int kTries = 10;
    for (int k = 0; k < kTries; ++k) {
      for (const FeatureId id : active_)
        w[id] = static_cast<float>(best_[id] + range * symmetric(id, random));
      if (rescale(w)) return w;
    }
    return best_;  // features too small for float weights
  }

  double symmetric(FeatureId id, Random& random) const {
    return (2.0 * random.uniform() - 1.0) / search_->spreads()[id];
  }

  // Moves to the best point in any direction; false if none gains.
  bool step(Weights& w, Pass& pass) {
    draw_directions(pass.random);
    pass.decoding.start();
    workers_.each(directions_.size(), [&](std::size_t k) {
      points_[k] = search_->best_on_line(directions_[k], scratches_.local());
    });
    pass.decoding.stop();
    pass.updating.start();
    const bool moved = move(w);
    pass.updating.stop();
    return moved;
  }

  void draw_directions(Random& random) {
    directions_.resize(active_.size() + static_cast<std::size_t>(options_.directions));
    points_.resize(directions_.size());
    for (std::size_t k = 0; k < directions_.size(); ++k) {
      directions_[k].clear();
      if (k < active_.size()) {
        directions_[k].add(active_[k], 1.0f);
      } else {
        for (const FeatureId id : active_) directions_[k].add(id, static_cast<float>(symmetric(id, random)));
        directions_[k].merge();
      }
    }
  }

  // Rounding to floats may miss a narrow interval; then the next best is tried.
  bool move(Weights& w) {
    const double before = search_->cost();
    const double wanted = before - options_.tolerance * std::abs(before);
    order_.resize(points_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [this](std::size_t k) { return points_[k].cost; });
    for (const std::size_t k : order_) {
      if (points_[k].cost >= before || points_[k].cost > wanted) break;
      Weights next = w;
      axpy(points_[k].step, directions_[k], next);
      if (!rescale(next)) continue;
      search_->move_to(next);
      if (search_->cost() < before && search_->cost() <= wanted) {
        w = std::move(next);
        return true;
      }
    }
    search_->move_to(w);
    return false;
  }

  MertOptions options_;
  std::int64_t examples_;
  Workers& workers_;
  ScratchPool scratches_;
  std::unique_ptr<LineSearch> search_;
  std::vector<FeatureId> active_;  // features that make a difference
  Weights best_;
  double best_cost_;
  std::vector<double> sum_;  // of the end points of ascents
  double ends_ = 0.0;
  double size_ = 1.0;
  std::int64_t passes_ = 0;

  std::vector<SparseVector> directions_;
  std::vector<LinePoint> points_;   // [directions], the best on each
  std::vector<std::size_t> order_;  // of directions, by falling gain
};

}  // namespace

std::unique_ptr<Learner> make_mert(const Task& task, const MertOptions& options, Workers& workers) {
  if (task.dimension() > kMaxFeatures)
    fail<OptionError>("mert: there are {} features, but it handles at most {}; use mira", task.dimension(),
                      kMaxFeatures);
  return std::make_unique<Mert>(task, options, workers);
}

}  // namespace hinge
