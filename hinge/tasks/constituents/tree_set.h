// What training sets of parsers with and without a grammar have in common.
#pragma once

#include "hinge/tasks/constituents/compiled.h"
#include "hinge/tasks/fingerprint.h"

namespace hinge::constituents {

class TreeSet : public TrainingSet {
 public:
  TreeSet(TreeParts parts, const ConstOptions& options);

  std::function<Scores(const Weights&)> scorer(const Source& source, Workers& workers) const override;
  std::uint64_t fingerprint() const override;
  // Writes the cache.
  void compile(BlockCacheWriter& out);

 protected:
  // What the data means, besides its columns.
  virtual void add_layout(Fingerprint& print) const = 0;

  ConstOptions options_;
  TreeParts parts_;
  const Counted& counted_ = parts_.counted;
};

std::unique_ptr<TreeSet> make_rule_set(TreeParts parts, const ConstOptions& options);
// For grammar=none. `name` is of the data.
std::unique_ptr<TreeSet> make_span_set(TreeParts parts, const ConstOptions& options, const std::string& name);

}  // namespace hinge::constituents
