#include "cli/completion.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <span>

#include "hinge/core/options.h"
#include "hinge/learn/registry.h"
#include "hinge/mt/search.h"
#include "hinge/mt/train.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

using Words = std::vector<std::string>;

// What has been typed before the word in question.
struct Line {
  const CommandOutline* program = nullptr;
  std::string command;                      // "train", "mt decode"
  const CommandOutline* outline = program;  // of that command
  Words before;                   // its arguments
  std::string word;               // to complete
};

// bash hands over "-p", "C", "=", "0.1".
Words rejoined(const Words& words) {
  Words joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool continues = i > 0 && (words[i] == "=" || words[i - 1] == "=");
    if (continues && !joined.empty()) {
      joined.back() += words[i];
    } else {
      joined.push_back(words[i]);
    }
  }
  return joined;
}

Line line_of(const CommandOutline& program, const Words& words) {
  Line line{.program = &program, .outline = &program};
  std::size_t next = 0;
  for (; next + 1 < words.size(); ++next) {
    const auto& below = line.outline->commands;
    const auto found = std::ranges::find(below, words[next], &CommandOutline::name);
    if (found == below.end()) break;
    line.command += (line.command.empty() ? "" : " ") + found->name;
    line.outline = &*found;
  }
  if (words.empty()) return line;
  line.before.assign(words.begin() + static_cast<std::ptrdiff_t>(next), words.end() - 1);
  line.word = words.back();
  return line;
}

const ArgumentOutline* find_flag(const Line& line, std::string_view flag) {
  for (const ArgumentOutline& argument : line.outline->arguments) {
    if (std::ranges::find(argument.flags, flag) != argument.flags.end()) return &argument;
  }
  return nullptr;
}

// The value of a flag given as "--flag value" or "--flag=value".
std::string value_of(const Line& line, std::string_view flag) {
  for (std::size_t i = 0; i < line.before.size(); ++i) {
    const std::string_view word = line.before[i];
    if (word == flag && i + 1 < line.before.size()) return line.before[i + 1];
    if (word.starts_with(flag) && word.substr(flag.size()).starts_with('='))
      return std::string(word.substr(flag.size() + 1));
  }
  return "";
}

std::string value_in(const Line& line, std::span<const TaskRow> tasks) {
  for (const TaskRow& row : tasks) {
    if (std::ranges::find(line.before, row.name) != line.before.end()) return std::string(row.name);
  }
  return "";
}

template <typename Row>
void add_rows(Candidates& found, std::span<const Row> rows) {
  for (const Row& row : rows) found.words.push_back({std::string(row.name), std::string(row.summary)});
}

// The values that a type names: "first|last".
Words choices_of(std::string_view type) {
  Words choices;
  while (type.find('|') != std::string_view::npos) {
    choices.emplace_back(type.substr(0, type.find('|')));
    type.remove_prefix(choices.back().size() + 1);
  }
  if (!choices.empty()) choices.emplace_back(type);
  return choices;
}

Words choices_of(const Option& option) {
  constexpr std::string_view kOneOf = "one of ";
  std::string text = option.expected();
  if (text == "true or false") return {"true", "false"};
  if (!text.starts_with(kOneOf)) return {};
  text.erase(0, kOneOf.size());
  std::erase(text, ' ');
  return split_list(text);
}

// "C=", or, once a name is written, "ties=first" and so on.
void add_option(Candidates& found, const Option& option, std::string_view word) {
  const auto add_once = [&](const std::string& candidate, const std::string& help) {
    if (std::ranges::find(found.words, candidate, &Candidate::word) == found.words.end())
      found.words.push_back({candidate, help});
  };
  const std::string name = option.name() + "=";
  if (!word.starts_with(name)) return add_once(name, option.help());
  for (const std::string& choice : choices_of(option)) add_once(name + choice, "");
  found.files = found.files || option.has(Trait::kInput);
}

void add_options(Candidates& found, const OptionTable& table, std::string_view word) {
  for (const Option& option : table.options()) add_option(found, option, word);
}

template <typename Options>
void add_options_of(Candidates& found, std::string_view word) {
  Options options;
  OptionTable table("");
  options.describe(table);
  add_options(found, table, word);
}

// Options after -p: those of the task and the learner on the line, or of all.
void add_parameters(Candidates& found, const Line& line, std::string_view word) {
  if (line.command == "mt train") return add_options_of<mt::TrainOptions>(found, word);
  if (line.command == "mt decode") return add_options_of<mt::SearchOptions>(found, word);
  const std::string task = line.command == "tune" ? "rerank" : value_in(line, task_table());
  for (const TaskRow& row : task_table()) {
    if (task.empty() || row.name == task) add_options(found, row.choose()->options(), word);
  }
  if (line.command == "evaluate") return;
  const std::string learner = value_of(line, "--learner");
  for (const LearnerRow& row : learner_table()) {
    if (learner.empty() || row.name == learner) add_options(found, row.choose(row.name)->options(), word);
  }
}

