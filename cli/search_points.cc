#include "cli/search_points.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"
#include "hinge/pipeline/choice.h"

namespace hinge::cli {
namespace {

constexpr double kNumberFactor = 32.0;  // tried: the default, and up to this many times less or more
constexpr double kWholeFactor = 3.0;    // of epochs, which cost time

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
    fail<OptionError>("--search {}: expected a name and values, as in C=0.1,1, or auto", text);
  return axis;
}

const std::string* value_in(const Point& point, std::string_view name) {
  const auto found = std::ranges::find(point, name, &Point::value_type::first);
  return found == point.end() ? nullptr : &found->second;
}

// Without the options that this learner lacks but another one searched has.
Point suitable(const Point& point, const std::vector<std::string>& learners, const JobSettings& settings) {
  const std::string* learner = value_in(point, "learner");
  if (learner == nullptr) return point;
  const TaskRow& row = find_task(settings.task);
  const auto has = [&row](const std::string& name, const std::string& option) {
    return choose_learner(row, name)->options().has(option);
  };
  Point suitable;
  for (const auto& option : point) {
    const std::string& name = option.first;
    const bool elsewhere = std::ranges::any_of(learners, [&](const auto& other) { return has(other, name); });
    if (name == "learner" || has(*learner, name) || !elsewhere) suitable.push_back(option);
  }
  return suitable;
}

}  // namespace

bool is_random(const std::vector<std::string>& search) { return std::ranges::count(search, "auto") > 0; }

std::vector<Axis> parse_axes(const std::vector<std::string>& search) {
  std::vector<Axis> axes;
  for (const std::string& text : search) {
    if (text == "auto") continue;
    axes.push_back(parse_axis(text));
    const std::string& name = axes.back().name;
    if (std::ranges::count(axes, name, &Axis::name) > 1)
      fail<OptionError>("--search {}: {} is searched twice; give all its values at once", text, name);
  }
  return axes;
}

Job job_at(JobSettings settings, const TrainFlags& flags, const Point& point) {
  Point options;
  for (const auto& [name, value] : point) {
    if (name == "learner") {
      settings.learner = value;
    } else {
      options.emplace_back(name, value);
    }
  }
  return job_of(std::move(settings), flags, options);
}

std::vector<Point> grid_points(const std::vector<Axis>& given, const JobSettings& settings) {
  std::vector<Axis> axes = given;
  std::stable_partition(axes.begin(), axes.end(), [](const Axis& axis) { return axis.name != "C"; });
  std::vector<Point> points{{}};
  std::vector<std::string> learners;
  for (Axis& axis : axes) {
    if (axis.name == "C") std::ranges::stable_sort(axis.values, {}, number_or_zero);
    if (axis.name == "learner") learners = axis.values;
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().emplace_back(axis.name, value);
      }
    }
    points = std::move(longer);
  }
  std::vector<Point> different;
  for (const Point& point : points) {
    Point one = suitable(point, learners, settings);
    if (std::ranges::count(different, one) == 0) different.push_back(std::move(one));
  }
  return different;
}

RandomPoints::RandomPoints(std::vector<Axis> axes, const JobSettings& settings, const TrainFlags& flags)
    : axes_(std::move(axes)),
      settings_(settings),
      flags_(flags),
      random_(static_cast<std::uint64_t>(settings.seed)) {
  for (const Axis& axis : axes_) fixed_.insert(axis.name);
  for (const NamedValues& given : {flags.task.given(), flags.learner.given()}) {
    for (const auto& [name, value] : given) fixed_.insert(name);
  }
  for (const std::string& parameter : flags.parameters) fixed_.insert(split_parameter(parameter).first);
}

Point RandomPoints::next() {
  Point point;
  const bool first = std::exchange(first_, false);
  std::vector<std::string> learners;
  for (const Axis& axis : axes_) {
    point.emplace_back(axis.name, axis.values[first ? 0 : random_.below(axis.values.size())]);
    if (axis.name == "learner") learners = axis.values;
  }
  point = suitable(point, learners, settings_);
  if (first) return point;
  const std::string* learner = value_in(point, "learner");
  const TaskRow& row = find_task(settings_.task);
  draw(choose_learner(row, learner == nullptr ? settings_.learner : *learner)->options(), point);
  return point;
}

void RandomPoints::draw(const OptionTable& table, Point& point) {
  for (const Option& option : table.options()) {
    if (fixed_.count(option.name()) > 0) continue;
    std::string value = draw_value(option, random_);
    if (!value.empty()) point.emplace_back(option.name(), std::move(value));
  }
}

std::string draw_value(const Option& option, Random& random) {
  const bool epochs = option.name() == "epochs";
  if (!epochs && (option.expected() != "a number above 0" || option.is_optional())) return "";
  const double factor = epochs ? kWholeFactor : kNumberFactor;
  const double value = number_or_zero(option.value()) * std::pow(factor, 2.0 * random.uniform() - 1.0);
  // Three digits: nobody needs more, and they can be typed again.
  return epochs ? fmt::format("{:.0f}", std::max(1.0, value)) : fmt::format("{:.3g}", value);
}

std::string text_of(const Point& point) {
  constexpr std::size_t kLong = 200;  // longer values, such as nonsense, would fill the terminal
  std::string text;
  for (const auto& [name, value] : point)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                        without_controls(value.size() > kLong ? shown(value) : value));
  return text.empty() ? "the defaults" : text;
}

}  // namespace hinge::cli
