#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
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

std::string option_lines(const nlohmann::json& options) {
  std::string text;
  for (const auto& [name, value] : options.items()) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    if (!shown.empty()) text += fmt::format(" {}={}", name, shown);
  }
  return text;
}

void run_inspect(const InspectFlags& flags) {
  const ModelFile file = ModelFile::open(flags.model);
  if (flags.verify) file.verify();
  const auto predictor = open_predictor(file);
  if (flags.weights) {
    if (!predictor->write_weights("-"))
      fail<OptionError>("{}: its weights have no format of their own; only those of rerank have",
                        flags.model);
    return;
  }
  const nlohmann::json meta = file.meta();
  fmt::print("model        {}, {:.2f} MB, hinge {}{}\n", file.name(), static_cast<double>(file.size()) / 1e6,
             meta.value("hinge", "?"), flags.verify ? ", every checksum is right" : "");
  fmt::print("task         {}{}\n", meta.value("task", "?"),
             option_lines(meta.value("task_options", nlohmann::json::object())));
  fmt::print("learner      {}{} seed={}\n", meta.value("learner", "?"),
             option_lines(meta.value("learner_options", nlohmann::json::object())),
             meta.value("seed", nlohmann::json(0)).dump());
  fmt::print("{}", predictor->summary());
  for (const auto& [name, bytes] : file.sizes())
    fmt::print("section      {:<12} {:>12} bytes\n", name, bytes);
  if (flags.top > 0) fmt::print("heaviest weights:\n");
  for (const WeightLine& line : predictor->heaviest(flags.top)) {
    fmt::print("{:>10.4f}  {:<12} {}\n", line.weight, line.label, line.feature);
  }
}

}  // namespace

void add_inspect(Program& program) {
  Command command =
      program.add("inspect", "what is inside a model: labels, sizes, options, heaviest weights");
  auto flags = std::make_shared<InspectFlags>();
  command.add("MODEL", flags->model, "from 'hinge train'").required();
  command.add("--top", flags->top, "how many weights to show (default 20)");
  command.add("--weights", flags->weights, "only the weights, as a Moses weights file (rerank)");
  command.add("--verify", flags->verify, "check every byte against its checksum");
  command.run([flags] { run_inspect(*flags); });
}

}  // namespace hinge::cli
