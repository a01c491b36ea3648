// `hinge tune`: a decoder's weights, learned in a loop with the decoder.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cli/commands.h"
#include "cli/training.h"
#include "hinge/core/error.h"
#include "hinge/corpus/text_source.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/choice.h"
#include "hinge/pipeline/record.h"
#include "hinge/pipeline/tune.h"

namespace hinge::cli {
namespace {

struct TuneFlags : TrainFlags {
  std::string decoder;
  std::string weights;
  std::string keep = "best";
  TuneSettings settings;
};

// A line an iteration.
class TuneConsole final : public TuneObserver {
 public:
  explicit TuneConsole(const TuneFlags& flags) : flags_(flags), terminal_(isatty(STDERR_FILENO) == 1) {}

  bool interrupts(std::int64_t) override { return interrupted(); }
  void epoch_done(const EpochReport&) override {}
  void warn(const std::string& message) override { fmt::print(stderr, "hinge: warning: {}\n", message); }

  void begins(const std::string& score, const std::vector<Iteration>& done) override {
    score_ = score;
    done_before_ = static_cast<std::int64_t>(done.size());
    if (done.empty() || flags_.quiet) return;
    fmt::print(stderr, "{}: going on after {} iteration{}, the last with {} {:.2f}\n", flags_.settings.folder,
               done.size(), done.size() == 1 ? "" : "s", score, done.back().decoded);
  }
  const std::string& score() const { return score_; }
  void decodes(std::int64_t iteration) override { show(iteration, "decoding"); }
  void learns(std::int64_t iteration) override { show(iteration, "learning"); }

  void iteration_done(std::int64_t iteration, const Iteration& what, TuneStop stop) override {
    if (flags_.quiet) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::string line =
        fmt::format("{}iteration {}/{}  new {:6}  merged {:7}  decoder {} {:.2f}", terminal_ ? "\r" : "",
                    iteration, flags_.settings.iterations, what.fresh, what.hypotheses, score_, what.decoded);
    if (what.learned)
      line += fmt::format("  learned {} {:.2f}  change {:.4f}", score_, *what.learned, *what.change);
    line += fmt::format("  {:.1f} s", seconds);
    if (stop == TuneStop::kNot) {
      const auto ran = static_cast<double>(std::max<std::int64_t>(1, iteration - done_before_));
      const auto left = static_cast<double>(flags_.settings.iterations - iteration);
      line += fmt::format("  ETA {}", time_left(seconds / ran * left));
    }
    if (stop == TuneStop::kNothingNew) line += "  stopped: no new hypotheses";
    if (stop == TuneStop::kFewNew) line += "  stopped: few new hypotheses";
    if (stop == TuneStop::kSmallChange) line += "  stopped: the weights hardly change";
    fmt::print(stderr, "{}{}\n", line, terminal_ ? "\x1b[K" : "");
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show(std::int64_t iteration, std::string_view what) const {
    if (terminal_ && !flags_.quiet)
      fmt::print(stderr, "\riteration {}/{}  {} …\x1b[K", iteration, flags_.settings.iterations, what);
  }

  const TuneFlags& flags_;
  std::string score_;
  bool terminal_;
  std::int64_t done_before_ = 0;
  Clock::time_point begin_ = Clock::now();
};

void check_flags(const TuneFlags& flags) {
  if (flags.settings.iterations < 2)
    fail<OptionError>("--iterations is {} but must be at least 2: the last one only decodes",
                      flags.settings.iterations);
  if (!(flags.settings.tolerance >= 0.0))
    fail<OptionError>("--tolerance is {} but must be a number of at least 0", flags.settings.tolerance);
  if (!(flags.settings.few >= 0.0 && flags.settings.few < 1.0))
    fail<OptionError>("--few is {} but must be at least 0 and below 1", flags.settings.few);
  if (!(flags.settings.step > 0.0 && flags.settings.step <= 1.0))
    fail<OptionError>("--step is {} but must be above 0 and at most 1", flags.settings.step);
  if (flags.weights == flags.output)
    fail<OptionError>("-o and --weights are both {}, but each is a file of its own; give two names",
                      flags.output);
}

struct Outputs {
  explicit Outputs(const TuneFlags& flags) : model(flags.output) {
    if (!flags.weights.empty()) weights.emplace(flags.weights);
  }

