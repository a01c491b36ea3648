#include "cli/job_flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "cli/config.h"
#include "hinge/core/communicator.h"
#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/files/file_list.h"
#include "hinge/pipeline/resume.h"

namespace hinge::cli {
namespace {

// The flag as users write it; some also have a short form.
std::string flag_names(std::string_view option) {
  if (option == "output") return "-o,--output";
  if (option == "train") return "TRAIN";
  if (option == "tagger") return "--tagger,--parser";
  return flag_name(option);
}

std::string short_name(std::string_view option) {
  const std::string names = flag_names(option);
  return names.substr(0, names.find(','));
}

// What it must be, unless its type says so, and its default.
std::string limits_of(const Option& option) {
  std::string text;
  if (option.expected().starts_with("a ")) text = option.expected();
  if (!option.default_value().empty())
    text += fmt::format("{}default {}", text.empty() ? "" : "; ", option.default_value());
  return text.empty() ? "" : fmt::format(" ({})", text);
}

std::string help_of(const Option& option) { return option.help() + limits_of(option); }

// The option of this name in the table of a learner, and its default with each of them.
struct LearnerOption {
  std::string type;
  std::string help;
};
LearnerOption of_learners(const std::string& name, const std::string& about) {
  LearnerOption result;
  std::string expected;
  std::vector<std::pair<std::string, std::vector<std::string>>> defaults;  // value, learners
  for (const LearnerRow& row : learner_table()) {
    const auto learner = row.choose(row.name);
    const Option* option = learner->options().find(name);
    if (option == nullptr) continue;
    result.type = option->type();
    expected = option->expected();
    auto same = std::ranges::find(defaults, option->default_value(), [](const auto& d) { return d.first; });
    if (same == defaults.end()) same = defaults.insert(same, std::pair(option->default_value(), std::vector<std::string>()));
    same->second.emplace_back(row.name);
  }
  std::ranges::stable_sort(defaults, std::greater(), [](const auto& d) { return d.second.size(); });
  std::string text;
  for (const auto& [value, learners] : defaults)
    text += text.empty() ? value : fmt::format(", {}: {}", join(learners, " "), value);
  result.help = fmt::format("{} ({}; default {})", about, expected, text);
  return result;
}

// The given settings. An empty text would leave a number unset; on the command
// line, omit the flag instead.
NamedValues given_settings(const JobFlags& flags, const OptionTable& table) {
  NamedValues values = flags.settings.given();
  for (const auto& [name, value] : values) {
    if (value.empty() && table.find(name)->is_optional())
      fail<OptionError>("{} is '' but must be {}", flag_name(name), table.find(name)->expected());
  }
  return values;
}

}  // namespace

Argument OptionFlags::add(Command& command, const Option& option, const std::string& names,
                          const std::string& help) {
  Flag& flag = flags_.emplace_back(Flag{.option = option.name()});
  const std::string& all_names = names.empty() ? flag_names(option.name()) : names;
  const std::string& text = help.empty() ? help_of(option) : help;
  if (option.has(Trait::kList))
    return command.add(all_names, flag.list, text + "; may be repeated").type(option.type());
  return command.add(all_names, flag.value, text).type(option.type());
}

Argument OptionFlags::add(Command& command, const std::string& option, const std::string& type,
                          const std::string& help) {
  return command.add(flag_name(option), flags_.emplace_back(Flag{.option = option}).value, help).type(type);
}

bool OptionFlags::has(std::string_view option) const {
  return std::ranges::find(flags_, option, &Flag::option) != flags_.end();
}

void OptionFlags::fill_in(std::string_view option, const std::string& value) {
  const auto flag = std::ranges::find(flags_, option, &Flag::option);
  if (!flag->value && flag->list.empty()) flag->value = value;
}

NamedValues OptionFlags::given() const {
  NamedValues values;
  for (const Flag& flag : flags_) {
    if (!flag.list.empty()) {
      values.emplace_back(flag.option, join(flag.list, ","));
    } else if (flag.value) {
      values.emplace_back(flag.option, *flag.value);
    }
  }
  return values;
}

Argument add_setting(Command& command, JobFlags& flags, std::string_view name, const std::string& names,
                     const std::string& help) {
  JobSettings settings;
  const OptionTable table = settings.table();
  const Option& option = *table.find(name);
  command.begin_group(option.group());
  const Argument argument = flags.settings.add(command, option, names, help);
  command.begin_group(kGeneralGroup);
  return argument;
}

void add_settings(Command& command, JobFlags& flags, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) add_setting(command, flags, name);
}

