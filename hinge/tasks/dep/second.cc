#include "hinge/tasks/dep/second.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/tasks/dep/second.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "hinge/tasks/dep/gather-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hinge::dep {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void score_triples(const HashedTriples& a, const Triple* parts, std::size_t n, const float* w,
                   float* scores) {
  const KeyLanes d;
  for (std::size_t k = 0; k < n; ++k) {
    const Triple& part = parts[k];
    const std::uint32_t* first = a.keys[0] + part.word[0] * a.width;
    const std::uint32_t* second = a.keys[1] + part.word[1] * a.width;
    const std::uint32_t* third = a.keys[2] + part.word[2] * a.width;
    auto sum = hn::Zero(WeightLanes());
    for (std::size_t t = 0; t < a.width; t += hn::Lanes(d)) {
      const auto keys =
          hn::Xor(hn::Xor(hn::LoadU(d, first + t), hn::LoadU(d, second + t)), hn::LoadU(d, third + t));
      sum = hn::MulAdd(gather_both(w, keys, a.shift, part.slots), hn::LoadU(WeightLanes(), a.use + t), sum);
    }
    scores[k] = sum_of(sum);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge::dep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge::dep {
namespace {

HWY_EXPORT(score_triples);

}  // namespace

TripleTemplates::TripleTemplates(const FactorTemplateSet& set, FactorKind kind) {
  for (const FactorTemplate& t : set.of(kind)) templates_.push_back(&t);
  for (const Role role : roles_of(kind)) roles_.emplace_back(templates_, role);
}

void TripleTemplates::fill(const SentenceFields& sentence, std::array<std::vector<Key>, 3>& keys) const {
  for (std::size_t role = 0; role < 3; ++role) roles_[role].fill(sentence, keys[role]);
}

void TripleScorer::prepare(const SentenceFields& sentence) {
  templates_.fill(sentence, keys_);
  if (!layout_.hashed()) return;
  mark_used(templates_.size(), use_);
  for (std::size_t role = 0; role < 3; ++role) shorten_keys(keys_[role], templates_.size(), short_[role]);
}

void TripleScorer::score(std::span<const Triple> parts, const float* w, float* scores) {
  if (layout_.hashed()) {
    const HashedTriples triples{.shift = layout_.shift() - 32,
                                .width = use_.size(),
                                .keys = {short_[0].data(), short_[1].data(), short_[2].data()},
                                .use = use_.data()};
    HWY_DYNAMIC_DISPATCH(score_triples)(triples, parts.data(), parts.size(), w, scores);
    return;
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    scores[k] = 0.0f;
    each_key(parts[k], [&](Key key) {
      const FeatureId base = layout_.base(key);
      if (base != TreeLayout::kNone)
        scores[k] += w[base ^ parts[k].slots.direction] + w[base ^ parts[k].slots.distance];
    });
  }
}

void SecondScorer::prepare(const SentenceFields& sentence, std::span<const SecondOrderScores::Arc> arcs,
                           bool single_root) {
  siblings_.prepare(sentence);
  grands_.prepare(sentence);
  scores_.words = sentence.words();
  scores_.single_root = single_root;
  scores_.arcs.assign(arcs.begin(), arcs.end());
  make_parts(scores_);
  const auto none = static_cast<std::uint32_t>(sentence.words() + 1);
  first_.clear();
  sibling_.clear();
  grand_.clear();
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    const auto [h, m] = arcs[a];
    const std::uint32_t bin = set_.bin(h < m ? m - h : h - m);
    const Slots slots = slots_of(h, m, bin);
    first_.push_back({{h, none, m}, slots});
    for (std::size_t k = scores_.sibling_begin[a]; k < scores_.sibling_begin[a + 1]; ++k)
      sibling_.push_back({{h, arcs[scores_.sibling_arc[k]].modifier, m}, slots});
    for (std::size_t k = scores_.grand_begin[a]; k < scores_.grand_begin[a + 1]; ++k) {
      const std::uint32_t g = arcs[scores_.grand_arc[k]].head;
      // Both directions matter here: the last bins are merged to make room.
      const std::uint32_t direction = 2 * (h < g) + (m < h);
      grand_.push_back({{g, h, m}, {direction, 4 + 2 * std::min(bin, 5u) + (m < h)}});
    }
  }
}

const SecondOrderScores& SecondScorer::score(const float* w, const float* arcs, std::size_t stride) {
  for (std::size_t a = 0; a < scores_.arcs.size(); ++a)
    scores_.arc[a] = arcs[scores_.arcs[a].head * stride + scores_.arcs[a].modifier];
  siblings_.score(first_, w, scores_.first.data());
  siblings_.score(sibling_, w, scores_.sibling.data());
  grands_.score(grand_, w, scores_.grand.data());
  return scores_;
}

void choose_arcs(const ArcScores& scores, std::span<const HeadId> best, std::span<const HeadId> keep,
                 std::size_t most, std::vector<SecondOrderScores::Arc>& arcs) {
  std::vector<HeadId> heads;
  arcs.clear();
  for (HeadId m = 1; m <= scores.words; ++m) {
    heads.clear();
    for (HeadId h = 0; h <= scores.words; ++h) {
      if (h != m && scores.score[h * scores.stride + m] > kForbidden / 2) heads.push_back(h);
    }
    const auto better = [&](HeadId a, HeadId b) {
      const float x = scores.score[a * scores.stride + m];
      const float y = scores.score[b * scores.stride + m];
      return x > y || (x == y && a < b);
    };
    if (heads.size() > most) {
      std::ranges::nth_element(heads, heads.begin() + static_cast<std::ptrdiff_t>(most), better);
      heads.resize(most);
    }
    for (const auto& tree : {best, keep}) {
      if (!tree.empty() && std::ranges::find(heads, tree[m]) == heads.end()) heads.push_back(tree[m]);
    }
    for (const HeadId h : heads) arcs.push_back({h, m});
  }
  std::ranges::sort(arcs, [](const auto& a, const auto& b) {
    return a.head < b.head || (a.head == b.head && a.modifier < b.modifier);
  });
}

}  // namespace hinge::dep
#endif
