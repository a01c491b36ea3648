// Training progress on stderr, and Ctrl-C.
#pragma once

#include <string>

#include "hinge/pipeline/job.h"

namespace hinge::cli {

// Asks for a stop after the current example on the first Ctrl-C, SIGTERM or
// SIGHUP; a second one ends the program at once.
void catch_interrupts();
bool interrupted();

// "2h05m", "3m20s", "7s".
std::string time_left(double seconds);

// Progress on stderr: a line that is rewritten on a terminal, plain lines
// elsewhere, nothing when quiet. Ends training when interrupted().
class Console final : public JobObserver {
 public:
  explicit Console(bool quiet);
  void say(const std::string& line) override;
  void stage_begins(Stage stage, std::int64_t examples, std::int64_t epochs) override;
  bool interrupts(std::int64_t examples_done) override;
  bool wants_stop() const override { return interrupted(); }
  void epoch_done(const EpochReport& report) override;
  void warn(const std::string& message) override;

 private:
  bool quiet_;
  bool terminal_;
  std::int64_t examples_ = 0;
  std::int64_t epochs_ = 0;
  std::int64_t epochs_done_ = 0;
  std::int64_t polls_ = 0;
};

}  // namespace hinge::cli
