#include "hinge/tasks/constituents/tree_set.h"

#include "hinge/tasks/constituents/evaluate.h"

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

}  // namespace hinge::constituents
