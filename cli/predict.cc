#include <atomic>
#include <memory>

#include "cli/commands.h"
#include "cli/job_flags.h"
#include "cli/streams.h"
#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/core/threads.h"
#include "hinge/pipeline/annotation.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

struct PredictFlags {
  std::string model;
  std::string input = "-";
  std::string output = "-";
  std::vector<std::string> taggers;
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
  predictor->check(flags.settings);
  const Annotators annotators = open_annotators(join(flags.taggers, ","), "--tagger");
  Workers workers(thread_count(flags.threads));
  std::atomic<bool> warned = false;
  flags.settings.warn = [&warned](const std::string& message) {
    if (!warned.exchange(true)) note("hinge: warning: {}\n", message);
  };
  std::vector<NamedFile> inputs{{"MODEL", flags.model}, {"INPUT", flags.input}};
  for (const std::string& tagger : split_list(join(flags.taggers, ",")))
    inputs.push_back({"--tagger", tagger});
  check_outputs(inputs, std::vector<NamedFile>{{"-o", flags.output}});
  OutputFile out(flags.output);
  annotators.predict(*predictor, flags.input, out, flags.settings, workers);
  out.commit();
}

}  // namespace

void add_predict(Program& program) {
  Command command = program.add("predict", "label new data with a model");
  auto flags = std::make_shared<PredictFlags>();
  command.add("MODEL", flags->model, "from 'hinge train'").required();
  command.add("INPUT", flags->input,
              "data in the format of the training data, labels optional");
  command.add("-o,--output", flags->output, "where to write").type("FILE");
  command.add("--nbest", flags->n_best, "the K best outputs of each input, each below a line '# rank score'");
  command.add("--scores", flags->settings.scores,
              "score every decision: its probability (crf, softmax-margin), or its margin over the best "
              "output without it");
  command.add("--marginals", flags->settings.marginals,
              "probabilities for any model; those of margin learners are not calibrated");
  command.add("--constrain", flags->settings.constrain,
              "keep the labels already in the input (? = any, A|B = one of)");
  command.add("--html", flags->settings.html, "a web page with drawings of the tags, trees or clusters, to look at");
  command.add("--json", flags->settings.json,
              "a JSON object per sentence, text, list, document or topic, on a line each");
  command.add("--tagger,--parser", flags->taggers, kTaggerHelp).type("MODEL,...");
  command.add("--threads", flags->threads, kThreadsHelp);
  command.run([flags] { run_predict(*flags); });
}

}  // namespace hinge::cli
