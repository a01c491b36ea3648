#include "hinge/pipeline/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "hinge/pipeline/record.h"

namespace hinge {
namespace {

// Measures for programs that read the log.
constexpr std::string_view kOnlyLogged[] = {"weight_norm", "active_weights"};

std::string stop_note(Stop stop) {
  if (stop == Stop::kNot || stop == Stop::kEpochs) return "";
  if (stop == Stop::kInterrupted) return "  interrupted: keeping the current model";
  return fmt::format("  stopped: {}", stop == Stop::kTime  ? "the time is up"
                                      : stop == Stop::kGap ? "the gap is small enough"
                                                           : stop_name(stop));
}

// A share of nothing, or of what is beyond any number, is not a number.
std::string percent_of(double part, double whole) {
  const double percent = part == 0.0 ? 0.0 : 100.0 * part / whole;
  return std::isfinite(percent) ? fmt::format("{:.2f} %", percent) : "of an objective without bound";
}

std::string measures_text(const EpochReport& r) {
  if (r.measures.empty()) return fmt::format("  updates {:6}  loss {:<10.0f}", r.updates, r.loss);
  std::string text;
  for (const auto& [name, value] : r.measures) {
    if (std::ranges::find(kOnlyLogged, name) != std::end(kOnlyLogged)) continue;
    std::string shown = name;
    std::ranges::replace(shown, '_', ' ');
    text += name == "change" ? fmt::format("  change {:+.3g} %", 100.0 * value)
                             : fmt::format("  {} {:.6g}", shown, value);
  }
  return text;
}

std::string objective_text(const EpochReport& r) {
  const bool measured = !r.measures.empty() && r.measures[0].first == "objective";
  if (!r.objective || (measured && !r.objective->gap())) return "";
  std::string text = fmt::format("  objective {:.4f}", r.objective->primal);
  if (const auto gap = r.objective->gap())
    text += fmt::format("  gap {:.2e} ({}{})", *gap, percent_of(*gap, r.objective->primal),
                        r.objective->estimate ? ", an estimate" : "");
  return text;
}

}  // namespace

std::string epoch_of(std::int64_t epoch, std::int64_t epochs) {
  return epochs < kNoLimit ? fmt::format("{}/{}", epoch, epochs) : fmt::format("{}", epoch);
}

std::string time_left(double seconds) {
  const long whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}s", whole);
}

std::string epoch_scores(const EpochReport& r, std::size_t main_scores,
                         const std::function<std::string(std::string)>& style) {
  std::string text = measures_text(r) + objective_text(r);
  for (std::size_t k = 0; k < std::min(r.dev.size(), main_scores); ++k) {
    const std::string score = fmt::format("{} {:.2f}", r.dev[k].first, r.dev[k].second);
    text += fmt::format("  {}{}", k == 0 ? "dev " : "", style ? style(score) : score);
  }
  return text;
}

std::string epoch_time(const EpochReport& r) {
  std::string text = fmt::format("  {:.2f} s", r.elapsed_seconds);
  if (r.stop == Stop::kNot && r.epochs < kNoLimit) {
    text += fmt::format("  ETA {}", time_left(r.elapsed_seconds / static_cast<double>(r.epoch) *
                                              static_cast<double>(r.epochs - r.epoch)));
  }
  return text + stop_note(r.stop);
}

}  // namespace hinge
