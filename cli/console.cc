#include "cli/console.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "cli/streams.h"
#include "hinge/pipeline/progress.h"

namespace hinge::cli {
namespace {

std::atomic<bool> interrupt_flag{false};

void on_interrupt(int) {
  if (interrupt_flag.exchange(true)) _exit(130);
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
  const double pass =
      static_cast<double>(examples_done) / static_cast<double>(std::max<std::int64_t>(1, stage_.examples));
  const double passes = static_cast<double>(epochs_done_) + std::min(1.0, pass);
  const double left = std::chrono::duration<double>(now - began_).count() / std::max(passes, 1e-3) *
                      (static_cast<double>(stage_.epochs) - passes);
  note("\repoch {} {} {:3.0f} %{}\x1b[K", epoch_of(epochs_done_ + 1, stage_.epochs),
       styled(Style::kCyan, progress_bar(pass), terminal_), 100.0 * std::min(1.0, pass),
       stage_.epochs < kNoLimit ? "  ETA " + time_left(left) : "");
}

void Console::epoch_done(const EpochReport& r) {
  epochs_done_ = r.epoch;
  if (quiet_) return;
  const auto coloured = [&](const std::string& score) {
    return styled(r.best ? Style::kGreen : Style::kBold, score, terminal_);
  };
  note("{}epoch {}{}{}{}\n", terminal_ ? "\r" : "", epoch_of(r.epoch, r.epochs),
       epoch_scores(r, stage_.main_scores, coloured), epoch_time(r), terminal_ ? "\x1b[K" : "");
}

void Console::warn(const std::string& message) { note("hinge: warning: {}\n", message); }

}  // namespace hinge::cli