void add_other_settings(Command& command, JobFlags& flags) {
  JobSettings settings;
  const OptionTable table = settings.table();
  for (const Option& option : table.options()) {
    if (!flags.settings.has(option.name())) add_setting(command, flags, option.name());
  }
}

void add_task_flags(Command& command, OptionFlags& flags, std::span<const TaskRow> tasks, Trait trait) {
  command.begin_group("Task (all options: 'hinge tasks NAME')");
  for (const TaskRow& row : tasks) {
    const auto task = row.choose();
    for (const Option& option : task->options().options()) {
      if (!option.has(trait) || flags.has(option.name())) continue;
      std::string help;
      for (const TaskRow& other : tasks) {
        const auto choice = other.choose();
        const Option* same = choice->options().find(option.name());
        if (same == nullptr || !same->has(trait)) continue;
        help += fmt::format("{}{}: {}", help.empty() ? "" : "; ", other.name, help_of(*same));
      }
      flags.add(command, option, "", help);
    }
  }
  command.begin_group(kGeneralGroup);
}

void add_option_flags(Command& command, JobFlags& flags) {
  command.begin_group("Learner (all options: 'hinge learners NAME')");
  for (const auto& [name, about] : {std::pair("epochs", "passes over the training data"),
                                    std::pair("C", "weight of the loss against the regularizer")}) {
    const LearnerOption option = of_learners(name, about);
    flags.learner.add(command, name, option.type, option.help);
  }
  command.add_pairs("-p", flags.parameters, "any options of the task or learner: -p a=1 b=2");
  command.begin_group(kGeneralGroup);
  command.add("--quiet,-q", flags.quiet, "no progress");
}

std::string option_hint(std::string_view name) {
  std::string option(name);
  std::ranges::replace(option, '-', '_');
  std::string owners;
  const auto look = [&](std::string_view kind, std::string_view owner, const OptionTable& table) {
    if (table.has(option)) owners += fmt::format("{}{} {}", owners.empty() ? "" : ", ", kind, owner);
  };
  for (const TaskRow& row : task_table()) look("task", row.name, row.choose()->options());
  for (const LearnerRow& row : learner_table()) look("learner", row.name, row.choose(row.name)->options());
  return owners.empty() ? "" : fmt::format("it is an option of {}: give it as -p {}=VALUE", owners, option);
}

void add_config_flag(Command& command, JobFlags& flags) {
  command.begin_group(kGeneralGroup);
  command.add("--config", flags.config, "settings from a TOML file; the command line wins").type("FILE");
}

void GivenOnce::add(const std::string& name, const std::string& value, const std::string& shown) {
  const auto before = std::ranges::find(given_, name, &Given::name);
  if (before == given_.end()) {
    given_.push_back({name, value, shown});
  } else if (before->value != value) {
    fail<OptionError>("{} is given twice, as {} and as {}; leave one out", name, before->shown, shown);
  }
}

void GivenOnce::add(const OptionFlags& flags) {
  for (const auto& [name, value] : flags.given()) add(name, value, flag_name(name) + " " + value);
}

void GivenOnce::add_pairs(const std::vector<std::string>& pairs, std::string_view flag) {
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals != std::string::npos)
      add(pair.substr(0, equals), pair.substr(equals + 1), fmt::format("{} {}", flag, pair));
  }
}

bool GivenOnce::has(std::string_view name) const {
  return std::ranges::find(given_, name, &Given::name) != given_.end();
}

GivenOnce given_once(const JobFlags& flags) {
  GivenOnce given;
  given.add(flags.task);
  given.add(flags.learner);
  given.add_pairs(flags.parameters);
  return given;
}

