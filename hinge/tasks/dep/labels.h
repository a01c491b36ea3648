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

  // use(word, number of the template, key) for every feature of the words in this tree.
  template <typename Use>
  void each_key(const SentenceFields& sentence, std::span<const HeadId> heads, const Use& use);
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

template <typename Use>
void LabelFeatures::each_key(const SentenceFields& sentence, std::span<const HeadId> heads, const Use& use) {
  const std::size_t words = sentence.words();
  const std::size_t width = templates_.size();
  for (std::size_t role = 0; role < kRoles; ++role) templates_.roles_[role].fill(sentence, keys_[role]);
  find_neighbours(heads);
  for (std::size_t m = 1; m <= words; ++m) {
    const std::uint32_t h = heads[m];
    const Key side = m < h ? 1 : 2;
    const Key distance = templates_.set_.bin(static_cast<std::uint32_t>(m < h ? h - m : m - h));
    for (std::size_t t = 0; t < width; ++t) {
      Key key = templates_.seeds_[t];
      for (std::size_t role = 0; role < kRoles; ++role) key ^= keys_[role][word_[role][m] * width + t];
      if (templates_.templates_[t]->direction) key = combine(key, side);
      if (templates_.templates_[t]->distance) key = combine(key, 4 * distance + side);
      use(m, t, key);
    }
  }
}

}  // namespace hinge::dep
