// `hinge compare`: one training set, several learners, one referee.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/job_flags.h"
#include "cli/plot.h"
#include "cli/streams.h"
#include "hinge/core/error.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/record.h"

namespace hinge::cli {
namespace {

struct CompareFlags : JobFlags {
  std::string learners;
  bool json = false;
};

struct Outcome {
  std::string learner;
  std::string loss;  // of the measured objective
  std::vector<EpochReport> history;
};

std::vector<std::string> learners_of(const std::string& text) {
  if (text != "all") return split_list(text);
  std::vector<std::string> names;
  for (const LearnerRow& row : learner_table()) names.emplace_back(row.name);
  return names;
}

// Learners without a C are measured with the one given for the others.
std::optional<double> referee_C(const CompareFlags& flags) {
  std::optional<double> C;
  OptionTable table("", Spelling::kFlag);
  table.add("C", C, "").above(0);
  for (const auto& [name, value] : flags.learner.given()) {
    if (name != "C") continue;
    if (value.empty()) fail<OptionError>("--C is '' but must be a number above 0");
    table.set(name, value);
  }
  return C;
}

// A job per learner. Options go to every learner that has them, and to the
// task if no learner does.
std::vector<Job> jobs_of(const CompareFlags& flags, const std::vector<std::string>& learners) {
  std::vector<Job> jobs;
  JobSettings settings = settings_of(flags);
  settings.objective = "epoch";
  for (const std::string& learner : learners) {
    settings.learner = learner;
    Job& job = jobs.emplace_back(settings);
    job.referee_C = referee_C(flags);
    for (const auto& [name, value] : flags.task.given()) job.task->options().set(name, value);
  }
  const auto set = [&jobs](const std::string& name, const std::string& value) {
    bool known = false;
    for (Job& job : jobs) {
      if (!job.learner->options().has(name)) continue;
      job.learner->options().set(name, value);
      known = true;
    }
    return known;
  };
  for (const auto& [name, value] : flags.learner.given()) set(name, value);
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    if (set(name, value)) continue;
    for (Job& job : jobs) job.task->options().set(name, value);
  }
  return jobs;
}

// One object: what was compared, and what each learner came to.
std::string json_of(const std::vector<Outcome>& outcomes, const JobSettings& settings) {
  std::vector<Json> learners;
  for (const Outcome& outcome : outcomes)
    learners.push_back(to_json(outcome.history.back(), outcome.learner).set("objective_loss", outcome.loss));
  Json json;
  json.set("task", settings.task).set("train", settings.train).set("dev", settings.dev);
  return json.set("learners", learners).dump() + "\n";
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
  for (const Outcome& outcome : outcomes) {
    for (const EpochReport& report : outcome.history) {
      std::string primal, dual;
      if (report.objective) primal = fmt::format("{}", report.objective->primal);
      if (report.objective && report.objective->dual) dual = fmt::format("{}", *report.objective->dual);
      text +=
          fmt::format("{},\"{}\",{},{},{},{},{}\n", outcome.learner, outcome.loss, report.epoch,
                      report.training_seconds, report.dev.empty() ? 0.0 : report.dev[0].second, primal, dual);
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

// As in Figures 1 to 3 of the papers: dev score and objective against time and
// against epochs. Objectives of different losses are not comparable.
std::string chart_of(const std::vector<Outcome>& outcomes, const std::string& title,
                     const std::string& note) {
  std::vector<Panel> panels;
  for (const Against against : {Against::kSeconds, Against::kEpochs}) {
    panels.push_back(panel_of("dev score", "", against));
    panels.back().best = Best::kHighest;
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
      panels.back().best = Best::kLowest;
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
  return svg_chart(title, note, panels, /*columns=*/2);
}

// The loss the referee measures for a learner, or "-" for none.
std::string measured_loss(const ObjectiveKind& kind, const std::optional<double>& referee_C) {
  if (!kind.C && !referee_C) return "-";
  const std::string loss(loss_name(kind.loss));
  if (kind.l1 == 0.0) return loss;
  return loss + (kind.l2 == 0.0 ? ", l1 regularizer" : fmt::format(", l2 and {} l1 regularizer", kind.l1));
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    fail<OutputError>("{}: cannot be created as a folder ({}); choose another place", path, error.message());
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_results(const std::string& folder, const std::vector<Outcome>& outcomes, const std::string& title,
                   const std::string& note) {
  write_file(folder + "/table.md", table_of(outcomes));
  write_file(folder + "/curves.csv", csv_of(outcomes));
  write_file(folder + "/curves.svg", chart_of(outcomes, title, note));
}

// What a reader of the results needs to repeat them.
std::string about(const JobSettings& settings, std::vector<Job>& jobs) {
  Json options;
  for (Job& job : jobs) options.set(job.settings.learner, values_of(job.learner->options()));
  options.set(settings.task, values_of(jobs[0].task->options()));
  return Json()
             .set("version", HINGE_VERSION)
             .set("task", settings.task)
             .set("train", settings.train)
             .set("dev", settings.dev)
             .set("seed", settings.seed)
             .set("options", options)
             .dump() +
         "\n";
}

void run_compare(CompareFlags& flags) {
  read_config(flags);
  const std::vector<std::string> learners = learners_of(flags.learners);
  if (learners.empty()) fail<OptionError>("learners is empty; give for instance --learners perceptron,dcd");
  std::vector<Job> jobs = jobs_of(flags, learners);
  const JobSettings& settings = jobs[0].settings;
  Workers workers(settings.thread_count());
  Console console(flags.quiet);
  const JobData data = load(jobs[0], workers, console);
  make_folder(settings.output);
  write_file(settings.output + "/about.json", about(settings, jobs));
  OutputFile log(settings.output + "/compare.jsonl");
  const std::string note = fmt::format("hinge {}, seed {}; all options are in about.json; a ring marks the best",
                                       HINGE_VERSION, settings.seed);
  catch_interrupts();
  std::vector<Outcome> outcomes;
  for (Job& job : jobs) {
    const std::string& name = job.settings.learner;
    if (interrupted()) break;
    if (flags.learners == "all" && !find_learner(name).suits(data.set->task())) continue;
    console.say(name);
    const Learned learned = learn(job, data, workers, console);
    outcomes.push_back({name, measured_loss(learned.objective, job.referee_C), learned.training.history});
    for (const EpochReport& report : outcomes.back().history) log.write(to_json_line(report, name));
    // After every learner, so that partial results can be seen.
    write_results(settings.output, outcomes, settings.task + ": " + settings.train,
                  note);
  }
  log.commit();
  print(flags.json ? json_of(outcomes, settings) : table_of(outcomes));
}

}  // namespace

void add_compare(Program& program) {
  Command command =
      program.add("compare", "train several learners on one set; write a table, curves and an epoch log");
  auto flags = std::make_shared<CompareFlags>();
  add_setting(command, *flags, "task", "TASK").required();
  add_setting(command, *flags, "train", "TRAIN").required();
  add_setting(command, *flags, "dev", "DEV", "labelled data to score on").required();
  command.add("--learners", flags->learners, "names separated by commas, or all").required().type("NAME,...");
  add_setting(command, *flags, "output", "",
              "a folder for table.md, curves.svg, curves.csv, compare.jsonl and about.json")
      .required();
  add_settings(command, *flags, {"init", "tagger", "jackknife", "seed", "threads", "shards"});
  add_task_flags(command, flags->task, task_table(), Trait::kFlag);
  add_option_flags(command, *flags);
  add_config_flag(command, *flags);
  command.add("--json", flags->json, "print one JSON object instead of the table: the last epoch of each");
  command.run([flags] { run_compare(*flags); });
}

}  // namespace hinge::cli
