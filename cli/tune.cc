// `hinge tune`: learns a decoder's weights in a loop with the decoder.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/job_flags.h"
#include "cli/mt.h"
#include "cli/streams.h"
#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/corpus/text_source.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/progress.h"
#include "hinge/pipeline/tune.h"
#include "hinge/pipeline/tune_folder.h"

namespace hinge::cli {
namespace {

constexpr const char* kTask = "rerank";  // learns from the decoder's lists
constexpr std::int64_t kMostProcesses = 1000;

struct TuneFlags : JobFlags {
  std::string model;  // of a translation system; "": there is a decoder
  std::string decoder;
  std::int64_t processes = 1;  // of the decoder
  std::int64_t nbest = 100;
  std::vector<std::string> decode;  // options of the search
  std::string weights;
  std::string keep = "best";
  TuneSettings tuning;
};

// One line per iteration.
class TuneConsole final : public TuneObserver {
 public:
  explicit TuneConsole(const TuneFlags& flags) : flags_(flags), terminal_(isatty(STDERR_FILENO) == 1) {}

  bool interrupts(std::int64_t) override { return interrupted(); }
  bool wants_stop() const override { return interrupted(); }
  bool wants_train_scores() const override { return terminal_ && !flags_.quiet; }
  void stage_begins(const StageInfo& stage) override { epochs_ = stage.epochs; }
  // The metric of the weights so far, on the lists they are learned from.
  void epoch_done(const EpochReport& report) override {
    if (!report.measures.empty())
      show(iteration_, fmt::format("learning, epoch {}/{}: {} {:.2f}", report.epoch, epochs_, score_,
                                   report.measures.back().second));
  }
  void warn(const std::string& message) override { note("hinge: warning: {}\n", message); }

  void begins(const std::string& score, const std::vector<Iteration>& done) override {
    score_ = score;
    done_before_ = static_cast<std::int64_t>(done.size());
    if (done.empty() || flags_.quiet) return;
    note("{}: resuming after {} iteration{}, the last with {} {:.2f}\n", flags_.tuning.folder, done.size(),
         done.size() == 1 ? "" : "s", score, done.back().decoded);
  }
  const std::string& score() const { return score_; }
  void decodes(std::int64_t iteration) override { show(iteration, "decoding"); }
  void learns(std::int64_t iteration) override {
    iteration_ = iteration;
    show(iteration, "learning");
  }

  void iteration_done(std::int64_t iteration, const Iteration& what, TuneStop stop) override {
    if (flags_.quiet) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::string line =
        fmt::format("{}iteration {}/{}  new {:6}  merged {:7}  decoder {} {:.2f}", terminal_ ? "\r" : "",
                    iteration, flags_.tuning.iterations, what.fresh, what.hypotheses, score_, what.decoded);
    if (what.learned)
      line += fmt::format("  learned {} {:.2f}  change {:.4f}", score_, *what.learned, *what.change);
    line += fmt::format("  {:.1f} s", seconds);
    if (stop == TuneStop::kNot) {
      const auto ran = static_cast<double>(std::max<std::int64_t>(1, iteration - done_before_));
      const auto left = static_cast<double>(flags_.tuning.iterations - iteration);
      line += fmt::format("  ETA {}", time_left(seconds / ran * left));
    }
    if (stop == TuneStop::kNothingNew) line += "  stopped: no new hypotheses";
    if (stop == TuneStop::kFewNew) line += "  stopped: few new hypotheses";
    if (stop == TuneStop::kSmallChange) line += "  stopped: the weights hardly change";
    note("{}{}\n", line, terminal_ ? "\x1b[K" : "");
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show(std::int64_t iteration, std::string_view what) const {
    if (terminal_ && !flags_.quiet)
      note("\riteration {}/{}  {} …\x1b[K", iteration, flags_.tuning.iterations, what);
  }

  const TuneFlags& flags_;
  std::string score_;
  bool terminal_;
  std::int64_t done_before_ = 0;
  std::int64_t iteration_ = 0;
  std::int64_t epochs_ = 0;
  Clock::time_point begin_ = Clock::now();
};

void check_flags(const TuneFlags& flags) {
  if (flags.tuning.iterations < 2)
    fail<OptionError>("--iterations is {} but must be at least 2: the last one only decodes",
                      flags.tuning.iterations);
  if (!(flags.tuning.tolerance >= 0.0))
    fail<OptionError>("--tolerance is {} but must be a number of at least 0", flags.tuning.tolerance);
  if (!(flags.tuning.few >= 0.0 && flags.tuning.few < 1.0))
    fail<OptionError>("--few is {} but must be at least 0 and below 1", flags.tuning.few);
  if (!(flags.tuning.step > 0.0 && flags.tuning.step <= 1.0))
    fail<OptionError>("--step is {} but must be above 0 and at most 1", flags.tuning.step);
  if (flags.model.empty() == flags.decoder.empty())
    fail<OptionError>(
        "tune needs either a MODEL of 'hinge mt train' or another decoder's command in --decoder");
  if (flags.processes < 1 || flags.processes > kMostProcesses)
    fail<OptionError>("--processes is {} but must be from 1 to {}", flags.processes, kMostProcesses);
  if (!flags.model.empty() && flags.processes > 1)
    fail<OptionError>("--processes is for --decoder; the model {} decodes on --threads", flags.model);
  check_nbest(flags.nbest, 2);
}

struct Outputs {
  Outputs(const std::string& output, const std::string& weights_path) : model(output) {
    if (!weights_path.empty()) weights.emplace(weights_path);
  }

