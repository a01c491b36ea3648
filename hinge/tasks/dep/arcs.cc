#include "hinge/tasks/dep/arcs.h"

#include "hinge/core/interrupt.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/tasks/dep/arcs.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

#include "hinge/tasks/dep/gather-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hinge::dep {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sums[slot] over a word's templates of one role.
void sum_rows(const Key* keys, std::size_t n, int shift, const float* w, float* sums) {
  const hn::CappedTag<std::uint32_t, kSlots> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t slot = 0; slot < kSlots; slot += lanes) {
    const auto slots = hn::Iota(d, static_cast<std::uint32_t>(slot));
    auto sum = hn::Zero(hn::RebindToFloat<decltype(d)>());
    for (std::size_t t = 0; t < n; ++t)
      sum = hn::Add(sum, gather(w, hn::Xor(slots, hn::Set(d, static_cast<std::uint32_t>(keys[t] >> shift)))));
    hn::StoreU(sum, hn::RebindToFloat<decltype(d)>(), sums + slot);
  }
}

HWY_INLINE float sum_pairs(const std::uint32_t* head, const std::uint32_t* modifier, const float* use,
                           std::size_t width, int shift, Slots slots, const float* w) {
  const KeyLanes d;
  auto sum = hn::Zero(WeightLanes());
  for (std::size_t t = 0; t < width; t += hn::Lanes(d)) {
    const auto keys = hn::Xor(hn::LoadU(d, head + t), hn::LoadU(d, modifier + t));
    sum = hn::MulAdd(gather_both(w, keys, shift, slots), hn::LoadU(WeightLanes(), use + t), sum);
  }
  return sum_of(sum);
}

HWY_INLINE float sum_between(std::uint32_t both, const std::uint32_t* list, std::size_t n, int shift,
                             Slots slots, const float* w) {
  const KeyLanes d;
  auto sum = hn::Zero(WeightLanes());
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    const auto keys = hn::Xor(hn::LoadU(d, list + k), hn::Set(d, both));
    sum = hn::Add(sum,
                  hn::IfThenElseZero(hn::FirstN(WeightLanes(), n - k), gather_both(w, keys, shift, slots)));
  }
  return sum_of(sum);
}

void score_arcs(const HashedArcs& a, const float* w, float* scores) {
  for (std::size_t i = 0; i <= a.words; ++i) {
    check_interrupt();
    for (std::size_t j = i + 1; j <= a.words; ++j) {
      const std::uint32_t bin = a.bins[j - i];
      const auto arc = [&](std::size_t h, std::size_t m) {
        const Slots slots = slots_of(h, m, bin);
        const float* head = a.head_sums + h * kSlots;
        const float* modifier = a.modifier_sums + m * kSlots;
        scores[h * a.stride + m] =
            head[slots.direction] + head[slots.distance] + modifier[slots.direction] +
            modifier[slots.distance] +
            sum_pairs(a.head + h * a.width, a.modifier + m * a.width, a.use, a.width, a.shift, slots, w);
      };
      arc(i, j);
      if (i > 0) arc(j, i);
    }
  }
}

