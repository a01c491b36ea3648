// `hinge train --search`: one training per point of a grid, or per random point
// until a time is over; keeps the best model by dev score or cross-validation.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "cli/console.h"
#include "cli/search_points.h"
#include "cli/streams.h"
#include "cli/train.h"
#include "hinge/core/communicator.h"
#include "hinge/core/error.h"
#include "hinge/evaluate/means.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/folds.h"
#include "hinge/pipeline/record.h"

namespace hinge::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLeastSeconds = 0.01;

bool differs_in_C_alone(const Point& a, const Point& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x == y || x.first == "C"; });
}

// The data depends on the task options.
std::string data_options(const Job& job) { return values_of(job.task->options()).dump(); }

struct Outcome {
  Point point;
  double score;
  std::string metric;
  std::optional<double> error;        // with folds: the standard error of the score
  std::optional<EpochReport> report;  // of the kept epoch, without folds
};

class Search {
 public:
  Search(const JobSettings& settings, const TrainFlags& flags)
      : flags_(flags),
        settings_(settings),
        axes_(parse_axes(flags.search)),
        workers_(settings_.thread_count()),
        console_(flags.quiet) {
    check();
    if (is_random(flags.search)) {
      budget_ = settings_.time_budget;
      random_.emplace(axes_, settings_, flags);
    } else {
      points_ = grid_points(axes_, settings_);
    }
  }

  void run() {
    OutputFile model(settings_.output);
    std::optional<OutputFile> log;
    if (!settings_.log.empty()) log.emplace(settings_.log);
    if (flags_.folds > 0) {
      const Job job = job_at(settings_, flags_, {});
      folds_.emplace(*job.task, settings_.train, flags_.folds, static_cast<std::uint64_t>(settings_.seed));
    }
    for (std::size_t p = 0; wants(p); ++p) try_point(p, random_ ? random_->next() : points_[p], log);
    if (outcomes_.empty())
      fail<OptionError>("the search was interrupted before its first point; nothing is kept");
    if (folds_) train_best();
    model.write(best_bytes_);
    commit_together(model, log);
    // Not into the model.
    if (is_standard_output(settings_.output)) {
      note(table());
    } else {
      print(table());
    }
  }

 private:
  // Reports bad values before any training.
  void check() {
    if (settings_.dev.empty() && flags_.folds == 0)
      fail<OptionError>("--search chooses by the score on development data; give it with --dev, or --folds");
    if (!settings_.checkpoint.empty())
      fail<OptionError>("--search and --checkpoint cannot be combined; search first, then train the best");
    if (is_random(flags_.search) && !settings_.time_budget)
      fail<OptionError>("--search auto goes on until a time is over; give --time-budget SECONDS");
    for (const Point& point : grid_points(axes_, settings_))
      check_files(job_at(settings_, flags_, point), {.inputs = {{"--config", flags_.config}}});
    settings_.learner = job_at(settings_, flags_, {}).settings.learner;
  }

