// `hinge compare`: one training set, several learners, one referee.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "cli/commands.h"
#include "cli/plot.h"
#include "cli/session.h"
#include "hinge/core/error.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/choice.h"
#include "hinge/pipeline/record.h"

namespace hinge::cli {
namespace {

struct CompareFlags : SessionFlags {
  std::string learners;
  std::string output;
};

struct Outcome {
  std::string learner;
  std::string loss;  // of the objective that was measured
  std::vector<EpochReport> history;
};

std::vector<std::string> learners_of(const std::string& text) {
  if (text != "all") return split_list(text);
  std::vector<std::string> names;
  for (const LearnerRow& row : learner_table()) names.emplace_back(row.name);
  return names;
}

// Options given with -p go to every learner that has them; at least one must.
std::unique_ptr<LearnerChoice> configure(const CompareFlags& flags, const std::string& name) {
  auto choice = choose_learner(find_task(flags.task), name);
  const auto set = [&](std::string_view option, std::string_view value) {
    if (choice->options().has(option)) choice->options().set(option, value);
  };
  if (flags.epochs) set("epochs", *flags.epochs);
  if (flags.C) set("C", *flags.C);
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    set(name, value);
  }
  return choice;
}

void apply_task_options(const CompareFlags& flags, const std::vector<std::string>& learners,
                        OptionTable& task) {
  apply_task_flags(flags, task);
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    bool known = false;
    for (const std::string& learner : learners) known = known || choose_learner(learner)->options().has(name);
    if (!known) task.set(name, value);
  }
}

std::string table_of(const std::vector<Outcome>& outcomes) {
  std::string text =
      "| learner | loss | epochs | dev | objective | gap | decode s/epoch | update s/epoch | total s/epoch | "
      "train s |\n";
  text += "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Outcome& outcome : outcomes) {
    const EpochReport& last = outcome.history.back();
    double decode = 0.0;
    double update = 0.0;
    for (const EpochReport& report : outcome.history) {
      decode += report.decode_seconds;
      update += report.update_seconds;
    }
    const auto epochs = static_cast<double>(outcome.history.size());
    std::string gap = "-";
    if (last.objective && last.objective->gap())
      gap = fmt::format("{:.3g}{}", *last.objective->gap(), last.objective->estimate ? " (estimate)" : "");
    text += fmt::format(
        "| {} | {} | {} | {:.2f} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.2f} |\n", outcome.learner,
        outcome.loss, outcome.history.size(), last.dev.empty() ? 0.0 : last.dev[0].second,
        last.objective ? fmt::format("{:.4f}", last.objective->primal) : "-", gap, decode / epochs,
        update / epochs, last.training_seconds / epochs, last.training_seconds);
  }
  return text;
}

std::string csv_of(const std::vector<Outcome>& outcomes) {
  std::string text = "learner,loss,epoch,seconds,dev,primal,dual\n";
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const Outcome& outcome : outcomes) {
    for (const EpochReport& report : outcome.history) {
      const auto primal = report.objective ? std::optional(report.objective->primal) : std::nullopt;
      const auto dual = report.objective ? report.objective->dual : std::nullopt;
      text += fmt::format("{},\"{}\",{},{},{},{},{}\n", outcome.learner, outcome.loss, report.epoch,
                          report.training_seconds, report.dev.empty() ? 0.0 : report.dev[0].second,
                          number(primal), number(dual));
    }
  }
  return text;
}

enum class Against { kSeconds, kEpochs };

Panel panel_of(std::string title, std::string y_label, Against against) {
  const bool seconds = against == Against::kSeconds;
  return {.title = std::move(title),
          .x_label = seconds ? "seconds of training" : "epochs",
          .y_label = std::move(y_label),
          .log_x = seconds};
}

double x_of(const EpochReport& report, Against against) {
  return against == Against::kSeconds ? report.training_seconds : static_cast<double>(report.epoch);
}

