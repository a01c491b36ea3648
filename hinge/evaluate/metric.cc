#include "hinge/evaluate/metric.h"

#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/evaluate/bleu.h"
#include "hinge/evaluate/chrf.h"
#include "hinge/evaluate/edit_rate.h"

namespace hinge {
namespace {

struct MetricRow {
  std::string_view name;
  std::unique_ptr<Metric> (*make)();
};

constexpr MetricRow kMetrics[] = {
    {"bleu", []() -> std::unique_ptr<Metric> { return std::make_unique<BleuMetric>(); }},
    {"chrf", []() -> std::unique_ptr<Metric> { return std::make_unique<ChrfMetric>(ChrfOptions{}); }},
    {"chrf++",
     []() -> std::unique_ptr<Metric> { return std::make_unique<ChrfMetric>(ChrfOptions{.word_order = 2}); }},
    {"ter", []() -> std::unique_ptr<Metric> { return std::make_unique<TerMetric>(); }},
    {"wer", []() -> std::unique_ptr<Metric> { return std::make_unique<WerMetric>(); }},
};

}  // namespace

void Metric::check_references(std::span<const Words> references) {
  if (!references.empty()) return;
  fail<InputError>("a sentence has no references; give at least one, which may be empty");
}

std::unique_ptr<Metric> make_metric(std::string_view name) {
  for (const MetricRow& row : kMetrics) {
    if (row.name == name) return row.make();
  }
  const std::vector<std::string_view> names = metric_names();
  const std::string_view near = nearest_name(name, names);
  if (!near.empty()) fail<OptionError>("there is no metric '{}'; did you mean '{}'?", name, near);
  fail<OptionError>("there is no metric '{}'; metrics are {}", name, join(names, ", "));
}

std::vector<std::string_view> metric_names() {
  std::vector<std::string_view> names;
  for (const MetricRow& row : kMetrics) names.push_back(row.name);
  return names;
}

}  // namespace hinge
