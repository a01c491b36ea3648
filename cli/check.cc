// `hinge check`: what is wrong or odd in a corpus, before training.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/job_flags.h"
#include "cli/streams.h"
#include "hinge/check/corpus_check.h"
#include "hinge/check/text_check.h"
#include "hinge/core/error.h"
#include "hinge/core/threads.h"
#include "hinge/files/file_list.h"
#include "hinge/pipeline/disagreement.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

struct CheckFlags {
  std::string task;
  std::vector<std::string> train, dev, test;
  OptionFlags options;  // that have their own flag
  std::vector<std::string> parameters;
  std::size_t examples = 3;
  std::string model;
  std::size_t top = 10;
  std::int64_t threads = 0;
  std::string fail_on;
  bool json = false;
};

// Text is checked and mended in memory; a folder is for the task alone.
Source checked_source(const std::string& path, CorpusCheck& check) {
  if (std::filesystem::is_directory(path)) return path;
  return Source::of_text(check_text(path, check), Source(path).name());
}

// The texts of the files, in order.
std::vector<Source> check_files(const TaskChoice& task, CorpusPart part,
                                const std::vector<std::string>& files, CorpusCheck& check) {
  std::vector<Source> sources;
  for (const std::string& named : files) {
    for (const std::string& file : list_files(named)) {
      check.begin(part, Source(file).name());
      sources.push_back(checked_source(file, check));
      task.check(sources.back(), check);
    }
  }
  return sources;
}

// A training example that the model fits badly.
struct Disagreement {
  std::size_t file, example;  // numbers
  double slack;
  bool agrees;       // it predicts the label, but by too small a margin
  std::string text;  // what the model would change
};

// The lines of an example, up to the next one.
std::string_view text_of(const CorpusCheck::File& file, const Source& source, std::size_t example) {
  const std::string_view text = *source.text;
  const auto offset = [text](std::size_t line) {
    std::size_t at = 0;
    for (std::size_t k = 1; k < line && at < text.size(); ++k) at = first_line_end(text, at);
    return at;
  };
  const std::size_t begin = offset(file.lines[example]);
  const bool last = example + 1 == file.lines.size();
  return text.substr(begin, last ? text.npos : offset(file.lines[example + 1]) - begin);
}

// All examples with slack.
std::vector<Disagreement> find_slack(const ModelFile& model, const CorpusCheck& check,
                                     const std::vector<Source>& sources, Workers& workers) {
  JobObserver silent;
  std::vector<Disagreement> all;
  for (std::size_t f = 0; f < sources.size(); ++f) {
    const std::vector<Fit> found = fits(model, sources[f], workers, silent);
    const CorpusCheck::File& file = check.files()[f];
    if (found.size() != file.lines.size())
      fail<InputError>("{}: has {} examples, but the model learns from {}; --model needs one for one",
                       file.name, file.lines.size(), found.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found[k].slack > 0.0) all.push_back({f, k, found[k].slack, found[k].agrees, ""});
    }
  }
  return all;
}

// Wrong predictions first, of these and of the others those with the largest slack.
void sort_worst_first(std::vector<Disagreement>& all) {
  std::ranges::stable_sort(all, [](const Disagreement& a, const Disagreement& b) {
    return a.agrees != b.agrees ? b.agrees : a.slack > b.slack;
  });
}

// The examples that the model fits worst. What it predicts, with constraints and the like, says
// whether it agrees; the decoder of training only says where to look first.
std::vector<Disagreement> find_disagreements(const CheckFlags& flags, const CorpusCheck& check,
                                             const std::vector<Source>& sources) {
  const ModelFile model = ModelFile::open(flags.model);
  require_task(model, find_task(flags.task).name);
  const auto predictor = open_predictor(model);
  Workers workers(thread_count(flags.threads));
  std::vector<Disagreement> all = find_slack(model, check, sources, workers);
  sort_worst_first(all);
  std::vector<Disagreement> worst;
  std::size_t wrong = 0;
  std::size_t agreed = 0;
  for (Disagreement& one : all) {
    if (wrong == flags.top || (one.agrees && agreed >= flags.top)) break;
    const CorpusCheck::File& file = check.files()[one.file];
    if (sources[one.file].text != nullptr && file.lines[one.example] > 0) {
      Changes found = changes(*predictor, text_of(file, sources[one.file], one.example), file.name,
                              file.lines[one.example], workers);
      one.text = std::move(found.text);
      one.agrees = found.agrees.value_or(one.agrees);
    }
    ++(one.agrees ? agreed : wrong);
    worst.push_back(std::move(one));
  }
  sort_worst_first(worst);
  worst.resize(std::min(worst.size(), flags.top));
  return worst;
}

