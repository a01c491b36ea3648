#include <fmt/core.h>

#include <memory>

#include "cli/commands.h"
#include "cli/streams.h"
#include "hinge/core/error.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

struct InspectFlags {
  std::string model;
  std::size_t top = 20;
  bool verify = false;
  bool weights = false;
};

std::string option_lines(const Description& description, std::string_view table) {
  std::string text;
  for (const auto& [name, value] : description.options(table)) {
    if (!value.empty()) text += fmt::format(" {}={}", name, value);
  }
  return text;
}

void run_inspect(const InspectFlags& flags) {
  const ModelFile file = ModelFile::open(flags.model);
  if (flags.verify) file.verify();
  const auto predictor = open_predictor(file);
  if (flags.weights) {
    if (!predictor->write_weights("-"))
      fail<OptionError>("{}: the weights of task {} have no text format; leave --weights out", flags.model,
                        file.description().task());
    return;
  }
  const Description& description = file.description();
  print("model        {}, {:.2f} MB, hinge {}{}\n", file.name(), static_cast<double>(file.size()) / 1e6,
        description.text("hinge", "?"), flags.verify ? ", every checksum is right" : "");
  print("task         {}{}\n", description.text("task", "?"), option_lines(description, "task_options"));
  print("learner      {}{} seed={}\n", description.text("learner", "?"),
        option_lines(description, "learner_options"), description.whole("seed"));
  print(predictor->summary());
  for (const auto& [name, bytes] : file.sizes()) print("section      {:<12} {:>12} bytes\n", name, bytes);
  if (flags.top > 0) print("heaviest weights:\n");
  for (const WeightLine& line : predictor->heaviest(flags.top)) {
    print("{:>10.4f}  {:<12} {}\n", line.weight, line.label, line.feature);
  }
}

}  // namespace

void add_inspect(Program& program) {
  Command command = program.add("inspect", "show a model: labels, sizes, options, heaviest weights");
  auto flags = std::make_shared<InspectFlags>();
  command.add("MODEL", flags->model, "from 'hinge train'").required();
  command.add("--top", flags->top, "how many weights to show (default 20)");
  command.add("--weights", flags->weights, "only the weights, as text, if the task has a format for them");
  command.add("--verify", flags->verify, "check every byte against its checksum");
  command.run([flags] { run_inspect(*flags); });
}

}  // namespace hinge::cli
