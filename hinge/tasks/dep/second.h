// Second-order parts (siblings and grandparents) over the few arcs per word that
// a first-order parser keeps.
#pragma once

#include <array>
#include <compare>
#include <vector>

#include "hinge/decode/second_order.h"
#include "hinge/decode/trees.h"
#include "hinge/features/factor_keys.h"
#include "hinge/tasks/dep/arcs.h"
#include "hinge/tasks/dep/layout.h"

namespace hinge::dep {

// The roles of the three words of a part, in the order of Triple::word.
constexpr std::array<Role, 3> roles_of(FactorKind kind) {
  return kind == FactorKind::kSibling ? std::array{Role::kHead, Role::kSibling, Role::kModifier}
                                      : std::array{Role::kGrand, Role::kHead, Role::kModifier};
}

// Templates of one kind of part; its three words have three roles.
class TripleTemplates {
 public:
  TripleTemplates(const FactorTemplateSet& set, FactorKind kind);

  std::size_t size() const { return templates_.size(); }
  void fill(const SentenceFields& sentence, std::array<std::vector<Key>, 3>& keys) const;

 private:
  std::vector<const FactorTemplate*> templates_;
  std::vector<RoleKeys> roles_;
};

// The three words of a part as rows of keys, and the slots of its features.
struct Triple {
  std::array<std::uint32_t, 3> word;
  Slots slots;
  auto operator<=>(const Triple&) const = default;
};

// Parts of one kind in one sentence. One per thread.
class TripleScorer {
 public:
  TripleScorer(const TripleTemplates& templates, const TreeLayout& layout)
      : templates_(templates), layout_(layout) {}

  void prepare(const SentenceFields& sentence);
  void score(std::span<const Triple> parts, const float* w, float* scores);
  // body(key) for every feature of a part.
  template <typename Body>
  void each_key(const Triple& part, const Body& body) const {
    const std::size_t width = templates_.size();
    for (std::size_t t = 0; t < width; ++t) {
      body(keys_[0][part.word[0] * width + t] ^ keys_[1][part.word[1] * width + t] ^
           keys_[2][part.word[2] * width + t]);
    }
  }

 private:
  const TripleTemplates& templates_;
  const TreeLayout& layout_;
  std::array<std::vector<Key>, 3> keys_;             // [words + 2][templates]
  std::array<std::vector<std::uint32_t>, 3> short_;  // the same, padded, for the hashed kernel
  std::vector<float> use_;
};

struct SecondTemplates {
  explicit SecondTemplates(const FactorTemplateSet& set)
      : set(set), siblings(set, FactorKind::kSibling), grands(set, FactorKind::kGrand) {}
  const FactorTemplateSet& set;
  TripleTemplates siblings, grands;
};

// All second-order parts of one sentence. One per thread.
class SecondScorer {
 public:
  SecondScorer(const SecondTemplates& templates, const TreeLayout& layout)
      : set_(templates.set),
        siblings_(templates.siblings, layout),
        grands_(templates.grands, layout),
        layout_(layout) {}

  // Arcs sorted by head, then modifier.
  void prepare(const SentenceFields& sentence, std::span<const SecondOrderScores::Arc> arcs,
               bool single_root);
  // arcs: first-order scores, [words + 1][stride].
  const SecondOrderScores& score(const float* w, const float* arcs, std::size_t stride);

  // body(weight) for every feature of a part, each with value one.
  template <typename Body>
  void each_feature(TreePart kind, std::uint32_t index, const Body& body) const {
    if (kind == TreePart::arc || kind == TreePart::last) return;
    const Triple& part = kind == TreePart::first     ? first_[index]
                         : kind == TreePart::sibling ? sibling_[index]
                                                     : grand_[index];
    (kind == TreePart::grand ? grands_ : siblings_).each_key(part, [&](Key key) {
      const FeatureId base = layout_.base(key);
      if (base == TreeLayout::kNone) return;
      body(base ^ part.slots.direction);
      body(base ^ part.slots.distance);
    });
  }
  // body(FactorKind, Triple) for every part of a tree.
  template <typename Body>
  void each_triple(std::span<const HeadId> heads, const Body& body) const {
    each_part(scores_, heads, [&](TreePart kind, std::uint32_t index) {
      if (kind == TreePart::first) body(FactorKind::kSibling, first_[index]);
      if (kind == TreePart::sibling) body(FactorKind::kSibling, sibling_[index]);
      if (kind == TreePart::grand) body(FactorKind::kGrand, grand_[index]);
    });
  }
  // The same for every part of the arcs it was prepared with.
  template <typename Body>
  void each_triple(const Body& body) const {
    for (const Triple& part : first_) body(FactorKind::kSibling, part);
    for (const Triple& part : sibling_) body(FactorKind::kSibling, part);
    for (const Triple& part : grand_) body(FactorKind::kGrand, part);
  }
  // body(key) for every feature of a part, in the order of its kind's templates.
  template <typename Body>
  void each_key(FactorKind kind, const Triple& part, const Body& body) const {
    (kind == FactorKind::kGrand ? grands_ : siblings_).each_key(part, body);
  }
  // body(key) for every feature of the tree's parts.
  template <typename Body>
  void each_key(std::span<const HeadId> heads, const Body& body) const {
    each_triple(heads, [&](FactorKind kind, const Triple& part) { each_key(kind, part, body); });
  }
  // body(weight) for one weight of every row read when scoring.
  template <typename Body>
  void each_row(const Body& body) const {
    const auto rows = [&](const TripleScorer& scorer, std::span<const Triple> parts) {
      for (const Triple& part : parts) {
        scorer.each_key(part, [&](Key key) {
          const FeatureId base = layout_.base(key);
          if (base != TreeLayout::kNone) body(base);
        });
      }
    };
    rows(siblings_, first_);
    rows(siblings_, sibling_);
    rows(grands_, grand_);
  }
  bool finite() const {
    return all_finite(scores_.arc) && all_finite(scores_.first) && all_finite(scores_.sibling) &&
           all_finite(scores_.grand);
  }
  const SecondOrderScores& parts() const { return scores_; }

 private:
  const FactorTemplateSet& set_;
  TripleScorer siblings_, grands_;
  const TreeLayout& layout_;
  SecondOrderScores scores_;
  std::vector<Triple> first_, sibling_, grand_;
};

// Each word's `most` best heads, plus the arcs of the best tree and of `keep` (may
// be empty), sorted by head, then modifier.
void choose_arcs(const ArcScores& scores, std::span<const HeadId> best, std::span<const HeadId> keep,
                 std::size_t most, std::vector<SecondOrderScores::Arc>& arcs);

}  // namespace hinge::dep