void read_config(JobFlags& flags) {
  const GivenOnce given = given_once(flags);
  if (flags.config.empty()) return;
  const Config config = read_config(flags.config);
  GivenOnce once;  // a setting, such as jackknife, may have the name of an option
  const auto add = [&once](const ConfigValue& value) {
    once.add(value.name, value.value, fmt::format("{} ({})", value.value, value.where));
  };
  for (const ConfigValue& setting : config.settings) {
    if (!flags.settings.has(setting.name)) add(setting);
  }
  for (const ConfigValue& option : config.options) add(option);
  for (const ConfigValue& setting : config.settings) {
    OptionFlags* owner = nullptr;
    for (OptionFlags* group : {&flags.settings, &flags.task, &flags.learner}) {
      if (group->has(setting.name)) owner = group;
    }
    if (owner == nullptr)
      fail<OptionError>("{}: there is no setting '{}'; options of tasks and learners go below [options]",
                        setting.where, setting.name);
    owner->fill_in(setting.name, setting.value);
  }
  for (const ConfigValue& option : config.options) {
    if (!given.has(option.name)) flags.parameters.push_back(option.name + "=" + option.value);
  }
}

std::pair<std::string, std::string> split_parameter(std::string_view parameter) {
  const std::size_t equals = parameter.find('=');
  if (equals == std::string_view::npos) {
    fail<OptionError>("-p {}: name=value was expected; see 'hinge learners NAME' and 'hinge tasks NAME'",
                      parameter);
  }
  return {std::string(parameter.substr(0, equals)), std::string(parameter.substr(equals + 1))};
}

JobSettings settings_of(const JobFlags& flags) {
  JobSettings settings{.spelling = Spelling::kFlag};
  settings.shards = static_cast<std::int64_t>(this_shard_count());  // more than 1 in hinge-mpi
  OptionTable table = settings.table();
  for (const auto& [name, value] : given_settings(flags, table)) table.set(name, value);
  return settings;
}

Job job_of(JobSettings settings, const JobFlags& flags, const NamedValues& more) {
  Job job(std::move(settings));
  for (const auto& [name, value] : flags.task.given()) job.task->options().set(name, value);
  for (const auto& [name, value] : flags.learner.given()) job.learner->options().set(name, value);
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    options_with(job, name).set(name, value);
  }
  for (const auto& [name, value] : more) options_with(job, name).set(name, value);
  return job;
}

Job resumed_job(const JobFlags& flags, const std::string& checkpoint) {
  if (!flags.config.empty()) refuse_change("--config");
  given_once(flags);
  Job job = resume_job(checkpoint, Spelling::kFlag);
  OptionTable settings = job.settings.table();
  for (const auto& [name, value] : given_settings(flags, settings)) {
    if (name == "task" && value != job.settings.task)
      fail<OptionError>("{}: is a checkpoint of the task {}, not {}; leave TASK out", checkpoint,
                        job.settings.task, value);
    change(settings, name, value, short_name(name));
  }
  for (const auto& [name, value] : flags.task.given())
    change(job.task->options(), name, value, flag_name(name));
  for (const auto& [name, value] : flags.learner.given())
    change(job.learner->options(), name, value, flag_name(name));
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    change(options_with(job, name), name, value, "-p " + name);
  }
  return job;
}

void check_files(const Job& job, OtherFiles files) {
  JobSettings settings = job.settings;
  const OptionTable table = settings.table();
  const auto collect = [&files](const Option& option) {
    if (option.has(Trait::kOutput)) files.outputs.push_back({short_name(option.name()), option.value()});
    if (!option.has(Trait::kInput)) return;
    const bool listed = option.has(Trait::kFiles);
    for (const std::string& path : listed ? list_files(option.value()) : split_list(option.value()))
      files.inputs.push_back({short_name(option.name()), path});
  };
  for (const Option& option : table.options()) collect(option);
  for (const Option& option : job.task->options().options()) collect(option);
  // A model may be trained further in place, and a checkpoint resumed into itself.
  std::erase_if(files.inputs, [&](const NamedFile& file) {
    if (file.name == "--init")
      return is_same_file(file.path, settings.output) && ModelFile::is_model(file.path);
    return file.name == "--resume" && is_same_file(file.path, settings.checkpoint);
  });
  check_outputs(files.inputs, files.outputs);
}

void commit_together(OutputFile& first, std::optional<OutputFile>& second) {
  if (second) second->prepare();
  first.commit();
  if (second) second->commit();
}

}  // namespace hinge::cli