  double seconds_left() const {
    return *budget_ - std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  bool wants(std::size_t p) const {
    if (interrupted()) return false;
    return random_ ? p == 0 || seconds_left() > 0.0 : p < points_.size();
  }

  Job job_of_point(const Point& point) const {
    Job job = job_at(settings_, flags_, point);
    if (budget_) job.settings.time_budget = std::max(kLeastSeconds, seconds_left());
    return job;
  }

  void try_point(std::size_t p, const Point& point, std::optional<OutputFile>& log) {
    console_.say(text_of(point) + (random_ ? fmt::format(" (trial {})", p + 1)
                                           : fmt::format(" ({} of {})", p + 1, points_.size())));
    const bool tried = folds_ ? try_folds(point) : try_dev(point, log);
    if (!tried) return;
    const Outcome& last = outcomes_.back();
    if (outcomes_.size() > 1 && last.score > outcomes_[best_].score) best_ = outcomes_.size() - 1;
    if (random_)
      console_.say(fmt::format("trial {}: {} {:.2f}; best so far {:.2f} with {}", p + 1, last.metric,
                               last.score, outcomes_[best_].score, text_of(outcomes_[best_].point)));
  }

  // A point whose folds were not all learned says nothing.
  bool try_folds(const Point& point) {
    const std::vector<Scores> scores =
        cross_validate([&] { return job_of_point(point); }, *folds_, workers_, console_);
    if (scores.size() < folds_->size()) return false;
    if (random_ && !outcomes_.empty() && seconds_left() <= 0.0) return false;
    std::vector<double> first;
    for (const Scores& of_fold : scores) first.push_back(of_fold.at(0).second);
    const Mean mean = mean_of(first);
    outcomes_.push_back({point, mean.mean, scores[0][0].first, mean.standard_error, std::nullopt});
    return true;
  }

  bool try_dev(const Point& point, std::optional<OutputFile>& log) {
    Job job = job_of_point(point);
    if (!data_ || data_options(job) != data_options_) {
      data_.reset();  // one training set at a time in memory
      data_.emplace(load(job, workers_, console_));
      data_options_ = data_options(job);
      last_.reset();
    }
    Learned learned = learn(job, *data_, workers_, console_, is_warm(point, job) ? last_ : std::nullopt);
    const TrainResult& training = learned.training;
    for (const EpochReport& report : training.history) {
      Json search;
      for (const auto& [name, value] : point) search.set(name, value);
      if (log) log->write(to_json(report, job.settings.learner).set("search", search).dump() + "\n");
    }
    const EpochReport& kept = training.history[training.chosen];
    const bool better = outcomes_.empty() || kept.dev.at(0).second > outcomes_[best_].score;
    outcomes_.push_back({point, kept.dev[0].second, kept.dev[0].first, std::nullopt, kept});
    if (better) best_bytes_ = bytes_of(job, *data_, learned);
    last_ = std::move(learned.training.weights);
    last_point_ = point;
    return true;
  }

  void train_best() {
    console_.say("training on all data with " + text_of(outcomes_[best_].point));
    Job job = job_at(settings_, flags_, outcomes_[best_].point);
    if (budget_) job.settings.time_budget.reset();
    const JobData data = load(job, workers_, console_);
    best_bytes_ = bytes_of(job, data, learn(job, data, workers_, console_));
  }

  // Only rank 0 has the names of all features, and writes.
  static std::string bytes_of(const Job& job, const JobData& data, const Learned& learned) {
    return this_communicator().rank() == 0 ? model_bytes(job, data, learned) : "";
  }

  // Starts from the model of the next smaller C if the learner has an objective:
  // its optimum does not depend on the starting point.
  bool is_warm(const Point& point, const Job& job) const {
    const bool sound = !flags_.cold && !random_ && find_learner(job.settings.learner).loss != "-";
    return sound && last_ && differs_in_C_alone(last_point_, point);
  }

  std::string table() const {
    const bool learners = std::ranges::count(axes_, "learner", &Axis::name) > 0;
    std::string text =
        fmt::format("| {} | {} {} | epoch | objective | train s | |\n|---|---|---|---|---|---|\n",
                    learners ? "options" : settings_.learner, folds_ ? "mean" : "dev", outcomes_[0].metric);
    for (std::size_t k = 0; k < outcomes_.size(); ++k) {
      const Outcome& outcome = outcomes_[k];
      const std::optional<EpochReport>& report = outcome.report;
      text += fmt::format(
          "| {} | {:.2f}{} | {} | {} | {} | {} |\n", text_of(outcome.point), outcome.score,
          outcome.error ? fmt::format(" ± {:.2f}", *outcome.error) : "",
          report ? fmt::format("{}", report->epoch) : "-",
          report && report->objective ? fmt::format("{:.4f}", report->objective->primal) : "-",
          report ? fmt::format("{:.2f}", report->training_seconds) : "-", k == best_ ? "kept" : "");
    }
    return text;
  }

  const TrainFlags& flags_;
  JobSettings settings_;
  std::vector<Axis> axes_;
  std::vector<Point> points_;           // of a grid
  std::optional<RandomPoints> random_;  // or points without end
  std::optional<double> budget_;        // seconds in all
  Clock::time_point begin_ = Clock::now();
  std::optional<Folds> folds_;
  Workers workers_;
  Console console_;
  std::optional<JobData> data_;
  std::string data_options_;     // at the time data_ was read
  std::optional<Weights> last_;  // of the previous point
  Point last_point_;
  std::vector<Outcome> outcomes_;
  std::size_t best_ = 0;
  std::string best_bytes_;
};

}  // namespace

void run_search(const JobSettings& settings, const TrainFlags& flags) {
  catch_interrupts();
  Search(settings, flags).run();
}

}  // namespace hinge::cli