std::string heading(const CorpusCheck::File& file) {
  std::string text = fmt::format("{}: {} {}, {} {}", file.name, file.lines.size(), file.nouns.examples,
                                 file.units, file.nouns.units);
  if (file.labels > 0) text += fmt::format(", {} label{}", file.labels, file.labels == 1 ? "" : "s");
  if (!file.lines.empty()) text += fmt::format(", longest {}", file.longest);
  for (const std::string& fact : file.facts) text += ", " + fact;
  return text + "\n";
}

std::string place_of(const Example& example) {
  return example.line == 0 ? example.file : fmt::format("{}:{}", example.file, example.line);
}

std::string counts_of(const std::vector<Finding>& findings) {
  std::int64_t counts[3] = {};
  for (const Finding& finding : findings) ++counts[static_cast<std::size_t>(finding.kind->severity)];
  const auto several = [](std::int64_t n, std::string_view noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
  };
  return several(counts[0], "kind") + " of error, " + several(counts[1], "kind") + " of warning, " +
         several(counts[2], "kind") + " of note";
}

std::string to_text(const CorpusCheck& check, const std::vector<Finding>& findings) {
  std::string text;
  for (const CorpusCheck::File& file : check.files()) text += heading(file);
  if (findings.empty()) return text + "\nnothing odd was found\n";
  for (const Finding& finding : findings) {
    const FindingKind& kind = *finding.kind;
    text += fmt::format("\n{} {}: {}", severity_name(kind.severity), kind.name, finding.count);
    if (finding.total > 0) text += fmt::format(" of {}", finding.total);
    text += fmt::format(": {}; {}\n", kind.what, kind.advice);
    for (const Example& example : finding.examples)
      text += fmt::format("  {}: {}\n", place_of(example), example.text);
  }
  return text + "\n" + counts_of(findings) + "\n";
}

std::string to_text(const CorpusCheck& check, const std::vector<Disagreement>& disagreements) {
  if (disagreements.empty()) return "\nthe model fits all training examples\n";
  std::string text;
  bool agrees = !disagreements[0].agrees;
  for (const Disagreement& one : disagreements) {
    if (one.agrees != agrees)
      text += one.agrees ? "\nthe model agrees with these training examples, but by too small a margin:\n"
                         : "\nthe model disagrees most with these training examples; look for wrong labels:\n";
    agrees = one.agrees;
    const CorpusCheck::File& file = check.files()[one.file];
    text += fmt::format("  {}: slack {:.3f}{}{}\n", place_of({file.name, file.lines[one.example], "", 0.0}),
                        one.slack, one.text.empty() ? "" : "  ", one.text);
  }
  return text;
}

Json to_json(const CorpusCheck::File& file) {
  return Json()
      .set("file", file.name)
      .set("part", part_name(file.part))
      .set("examples", static_cast<std::int64_t>(file.lines.size()))
      .set("units", static_cast<std::int64_t>(file.units))
      .set("labels", static_cast<std::int64_t>(file.labels))
      .set("longest", static_cast<std::int64_t>(file.longest))
      .set("facts", file.facts);
}

