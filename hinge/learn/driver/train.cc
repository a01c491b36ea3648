#include "hinge/learn/driver/train.h"

#include <chrono>
#include <cmath>
#include <numeric>

#include "hinge/core/context_task.h"
#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/shards.h"
#include "hinge/core/state_bytes.h"
#include "hinge/learn/driver/block_order.h"

namespace hinge {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void check_finite(const Weights& w) {
  for (std::size_t id = 0; id < w.size(); ++id) {
    if (!std::isfinite(w[id])) {
      fail<InputError>("weight {} became {} during training; scale the features, or lower C or the step size",
                       id, w[id]);
    }
  }
}

class Driver final : Watcher {
 public:
  Driver(const Task& task, Learner& learner, const TrainSettings& settings, Workers& workers,
         Observer& observer)
      : task_(task),
        learner_(learner),
        settings_(settings),
        workers_(workers),
        observer_(observer),
        shards_(shards_of(task)),
        random_(settings.seed),
        order_(shards_.last_example() - shards_.first_example()) {
    if (task.size() == 0) fail<InputError>("there are no training examples; check the training file");
    if (settings.patience && !settings.dev_scores)
      fail<OptionError>("stopping early needs a development set to score on; give one");
    check_gap();
    in_order();
  }

  TrainResult run() {
    if (settings_.resume != nullptr)
      resume();
    else
      start();
    bool fresh = false;  // weights_ are the learner's current model
    while (!is_over()) {
      EpochReport report = run_epoch();
      fresh = judge(report);
      report.elapsed_seconds = elapsed();
      history_.push_back(report);
      observer_.epoch_done(report);
      save_checkpoint();
    }
    if (settings_.patience) {
      weights_ = std::move(best_);
    } else if (!fresh) {
      weights_ = learner_.take_model();
    }
    check_finite(weights_);
    const auto chosen = settings_.patience ? best_epoch_ : static_cast<std::int64_t>(history_.size());
    return {std::move(weights_), std::move(history_), static_cast<std::size_t>(chosen - 1)};
  }

 private:
  bool interrupts(std::int64_t examples_done) override {
    if (observer_.interrupts(examples_done)) return interrupted_ = true;
    return is_out_of_time();
  }
  bool is_out_of_time() const { return settings_.time_budget && elapsed() >= *settings_.time_budget; }

  void check_gap() const {
    if (!settings_.stop_gap) return;
    if (!learner_.dual())
      fail<OptionError>("this learner has no dual and so no gap to stop at; use another, or stop by time");
    if (gap_is_estimate(task_))
      fail<OptionError>(
          "the gap is only an estimate for this task, so training cannot stop at it; stop by time or by a "
          "development score");
  }

  void in_order() {
    std::iota(order_.begin(), order_.end(), static_cast<std::uint32_t>(shards_.first_example()));
  }

  // Several shards are shuffled each by itself and from the start, so that what a shard
  // does, and what a checkpoint holds, does not depend on the ranks.
  void shuffle() {
    used_.clear();
    shuffle_shards();
    if (!used_.empty() && blocks()->expect) blocks()->expect(used_);
  }
  void shuffle_shards() {
    if (!has_shards()) return shuffle(order_, random_);
    in_order();
    for (std::size_t s = 0; s < shards_.count(); ++s) {
      Random of_shard(random_.bits());
      if (s < shards_.first() || s >= shards_.last()) continue;
      const std::size_t at = shards_.begin(s) - shards_.first_example();
      shuffle(std::span(order_).subspan(at, shards_.size(s)), of_shard);
    }
  }
  // A run of consecutive examples.
  void shuffle(std::span<std::uint32_t> examples, Random& random) {
    if (blocks() == nullptr)
      random.shuffle(examples);
    else
      shuffle_blocks(*blocks(), random, examples, used_);
  }
  // Null: all examples are in memory.
  const ExampleBlocks* blocks() const {
    const auto* stored = find_extension<BlockTask>(task_);
    return stored == nullptr || stored->blocks().empty() ? nullptr : &stored->blocks();
  }
  bool has_shards() const { return shards_.count() > 1; }

  void start() {
    if (settings_.started) return;
    Weights w(task_.dimension());
    Random random(settings_.seed);
    if (task_.initialize(random, w)) learner_.start_from(w);
  }

