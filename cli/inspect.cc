#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/streams.h"
#include "hinge/core/error.h"
#include "hinge/files/block_cache.h"
#include "hinge/files/json.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

struct InspectFlags {
  std::string model;
  std::size_t top = 20;
  bool verify = false;
  bool weights = false;
  bool json = false;
};

// Where an option was left open, what was chosen.
std::string option_lines(const Description& description, std::string_view table) {
  const auto chosen = description.options("chosen");
  std::string text;
  for (const auto& [name, value] : description.options(table)) {
    const auto found = std::ranges::find(chosen, name, &std::pair<std::string, std::string>::first);
    const std::string& shown = found == chosen.end() ? value : found->second;
    if (!shown.empty()) text += fmt::format(" {}={}", name, shown);
  }
  return text;
}

// The lines of a summary, "name   text".
Json summary_json(std::string_view summary) {
  Json json;
  while (!summary.empty()) {
    const std::size_t end = std::min(summary.find('\n'), summary.size());
    const std::string_view line = summary.substr(0, end);
    summary.remove_prefix(std::min(end + 1, summary.size()));
    const std::size_t name = std::min(line.find(' '), line.size());
    const std::size_t text = std::min(line.find_first_not_of(' ', name), line.size());
    json.set(line.substr(0, name), line.substr(text));
  }
  return json;
}

std::string to_json(const ModelFile& file, const Predictor& predictor, std::size_t top) {
  const Description& description = file.description();
  Json json;
  json.set("model", file.name())
      .set("bytes", static_cast<std::int64_t>(file.size()))
      .set("hinge", description.text("hinge", "?"))
      .set("task", description.text("task", "?"))
      .set("task_options", description.json().object("task_options"))
      .set("chosen", description.json().object("chosen"))
      .set("learner", description.text("learner", "?"))
      .set("learner_options", description.json().object("learner_options"))
      .set("seed", description.whole("seed"))
      .set("labels", description.texts("labels"))
      .set("summary", summary_json(predictor.summary()));
  Json sections;
  for (const auto& [name, bytes] : file.sizes()) sections.set(name, static_cast<std::int64_t>(bytes));
  std::vector<Json> heaviest;
  for (const WeightLine& line : predictor.heaviest(top))
    heaviest.push_back(Json()
                           .set("feature", line.feature)
                           .set("label", line.label)
                           .set("weight", static_cast<double>(line.weight)));
  return json.set("sections", sections).set("heaviest", heaviest).dump() + "\n";
}

std::string to_json(const BlockCache& cache) {
  const Json& key = cache.key();
  Json sections;
  for (const auto& [name, bytes] : cache.file().sizes()) sections.set(name, static_cast<std::int64_t>(bytes));
  return Json()
             .set("cache", cache.file().name())
             .set("bytes", static_cast<std::int64_t>(cache.file().size()))
             .set("task", key.text("task"))
             .set("task_options", key.object("options"))
             .set("made_from", key.object("files"))
             .set("examples", static_cast<std::int64_t>(cache.examples()))
             .set("blocks", static_cast<std::int64_t>(cache.block_count()))
             .set("sections", sections)
             .dump() +
         "\n";
}

// What --cache compiled, from what, and how it is read.
void inspect_cache(const InspectFlags& flags) {
  const auto cache = BlockCache::open(flags.model, /*window=*/0);
  const SectionFile& file = cache->file();
  if (flags.verify) file.verify();
  if (flags.json) return print("{}", to_json(*cache));
  const Json& key = cache->key();
  print("cache        {}, {:.2f} MB{}\n", file.name(), static_cast<double>(file.size()) / 1e6,
        flags.verify ? ", every checksum is right" : "");
  const Json options = key.object("options"), files = key.object("files");
  std::string values;
  for (const std::string& name : options.names()) {
    if (!options.shown(name).empty()) values += fmt::format(" {}={}", name, options.shown(name));
  }
  print("task         {}{}\n", key.text("task"), values);
  for (const std::string& name : files.names()) {
    const Json made_from = files.object(name);
    print("made from    {}, {} bytes\n", made_from.text("path"), made_from.whole("bytes"));
  }
  print("examples     {} in {} blocks, {:.2f} MB\n", cache->examples(), cache->block_count(),
        static_cast<double>(cache->column_bytes()) / 1e6);
  for (const auto& [name, bytes] : file.sizes()) print("section      {:<16} {:>12} bytes\n", name, bytes);
}

void run_inspect(const InspectFlags& flags) {
  if (BlockCache::is_cache(flags.model)) return inspect_cache(flags);
  const ModelFile file = ModelFile::open(flags.model);
  if (flags.verify) file.verify();
  const auto predictor = open_predictor(file);
  if (flags.weights) {
    if (!predictor->write_weights("-"))
      fail<OptionError>("{}: the weights of task {} have no text format; leave --weights out", flags.model,
                        file.description().task());
    return;
  }
  if (flags.json) return print(to_json(file, *predictor, flags.top));
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
  Command command =
      program.add("inspect", "show a model (labels, sizes, options, heaviest weights) or a training cache");
  auto flags = std::make_shared<InspectFlags>();
  command.add("MODEL", flags->model, "from 'hinge train', or what its --cache made").required();
  command.add("--top", flags->top, "how many weights to show");
  command.add("--weights", flags->weights, "only the weights, as text, if the task has a format for them");
  command.add("--json", flags->json, "one JSON object");
  command.add("--verify", flags->verify, "check every byte against its checksum");
  command.run([flags] { run_inspect(*flags); });
}

}  // namespace hinge::cli