Json to_json(const Finding& finding) {
  std::vector<Json> examples;
  for (const Example& example : finding.examples) {
    Json json;
    json.set("file", example.file);
    if (example.line > 0) json.set("line", static_cast<std::int64_t>(example.line));
    examples.push_back(json.set("text", example.text));
  }
  Json json;
  json.set("name", finding.kind->name)
      .set("severity", severity_name(finding.kind->severity))
      .set("count", finding.count);
  if (finding.total > 0) json.set("total", finding.total);
  return json.set("what", finding.kind->what).set("advice", finding.kind->advice).set("examples", examples);
}

Json to_json(const CorpusCheck& check, const Disagreement& one) {
  const CorpusCheck::File& file = check.files()[one.file];
  return Json()
      .set("file", file.name)
      .set("line", static_cast<std::int64_t>(file.lines[one.example]))
      .set("slack", one.slack)
      .set("agrees", one.agrees)
      .set("text", one.text);
}

Json to_json(const CorpusCheck& check, const std::vector<Finding>& findings) {
  std::vector<Json> files;
  std::vector<Json> found;
  for (const CorpusCheck::File& file : check.files()) files.push_back(to_json(file));
  for (const Finding& finding : findings) found.push_back(to_json(finding));
  return Json().set("files", files).set("findings", found);
}

// For scripts that must not go on with a doubtful corpus.
void fail_if_asked(const std::vector<Finding>& findings, const std::string& fail_on) {
  if (fail_on.empty() || findings.empty()) return;
  const Severity limit = fail_on == "error"     ? Severity::kError
                         : fail_on == "warning" ? Severity::kWarning
                                                : Severity::kNote;
  if (findings[0].kind->severity <= limit)
    fail<InputError>("--fail-on {}: {}; see the report", fail_on, counts_of(findings));
}

void run_check(const CheckFlags& flags) {
  const auto task = find_task(flags.task).choose();
  GivenOnce once;
  once.add(flags.options);
  once.add_pairs(flags.parameters);
  for (const auto& [name, value] : flags.options.given()) task->options().set(name, value);
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    task->options().set(name, value);
  }
  Findings findings(flags.examples);
  CorpusCheck check(findings);
  const std::vector<Source> train = check_files(*task, CorpusPart::kTrain, flags.train, check);
  check_files(*task, CorpusPart::kDev, flags.dev, check);
  check_files(*task, CorpusPart::kTest, flags.test, check);
  check.finish();
  const std::vector<Finding> sorted = findings.sorted();
  Json json = to_json(check, sorted);
  std::string text = to_text(check, sorted);
  if (!flags.model.empty()) {
    const std::vector<Disagreement> disagreements = find_disagreements(flags, check, train);
    std::vector<Json> rows;
    for (const Disagreement& one : disagreements) rows.push_back(to_json(check, one));
    json.set("disagreements", rows);
    text += to_text(check, disagreements);
  }
  print(flags.json ? json.dump() + "\n" : text);
  fail_if_asked(sorted, flags.fail_on);
}

}  // namespace

void add_check(Program& program) {
  Command command = program.add("check", "find what is wrong or odd in a corpus, before training");
  auto flags = std::make_shared<CheckFlags>();
  command.add("TASK", flags->task, "one of 'hinge tasks'").required();
  command.add("FILE", flags->train, "training data, perhaps in several files: a,b or 'part-*'").required();
  command.add("--dev", flags->dev, "development data, to compare with; may be repeated");
  command.add("--test", flags->test, "test data, to compare with; may be repeated");
  command.add("-p", flags->parameters, "name=value: an option of the task");
  add_task_flags(command, flags->options, task_table(), Trait::kFlag);
  command.add("--examples", flags->examples, "how many to show of each kind (default 3)");
  command.add("--model", flags->model,
              "a model of this data: shows the training examples that it disagrees with most, probably errors");
  command.add("--top", flags->top, "with --model, how many (default 10)");
  command.add("--threads", flags->threads, kThreadsHelp);
  command.add("--fail-on", flags->fail_on, "exit with code 1 if there is any error, warning or note")
      .one_of({"error", "warning", "note"});
  command.add("--json", flags->json, "one JSON object");
  command.run([flags] { run_check(*flags); });
}

}  // namespace hinge::cli
