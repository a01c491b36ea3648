// `hinge train --search`: a grid of options, one training a point, the best
// model by dev score kept.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "cli/training.h"
#include "hinge/core/error.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/choice.h"
#include "hinge/pipeline/record.h"

namespace hinge::cli {
namespace {

struct Axis {
  std::string name;
  std::vector<std::string> values;
};

using Point = std::vector<std::pair<std::string, std::string>>;  // name, value

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
    fail<OptionError>("--search {}: a name and values were expected, as in C=0.1,1", text);
  return axis;
}

// All points, C rising fastest, so that each starts from the one before.
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

// The training set of the last point, kept while its options stay.
struct Loaded {
  std::string options;
  std::unique_ptr<TaskChoice> task;
  std::unique_ptr<TrainingSet> set;
  std::function<Scores(const Weights&)> dev;
};

void load(const TrainFlags& flags, std::unique_ptr<TaskChoice> task, Workers& workers, Loaded& loaded) {
  std::string options;
  for (const Option& option : task->options().options())
    options += option.name() + "=" + option.value() + "\n";
  if (loaded.set != nullptr && options == loaded.options) return;
  loaded.dev = nullptr;
  loaded.set.reset();
  loaded.task = std::move(task);
  loaded.options = options;
  loaded.set = load_set(flags, *loaded.task, workers);
  loaded.dev = score_dev(flags, *loaded.set, workers);
}

struct Outcome {
  Point point;
  double score;
  std::string metric;
  EpochReport report;  // of the epoch that was kept
};

class Search {
 public:
  explicit Search(const TrainFlags& flags)
      : flags_(flags), points_(points_of(flags.search)), workers_(thread_count(flags)) {
    if (flags.dev.empty())
      fail<OptionError>("--search keeps the best on a development set; give one with --dev");
    if (!flags.checkpoint.empty())
      fail<OptionError>("--search and --checkpoint do not go together; search first, then train the best");
    check_outputs_differ(flags);
    settings_of(flags, /*epochs=*/1);
    for (const Point& point : points_) configure(point);  // a bad value is told before the work
  }

  void run() {
    OutputFile model(flags_.output);
    std::optional<OutputFile> log;
    if (!flags_.log.empty()) log.emplace(flags_.log);
    for (std::size_t p = 0; p < points_.size() && !interrupted(); ++p) try_point(p, log);
    if (outcomes_.empty())
      fail<OptionError>("the search was interrupted before its first point; nothing is kept");
    model.write(best_bytes_);
    model.commit();
    if (log) log->commit();
    fmt::print("{}", table());
  }

 private:
  struct Configured {
    std::unique_ptr<TaskChoice> task;
    std::unique_ptr<LearnerChoice> learner;
  };

  Configured configure(const Point& point) const {
    SessionFlags flags = flags_;
    for (const auto& [name, value] : point) flags.parameters.push_back(name + "=" + value);
    Configured result{find_task(flags.task).choose(), choose_learner(find_task(flags.task), flags_.learner)};
    apply_options(flags, result.task->options(), result.learner->options());
    return result;
  }

  void try_point(std::size_t p, std::optional<OutputFile>& log) {
    const Point& point = points_[p];
    Configured configured = configure(point);
    load(flags_, std::move(configured.task), workers_, loaded_);
    const Task& task = loaded_.set->task();
    const auto learner = configured.learner->start(task, workers_);
    TrainSettings settings = settings_of(flags_, configured.learner->epochs());
    check_gap(settings, *learner, flags_.learner);
    begin(p, *learner);
    if (!flags_.quiet) fmt::print(stderr, "{} ({} of {})\n", text_of(point), p + 1, points_.size());
    settings.dev_scores = loaded_.dev;
    Console console(flags_.quiet, static_cast<std::int64_t>(task.size()), settings.epochs);
    const Loss loss = learner->objective().loss;
    TrainResult result = train(task, *learner, settings, workers_, console);
    const EpochReport& kept = result.history[result.chosen];
    for (const EpochReport& report : result.history) {
      Json search;
      for (const auto& [name, value] : point) search.set(name, value);
      const Json line = to_json(report, flags_.learner).set("search", search);
      if (log) log->write(line.dump() + "\n");
    }
    outcomes_.push_back({point, kept.dev.at(0).second, kept.dev[0].first, kept});
    if (best_bytes_.empty() || outcomes_.back().score > outcomes_[best_].score) {
      best_ = outcomes_.size() - 1;
      best_bytes_ =
          model_bytes(*loaded_.set, result.weights,
                      {loaded_.task->options(), configured.learner->options(), settings.seed, loss});
    }
    last_ = std::move(result.weights);
  }

  // From the model of the next smaller C, where there is one objective whose
  // optimum does not depend on where the search for it begins.
  void begin(std::size_t p, Learner& learner) {
    const bool sound = !flags_.cold && find_learner(flags_.learner).loss != "-";
    if (sound && p > 0 && differs_in_C_alone(points_[p - 1], points_[p]) && last_.size() > 0) {
      learner.start_from(last_);
    } else if (!flags_.init.empty()) {
      learner.start_from(initial_weights(flags_.init, flags_.task, *loaded_.set));
    }
  }

  std::string table() const {
    std::string text =
        fmt::format("| {} | dev {} | epoch | objective | train s | |\n|---|---|---|---|---|---|\n",
                    flags_.learner, outcomes_[0].metric);
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
  std::vector<Point> points_;
  Workers workers_;
  Loaded loaded_;
  Weights last_;  // of the point before
  std::vector<Outcome> outcomes_;
  std::size_t best_ = 0;
  std::string best_bytes_;
};

}  // namespace

void run_search(const TrainFlags& flags) {
  catch_interrupts();
  Search(flags).run();
}

}  // namespace hinge::cli
