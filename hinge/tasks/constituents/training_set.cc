#include "hinge/tasks/constituents/training_set.h"

#include "hinge/tasks/constituents/tree_set.h"

namespace hinge::constituents {
namespace {

std::unique_ptr<TreeSet> make(TreeParts parts, const ConstOptions& options, const std::string& name) {
  return options.grammar == "none" ? make_span_set(std::move(parts), options, name)
                                   : make_rule_set(std::move(parts), options);
}

}  // namespace

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const ConstOptions& options,
                                               const Known& known, Workers& workers) {
  return make(read_parts(source, options, known, workers, nullptr), options, source.name());
}

void compile_training_set(const Source& source, const ConstOptions& options, const Known& known,
                          Workers& workers, SpillSpace& space, BlockCacheWriter& out) {
  make(read_parts(source, options, known, workers, &space), options, source.name())->compile(out);
}

std::unique_ptr<TrainingSet> open_training_set(const std::shared_ptr<BlockCache>& cache,
                                               const ConstOptions& options) {
  return make(open_parts(cache, options), options, cache->path());
}

}  // namespace hinge::constituents
