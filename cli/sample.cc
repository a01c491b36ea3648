#include <memory>

#include "cli/commands.h"
#include "hinge/core/error.h"
#include "hinge/files/same_file.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

struct SampleFlags {
  std::string task;
  std::int64_t sentences = 100;
  std::uint64_t seed = 1;
  std::string output = "-";
  std::string references;
};

void run_sample(const SampleFlags& flags) {
  if (flags.sentences < 1) fail<OptionError>("sentences is {} but must be at least 1", flags.sentences);
  check_outputs({}, std::vector<NamedFile>{{"-o", flags.output}, {"--refs", flags.references}});
  const auto task = find_task(flags.task).choose();
  if (!flags.references.empty()) {
    OutputFile references(flags.references);
    if (!task->sample_references(flags.sentences, flags.seed, references))
      fail<OptionError>("{} has no references: its labels are in the corpus; leave --refs out", flags.task);
    references.commit();
  }
  OutputFile out(flags.output);
  task->sample(flags.sentences, flags.seed, out);
  out.commit();
}

}  // namespace

void add_sample(Program& program) {
  Command command = program.add("sample", "generate a corpus of made-up English in the task's format");
  auto flags = std::make_shared<SampleFlags>();
  command.add("TASK", flags->task, "see 'hinge tasks'").required();
  command.add("--sentences", flags->sentences, "how many");
  command.add("--seed", flags->seed, "same seed, same sentences");
  command.add("-o,--output", flags->output, "where to write").type("FILE");
  command.add("--refs", flags->references, "also write the references, if the task has any").type("FILE");
  command.run([flags] { run_sample(*flags); });
}

}  // namespace hinge::cli
