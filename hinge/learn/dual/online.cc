#include "hinge/learn/dual/online.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "hinge/learn/dual/dual_learner.h"
#include "hinge/learn/dual/rounds.h"
#include "hinge/learn/dual/sharded_sets.h"
#include "hinge/learn/steps/gather_state.h"

namespace hinge {
namespace {

bool has_members(std::span<const WorkingSet> sets) {
  return !std::ranges::all_of(sets, [](const WorkingSet& set) { return set.members().empty(); });
}

class Online final : public DualLearner {
 public:
  Online(const Task& task, const DualSettings& settings, std::int64_t inner_passes, Workers& workers)
      : DualLearner(task, workers, settings), inner_passes_(inner_passes) {}

  void run_pass(Pass& pass) override {
    pass.updating.start();
    begin_pass();
    if (has_members(sets())) {
      for (std::int64_t r = 0; r < inner_passes_ && !pass.cancelled(); ++r) sweep_all(pass);
    }
    pass.updating.stop();
    meet_all(pass);
  }

 private:
  std::int64_t inner_passes_;
};

class ShardedOnline final : public DualLearner, private ShardedDual {
 public:
  ShardedOnline(const Task& task, const DualSettings& settings, std::int64_t inner_passes, Workers& workers)
      : DualLearner(task, workers, settings),
        inner_passes_(inner_passes),
        shards_(shards_of(task)),
        everything_(all_examples(shards_)),
        rounds_(shards_, workers),
        steps_(workers, [] { return nullptr; }) {}

  void run_pass(Pass& pass) override {
    begin_pass();
    const bool sweeps = any_rank(this_communicator(), has_members(sets()));
    ShardedPass parts(pass, shards_);
    learn(sweeps && inner_passes_ > 0, parts);
    parts.add_up();
  }

  std::optional<double> dual() const override {
    std::vector<double> mine;
    for (std::size_t s = shards_.first(); s < shards_.last(); ++s)
      mine.push_back(dual_value(sets_of(s), /*squared_norm=*/0.0, settings().loss, settings().C));
    double value = -0.5 * squared_norm(weights_of_alpha());
    for (const double shard : gather_values(this_communicator(), std::span<const double>(mine)))
      value += shard;
    return value;
  }

  void visit(State& state) override {
    gather_to_first(shards_, sets());
    DualLearner::visit(state);
    state(sweeping_, meeting_);
    keep_own(shards_, sets());
  }

 protected:
  Weights weights_of_alpha() const override {
    ShardSum sum(shards_);
    for (std::size_t s = shards_.first(); s < shards_.last(); ++s) {
      Weights of_shard(task().dimension());
      add_weights(sets_of(s), of_shard);
      sum.add(of_shard);
    }
    Weights w(task().dimension());
    sum.finish(w);
    return w;
  }

 private:
  enum class Work { kSweep, kMeet };

  std::span<const WorkingSet> sets_of(std::size_t shard) const {
    return std::span(sets()).subspan(shards_.begin(shard), shards_.size(shard));
  }
  std::span<WorkingSet> sets_of(std::size_t shard) {
    return std::span(sets()).subspan(shards_.begin(shard), shards_.size(shard));
  }

  // A sweep finds no new rivals, so shards can do without news of the others for all sweeps. More
  // rounds would need fewer epochs, but each costs more than the sweeps themselves.
  void learn(bool sweeps, ShardedPass& parts) {
    constexpr std::int64_t kOneRound = std::numeric_limits<std::int64_t>::max();
    work_ = Work::kSweep;
    if (sweeps && !rounds_.run(*this, w(), sweeping_, everything_, kOneRound, parts)) return;
    work_ = Work::kMeet;
    rounds_.run(*this, w(), meeting_, parts.orders(), settings().round, parts);
  }

  // The examples of this rank's shards.
  static ShardOrders all_examples(const Shards& shards) {
    ShardOrders orders(shards.mine());
    for (std::size_t s = 0; s < orders.size(); ++s) {
      const std::size_t shard = shards.first() + s;
      orders[s].resize(shards.size(shard));
      std::iota(orders[s].begin(), orders[s].end(), static_cast<std::uint32_t>(shards.begin(shard)));
    }
    return orders;
  }

  void improve(std::span<const std::uint32_t> examples, double sigma, AveragedWeights& w,
               Pass& pass) override {
    for (const std::uint32_t i : examples) begin_round(sets()[i]);
    std::unique_ptr<DualSteps>& steps = steps_.local();
    if (steps == nullptr) steps = std::make_unique<DualSteps>(task(), settings(), w);
    steps->set_sigma(sigma);
    if (work_ == Work::kMeet) {
      for (const std::uint32_t i : examples) {
        if (pass.cancelled()) return;
        steps->meet(i, sets()[i], pass);
      }
      return;
    }
    constexpr std::size_t kAskEvery = 256;
    std::vector<std::uint32_t> order(examples.begin(), examples.end());
    for (std::int64_t r = 0; r < inner_passes_; ++r) {
      pass.random.shuffle(std::span(order));
      for (std::size_t k = 0; k < order.size(); ++k) {
        if (k % kAskEvery == 0 && pass.cancelled()) return;
        steps->sweep(sets()[order[k]], pass.random);
      }
    }
  }

  Ascent ascent(std::span<const std::uint32_t> examples) const override {
    return ascent_of(sets(), examples, settings().loss, settings().C);
  }

  void move(std::span<const std::uint32_t> examples, double step) override {
    for (const std::uint32_t i : examples) {
      end_round(sets()[i], step);
      if (settings().drop_idle) sets()[i].drop_idle();
    }
  }

  std::int64_t inner_passes_;
  Shards shards_;
  ShardOrders everything_;
  Rounds rounds_;
  Overlap sweeping_, meeting_;
  PerThread<std::unique_ptr<DualSteps>> steps_;
  Work work_ = Work::kMeet;  // of the current round
};

}  // namespace

std::unique_ptr<Learner> make_online_dual(const Task& task, const DualSettings& settings,
                                          std::int64_t inner_passes, Workers& workers) {
  if (shards_of(task).count() > 1)
    return std::make_unique<ShardedOnline>(task, settings, inner_passes, workers);
  return std::make_unique<Online>(task, settings, inner_passes, workers);
}

}  // namespace hinge