// What Figures 1 to 3 of the papers plot: dev score and objective against time
// and against epochs. Objectives of different losses are no one scale.
std::string chart_of(const std::vector<Outcome>& outcomes, const std::string& title) {
  std::vector<Panel> panels;
  for (const Against against : {Against::kSeconds, Against::kEpochs}) {
    panels.push_back(panel_of("dev score", "", against));
    for (const Outcome& outcome : outcomes) {
      Curve curve{.name = outcome.learner};
      for (const EpochReport& report : outcome.history) {
        if (report.dev.empty()) continue;
        panels.back().y_label = report.dev[0].first;
        curve.x.push_back(x_of(report, against));
        curve.y.push_back(report.dev[0].second);
      }
      panels.back().curves.push_back(std::move(curve));
    }
  }
  std::vector<std::string> losses;
  for (const Outcome& outcome : outcomes) {
    if (outcome.loss != "-" && std::ranges::find(losses, outcome.loss) == losses.end())
      losses.push_back(outcome.loss);
  }
  for (const std::string& loss : losses) {
    for (const Against against : {Against::kSeconds, Against::kEpochs}) {
      panels.push_back(panel_of(fmt::format("objective, {} loss", loss), "primal", against));
      panels.back().log_y = true;
      for (const Outcome& outcome : outcomes) {
        if (outcome.loss != loss) continue;
        Curve curve{.name = outcome.learner};
        for (const EpochReport& report : outcome.history) {
          if (!report.objective) continue;
          curve.x.push_back(x_of(report, against));
          curve.y.push_back(report.objective->primal);
        }
        panels.back().curves.push_back(std::move(curve));
      }
    }
  }
  return svg_chart(title, panels, /*columns=*/2);
}

// The loss the referee measures for a learner, or "-" for none.
std::string measured_loss(const ObjectiveKind& kind, const std::optional<double>& referee_C) {
  if (!kind.C && !referee_C) return "-";
  const std::string loss(loss_name(kind.loss));
  if (kind.l1 == 0.0) return loss;
  return loss + (kind.l2 == 0.0 ? ", l1 regularizer" : fmt::format(", l2 and {} l1 regularizer", kind.l1));
}

// Learners without a C are judged by the one given for the others.
std::optional<double> referee_C(const CompareFlags& flags) {
  if (!flags.C) return std::nullopt;
  double C = 0.0;
  const char* last = flags.C->data() + flags.C->size();
  const auto [end, error] = std::from_chars(flags.C->data(), last, C);
  if (error != std::errc() || end != last || !(C > 0.0) || !std::isfinite(C))
    fail<OptionError>("--C is '{}' but must be a number above 0", *flags.C);
  return C;
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    fail<OutputError>("{}: cannot be made a folder ({}); choose another place", path, error.message());
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void run_compare(CompareFlags flags) {
  read_config(flags, {{"output", &flags.output}});
  const std::vector<std::string> learners = learners_of(flags.learners);
  if (learners.empty()) fail<OptionError>("learners is empty; give for instance --learners perceptron,dcd");
  const auto task = find_task(flags.task).choose();
  apply_task_options(flags, learners, task->options());
  std::vector<std::unique_ptr<LearnerChoice>> choices;
  for (const std::string& name : learners) choices.push_back(configure(flags, name));
  TrainSettings settings{
      .seed = flags.seed.value_or(1), .objective = ObjectiveWhen::kEveryEpoch, .referee_C = referee_C(flags)};
  Workers workers(thread_count(flags));

  const auto set = load_set(flags, *task, workers);
  settings.dev_scores = score_dev(flags, *set, workers);
  make_folder(flags.output);
  OutputFile log(flags.output + "/compare.jsonl");
  catch_interrupts();
  std::vector<Outcome> outcomes;
  for (std::size_t l = 0; l < learners.size() && !interrupted(); ++l) {
    if (flags.learners == "all" && !find_learner(learners[l]).suits(set->task())) continue;
    if (!flags.quiet) fmt::print(stderr, "{}\n", learners[l]);
    settings.epochs = choices[l]->epochs();
    const auto learner = choices[l]->start(set->task(), workers);
    Console console(flags.quiet, static_cast<std::int64_t>(set->task().size()), settings.epochs);
    std::string loss = measured_loss(learner->objective(), settings.referee_C);
    outcomes.push_back(
        {learners[l], std::move(loss), train(set->task(), *learner, settings, workers, console).history});
    for (const EpochReport& report : outcomes.back().history) log.write(to_json_line(report, learners[l]));
    // After every learner, so that what is done is there to see.
    write_file(flags.output + "/table.md", table_of(outcomes));
    write_file(flags.output + "/curves.csv", csv_of(outcomes));
    write_file(flags.output + "/curves.svg", chart_of(outcomes, flags.task + ": " + flags.train));
  }
  log.commit();
  fmt::print("{}", table_of(outcomes));
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* command = app.add_subcommand(
      "compare", "train several learners on one set; a table, curves and a log of every epoch");
  auto flags = std::make_shared<CompareFlags>();
  add_session_flags(*command, *flags, /*required=*/true);
  command->add_option("DEV", flags->dev, "labelled data to score on")->required();
  command->add_option("--learners", flags->learners, "names separated by commas, or all")->required();
  command
      ->add_option("-o,--output", flags->output,
                   "a folder for table.md, curves.svg, curves.csv and compare.jsonl")
      ->required();
  command->callback([flags] { run_compare(*flags); });
}

}  // namespace hinge::cli