// The presets of the task on the line, or of all.
void add_presets(Candidates& found, const Line& line) {
  const std::string task = value_in(line, task_table());
  for (const Preset& preset : all_presets()) {
    const auto has = [&](const TaskRow& row) {
      if (row.presets == nullptr || row.name != task) return false;
      return std::ranges::find(row.presets(), preset.name, &Preset::name) != row.presets().end();
    };
    if (task.empty() || std::ranges::any_of(task_table(), has))
      found.words.push_back({std::string(preset.name), std::string(preset.summary)});
  }
}

// A list separated by commas: completes its last item.
Candidates of_list(Candidates items, std::string_view word) {
  const std::string done(word.substr(0, word.rfind(',') + 1));
  for (Candidate& item : items.words) item.word = done + item.word;
  return items;
}

Candidates values_of(const Line& line, const ArgumentOutline& argument, std::string_view word) {
  Candidates found;
  const std::string name = argument.flags.empty() ? argument.name : argument.flags.back();
  if (name == "TASK" || name == "MODEL|TASK" || (name == "NAME" && line.command == "tasks")) {
    add_rows(found, task_table());
    found.files = name == "MODEL|TASK";
  } else if (name == "--learner" || name == "--learners" || (name == "NAME" && line.command == "learners")) {
    add_rows(found, learner_table());
    if (name == "--learners") return of_list(std::move(found), word);
  } else if (name == "PRESET" || name == "--features") {
    add_presets(found, line);
    found.files = name == "--features";
  } else if (name == "-p" || name == "--search") {
    add_parameters(found, line, word);
  } else if (name == "COMMAND") {
    for (const CommandOutline& command : line.program->commands)
      found.words.push_back({command.name, command.summary});
  } else if (name == "--decode") {
    add_options_of<mt::SearchOptions>(found, word);
  } else if (name == "--completion") {
    for (const std::string& shell : completion_shells()) found.words.push_back({shell, ""});
  } else {
    for (const std::string& choice : choices_of(argument.type)) found.words.push_back({choice, ""});
    found.files = found.words.empty() && argument.type != "N" && argument.type != "X";
  }
  return found;
}

// What the words before mean for the next one.
struct Place {
  const ArgumentOutline* flag = nullptr;  // whose value comes next
  bool more_values = false;               // it has one already: `-p a=1 b=2`
  std::size_t positional = 0;             // how many positional arguments are given
};

Place place_of(const Line& line) {
  Place place;
  for (const std::string& word : line.before) {
    if (const ArgumentOutline* flag = find_flag(line, word)) {
      place.flag = flag->takes_value ? flag : nullptr;
      place.more_values = false;
    } else if (word.starts_with('-') && word.size() > 1) {
      place.flag = nullptr;  // --flag=value
    } else if (place.flag == nullptr || (place.more_values && word.find('=') == std::string::npos)) {
      ++place.positional;
      place.flag = nullptr;
    } else {
      place.more_values = true;
      if (place.flag->flags.back() != "-p") place.flag = nullptr;
    }
  }
  return place;
}

const ArgumentOutline* positional(const Line& line, std::size_t number) {
  const ArgumentOutline* last = nullptr;
  for (const ArgumentOutline& argument : line.outline->arguments) {
    if (!argument.flags.empty()) continue;
    if (number-- == 0) return &argument;
    last = argument.repeats ? &argument : nullptr;
  }
  return last;
}

void append(Candidates& found, Candidates more) {
  found.words.insert(found.words.end(), more.words.begin(), more.words.end());
  found.files = found.files || more.files;
}

void add_flags(Candidates& found, const Line& line) {
  for (const ArgumentOutline& argument : line.outline->arguments) {
    for (const std::string& flag : argument.flags) found.words.push_back({flag, argument.help});
  }
}

Candidates all_candidates(const Line& line) {
  Candidates found;
  const std::size_t equals = line.word.find('=');
  if (line.word.starts_with("--") && equals != std::string::npos) {
    const ArgumentOutline* flag = find_flag(line, line.word.substr(0, equals));
    if (flag == nullptr) return found;
    found = values_of(line, *flag, line.word.substr(equals + 1));
    for (Candidate& candidate : found.words) candidate.word = line.word.substr(0, equals + 1) + candidate.word;
    return found;
  }
  const Place place = place_of(line);
  if (place.flag != nullptr) append(found, values_of(line, *place.flag, line.word));
  if (place.flag != nullptr && !place.more_values) return found;
  for (const CommandOutline& below : line.outline->commands) found.words.push_back({below.name, below.summary});
  const ArgumentOutline* next = positional(line, place.positional);
  if (next != nullptr && !line.word.starts_with('-')) append(found, values_of(line, *next, line.word));
  if (line.word.starts_with('-') || (next == nullptr && line.outline->commands.empty())) add_flags(found, line);
  return found;
}

}  // namespace

Candidates complete(const CommandOutline& program, const std::vector<std::string>& words) {
  const Line line = line_of(program, rejoined(words));
  Candidates found = all_candidates(line);
  std::erase_if(found.words, [&](const Candidate& each) { return !each.word.starts_with(line.word); });
  return found;
}

}  // namespace hinge::cli