  OutputFile model;
  std::optional<OutputFile> weights;
};

Job job_to_tune(const TuneFlags& flags) {
  JobSettings settings = settings_of(flags);
  settings.task = kTask;
  if (settings.output.empty()) settings.output = flags.model.empty() ? "rerank.model" : "tuned.model";
  if (!settings.stop_gap) settings.objective = "never";
  return job_of(settings, flags);
}

// Prepares the decoder and what the loop has to know of it.
Decoder decoder_of(TuneFlags& flags, const std::optional<mt::Model>& model, Workers& workers) {
  if (!model) {
    flags.tuning.identity = {{"decoder", flags.decoder}};
    flags.tuning.processes = static_cast<std::size_t>(flags.processes);
    return shell_decoder(flags.decoder, flags.tuning.processes, interrupted);
  }
  flags.tuning.identity = {{"model", content_hash({flags.model})},
                           {"nbest", fmt::format("{}", flags.nbest)},
                           {"decode", fmt::format("{}", join(flags.decode, " "))}};
  flags.tuning.first_weights = model->weights();
  return translation_decoder(*model, static_cast<std::size_t>(flags.nbest), flags.decode, workers);
}

void run_tune(TuneFlags& flags) {
  Job job = job_to_tune(flags);
  const std::string& output = job.settings.output;
  check_flags(flags);
  check_files(job, {.inputs = {{"MODEL", flags.model}, {"--source", flags.tuning.source}},
                    .outputs = {{"--weights", flags.weights}}});
  Workers workers(job.settings.thread_count());
  std::optional<mt::Model> model;
  if (!flags.model.empty()) model.emplace(mt::Model::open(flags.model));
  const Decoder decoder = decoder_of(flags, model, workers);
  Outputs outputs(output, flags.weights);
  catch_interrupts();
  TuneConsole console(flags);
  const TuneResult result = tune(flags.tuning, job, decoder, workers, console);
  if (result.stop == TuneStop::kInterrupted)
    fail<InputError>(
        "interrupted in iteration {}; run the same command again to resume from {}",
        result.history.size() + (result.history.empty() || result.history.back().learned ? 1 : 0),
        flags.tuning.folder);

  const std::size_t chosen = flags.keep == "last" ? result.history.size() : result.best;
  if (model) {
    mt::write_model(outputs.model, model->parts(), model->description(),
                    read_weights(result.weights(chosen)));
  } else {
    outputs.model.write(tuned_model(result, chosen, job, workers));
  }
  if (outputs.weights) outputs.weights->write(read_text(result.weights(chosen)));
  commit_together(outputs.model, outputs.weights);
  if (!flags.quiet)
    note("{}{}: the weights of iteration {}, {} {:.2f}\n", output,
         flags.weights.empty() ? "" : fmt::format(" and {}", flags.weights), chosen, console.score(),
         result.history[chosen - 1].decoded);
}

}  // namespace

void add_tune(Program& program) {
  Command command = program.add("tune", "learn the weights of a decoder by running it in a loop");
  auto flags = std::make_shared<TuneFlags>();
  command.add("MODEL", flags->model,
              "a translation model of 'hinge mt train', which decodes in this process");
  command.add("--decoder", flags->decoder,
              "another decoder: a shell command that reads {weights}, and {source} if given there, and "
              "writes {nbest}").type("COMMAND");
  command.add("--processes", flags->processes,
              "with --decoder: cut the source into this many pieces, each decoded by a process; never changes "
              "the result");
  command.add("--source,--dev", flags->tuning.source, "the sentences to decode, one per line").required().type("FILE");
  command.add("--nbest", flags->nbest, "with MODEL: translations per sentence and iteration");
  command.add_pairs("--decode", flags->decode, "with MODEL: options of 'hinge mt decode'");
  add_settings(command, *flags, {"output", "learner", "init", "stop_gap", "seed", "threads", "shards"});
  // The merged lists are scored as in an evaluation; there are no development lists.
  add_task_flags(command, flags->task, std::span(&find_task(kTask), 1), Trait::kEvaluate);
  add_option_flags(command, *flags);
  command.add("--weights", flags->weights, "also write the weights of the model to this file").type("FILE");
  command.add("--keep", flags->keep, "keep the weights of the iteration that decoded best (default), or last")
      .one_of({"best", "last"});
  command.add("--iterations", flags->tuning.iterations, "decode at most this many times");
  command.add("--tolerance", flags->tuning.tolerance,
              "stop when no weight changes by more than this fraction of their norm");
  command.add("--few", flags->tuning.few,
              "stop when new hypotheses are below this share of all twice in a row");
  command.add("--step", flags->tuning.step,
              "how far to go from the old weights to the learned ones, 0 to 1");
  command.add("--dir", flags->tuning.folder,
              "the folder to work in; a loop already begun there is resumed").type("FOLDER");
  command.add("--restart", flags->tuning.restart, "start over in --dir");
  command.run([flags] { run_tune(*flags); });
}

}  // namespace hinge::cli
