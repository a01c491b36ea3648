#include <memory>

#include "cli/commands.h"
#include "cli/session.h"
#include "hinge/core/error.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

struct PredictFlags {
  std::string model;
  std::string input = "-";
  std::string output = "-";
  std::string taggers;
  std::int64_t n_best = 1;
  std::int64_t threads = 0;
  PredictSettings settings;
};

void run_predict(PredictFlags& flags) {
  constexpr std::int64_t kMost = 10000;
  if (flags.n_best < 1 || flags.n_best > kMost)
    fail<OptionError>("nbest is {} but must be from 1 to {}", flags.n_best, kMost);
  flags.settings.n_best = static_cast<std::size_t>(flags.n_best);
  const ModelFile file = ModelFile::open(flags.model);
  const auto predictor = open_predictor(file);
  const Annotators annotators = open_annotators(flags.taggers);
  Workers workers(hinge::thread_count(flags.threads));
  OutputFile out(flags.output);
  annotators.predict(*predictor, flags.input, out, flags.settings, workers);
  out.commit();
}

}  // namespace

void add_predict(CLI::App& app) {
  auto* command = app.add_subcommand("predict", "label new data with a model");
  auto flags = std::make_shared<PredictFlags>();
  command->add_option("MODEL", flags->model, "from 'hinge train'")->required();
  command->add_option("INPUT", flags->input,
                      "data in the format of the training data, labels optional (default '-')");
  command->add_option("-o,--output", flags->output, "where to write (default: standard output)");
  command->add_option("--nbest", flags->n_best,
                      "the K best outputs of each input, each below a line '# rank score'");
  command->add_flag(
      "--scores", flags->settings.scores,
      "a number beside every decision: its probability (crf, softmax-margin), or its margin, the "
      "best output against the best without it");
  command->add_flag("--marginals", flags->settings.marginals,
                    "the probability for any model; that of a margin learner is not calibrated");
  command->add_flag("--constrain", flags->settings.constrain,
                    "keep the labels already in the input (? = any, A|B = one of)");
  command->add_option("--tagger", flags->taggers, kTaggerHelp);
  command->add_option("--threads", flags->threads, kThreadsHelp);
  command->callback([flags] { run_predict(*flags); });
}

}  // namespace hinge::cli
