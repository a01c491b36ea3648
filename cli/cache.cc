#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/streams.h"
#include "hinge/corpus/nbest/cache.h"
#include "hinge/files/same_file.h"

namespace hinge::cli {
namespace {

struct CacheFlags {
  std::vector<std::string> lists;
  std::string output;
  NBestOptions options;
};

void run_cache(const CacheFlags& flags) {
  std::vector<NamedFile> inputs;
  for (const std::string& path : flags.lists) inputs.push_back({"NBEST", path});
  check_outputs(inputs, std::vector<NamedFile>{{"-o", flags.output}});
  const NBestLists lists = read_nbest(flags.lists, flags.options);
  write_nbest_cache(lists, flags.output);
  std::error_code no_file;  // a pipe or a device
  const auto bytes = std::filesystem::file_size(flags.output, no_file);
  note("{}: {} lists, {} hypotheses, {} features{}{}\n", flags.output, lists.lists(), lists.hypotheses(),
       lists.feature_count(), lists.costs.empty() ? "" : ", costs",
       no_file ? "" : fmt::format(", {:.1f} MB", static_cast<double>(bytes) / 1e6));
}

}  // namespace

void add_cache(Program& program) {
  Command command = program.add("cache", "pack n-best lists into a file that opens without parsing");
  auto flags = std::make_shared<CacheFlags>();
  command.add("NBEST", flags->lists, "n-best lists, or caches ('-': standard input)").required();
  command.add("-o,--output", flags->output, "the cache file").required().type("FILE");
  command.add("--merge", flags->options.merge,
              "merge the hypotheses of each sentence from all inputs and drop duplicates");
  command.add("--cost", flags->options.cost_feature, "the feature that holds the cost").type("NAME");
  command.run([flags] { run_cache(*flags); });
}

}  // namespace hinge::cli