  double elapsed() const { return elapsed_before_ + seconds_since(begin_); }

  void resume() {
    settings_.resume->read([this](State& state) { visit(state); });
    if (history_.empty()) return;
    // Patience is new: the best epoch's weights were not kept, so the last epoch's
    // are used.
    if (settings_.patience && best_.size() == 0) {
      best_ = learner_.model();
      best_epoch_ = history_.back().epoch;
      best_score_ = history_.back().dev.empty() ? std::nullopt : std::optional(history_.back().dev[0].second);
    }
    if (!is_over()) history_.back().stop = Stop::kNot;
  }

  // A stop reason saved in a checkpoint may not hold under the current settings.
  bool is_over() const {
    if (history_.empty()) return false;
    const EpochReport& last = history_.back();
    switch (last.stop) {
      case Stop::kNot:
      case Stop::kEpochs:
        return last.epoch >= settings_.epochs;
      case Stop::kGap:
        return last.epoch >= settings_.epochs || is_close(last);
      case Stop::kNoBetter:
        return last.epoch >= settings_.epochs || is_no_better(last);
      default:
        return true;
    }
  }

  bool is_close(const EpochReport& report) const {
    return settings_.stop_gap && !report.objective->estimate &&
           *report.objective->gap() <= *settings_.stop_gap * report.objective->primal;
  }
  bool is_no_better(const EpochReport& report) const {
    return settings_.patience && report.epoch - best_epoch_ >= *settings_.patience;
  }

  EpochReport run_epoch() {
    const Clock::time_point begin = Clock::now();
    shuffle();
    Pass pass{.order = order_, .random = random_, .watcher = *this};
    const auto* context = find_extension<ContextTask>(task_);
    if (context != nullptr && !history_.empty()) context->context().see(learner_.model());
    run_pass(pass);
    const double seconds = seconds_since(begin);
    training_seconds_ += seconds;
    EpochReport report{.epoch = static_cast<std::int64_t>(history_.size()) + 1,
                       .epochs = settings_.epochs,
                       .examples = pass.examples,
                       .updates = pass.updates,
                       .loss = pass.loss,
                       .violation = pass.violation,
                       .decode_seconds = pass.decoding.seconds(),
                       .update_seconds = pass.updating.seconds(),
                       .epoch_seconds = seconds,
                       .training_seconds = training_seconds_,
                       .measures = std::move(pass.measures)};
    // By any rank; one may stop earlier in the pass than another.
    const bool cut_short = any_rank(this_communicator(), interrupted_ || pass.cancelled());
    interrupted_ = any_rank(this_communicator(), interrupted_);
    if (cut_short) {
      report.stop = interrupted_ ? Stop::kInterrupted : Stop::kTime;
    } else if (pass.converged) {
      report.stop = Stop::kConverged;
    } else if (report.epoch == settings_.epochs) {
      report.stop = Stop::kEpochs;
    }
    return report;
  }

  // Lets decodes be cancelled from within, on any thread.
  void run_pass(Pass& pass) {
    const auto* outer = detail::interrupt_check;
    const InterruptScope scope([this, outer] {
      if (observer_.wants_stop() || is_out_of_time()) throw Interrupted();
      if (outer != nullptr) (*outer)();
    });
    try {
      learner_.run_pass(pass);
    } catch (const Interrupted&) {
      interrupted_ = interrupted_ || observer_.wants_stop();
    }
  }

  // Computes objective and dev score, and decides whether they end training. True
  // if weights_ are of this epoch.
  bool judge(EpochReport& report) {
    const bool last = report.stop != Stop::kNot;
    const bool wanted = wants_objective(report);
    if (!last && !wanted && !settings_.dev_scores && !settings_.train_scores) return false;
    weights_ = Weights();  // keep only one model in memory
    const std::optional<double> dual = wanted ? learner_.dual() : std::nullopt;
    const bool take = last && !saves_now(report);
    weights_ = take ? learner_.take_model() : learner_.model();
    if (wanted) {
      measure(report, dual);
      if (!last && is_close(report)) report.stop = Stop::kGap;
    }
    if (settings_.train_scores) {
      for (const auto& [name, score] : settings_.train_scores(weights_))
        report.measures.emplace_back("train_" + name, score);
    }
    if (settings_.dev_scores) {
      report.dev = settings_.dev_scores(weights_);
      note_score(report);
      // The score made this the last epoch.
      if (!wanted && wants_objective(report)) measure(report, learner_.dual());
    }
    return true;
  }