// `list` holds the distinct values between i and j, and grows with j.
void score_between(const HashedArcs& a, std::size_t t, std::uint32_t* list, const float* w, float* scores) {
  const auto low = [](Key key) { return static_cast<std::uint32_t>(key >> 32); };
  for (std::size_t i = 0; i <= a.words; ++i) {
    check_interrupt();
    std::size_t n = 0;
    for (std::size_t j = i + 2; j <= a.words; ++j) {
      const std::uint32_t next = low(a.between[(j - 1) * a.between_width + t]);
      if (std::find(list, list + n, next) == list + n) list[n++] = next;
      const std::uint32_t bin = a.bins[j - i];
      const auto arc = [&](std::size_t h, std::size_t m) {
        const std::uint32_t both =
            low(a.between_head[h * a.between_width + t] ^ a.between_modifier[m * a.between_width + t]);
        scores[h * a.stride + m] += sum_between(both, list, n, a.shift, slots_of(h, m, bin), w);
      };
      arc(i, j);
      if (i > 0) arc(j, i);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge::dep
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge::dep {
namespace {

HWY_EXPORT(sum_rows);
HWY_EXPORT(score_arcs);
HWY_EXPORT(score_between);

std::vector<const FactorTemplate*> choose(const FactorTemplateSet& set, bool head, bool modifier,
                                          bool between) {
  std::vector<const FactorTemplate*> chosen;
  for (const FactorTemplate& t : set.of(FactorKind::kArc)) {
    const bool fits =
        between ? t.has(Role::kBetween)
                : !t.has(Role::kBetween) && t.has(Role::kHead) == head && t.has(Role::kModifier) == modifier;
    if (fits) chosen.push_back(&t);
  }
  return chosen;
}

}  // namespace

ArcTemplates::Group::Group(const FactorTemplateSet& set, bool has_head, bool has_modifier, bool has_between)
    : templates(choose(set, has_head, has_modifier, has_between)),
      head(templates, Role::kHead),
      modifier(templates, Role::kModifier),
      between(templates, Role::kBetween) {}

ArcTemplates::ArcTemplates(const FactorTemplateSet& templates)
    : set(templates),
      of_head(set, true, false, false),
      of_modifier(set, false, true, false),
      of_both(set, true, true, false),
      of_between(set, false, false, true) {}

void ArcScorer::prepare(const SentenceFields& sentence) {
  words_ = sentence.words();
  stride_ = words_ + 1;
  bins_.resize(words_ + 1);
  for (std::size_t d = 1; d <= words_; ++d) bins_[d] = templates_.set.bin(static_cast<std::uint32_t>(d));
  of_head_.width = templates_.of_head.templates.size();
  of_modifier_.width = templates_.of_modifier.templates.size();
  of_both_.width = templates_.of_both.templates.size();
  of_between_.width = templates_.of_between.templates.size();
  templates_.of_head.head.fill(sentence, of_head_.head);
  templates_.of_modifier.modifier.fill(sentence, of_modifier_.modifier);
  templates_.of_both.head.fill(sentence, of_both_.head);
  templates_.of_both.modifier.fill(sentence, of_both_.modifier);
  templates_.of_between.head.fill(sentence, of_between_.head);
  templates_.of_between.modifier.fill(sentence, of_between_.modifier);
  templates_.of_between.between.fill(sentence, of_between_.between);
  if (!layout_.hashed()) return;
  shorten_keys(of_both_.head, of_both_.width, both_head_);
  shorten_keys(of_both_.modifier, of_both_.width, both_modifier_);
  mark_used(of_both_.width, use_);
}

float* ArcScorer::score(const float* w) {
  scores_.assign((words_ + 1) * stride_, 0.0f);
  if (layout_.hashed())
    score_hashed(w);
  else
    score_by_lookup(w);
  return scores_.data();
}

void ArcScorer::score_hashed(const float* w) {
  const int shift = layout_.shift();
  head_sums_.resize((words_ + 1) * kSlots);
  modifier_sums_.resize((words_ + 1) * kSlots);
  for (std::size_t i = 0; i <= words_; ++i) {
    HWY_DYNAMIC_DISPATCH(sum_rows)
    (of_head_.head.data() + i * of_head_.width, of_head_.width, shift, w, head_sums_.data() + i * kSlots);
    HWY_DYNAMIC_DISPATCH(sum_rows)
    (of_modifier_.modifier.data() + i * of_modifier_.width, of_modifier_.width, shift, w,
     modifier_sums_.data() + i * kSlots);
  }
  const HashedArcs arcs{.words = words_,
                        .stride = stride_,
                        .shift = shift - 32,
                        .width = use_.size(),
                        .bins = bins_.data(),
                        .head = both_head_.data(),
                        .modifier = both_modifier_.data(),
                        .use = use_.data(),
                        .head_sums = head_sums_.data(),
                        .modifier_sums = modifier_sums_.data(),
                        .between_width = of_between_.width,
                        .between_head = of_between_.head.data(),
                        .between_modifier = of_between_.modifier.data(),
                        .between = of_between_.between.data()};
  HWY_DYNAMIC_DISPATCH(score_arcs)(arcs, w, scores_.data());
  between_list_.resize(words_ + 2 * kKeyPadding);
  for (std::size_t t = 0; t < of_between_.width; ++t)
    HWY_DYNAMIC_DISPATCH(score_between)(arcs, t, between_list_.data(), w, scores_.data());
}

void ArcScorer::append_rows(std::vector<Block>& blocks) {
  if (layout_.hashed()) return append_hashed_rows(blocks);
  each_row([&](FeatureId base) { blocks.push_back(row_of(base)); });
}

// The same loops as scoring, without the weights.
void ArcScorer::append_hashed_rows(std::vector<Block>& blocks) {
  const int shift = layout_.shift() - 32;
  const auto append = [&blocks](std::size_t n) {
    blocks.resize(blocks.size() + n);
    return blocks.data() + blocks.size() - n;
  };
  const auto shares = [&](const std::vector<Key>& keys) {
    Block* out = append(keys.size());
    for (const Key key : keys) *out++ = row_of(layout_.base(key));
  };
  shares(of_head_.head);
  shares(of_modifier_.modifier);
  const std::size_t stride = use_.size();
  const auto each_arc = [](std::size_t i, std::size_t j, const auto& body) {
    body(i, j);
    if (i > 0) body(j, i);
  };
  for (std::size_t i = 0; i <= words_; ++i) {
    for (std::size_t j = i + 1; j <= words_; ++j) {
      each_arc(i, j, [&](std::size_t h, std::size_t m) {
        const std::uint32_t* head = both_head_.data() + h * stride;
        const std::uint32_t* modifier = both_modifier_.data() + m * stride;
        Block* out = append(of_both_.width);
        for (std::size_t t = 0; t < of_both_.width; ++t) out[t] = row_of((head[t] ^ modifier[t]) >> shift);
      });
    }
  }
  const std::size_t width = of_between_.width;
  const auto low = [](Key key) { return static_cast<std::uint32_t>(key >> 32); };
  between_list_.resize(words_ + 2 * kKeyPadding);
  for (std::size_t t = 0; t < width; ++t) {
    for (std::size_t i = 0; i <= words_; ++i) {
      std::size_t n = 0;
      for (std::size_t j = i + 2; j <= words_; ++j) {
        const auto end = between_list_.begin() + static_cast<std::ptrdiff_t>(n);
        const std::uint32_t next = low(of_between_.between[(j - 1) * width + t]);
        if (std::find(between_list_.begin(), end, next) == end) between_list_[n++] = next;
        each_arc(i, j, [&](std::size_t h, std::size_t m) {
          const std::uint32_t both =
              low(of_between_.head[h * width + t] ^ of_between_.modifier[m * width + t]);
          Block* out = append(n);
          for (std::size_t k = 0; k < n; ++k) out[k] = row_of((both ^ between_list_[k]) >> shift);
        });
      }
    }
  }
}

void ArcScorer::score_by_lookup(const float* w) {
  const auto sum_shares = [&](const ArcTemplates::Group& group, const std::vector<Key>& keys,
                              std::vector<float>& sums) {
    sums.assign((words_ + 1) * kSlots, 0.0f);
    for (std::size_t i = 0; i <= words_; ++i) {
      const auto add = [&](FeatureId base) {
        for (std::uint32_t slot = 0; slot < kSlots; ++slot) sums[i * kSlots + slot] += w[base ^ slot];
      };
      each_share(group, keys, i, with_base(add));
    }
  };
  sum_shares(templates_.of_head, of_head_.head, head_sums_);
  sum_shares(templates_.of_modifier, of_modifier_.modifier, modifier_sums_);
  for (std::size_t h = 0; h <= words_; ++h) {
    for (std::size_t m = 1; m <= words_; ++m) {
      if (h == m) continue;
      const Slots slots = slots_of(h, m, bin(h, m));
      const float* head = head_sums_.data() + h * kSlots;
      const float* modifier = modifier_sums_.data() + m * kSlots;
      float sum =
          head[slots.direction] + head[slots.distance] + modifier[slots.direction] + modifier[slots.distance];
      const auto add = [&](FeatureId base) { sum += w[base ^ slots.direction] + w[base ^ slots.distance]; };
      each_pair(h, m, with_base(add));
      scores_[h * stride_ + m] = sum;
    }
  }
}

}  // namespace hinge::dep
#endif
