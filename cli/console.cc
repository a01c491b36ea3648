#include "cli/console.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>

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

void Console::stage_begins(Stage, std::int64_t examples, std::int64_t epochs) {
  examples_ = examples;
  epochs_ = epochs;
  epochs_done_ = 0;
}

bool Console::interrupts(std::int64_t examples_done) {
  constexpr std::int64_t kShowEvery = 256;
  if (terminal_ && !quiet_ && ++polls_ % kShowEvery == 0) {
    const double done =
        static_cast<double>(examples_done) / static_cast<double>(std::max<std::int64_t>(1, examples_));
    note("\repoch {}/{} {:3.0f} % ", epochs_done_ + 1, epochs_, 100.0 * done);
  }
  return interrupted();
}

void Console::epoch_done(const EpochReport& r) {
  epochs_done_ = r.epoch;
  if (quiet_) return;
  std::string line = fmt::format("{}epoch {}/{}  updates {:6}  loss {:<10.0f}", terminal_ ? "\r" : "",
                                 r.epoch, r.epochs, r.updates, r.loss);
  if (r.objective) {
    line += fmt::format("  objective {:.4f}", r.objective->primal);
    if (const auto gap = r.objective->gap())
      line += fmt::format("  gap {:.2e} ({}{})", *gap, percent_of(*gap, r.objective->primal),
                          r.objective->estimate ? ", an estimate" : "");
  }
  if (!r.dev.empty()) line += fmt::format("  dev {} {:.2f}", r.dev[0].first, r.dev[0].second);
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
