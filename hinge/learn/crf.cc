#include "hinge/learn/crf.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/marginal_task.h"
#include "hinge/learn/batch/expect_all.h"
#include "hinge/learn/batch/lbfgs.h"

namespace hinge {
namespace {

ObjectiveKind kind_of(const CrfOptions& options) {
  if (options.regularizer == "l2") return {.loss = Loss::kLog, .C = options.C, .l1 = options.l1};
  if (options.l1 > 0.0)
    fail<OptionError>(
        "crf: l1 is {} but regularizer is l1, which is |w|_1 alone; set C to weigh the loss against it, or "
        "use "
        "regularizer=l2 for both",
        options.l1);
  return {.loss = Loss::kLog, .C = options.C, .l2 = 0.0, .l1 = 1.0};
}

class Crf final : public Learner {
 public:
  Crf(const Task& task, const CrfOptions& options, Workers& workers)
      : task_(task),
        options_(options),
        kind_(kind_of(options)),
        workers_(workers),
        expecter_(task, workers),
        w_(task.dimension()) {
    w_.prefer_large_pages();
    clear_gradient();
    find_active();
    if (expecter_.shards().count() > 1) expecter_.keep_only(active_);
    begin_at(w_);
  }

  void run_pass(Pass& pass) override {
    const auto f = [&](std::span<const double> x, std::span<double> gradient) {
      return evaluate(x, gradient, pass);
    };
    const Lbfgs::Step step = lbfgs_->step(f);
    pass.updates = step == Lbfgs::Step::kMoved;
    if (is_cancelled(pass)) return;
    note_measures(pass);
    values_.push_back(lbfgs_->value());
    pass.converged = step != Lbfgs::Step::kMoved || is_level();
  }

  Weights model() const override {
    Weights w(task_.dimension());
    for (std::size_t k = 0; k < active_.size(); ++k) w[active_[k]] = static_cast<float>(lbfgs_->x()[k]);
    return w;
  }

  Weights take_model() override {
    lanes_ = {};
    scatter(lbfgs_->x());
    lbfgs_.reset();
    return std::move(w_);
  }

  ObjectiveKind objective() const override { return kind_; }
  void start_from(const Weights& w) override { begin_at(w); }
  void visit(State& state) override { state(*lbfgs_, values_); }

 private:
  // Updates and losses say nothing here: every pass takes one step, over all examples.
  void note_measures(Pass& pass) const {
    const auto x = lbfgs_->x();
    const auto zeros = std::ranges::count(x, 0.0);
    pass.measures = {{"objective", lbfgs_->value()},
                     {"gradient_norm", lbfgs_->gradient_norm()},
                     {"weight_norm", lbfgs_->x_norm()},
                     {"active_weights", static_cast<double>(x.size()) - static_cast<double>(zeros)}};
    if (!values_.empty() && values_.back() != 0.0)
      pass.measures.emplace_back("change", lbfgs_->value() / values_.back() - 1.0);
  }

  void find_active() {
    std::vector<bool> used(task_.dimension(), options_.unobserved);
    const auto& marginals = *find_extension<MarginalTask>(task_);
    const auto scratch = task_.make_scratch();
    std::vector<Block> blocks;
    const Shards& shards = expecter_.shards();
    for (std::size_t i = shards.first_example(); i < shards.last_example() && !options_.unobserved; ++i) {
      blocks.clear();
      marginals.gold_support(i, *scratch, blocks);
      for (const Block& block : blocks) {
        for (FeatureId id = block.first; id < block.first + block.count; ++id) used[id] = true;
      }
    }
    add_other_ranks(used);
    for (std::size_t id = 0; id < used.size(); ++id) {
      if (used[id]) active_.push_back(static_cast<FeatureId>(id));
    }
    active_.shrink_to_fit();
    for (std::size_t id = 0; id < used.size() + kStretch; id += kStretch) {
      const auto first = std::ranges::lower_bound(active_, id);
      stretch_begin_.push_back(static_cast<std::size_t>(first - active_.begin()));
    }
  }

  static void add_other_ranks(std::vector<bool>& used) {
    Communicator& communicator = this_communicator();
    if (communicator.size() == 1) return;
    Bytes bits((used.size() + 7) / 8);
    for (std::size_t id = 0; id < used.size(); ++id) {
      if (used[id]) bits[id / 8] |= std::byte{1} << (id % 8);
    }
    for (const Bytes& other : communicator.gather(bits)) {
      for (std::size_t id = 0; id < used.size(); ++id)
        used[id] = used[id] || (other[id / 8] >> (id % 8) & std::byte{1}) != std::byte{0};
    }
  }

  // By any rank: all take the same steps.
  static bool is_cancelled(const Pass& pass) { return any_rank(this_communicator(), pass.cancelled()); }

  void begin_at(const Weights& w) {
    std::vector<double> start;
    start.reserve(active_.size());
    for (const FeatureId id : active_) start.push_back(w[id]);
    lbfgs_.emplace(std::move(start),
                   LbfgsOptions{.memory = static_cast<int>(options_.memory), .l1 = kind_.l1}, workers_);
  }

