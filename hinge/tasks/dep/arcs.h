// The features and scores of all arcs of a sentence: where a parser spends its
// time.
//
// Templates of only the head or only the modifier are summed once per word for all
// slots; those of both cost one XOR and one cache line per arc.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "hinge/core/weights.h"
#include "hinge/decode/trees.h"
#include "hinge/features/factor_keys.h"
#include "hinge/tasks/dep/layout.h"

namespace hinge::dep {

// Tree decoders assume finite scores; NaN would corrupt the search.
inline bool all_finite(std::span<const float> scores) {
  bool finite = true;  // no early exit, so that the loop vectorizes
  for (const float score : scores) finite &= std::abs(score) <= std::numeric_limits<float>::max();
  return finite;
}

// Arc templates grouped by cost. Immutable, shared by all threads.
class ArcTemplates {
 public:
  // The set must outlive this.
  explicit ArcTemplates(const FactorTemplateSet& set);

  struct Group {
    Group(const FactorTemplateSet& set, bool head, bool modifier, bool between);
    std::vector<const FactorTemplate*> templates;
    RoleKeys head, modifier, between;
  };
  const FactorTemplateSet& set;
  Group of_head, of_modifier, of_both, of_between;
};

// One sentence at a time; one per thread.
class ArcScorer {
 public:
  ArcScorer(const ArcTemplates& templates, const TreeLayout& layout)
      : templates_(templates), layout_(layout) {}

  // Hashes all features, which do not depend on weights.
  void prepare(const SentenceFields& sentence);

  // Scores of all arcs of the last prepared sentence. The caller may change them;
  // valid until the next call.
  float* score(const float* w);
  bool finite() const { return all_finite(scores_); }
  std::size_t stride() const { return stride_; }
  std::size_t words() const { return words_; }
  ArcScores scores(bool single_root) const {
    return {.score = scores_.data(), .words = words_, .stride = stride_, .single_root = single_root};
  }

  // body(key, template, word between) for every feature of an arc, without slots;
  // the word is 0 if the template has none.
  template <typename Body>
  void each_named_key(std::size_t head, std::size_t modifier, const Body& body) {
    each_share(templates_.of_head, of_head_.head, head, body);
    each_share(templates_.of_modifier, of_modifier_.modifier, modifier, body);
    each_pair(head, modifier, body);
  }
  // The same with body(key).
  template <typename Body>
  void each_key(std::size_t head, std::size_t modifier, const Body& body) {
    each_named_key(head, modifier, [&](Key key, const FactorTemplate&, std::size_t) { body(key); });
  }
  // body(weight) for every feature of an arc, each with value one.
  template <typename Body>
  void each_feature(std::size_t head, std::size_t modifier, const Body& body) {
    const Slots slots = slots_of(head, modifier, bin(head, modifier));
    each_named_key(head, modifier, with_base([&](FeatureId base) {
                     body(base ^ slots.direction);
                     body(base ^ slots.distance);
                   }));
  }
  // Appends every row read when scoring the sentence.
  void append_rows(std::vector<Block>& blocks);
  // body(weight) for one weight of each such row.
  template <typename Body>
  void each_row(const Body& body) {
    for (std::size_t i = 0; i <= words_; ++i) {
      each_share(templates_.of_head, of_head_.head, i, with_base(body));
      each_share(templates_.of_modifier, of_modifier_.modifier, i, with_base(body));
      for (std::size_t m = 1; m <= words_; ++m) {
        if (i != m) each_pair(i, m, with_base(body));
      }
    }
  }
  std::uint32_t bin(std::size_t head, std::size_t modifier) const {
    return bins_[head < modifier ? modifier - head : head - modifier];
  }

 private:
  struct Keys {  // of one group, [words + 2][templates], for the roles it has
    std::size_t width = 0;
    std::vector<Key> head, modifier, between;
  };
  void score_hashed(const float* w);
  void append_hashed_rows(std::vector<Block>& blocks);
  void score_by_lookup(const float* w);

  template <typename Body>
  auto with_base(const Body& body) const {
    return [this, &body](Key key, const FactorTemplate&, std::size_t) {
      const FeatureId base = layout_.base(key);
      if (base != TreeLayout::kNone) body(base);
    };
  }
  // Templates of one role: the other role's share is zero.
  template <typename Body>
  void each_share(const ArcTemplates::Group& group, const std::vector<Key>& keys, std::size_t word,
                  const Body& body) const {
    const std::size_t width = group.templates.size();
    for (std::size_t t = 0; t < width; ++t) body(keys[word * width + t], *group.templates[t], std::size_t{0});
  }
  template <typename Body>
  void each_pair(std::size_t head, std::size_t modifier, const Body& body) {
    for (std::size_t t = 0; t < of_both_.width; ++t)
      body(of_both_.head[head * of_both_.width + t] ^ of_both_.modifier[modifier * of_both_.width + t],
           *templates_.of_both.templates[t], std::size_t{0});
    const std::size_t width = of_between_.width;
    for (std::size_t t = 0; t < width; ++t) {
      const Key both = of_between_.head[head * width + t] ^ of_between_.modifier[modifier * width + t];
      seen_.clear();
      for (std::size_t b = std::min(head, modifier) + 1; b < std::max(head, modifier); ++b) {
        const Key key = of_between_.between[b * width + t];
        if (std::find(seen_.begin(), seen_.end(), key) != seen_.end()) continue;
        seen_.push_back(key);
        body(both ^ key, *templates_.of_between.templates[t], b);
      }
    }
  }

  const ArcTemplates& templates_;
  const TreeLayout& layout_;
  std::size_t words_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> bins_;  // [words + 1] by distance
  Keys of_head_, of_modifier_, of_both_, of_between_;
  std::vector<float> scores_;  // [words + 1][stride]
  std::vector<Key> seen_;

  // Input of the hashed kernel.
  std::vector<std::uint32_t> both_head_, both_modifier_;  // [words + 1][padded templates]
  std::vector<float> use_;                                // [padded templates], 1; 0 in the padding
  std::vector<float> head_sums_, modifier_sums_;          // [words + 1][kSlots]
  std::vector<std::uint32_t> between_list_;
};

}  // namespace hinge::dep
