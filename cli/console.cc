#include "cli/console.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "cli/streams.h"
#include "hinge/pipeline/record.h"

namespace hinge::cli {
namespace {

std::atomic<bool> interrupt_flag{false};

void on_interrupt(int) {
  if (interrupt_flag.exchange(true)) _exit(130);
}

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

}  // namespace

std::string styled(Style style, const std::string& text, bool terminal) {
  static const bool wanted = [] {
    const char* no_color = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    return (no_color == nullptr || *no_color == 0) && (kind == nullptr || std::string_view(kind) != "dumb");
  }();
  if (!terminal || !wanted) return text;
  const int code = style == Style::kBold ? 1 : style == Style::kGreen ? 32 : 36;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string progress_bar(double share) {
  constexpr std::size_t kCells = 20;
  const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kCells);
  return "[" + std::string(full, '#') + std::string(kCells - full, '.') + "]";
}

std::string time_left(double seconds) {
  const long whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}s", whole);
}

void catch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const bool ignored = std::signal(signal, on_interrupt) == SIG_IGN;
    if (ignored && signal == SIGHUP) std::signal(signal, SIG_IGN);  // nohup
  }
}

bool interrupted() { return interrupt_flag.load(std::memory_order_relaxed); }

Console::Console(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

void Console::say(const std::string& line) {
  if (!quiet_) note("{}\n", line);
}

void Console::stage_begins(const StageInfo& stage) {
  stage_ = stage;
  epochs_done_ = 0;
  began_ = Clock::now();
}

bool Console::interrupts(std::int64_t examples_done) {
  constexpr std::int64_t kLookEvery = 64;
  if (terminal_ && !quiet_ && ++polls_ % kLookEvery == 0) show_bar(examples_done);
  return interrupted();
}

void Console::show_bar(std::int64_t examples_done) {
  constexpr std::chrono::milliseconds kShowEvery(100);
  const Clock::time_point now = Clock::now();
  if (now - shown_ < kShowEvery) return;
  shown_ = now;
  const double pass = static_cast<double>(examples_done) /
                      static_cast<double>(std::max<std::int64_t>(1, stage_.examples));
  const double passes = static_cast<double>(epochs_done_) + std::min(1.0, pass);
  const double left = std::chrono::duration<double>(now - began_).count() / std::max(passes, 1e-3) *
                      (static_cast<double>(stage_.epochs) - passes);
  note("\repoch {}/{} {} {:3.0f} %  ETA {}\x1b[K", epochs_done_ + 1, stage_.epochs,
       styled(Style::kCyan, progress_bar(pass), terminal_), 100.0 * std::min(1.0, pass), time_left(left));
}

// What a learner or task goes by, or else updates and the loss of the pass.
std::string Console::measures_text(const EpochReport& r) const {
  if (r.measures.empty()) return fmt::format("  updates {:6}  loss {:<10.0f}", r.updates, r.loss);
  std::string text;
  for (const auto& [name, value] : r.measures) {
    std::string shown = name;
    std::ranges::replace(shown, '_', ' ');
    text += name == "change" ? fmt::format("  change {:+.3g} %", 100.0 * value)
                             : fmt::format("  {} {:.6g}", shown, value);
  }
  return text;
}

void Console::epoch_done(const EpochReport& r) {
  epochs_done_ = r.epoch;
  if (quiet_) return;
  std::string line =
      fmt::format("{}epoch {}/{}{}", terminal_ ? "\r" : "", r.epoch, r.epochs, measures_text(r));
  const bool measured = !r.measures.empty() && r.measures[0].first == "objective";
  if (r.objective && (!measured || r.objective->gap())) {
    line += fmt::format("  objective {:.4f}", r.objective->primal);
    if (const auto gap = r.objective->gap())
      line += fmt::format("  gap {:.2e} ({}{})", *gap, percent_of(*gap, r.objective->primal),
                          r.objective->estimate ? ", an estimate" : "");
  }
  for (std::size_t k = 0; k < std::min(r.dev.size(), stage_.main_scores); ++k) {
    const std::string score = fmt::format("{} {:.2f}", r.dev[k].first, r.dev[k].second);
    line += fmt::format("  {}{}", k == 0 ? "dev " : "",
                        styled(r.best ? Style::kGreen : Style::kBold, score, terminal_));
  }
  line += fmt::format("  {:.2f} s", r.elapsed_seconds);
  if (r.stop == Stop::kNot) {
    line += fmt::format("  ETA {}", time_left(r.elapsed_seconds / static_cast<double>(r.epoch) *
                                              static_cast<double>(r.epochs - r.epoch)));
  }
  line += stop_note(r.stop);
  note("{}{}\n", line, terminal_ ? "\x1b[K" : "");
}

void Console::warn(const std::string& message) { note("hinge: warning: {}\n", message); }

}  // namespace hinge::cli
