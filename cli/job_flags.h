// The flags of commands that train. They come from the option tables: no setting
// and no task option is declared here.
#pragma once

#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "hinge/core/options.h"
#include "hinge/files/output_file.h"
#include "hinge/files/same_file.h"
#include "hinge/pipeline/job.h"

namespace hinge::cli {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

// Flags for options, and their given values.
class OptionFlags {
 public:
  // A flag "--stop-gap" for stop_gap, unless `names` says otherwise.
  Argument add(Command& command, const Option& option, const std::string& names = "",
               const std::string& help = "");
  Argument add(Command& command, const std::string& option, const std::string& type,
               const std::string& help);

  bool has(std::string_view option) const;
  void fill_in(std::string_view option, const std::string& value);  // unless it is given
  NamedValues given() const;                                        // repeated values joined by commas

 private:
  struct Flag {
    std::string option;
    std::optional<std::string> value;
    std::vector<std::string> list;
  };
  std::deque<Flag> flags_;  // a deque: the command points to its elements
};

struct JobFlags {
  OptionFlags settings;                 // rows of JobSettings
  OptionFlags task;                     // task options that have their own flag
  OptionFlags learner;                  // --epochs, --C
  std::vector<std::string> parameters;  // name=value, of task or learner
  std::string config;
  bool quiet = false;
};

Argument add_setting(Command& command, JobFlags& flags, std::string_view name, const std::string& names = "",
                     const std::string& help = "");
void add_settings(Command& command, JobFlags& flags, std::initializer_list<std::string_view> names);
// All settings that have no flag yet.
void add_other_settings(Command& command, JobFlags& flags);
// The options of these tasks that have this trait.
void add_task_flags(Command& command, OptionFlags& flags, std::span<const TaskRow> tasks, Trait trait);
// --epochs, --C, -p, -q.
void add_option_flags(Command& command, JobFlags& flags);
void add_config_flag(Command& command, JobFlags& flags);

// For Program::on_unknown_flag(): "it is an option of task tag: give it as -p hash_bits=VALUE".
std::string option_hint(std::string_view name);

// Fills in settings missing from the command line from the TOML file, if there is one. Throws
// OptionError if either gives one option two values.
void read_config(JobFlags& flags);

inline constexpr const char* kThreadsHelp = "threads (default: all cores); never changes the result";
inline constexpr const char* kTaggerHelp =
    "models, separated by commas, that fill in their CoNLL-U columns first, in this order; may be repeated";

// The options of a command line: throws OptionError if one is given twice with different values.
class GivenOnce {
 public:
  // `shown` is as the user wrote it: "--C 0.1".
  void add(const std::string& name, const std::string& value, const std::string& shown);
  void add(const OptionFlags& flags);
  void add_pairs(const std::vector<std::string>& pairs, std::string_view flag = "-p");
  bool has(std::string_view name) const;

 private:
  struct Given {
    std::string name, value, shown;
  };
  std::vector<Given> given_;
};
// Those of the task and the learner, before read_config().
GivenOnce given_once(const JobFlags& flags);

// Splits "name=value". Throws OptionError if there is no '='.
std::pair<std::string, std::string> split_parameter(std::string_view parameter);

// Throw OptionError for an unknown name or a value out of range.
JobSettings settings_of(const JobFlags& flags);
// `more` options come last and win.
Job job_of(JobSettings settings, const JobFlags& flags, const NamedValues& more = {});
// The job of a checkpoint, changed by the flags. Throws OptionError if that would
// change the result.
Job resumed_job(const JobFlags& flags, const std::string& checkpoint);

// Files of a command besides those of the job.
struct OtherFiles {
  std::vector<NamedFile> inputs, outputs;
};
// Throws OptionError if a file to write is one that is read, or two are the same.
void check_files(const Job& job, OtherFiles files);

// Replaces both files, or on a full disk neither.
void commit_together(OutputFile& first, std::optional<OutputFile>& second);

}  // namespace hinge::cli
