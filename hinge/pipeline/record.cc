#include "hinge/pipeline/record.h"

#include <filesystem>

#include "hinge/core/join.h"

namespace hinge {

namespace {

std::string simplest(const std::string& paths) {
  std::vector<std::string> all = split_list(paths);
  for (std::string& path : all) path = std::filesystem::path(path).lexically_normal().string();
  return join(all, ",");
}

}  // namespace

Json values_of(const OptionTable& table) {
  Json values;
  for (const Option& option : table.options()) {
    if (option.is_recorded())
      values.set(option.name(), option.has(Trait::kInput) ? simplest(option.value()) : option.value());
  }
  return values;
}

void restore_values(OptionTable& table, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [name, value] : values) table.restore(name, value);
}

std::string_view stop_name(Stop stop) {
  switch (stop) {
    case Stop::kNot:
      return "";
    case Stop::kEpochs:
      return "epochs";
    case Stop::kInterrupted:
      return "interrupted";
    case Stop::kTime:
      return "time";
    case Stop::kGap:
      return "gap";
    case Stop::kNoBetter:
      return "no better dev score";
    case Stop::kConverged:
      return "converged";
  }
  return "";
}

Json to_json(const EpochReport& r, std::string_view learner) {
  Json line;
  line.set("learner", learner)
      .set("epoch", r.epoch)
      .set("updates", r.updates)
      .set("loss", r.loss)
      .set("violation", r.violation)
      .set("decode_seconds", r.decode_seconds)
      .set("update_seconds", r.update_seconds)
      .set("epoch_seconds", r.epoch_seconds)
      .set("training_seconds", r.training_seconds)
      .set("elapsed_seconds", r.elapsed_seconds);
  if (r.objective) {
    line.set("primal", r.objective->primal);
    if (r.objective->dual) line.set("dual", *r.objective->dual);
    if (const auto gap = r.objective->gap()) line.set("gap", *gap);
    line.set("gap_is_estimate", r.objective->estimate);
  }
  for (const auto& [name, value] : r.measures) line.set(name, value);
  for (const auto& [name, value] : r.dev) line.set("dev_" + name, value);
  if (r.stop != Stop::kNot) line.set("stop", stop_name(r.stop));
  return line;
}

std::string to_json_line(const EpochReport& report, std::string_view learner) {
  return to_json(report, learner).dump() + "\n";
}

}  // namespace hinge