  void measure(EpochReport& report, std::optional<double> dual) const {
    report.objective = measure_objective(task_, weights_, objective_kind(), workers_);
    report.objective->dual = dual;
  }

  void note_score(EpochReport& report) {
    report.best = !best_score_ || report.dev.at(0).second > *best_score_;
    if (report.best) {
      best_score_ = report.dev[0].second;
      best_epoch_ = report.epoch;
      if (settings_.patience) best_ = weights_;
    }
    if (report.stop == Stop::kNot && is_no_better(report)) report.stop = Stop::kNoBetter;
  }

  bool wants_objective(const EpochReport& report) const {
    const bool now = settings_.objective == ObjectiveWhen::kEveryEpoch || settings_.stop_gap ||
                     (settings_.objective == ObjectiveWhen::kEnd && report.stop != Stop::kNot);
    return now && objective_kind().C && !report.interrupted();
  }

  ObjectiveKind objective_kind() const {
    ObjectiveKind kind = learner_.objective();
    if (!kind.C) kind.C = settings_.referee_C;
    return kind;
  }

  // An interrupted pass cannot be resumed; the previous checkpoint can.
  bool saves_now(const EpochReport& report) const {
    const bool whole = report.stop != Stop::kInterrupted && report.stop != Stop::kTime;
    const bool due = report.epoch % settings_.checkpoint_every == 0 || report.stop != Stop::kNot;
    return !settings_.checkpoint.empty() && whole && due;
  }

  // All ranks visit the state, which may hold meetings; rank 0 writes it, afterwards,
  // so that no failure to write keeps it from a meeting.
  void save_checkpoint() {
    if (!saves_now(history_.back())) return;
    StateVisitor contents = [this](State& state) { visit(state); };
    StateToBytes copy;
    if (this_communicator().size() > 1) {
      contents(copy);
      if (this_communicator().rank() != 0) return;
      contents = [&copy](State& state) { copy.give_to(state); };
    }
    try {
      write_checkpoint(settings_.checkpoint, settings_.checkpoint_header, contents);
    } catch (const OutputError& error) {
      observer_.warn(fmt::format("no checkpoint after epoch {}: {}", history_.back().epoch, error.what()));
    }
  }

  void visit(State& state) {
    double elapsed_now = elapsed();
    state.set_dimension(task_.dimension());
    if (!has_shards()) state.fixed(order_);
    state(random_, history_, best_, best_score_, best_epoch_, training_seconds_, elapsed_now);
    elapsed_before_ = elapsed_now;
    begin_ = Clock::now();
    if (!has_shards()) state.require_below(order_, task_.size());
    state.require(best_.size() == 0 || best_.size() == task_.dimension());
    for (const EpochReport& report : history_) state.require(report.stop <= Stop::kConverged);
    learner_.visit(state);
  }

  const Task& task_;
  Learner& learner_;
  const TrainSettings& settings_;
  Workers& workers_;
  Observer& observer_;
  Shards shards_;
  Random random_;
  std::vector<std::uint32_t> order_;  // of this rank's examples
  std::vector<std::uint32_t> used_;   // blocks of this rank, in the order of their first use
  std::vector<EpochReport> history_;
  Weights weights_;
  Weights best_;  // with patience: weights of the best dev score
  std::optional<double> best_score_;
  std::int64_t best_epoch_ = 0;
  bool interrupted_ = false;
  Clock::time_point begin_ = Clock::now();
  double elapsed_before_ = 0.0;  // in the runs being resumed
  double training_seconds_ = 0.0;
};

}  // namespace

void EpochReport::visit(State& state) {
  state(epoch, epochs, examples, updates, loss, violation, decode_seconds, update_seconds, epoch_seconds,
        training_seconds, elapsed_seconds, objective, measures, dev, stop, best);
}

TrainResult train(const Task& task, Learner& learner, const TrainSettings& settings, Workers& workers,
                  Observer& observer) {
  return Driver(task, learner, settings, workers, observer).run();
}

}  // namespace hinge
