// What `train` and `compare` share: flags, options from every source, progress.
#pragma once

#include <CLI/CLI.hpp>

#include <csignal>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hinge/learn/driver/train.h"
#include "hinge/learn/registry.h"
#include "hinge/pipeline/annotate.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {

// Flags as given; empty means not given, so that a config file can fill in.
struct SessionFlags {
  std::string task;
  std::string train;
  std::string dev;
  std::string config;
  std::string features;
  std::string column;
  std::string taggers;  // models, separated by commas
  std::vector<std::string> references, dev_references;
  std::optional<std::string> jackknife;
  std::optional<std::string> epochs;
  std::optional<std::string> C;
  std::vector<std::string> parameters;  // name=value
  std::optional<std::uint64_t> seed;
  std::optional<int> threads;
  bool quiet = false;
};

// How to learn, whatever from: options, learner's settings, threads.
void add_learning_flags(CLI::App& command, SessionFlags& flags);

// These, and from what. TASK and TRAIN are `required` unless a checkpoint may stand for them.
void add_session_flags(CLI::App& command, SessionFlags& flags, bool required);

// A setting of the command line that a TOML file may fill in.
struct ConfigKey {
  std::string_view name;
  std::variant<std::string*, std::optional<std::string>*, std::optional<std::uint64_t>*, std::optional<int>*>
      target;
};

// Fills what was not given on the command line from a TOML file: keys named
// as the flags, those of SessionFlags and `more`, and a table [options] for -p.
void read_config(SessionFlags& flags, const std::vector<ConfigKey>& more);

// "name=value" in two. Throws OptionError where there is no '='.
std::pair<std::string_view, std::string_view> split_parameter(std::string_view parameter);

// Options of the task that have flags of their own.
void apply_task_flags(const SessionFlags& flags, OptionTable& task);
// These, and each name=value to the learner or the task, whichever has it.
void apply_options(const SessionFlags& flags, OptionTable& task, OptionTable& learner);

int thread_count(const SessionFlags& flags);

// Asks for a stop after the current example on the first Ctrl-C (or any of
// `signals`); a second one ends the program at once.
void catch_interrupts(std::initializer_list<int> signals = {SIGINT});
bool interrupted();

// "2h05m", "3m20s", "7s".
std::string time_left(double seconds);

// Progress on stderr: a line that is rewritten on a terminal, plain lines
// elsewhere, nothing when quiet. Ends training when interrupted().
class Console final : public Observer {
 public:
  Console(bool quiet, std::int64_t examples, std::int64_t epochs);
  bool interrupts(std::int64_t examples_done) override;
  void epoch_done(const EpochReport& report) override;
  void warn(const std::string& message) override;

 private:
  bool quiet_;
  bool terminal_;
  bool header_ = false;
  std::int64_t examples_;
  std::int64_t epochs_;
  std::int64_t epochs_done_ = 0;
  double elapsed_ = 0.0;
  std::int64_t polls_ = 0;
};

inline constexpr const char* kThreadsHelp = "threads (default: all cores); never changes the result";
inline constexpr const char* kTaggerHelp =
    "models, separated by commas, that fill in their CoNLL-U columns first";

// The models of --tagger; none where it is empty.
Annotators open_annotators(const std::string& taggers);

// Reads the training data, tagged anew where asked for, and first learns what
// the task is built on.
std::unique_ptr<TrainingSet> load_set(const SessionFlags& flags, TaskChoice& task, Workers& workers);
// Scores on --dev, as the taggers tag it.
std::function<Scores(const Weights&)> score_dev(const SessionFlags& flags, const TrainingSet& set,
                                                Workers& workers);

}  // namespace hinge::cli
