// Labels of the arcs of a given tree: each is chosen independently, from features
// of the arc and of the tree around it (the "second stage" of McDonald et al.
// 2006). A label counts only if the head is right, so learning from gold trees
// loses nothing.
#pragma once

#include <array>
#include <vector>

#include "hinge/decode/trees.h"
#include "hinge/features/factor_keys.h"
#include "hinge/tasks/dep/layout.h"

namespace hinge::dep {

class LabelTemplates {
 public:
  explicit LabelTemplates(const FactorTemplateSet& set);

  std::size_t size() const { return templates_.size(); }
  const std::vector<const FactorTemplate*>& templates() const { return templates_; }

 private:
  friend class LabelFeatures;
  const FactorTemplateSet& set_;
  std::vector<const FactorTemplate*> templates_;
  std::vector<Key> seeds_;       // needed by templates without a word
  std::vector<RoleKeys> roles_;  // [kRoles]
};

// One per thread.
class LabelFeatures {
 public:
  LabelFeatures(const LabelTemplates& templates, const TreeLayout& layout)
      : templates_(templates), layout_(layout) {}

  // rows: [words][templates], the rows of each word's features in this tree.
  void find(const SentenceFields& sentence, std::span<const HeadId> heads, std::vector<std::uint32_t>& rows);
  // The word in this role of the arc to `modifier`, in find()'s tree; words + 1: none.
  std::uint32_t word(Role role, std::size_t modifier) const {
    return word_[static_cast<std::size_t>(role)][modifier];
  }

 private:
  void find_neighbours(std::span<const HeadId> heads);

  const LabelTemplates& templates_;
  const TreeLayout& layout_;
  std::array<std::vector<Key>, kRoles> keys_;
  std::array<std::vector<std::uint32_t>, kRoles> word_;  // [words + 1], per role of the arc to this word
};

}  // namespace hinge::dep
