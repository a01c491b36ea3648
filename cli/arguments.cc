#include "cli/arguments.h"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "cli/help.h"
#include "cli/streams.h"
#include "hinge/core/error.h"
#include "hinge/core/join.h"

namespace hinge::cli {
namespace {

constexpr std::size_t kMostShown = 60;  // characters of a wrong value

// The names of the commands of a program or group.
std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::string nearest_note(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> names(candidates.begin(), candidates.end());
  const std::string_view near = nearest_name(word, names);
  return near.empty() ? "" : fmt::format(", did you mean '{}'", near);
}

// The command or group that the first words name: itself, and how users call it.
struct Named {
  const CLI::App* app;
  std::string path;
};

// Throws OptionError, with the nearest name, if a word that should name a command does not. A
// flag ends the words.
Named find_command(const CLI::App& program, std::span<const std::string> words) {
  Named found{&program, program.get_name()};
  for (const std::string& word : words) {
    const std::vector<std::string> names = command_names(*found.app);
    if (names.empty() || word.starts_with('-')) break;
    if (std::ranges::find(names, word) == names.end())
      fail<OptionError>("there is no command '{}'{}; there are: {}",
                        (found.path + " " + word).substr(program.get_name().size() + 1),
                        nearest_note(word, names), join(names, ", "));
    found = {found.app->get_subcommand(word), found.path + " " + word};
  }
  return found;
}

CLI::App* new_command(CLI::App& parent, const std::string& name, const std::string& summary) {
  CLI::App* command = parent.add_subcommand(name, summary);
  command->get_help_ptr()->group(kGeneralGroup);
  return command;
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool is_pair(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// "-p a=1 b=2" as "-p a=1 -p b=2".
std::vector<std::string> with_flags_repeated(const CLI::App& command, std::span<const std::string> words) {
  std::vector<std::string> result;
  std::string flag;  // of pairs, if the last word was one of its values
  bool takes_value = false;
  for (const std::string& word : words) {
    if (!takes_value && !flag.empty() && is_pair(word)) {
      result.insert(result.end(), {flag, word});
      continue;
    }
    if (!takes_value) {
      const CLI::Option* option = command.get_option_no_throw(word);
      takes_value = option != nullptr && word.starts_with('-') && option->get_type_name() == kPairType;
      flag = takes_value ? word : "";
    } else {
      takes_value = false;
    }
    result.push_back(word);
  }
  return result;
}

// The library's message in our words.
std::string plain(const std::string& message, const CLI::App& command) {
  constexpr std::string_view kTwice = ": At Most 1 required but received ", kMissing = ": 1 required ";
  if (message == "A subcommand is required") return "a command is missing";
  if (const std::size_t at = message.find(kTwice); at != message.npos) {
    const CLI::Option* option = command.get_option_no_throw(message.substr(0, at));
    return fmt::format("{} is given {} times{}, but takes one value", message.substr(0, at),
                       message.substr(at + kTwice.size()),
                       option == nullptr ? "" : fmt::format(" ({})", join(option->results(), ", ")));
  }
  if (const std::size_t at = message.find(kMissing); at != message.npos)
    return fmt::format("{} needs a value", message.substr(0, at));
  return message;
}

}  // namespace

Argument& Argument::required(bool is_required) {
  option_.required(is_required);
  return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& values) {
  option_.check(CLI::IsMember(values), "");
  option_.get_validator("")->description("");
  return type(join(values, "|"));
}

Argument& Argument::type(const std::string& word) {
  option_.type_name(word);
  return *this;
}

Argument Command::add(const std::string& names, std::string& target, const std::string& help) {
  return Argument(*app_.add_option(names, target, with_default(names, help, target)));
}

Argument Command::add(const std::string& names, std::optional<std::string>& target, const std::string& help) {
  return Argument(*app_.add_option(names, target, help));
}

// By our own parser: the library's takes "-1" for a large number and 2^64 for 2^63 - 1.
template <typename Number>
Argument Command::add_number(const std::string& names, Number& target, const std::string& help) {
  const auto set = [&target, names](const std::string& text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return;
    fail<OptionError>("{} is '{}' but must be {}", names, text.substr(0, kMostShown),
                      std::is_floating_point_v<Number>
                          ? "a number"
                          : fmt::format("a whole number from {} to {}", std::numeric_limits<Number>::min(),
                                        std::numeric_limits<Number>::max()));
  };
  const std::string text = with_default(names, help, fmt::format("{}", target));
  return Argument(*app_.add_option_function<std::string>(names, set, text))
      .type(std::is_floating_point_v<Number> ? "X" : "N");
}

Argument Command::add(const std::string& names, std::int64_t& target, const std::string& help) {
  return add_number(names, target, help);
}

Argument Command::add(const std::string& names, std::uint64_t& target, const std::string& help) {
  return add_number(names, target, help);
}

Argument Command::add(const std::string& names, double& target, const std::string& help) {
  return add_number(names, target, help);
}

Argument Command::add(const std::string& names, bool& target, const std::string& help) {
  return Argument(*app_.add_flag(names, target, help));
}

Argument Command::add(const std::string& names, std::vector<std::string>& target, const std::string& help) {
  CLI::Option* option = app_.add_option(names, target, help);
  if (names.starts_with('-')) option->allow_extra_args(false);
  return Argument(*option);
}

Argument Command::add_pairs(const std::string& flag, std::vector<std::string>& target,
                            const std::string& help) {
  return add(flag, target, help).type(kPairType);
}

void Command::begin_group(const std::string& heading) { app_.option_defaults()->group(heading); }

void Command::run(std::function<void()> action) { app_.callback(std::move(action)); }

Program::Program(const std::string& name, const std::string& summary, const std::string& version)
    : app_(std::make_unique<CLI::App>(summary, name)) {
  app_->set_version_flag("--version", version, "print the version");
  app_->require_subcommand(1);
  app_->formatter(std::make_shared<HelpFormatter>());
  app_->option_defaults()->group(kGeneralGroup);
  app_->set_help_flag("-h,--help", "print this help");
  app_->get_version_ptr()->group(kGeneralGroup);
  CLI::App* help = new_command(*app_, "help", "print the help of a command");
  help->add_option("COMMAND", help_words_, "a command, or a group and a command of it");
  help->callback([this] { print_help(help_words_); });
}

Program::~Program() = default;

Command Program::add(const std::string& name, const std::string& summary) {
  return Command(*new_command(*app_, name, summary));
}

CommandOutline Program::outline() const { return outline_of(*app_); }

Command Program::add(const std::string& group, const std::string& about, const std::string& name,
                     const std::string& summary) {
  const auto held =
      app_->get_subcommands([&](const CLI::App* command) { return command->get_name() == group; });
  CLI::App* parent = held.empty() ? new_command(*app_, group, about) : held[0];
  parent->require_subcommand(1);
  return Command(*new_command(*parent, name, summary));
}

void Program::print_help(const std::vector<std::string>& words) const {
  const Named named = find_command(*app_, words);
  print(named.app->get_formatter()->make_help(named.app, named.path, CLI::AppFormatMode::Normal));
}

// For what the library did not understand. A wrong flag is the cause of much else, so it is
// looked for first.
void Program::refuse(const std::string& message) const {
  Named named{app_.get(), app_->get_name()};
  while (!named.app->get_subcommands().empty()) {
    named.app = named.app->get_subcommands()[0];
    named.path += " " + named.app->get_name();
  }
  const std::string help = fmt::format("'{} --help' lists all", named.path);
  for (const std::string& word : app_->remaining(/*recurse=*/true)) {
    if (!word.starts_with('-') || word == "-") continue;
    const std::string flag = word.substr(0, word.find('='));
    const std::string name = flag.substr(flag.find_first_not_of('-'));
    if (hint_ && named.app->get_option_no_throw("-p") != nullptr) {
      if (const std::string hint = hint_(name); !hint.empty())
        fail<OptionError>("{} has no flag '{}'; {}", named.path, flag, hint);
    }
    fail<OptionError>("{} has no flag '{}'{}; {}", named.path, flag, nearest_note(flag, flags_of(*named.app)),
                      help);
  }
  const std::vector<std::string> rest = app_->remaining(/*recurse=*/true);
  if (!rest.empty())
    fail<OptionError>("{}: '{}' is one argument too many; see '{} --help'", named.path,
                      rest.front().substr(0, kMostShown), named.path);
  fail<OptionError>("{}; see '{} --help'", plain(message, *named.app), named.path);
}

void Program::run(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const Named named = find_command(*app_, words);
  std::vector<std::string> arguments = with_flags_repeated(*named.app, words);
  std::ranges::reverse(arguments);  // as the library wants them
  try {
    app_->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    std::vector<std::string> path(words.begin(), std::ranges::find_if(words, [](const std::string& word) {
                                    return word.starts_with('-');
                                  }));
    print_help(path);
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
}

}  // namespace hinge::cli
