// Training progress on stderr, and Ctrl-C.
#pragma once

#include <chrono>
#include <string>

#include "hinge/pipeline/job.h"

namespace hinge::cli {

// Escape sequences around a text, on a terminal that shows colours: unless NO_COLOR is set
// (no-color.org) or TERM is dumb.
enum class Style { kBold, kGreen, kCyan };
std::string styled(Style style, const std::string& text, bool terminal);

// "[#####.....]" for half of the work.
std::string progress_bar(double share);

// Asks for a stop after the current example on the first Ctrl-C, SIGTERM or
// SIGHUP; a second one ends the program at once.
void catch_interrupts();
bool interrupted();

// Progress on stderr: a bar and colours on a terminal, plain lines elsewhere, nothing when
// quiet. Ends training when interrupted().
class Console final : public JobObserver {
 public:
  explicit Console(bool quiet);
  void say(const std::string& line) override;
  void stage_begins(const StageInfo& stage) override;
  bool wants_train_scores() const override { return !quiet_; }
  bool interrupts(std::int64_t examples_done) override;
  bool wants_stop() const override { return interrupted(); }
  void epoch_done(const EpochReport& report) override;
  void warn(const std::string& message) override;

 private:
  using Clock = std::chrono::steady_clock;

  void show_bar(std::int64_t examples_done);

  bool quiet_;
  bool terminal_;
  StageInfo stage_{};
  std::int64_t epochs_done_ = 0;
  std::int64_t polls_ = 0;
  Clock::time_point began_, shown_;
};

}  // namespace hinge::cli
