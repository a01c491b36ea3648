#include "hinge/learn/train.h"

#include <chrono>
#include <cmath>
#include <numeric>

#include "hinge/core/error.h"

namespace hinge {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void check_finite(const Weights& w) {
  for (std::size_t id = 0; id < w.size(); ++id) {
    if (!std::isfinite(w[id])) {
      fail<InputError>("weight {} became {} during training; scale the features or lower C", id, w[id]);
    }
  }
}

class Driver {
 public:
  Driver(const Task& task, Learner& learner, const TrainSettings& settings, Workers& workers,
         Observer& observer)
      : task_(task),
        learner_(learner),
        settings_(settings),
        workers_(workers),
        observer_(observer),
        random_(settings.seed),
        order_(task.size()) {
    if (task.size() == 0) fail<InputError>("there are no training examples; check the training file");
    std::iota(order_.begin(), order_.end(), 0u);
  }

  TrainResult run() {
    TrainResult result;
    for (std::int64_t epoch = 1; epoch <= settings_.epochs; ++epoch) {
      EpochReport report = run_epoch(epoch);
      const bool last = report.cancelled || epoch == settings_.epochs;
      if (last || settings_.dev_scores || settings_.objective == ObjectiveWhen::kEveryEpoch) {
        result.weights = Weights();  // one model at a time in memory
        const std::optional<double> dual = wants_objective(last, report) ? learner_.dual() : std::nullopt;
        result.weights = last ? learner_.take_model() : learner_.model();
        if (wants_objective(last, report)) {
          report.objective = measure_objective(task_, result.weights, objective_kind(), workers_);
          report.objective->dual = dual;
        }
        if (settings_.dev_scores) report.dev = settings_.dev_scores(result.weights);
      }
      report.elapsed_seconds = seconds_since(begin_);
      result.history.push_back(report);
      observer_.epoch_done(report);
      if (last) break;
    }
    check_finite(result.weights);
    return result;
  }

 private:
  EpochReport run_epoch(std::int64_t epoch) {
    const Clock::time_point begin = Clock::now();
    random_.shuffle(std::span(order_));
    Pass pass{.order = order_, .random = random_, .watcher = observer_};
    learner_.run_pass(pass);
    const double seconds = seconds_since(begin);
    training_seconds_ += seconds;
    return {.epoch = epoch,
            .epochs = settings_.epochs,
            .examples = pass.examples,
            .updates = pass.updates,
            .loss = pass.loss,
            .violation = pass.violation,
            .decode_seconds = pass.decoding.seconds(),
            .update_seconds = pass.updating.seconds(),
            .epoch_seconds = seconds,
            .training_seconds = training_seconds_,
            .cancelled = pass.cancelled()};
  }

  bool wants_objective(bool last, const EpochReport& report) const {
    const bool now = settings_.objective == ObjectiveWhen::kEveryEpoch ||
                     (settings_.objective == ObjectiveWhen::kEnd && last);
    return now && objective_kind().C && !report.cancelled;
  }

  ObjectiveKind objective_kind() const {
    ObjectiveKind kind = learner_.objective();
    if (!kind.C) kind.C = settings_.referee_C;
    return kind;
  }

  const Task& task_;
  Learner& learner_;
  const TrainSettings& settings_;
  Workers& workers_;
  Observer& observer_;
  Random random_;
  std::vector<std::uint32_t> order_;
  Clock::time_point begin_ = Clock::now();
  double training_seconds_ = 0.0;
};

}  // namespace

TrainResult train(const Task& task, Learner& learner, const TrainSettings& settings, Workers& workers,
                  Observer& observer) {
  return Driver(task, learner, settings, workers, observer).run();
}

}  // namespace hinge
