#include <memory>

#include "cli/commands.h"
#include "cli/job_flags.h"
#include "hinge/core/join.h"
#include "hinge/core/threads.h"
#include "hinge/pipeline/annotation.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

struct ExplainFlags {
  std::string model;
  std::string input = "-";
  std::string output = "-";
  std::vector<std::string> taggers;
  std::int64_t threads = 0;
  ExplainSettings settings;
};

void run_explain(const ExplainFlags& flags) {
  check_outputs(std::vector<NamedFile>{{"MODEL", flags.model}, {"INPUT", flags.input}},
                std::vector<NamedFile>{{"-o", flags.output}});
  const ModelFile file = ModelFile::open(flags.model);
  const auto predictor = open_predictor(file);
  Workers workers(thread_count(flags.threads));
  OutputFile out(flags.output);
  const Annotators annotators = open_annotators(join(flags.taggers, ","), "--tagger");
  annotators.explain(*predictor, flags.input, out, flags.settings, workers);
  out.commit();
}

}  // namespace

void add_explain(Program& program) {
  Command command = program.add("explain", "say which features decided, for each word, text, list or mention");
  auto flags = std::make_shared<ExplainFlags>();
  command.add("MODEL", flags->model, "from 'hinge train'").required();
  command.add("INPUT", flags->input, "data in the format of the training data, labels optional");
  command.add("-o,--output", flags->output, "where to write").type("FILE");
  command.add("--top", flags->settings.top, "features to show per decision");
  command.add("--json", flags->settings.json, "a JSON object per decision, on a line each");
  command.add("--html", flags->settings.html, "a web page to look at");
  command.add("--tagger,--parser", flags->taggers, kTaggerHelp).type("MODEL,...");
  command.add("--threads", flags->threads, kThreadsHelp);
  command.run([flags] { run_explain(*flags); });
}

}  // namespace hinge::cli