  OutputFile model;
  std::optional<OutputFile> weights;
};

void run_tune(TuneFlags flags) {
  flags.task = "rerank";
  const TaskRow& row = find_task(flags.task);
  if (flags.learner.empty()) flags.learner = row.learner;
  if (flags.output.empty()) flags.output = "rerank.model";
  check_flags(flags);
  const auto task = row.choose();
  const auto choice = choose_learner(row, flags.learner);
  apply_options(flags, task->options(), choice->options());
  const Decoder decoder = shell_decoder(flags.decoder, interrupted);
  TuneSettings& settings = flags.settings;
  settings.init = flags.init;
  settings.identity = {{"decoder", flags.decoder}};
  settings.training = settings_of(flags, choice->epochs());
  if (!settings.training.stop_gap) settings.training.objective = ObjectiveWhen::kNever;
  Outputs outputs(flags);
  Workers workers(thread_count(flags));
  catch_interrupts({SIGINT, SIGTERM, SIGHUP});
  TuneConsole console(flags);
  const TuneResult result = tune(settings, *task, *choice, decoder, workers, console);
  if (result.stop == TuneStop::kInterrupted)
    fail<InputError>(
        "interrupted in iteration {}; run the same command again to go on from {}",
        result.history.size() + (result.history.empty() || result.history.back().learned ? 1 : 0),
        settings.folder);

  const std::size_t chosen = flags.keep == "last" ? result.history.size() : result.best;
  const std::string weights = result.weights(chosen);
  const auto set = task->load(result.merged);
  const Loss loss = choice->start(set->task(), workers)->objective().loss;
  outputs.model.write(model_bytes(*set, tuned_weights(weights, *set),
                                  {task->options(), choice->options(), settings.training.seed, loss}));
  outputs.model.commit();
  if (outputs.weights) {
    outputs.weights->write(read_text(weights));
    outputs.weights->commit();
  }
  if (!flags.quiet)
    fmt::print(stderr, "{}{}: the weights of iteration {}, {} {:.2f}\n", flags.output,
               flags.weights.empty() ? "" : fmt::format(" and {}", flags.weights), chosen, console.score(),
               result.history[chosen - 1].decoded);
}

}  // namespace

void add_tune(Program& program) {
  Command command = program.add("tune", "learn the weights of a decoder, in a loop with it");
  auto flags = std::make_shared<TuneFlags>();
  command
      .add("--decoder", flags->decoder,
           "a command of the shell with {weights} to read and {nbest} to write, and perhaps {source}")
      .required();
  command.add("--source", flags->settings.source, "the sentences to decode, one a line").required();
  add_learning_flags(command, *flags);
  add_learner_flags(command, *flags);
  command.add("--weights", flags->weights, "a file for the weights that the model holds");
  command.add("--keep", flags->keep, "the weights of the iteration that decoded best (default), or last")
      .one_of({"best", "last"});
  command.add("--iterations", flags->settings.iterations, "decode at most so often (default 15)");
  command.add("--tolerance", flags->settings.tolerance,
              "stop when no weight changes by more than this part of their norm (default 0.001)");
  command.add("--few", flags->settings.few,
              "stop when, twice running, new hypotheses are less than this share of all (default 0.002)");
  command.add("--step", flags->settings.step,
              "how far to go from the old weights to the learned ones, 0 to 1 (default 1)");
  command.add("--dir", flags->settings.folder,
              "the folder to work in; a loop begun there is gone on with (default tune.work)");
  command.add("--restart", flags->settings.restart, "begin anew in --dir");
  command.run([flags] { run_tune(*flags); });
}

}  // namespace hinge::cli
