// `hinge train --folds N`: the scores of every fold, their means and standard errors.
#include <fmt/core.h>

#include "cli/console.h"
#include "cli/streams.h"
#include "cli/train.h"
#include "hinge/core/error.h"
#include "hinge/evaluate/means.h"
#include "hinge/pipeline/folds.h"

namespace hinge::cli {
namespace {

std::string table_of(const std::vector<Scores>& folds) {
  std::string text = "| fold |";
  std::string rule = "|---|";
  std::string means = "| mean ± standard error |";
  for (std::size_t s = 0; s < folds[0].size(); ++s) {
    text += fmt::format(" {} |", folds[0][s].first);
    rule += "---|";
    std::vector<double> values;
    for (const Scores& scores : folds) values.push_back(scores[s].second);
    const Mean mean = mean_of(values);
    means += fmt::format(" {:.2f} ± {:.2f} |", mean.mean, mean.standard_error);
  }
  text += "\n" + rule + "\n";
  for (std::size_t k = 0; k < folds.size(); ++k) {
    text += fmt::format("| {} |", k + 1);
    for (const auto& [name, value] : folds[k]) text += fmt::format(" {:.2f} |", value);
    text += "\n";
  }
  return text + means + "\n";
}

}  // namespace

void check_folds(const JobSettings& settings, const TrainFlags& flags) {
  if (flags.folds == 0) return;
  if (flags.folds < 2)
    fail<OptionError>("--folds is '{}' but must be a whole number of at least 2", flags.folds);
  const auto refuse = [](std::string_view flag, std::string_view why) {
    fail<OptionError>("--folds and {} cannot be combined: {}; leave one out", flag, why);
  };
  if (!settings.dev.empty()) refuse("--dev", "every fold is scored on the part that it did not learn");
  if (settings.early_stop) refuse("--early-stop", "the epoch would be chosen on the part that is scored");
  if (!settings.checkpoint.empty()) refuse("--checkpoint", "a checkpoint holds one training");
}

void run_folds(const JobSettings& settings, const TrainFlags& flags) {
  const auto make = [&] { return job_of(settings, flags); };
  const Job job = make();
  const Folds folds(*job.task, Source::of_files(settings.train), flags.folds,
                    static_cast<std::uint64_t>(settings.seed));
  Workers workers(settings.thread_count());
  Console console(flags.quiet);
  const std::vector<Scores> scores = cross_validate(make, folds, workers, console);
  if (scores.empty()) fail<OptionError>("interrupted before the first fold was scored; nothing is written");
  // Not into the model.
  if (is_standard_output(settings.output)) {
    note(table_of(scores));
  } else {
    print(table_of(scores));
  }
  if (!interrupted()) console.say("training on all data");
}

}  // namespace hinge::cli
