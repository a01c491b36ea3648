#include "hinge/tasks/constituents/tree_set.h"

#include "hinge/core/error.h"
#include "hinge/tasks/constituents/evaluate.h"
#include "hinge/tasks/constituents/spans.h"
#include "hinge/tasks/constituents/training_set.h"

namespace hinge::constituents {

TreeSet::TreeSet(TreeParts parts, const ConstOptions& options) : options_(options), parts_(std::move(parts)) {
  if (parts_.cache == nullptr) return;
  parts_.cache->set_check(
      [this](std::size_t first, std::size_t last) { return is_sound(parts_, options_, first, last); });
}

std::function<Scores(const Weights&)> TreeSet::scorer(const Source& source, Workers& workers) const {
  auto dev = std::make_shared<Treebank>(read_dev(source, options_));
  return [this, dev, &workers](const Weights& w) { return score_weights(*this, w, *dev, workers); };
}

std::uint64_t TreeSet::fingerprint() const {
  if (parts_.fingerprint) return *parts_.fingerprint;
  Fingerprint print;
  ParseData::each_column(counted_.data,
                         [&print](std::string_view, const auto& column, const auto&) { print.add(column); });
  add_layout(print);
  return print.value();
}

void TreeSet::compile(BlockCacheWriter& out) {
  parts_.fingerprint = fingerprint();
  write_parts(parts_, out);
}

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

std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache,
                                               const ConstOptions& options) {
  const std::string name = cache->path();
  return make(open_parts(std::move(cache), options), options, name);
}

}  // namespace hinge::constituents
