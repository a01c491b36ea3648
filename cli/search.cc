// `hinge train --search`: a grid of options, one training per point; keeps the best
// model by dev score.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "cli/console.h"
#include "cli/streams.h"
#include "cli/train.h"
#include "hinge/core/error.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/record.h"

namespace hinge::cli {
namespace {

struct Axis {
  std::string name;
  std::vector<std::string> values;
};

using Point = NamedValues;

double number_or_zero(const std::string& text) {
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Axis parse_axis(const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  Axis axis{.name = text.substr(0, equals)};
  const std::string list = text.substr(std::min(equals + 1, text.size()));
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    axis.values.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  if (std::ranges::count(axis.values, "") > 0)
    fail<OptionError>("--search {}: expected a name and values, as in C=0.1,1", text);
  return axis;
}

// All points; C varies fastest and rises, so that each can start from the last.
std::vector<Point> points_of(const std::vector<std::string>& search) {
  std::vector<Axis> axes;
  for (const std::string& text : search) {
    axes.push_back(parse_axis(text));
    const std::string& name = axes.back().name;
    if (std::ranges::count(axes, name, &Axis::name) > 1)
      fail<OptionError>("--search {}: {} is searched twice; give all its values at once", text, name);
  }
  std::stable_partition(axes.begin(), axes.end(), [](const Axis& axis) { return axis.name != "C"; });
  std::vector<Point> points{{}};
  for (Axis& axis : axes) {
    if (axis.name == "C") std::ranges::stable_sort(axis.values, {}, number_or_zero);
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().emplace_back(axis.name, value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

std::string text_of(const Point& point) {
  std::string text;
  for (const auto& [name, value] : point)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

bool differs_in_C_alone(const Point& a, const Point& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x == y || x.first == "C"; });
}

// The data depends on the task options.
std::string data_options(const Job& job) { return values_of(job.task->options()).dump(); }

struct Outcome {
  Point point;
  double score;
  std::string metric;
  EpochReport report;  // of the kept epoch
};

class Search {
 public:
  Search(const JobSettings& settings, const TrainFlags& flags)
      : flags_(flags),
        settings_(settings),
        points_(points_of(flags.search)),
        workers_(settings_.thread_count()),
        console_(flags.quiet) {
    if (settings_.dev.empty())
      fail<OptionError>("--search chooses by the score on development data; give it with --dev");
    if (!settings_.checkpoint.empty())
      fail<OptionError>("--search and --checkpoint cannot be combined; search first, then train the best");
    // Reports bad values before any training.
    for (const Point& point : points_) {
      const Job job = job_of(settings, flags, point);
      settings_.learner = job.settings.learner;
      check_files(job, {.inputs = {{"--config", flags.config}}});
    }
  }

  void run() {
    OutputFile model(settings_.output);
    std::optional<OutputFile> log;
    if (!settings_.log.empty()) log.emplace(settings_.log);
    for (std::size_t p = 0; p < points_.size() && !interrupted(); ++p) try_point(p, log);
    if (outcomes_.empty())
      fail<OptionError>("the search was interrupted before its first point; nothing is kept");
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
  void try_point(std::size_t p, std::optional<OutputFile>& log) {
    const Point& point = points_[p];
    Job job = job_of(settings_, flags_, point);
    if (!data_ || data_options(job) != data_options_) {
      data_.reset();  // one training set at a time in memory
      data_.emplace(load(job, workers_, console_));
      data_options_ = data_options(job);
      last_.reset();
    }
    console_.say(fmt::format("{} ({} of {})", text_of(point), p + 1, points_.size()));
    Learned learned = learn(job, *data_, workers_, console_, is_warm(p, job) ? last_ : std::nullopt);
    const TrainResult& training = learned.training;
    for (const EpochReport& report : training.history) {
      Json search;
      for (const auto& [name, value] : point) search.set(name, value);
      if (log) log->write(to_json(report, job.settings.learner).set("search", search).dump() + "\n");
    }
    const EpochReport& kept = training.history[training.chosen];
    outcomes_.push_back({point, kept.dev.at(0).second, kept.dev[0].first, kept});
    if (best_bytes_.empty() || outcomes_.back().score > outcomes_[best_].score) {
      best_ = outcomes_.size() - 1;
      best_bytes_ = model_bytes(job, *data_, learned);
    }
    last_ = std::move(learned.training.weights);
  }

  // Starts from the model of the next smaller C if the learner has an objective:
  // its optimum does not depend on the starting point.
  bool is_warm(std::size_t p, const Job& job) const {
    const bool sound = !flags_.cold && find_learner(job.settings.learner).loss != "-";
    return sound && p > 0 && last_ && differs_in_C_alone(points_[p - 1], points_[p]);
  }

  std::string table() const {
    std::string text =
        fmt::format("| {} | dev {} | epoch | objective | train s | |\n|---|---|---|---|---|---|\n",
                    settings_.learner, outcomes_[0].metric);
    for (std::size_t k = 0; k < outcomes_.size(); ++k) {
      const Outcome& outcome = outcomes_[k];
      text += fmt::format(
          "| {} | {:.2f} | {} | {} | {:.2f} | {} |\n", text_of(outcome.point), outcome.score,
          outcome.report.epoch,
          outcome.report.objective ? fmt::format("{:.4f}", outcome.report.objective->primal) : "-",
          outcome.report.training_seconds, k == best_ ? "kept" : "");
    }
    return text;
  }

  const TrainFlags& flags_;
  JobSettings settings_;
  std::vector<Point> points_;
  Workers workers_;
  Console console_;
  std::optional<JobData> data_;
  std::string data_options_;     // at the time data_ was read
  std::optional<Weights> last_;  // of the previous point
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