  void clear_gradient() {
    for (Weights& lane : lanes_) {
      lane = Weights(task_.dimension());
      lane.prefer_large_pages();
    }
  }

  // Calls body(s, begin, end) in parallel for every stretch s of the weights, which
  // has the active weights [begin, end).
  template <typename Body>
  void each_stretch(const Body& body) {
    workers_.each(stretch_begin_.size() - 1,
                  [&](std::size_t s) { body(s, stretch_begin_[s], stretch_begin_[s + 1]); });
  }

  void scatter(std::span<const double> x) {
    each_stretch([&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) w_[active_[k]] = static_cast<float>(x[k]);
    });
  }

  // The gradient of all shards and of l2 / 2 |x|^2. Returns |x|^2.
  double collect_sum(std::span<const double> x, std::span<double> gradient) {
    norms_.resize(stretch_begin_.size() - 1);
    each_stretch([&](std::size_t s, std::size_t begin, std::size_t end) {
      norms_[s] = 0.0;
      for (std::size_t k = begin; k < end; ++k) {
        norms_[s] += x[k] * x[k];
        gradient[k] = kind_.l2 * x[k];
      }
    });
    expecter_.take_sum().each_line(gradient.size(), [&](std::size_t first, const float* values, auto count) {
      for (std::size_t k = 0; k < count; ++k) gradient[first + k] += options_.C * values[k];
    });
    return std::accumulate(norms_.begin(), norms_.end(), 0.0);
  }

  // Moves the gradient out of the lanes, adding that of l2 / 2 |x|^2, and zeroes
  // them while they are in the cache. Returns |x|^2.
  double collect(std::span<const double> x, std::span<double> gradient) {
    norms_.resize(stretch_begin_.size() - 1);
    each_stretch([&](std::size_t s, std::size_t begin, std::size_t end) {
      norms_[s] = 0.0;
      for (std::size_t k = begin; k < end; ++k) {
        norms_[s] += x[k] * x[k];
        gradient[k] = kind_.l2 * x[k] +
                      options_.C * (static_cast<double>(lanes_[0][active_[k]]) + lanes_[1][active_[k]]);
      }
      const std::size_t first = s * kStretch;
      for (Weights& lane : lanes_)
        std::ranges::fill(lane.span().subspan(first, std::min(kStretch, lane.size() - first)), 0.0f);
    });
    return std::accumulate(norms_.begin(), norms_.end(), 0.0);
  }

  // Infinite once cancelled: the step then ends at once, where it began.
  double evaluate(std::span<const double> x, std::span<double> gradient, Pass& pass) {
    if (is_cancelled(pass)) return std::numeric_limits<double>::infinity();
    pass.updating.start();
    scatter(x);
    pass.updating.stop();
    pass.decoding.start();
    AllExpecter::Sums sums;
    const auto stop = [&pass](std::size_t done) {
      pass.examples = static_cast<std::int64_t>(done);
      return pass.cancelled();
    };
    const bool done = expect_all(stop, sums);
    pass.decoding.stop();
    if (!done) {
      clear_gradient();
      return std::numeric_limits<double>::infinity();
    }
    pass.examples = static_cast<std::int64_t>(task_.size());
    pass.loss = sums.expected_loss;
    pass.violation = sums.log_loss;
    pass.updating.start();
    const double norm = expecter_.shards().count() > 1 ? collect_sum(x, gradient) : collect(x, gradient);
    pass.updating.stop();
    return 0.5 * kind_.l2 * norm + options_.C * sums.log_loss;
  }

  template <typename Stop>
  bool expect_all(const Stop& stop, AllExpecter::Sums& sums) {
    try {
      return expecter_.run(w_, /*loss_weight=*/0.0, stop, lanes_, sums);
    } catch (const Interrupted&) {
      return false;
    }
  }

  bool is_level() const {
    constexpr std::size_t kPeriod = 10;
    if (values_.size() <= kPeriod) return false;
    const double before = values_[values_.size() - 1 - kPeriod];
    return before - values_.back() < options_.tolerance * values_.back();
  }

  static constexpr std::size_t kStretch = 1 << 15;

  const Task& task_;
  CrfOptions options_;
  ObjectiveKind kind_;
  Workers& workers_;
  AllExpecter expecter_;
  std::vector<FeatureId> active_;  // the weights that are learned
  Weights w_;                      // as the task sees them
  std::array<Weights, 2> lanes_;   // their sum is the gradient
  std::optional<Lbfgs> lbfgs_;
  std::vector<std::size_t> stretch_begin_;  // into active_: the first at or after each multiple of kStretch
  std::vector<double> norms_;               // |x|^2 per stretch
  std::vector<double> values_;              // objective per iteration
};

}  // namespace

std::unique_ptr<Learner> make_crf(const Task& task, const CrfOptions& options, Workers& workers) {
  return std::make_unique<Crf>(task, options, workers);
}

}  // namespace hinge
