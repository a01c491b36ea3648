// The spans of Koo & Collins (2010), Model 1, for a head h with head g:
//
//   C^g(h, e)  h and its descendants on one side, up to word e
//   I^g(h, m)  h, its outermost child so far m, and everything between them
//   S^h(s, m)  two adjacent children of h, and everything between them
//
//   C^g(h, e) = max_m  I^g(h, m) + C^h(m, e) + last(h, m)
//   I^g(h, m) = arc(h, m) + grand(g, h, m)
//               + max( first(h, m) + C^h(m, h +- 1),  max_s I^g(h, s) + S^h(s, m) + sibling(h, s, m) )
//   S^h(s, m) = max_r  C^h(s, r) + C^h(m, r + 1)      for s < m, else with the two exchanged
//
// Their part (g, h, s, m) is here the sum of a sibling and a grandparent part.
// Only C and I depend on g, and in both equations the other terms are the same for
// all g: entries for all g are adjacent, and one step computes them all in vectors.
// No span of a projective tree contains its g. Entries where it does are computed
// along with the others and hold garbage, but no span is ever built from them.
#include "hinge/decode/second_order.h"

#include "hinge/core/interrupt.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <tuple>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/second_order.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Slots are padded to 4 doubles, so no vector may be longer.
using Doubles = hn::CappedTag<double, 4>;
using Vector = hn::Vec<Doubles>;
using Index = std::uint32_t;

// S^h(s, m). Two independent maxima, which hides latency.
HWY_INLINE double best_split(const SecondOrderChart& chart, const SecondOrderScores& scores, Index inner,
                             Index outer) {
  const Index s = scores.arcs[inner].modifier;
  const Index m = scores.arcs[outer].modifier;
  const auto [low, high] = std::minmax(s, m);
  const auto [left_begin, left_step] = chart.of_arc[s < m ? inner : outer];
  const auto [right_begin, right_step] = chart.of_arc[s < m ? outer : inner];
  const double* left = chart.complete_spans.data() + left_begin + low * left_step;
  const double* right = chart.complete_spans.data() + right_begin + (low + 1) * right_step;
  double best = -std::numeric_limits<double>::infinity();
  double other = best;
  Index r = low;
  for (; r + 2 <= high; r += 2, left += 2 * left_step, right += 2 * right_step) {
    best = std::max(best, left[0] + right[0]);
    other = std::max(other, left[left_step] + right[right_step]);
  }
  if (r < high) best = std::max(best, left[0] + right[0]);
  return std::max(best, other);
}

// I^g(h, m) for all g, and S^h(s, m) for all s.
void attach(const SecondOrderScores& s, SecondOrderChart& chart, Index arc) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto [h, m] = s.arcs[arc];
  const std::size_t slots = chart.of_word[h].slots;
  double* out = chart.incomplete(arc, h);
  const double alone = s.arc[arc] + (s.first[arc] + chart.complete(arc, m > h ? h + 1 : h - 1));
  for (std::size_t k = 0; k < slots; k += lanes) hn::StoreU(hn::Set(d, alone), d, out + k);
  for (Index p = s.sibling_begin[arc]; p < s.sibling_begin[arc + 1]; ++p) {
    const Index inner = s.sibling_arc[p];
    chart.splits[p] = best_split(chart, s, inner, arc);
    const Vector rest = hn::Set(d, s.arc[arc] + (s.sibling[p] + chart.splits[p]));
    const double* in = chart.incomplete(inner, h);
    for (std::size_t k = 0; k < slots; k += lanes) {
      hn::StoreU(hn::Max(hn::LoadU(d, out + k), hn::Add(hn::LoadU(d, in + k), rest)), d, out + k);
    }
  }
  for (Index p = s.grand_begin[arc]; p < s.grand_begin[arc + 1]; ++p) {
    out[chart.index.slot[s.grand_arc[p]]] += s.grand[p];
  }
}

// C^g(h, end) for kVectors vectors of g, from children [begin, stop) of h; `in` is
// the I of the first child.
template <std::size_t kVectors>
HWY_INLINE void close_block(const SecondOrderChart& chart, std::size_t end, Index begin, Index stop,
                            const double* in, std::size_t slots, double* out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  Vector best[kVectors];
  for (Vector& v : best) v = hn::Set(d, -std::numeric_limits<double>::infinity());
  for (Index a = begin; a < stop; ++a, in += slots) {
    const Vector rest = hn::Set(d, chart.complete(a, end) + chart.last[a]);
    for (std::size_t v = 0; v < kVectors; ++v)
      best[v] = hn::Max(best[v], hn::Add(hn::LoadU(d, in + v * lanes), rest));
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(best[v], d, out + v * lanes);
}

HWY_INLINE void close(SecondOrderChart& chart, Index h, std::size_t end, Index begin, Index stop) {
  const std::size_t lanes = hn::Lanes(Doubles());
  const auto [column, slots] = chart.of_word[h];
  double* out = chart.complete_spans.data() + column + end * slots;
  const double* in = chart.incomplete(begin, h);
  std::size_t k = 0;
  for (; k + 2 * lanes <= slots; k += 2 * lanes)
    close_block<2>(chart, end, begin, stop, in + k, slots, out + k);
  for (; k < slots; k += lanes) close_block<1>(chart, end, begin, stop, in + k, slots, out + k);
}

// Words i from last to first, each with all words j after it. By then, all spans
// within i .. j are complete, and that of i is complete before that of j.
void fill_chart(const SecondOrderScores& s, SecondOrderChart& chart) {
  const auto n = static_cast<Index>(s.words);
  const ArcIndex& index = chart.index;
  for (Index i = n; i >= 1; --i) {
    check_interrupt();
    const auto [column, slots] = chart.of_word[i];
    std::fill_n(chart.complete_spans.data() + column + i * slots, slots, 0.0);
    Index stop = index.right[i];
    for (Index j = i + 1; j <= n; ++j) {
      if (stop < index.children[i + 1] && s.arcs[stop].modifier == j) attach(s, chart, stop++);
      close(chart, i, j, index.right[i], stop);
    }
    for (Index j = i + 1; j <= n; ++j) {
      Index& begin = chart.attached[j];
      if (begin > index.children[j] && s.arcs[begin - 1].modifier == i) attach(s, chart, --begin);
      close(chart, j, i, begin, index.right[j]);
    }
  }
  chart.complete_spans[chart.of_word[0].begin] = 0.0;
  if (n == 0 || s.single_root) return;
  for (Index a = 0; a < index.children[1]; ++a) attach(s, chart, a);
  close(chart, 0, n, 0, index.children[1]);
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(fill_chart);

using Index = std::uint32_t;
using Arc = SecondOrderScores::Arc;

constexpr double kNone = -std::numeric_limits<double>::infinity();

bool by_head(const Arc& a, const Arc& b) {
  return std::tie(a.head, a.modifier) < std::tie(b.head, b.modifier);
}

// Whether the tree has no arc from the same head farther out on the same side.
template <typename InTree>
bool is_outermost(const SecondOrderScores& s, Index arc, const InTree& in_tree) {
  const auto [head, modifier] = s.arcs[arc];
  if (modifier > head) {
    for (Index a = arc + 1; a < s.arcs.size() && s.arcs[a].head == head; ++a) {
      if (in_tree(a)) return false;
    }
  } else {
    for (Index a = arc; a > 0 && s.arcs[a - 1].head == head; --a) {
      if (in_tree(a - 1)) return false;
    }
  }
  return true;
}

// Never shrinks: no allocation or clearing once the longest sentence has been seen.
template <typename T>
void grow(std::vector<T>& values, std::size_t size) {
  if (values.size() < size) values.resize(size);
}

}  // namespace

void ArcIndex::build(const SecondOrderScores& s) {
  assert(std::adjacent_find(s.arcs.begin(), s.arcs.end(), std::not_fn(by_head)) == s.arcs.end());
  const std::size_t n = s.words;
  const auto arcs = static_cast<Index>(s.arcs.size());
  children.assign(n + 2, 0);
  right.assign(n + 1, 0);
  above_begin.assign(n + 2, 0);
  above.resize(arcs + 1);
  slot.assign(arcs + 1, 0);
  above_begin[1] = 1;  // the arc above the root
  for (Index a = 0; a < arcs; ++a) {
    const auto [head, modifier] = s.arcs[a];
    assert(head <= n && modifier >= 1 && modifier <= n && head != modifier);
    ++children[head + 1];
    if (modifier < head) ++right[head];
    slot[a] = above_begin[modifier + 1]++;
  }
  for (std::size_t word = 0; word <= n; ++word) {
    children[word + 1] += children[word];
    right[word] += children[word];
    above_begin[word + 1] += above_begin[word];
  }
  for (Index a = 0; a < arcs; ++a) above[above_begin[s.arcs[a].modifier] + slot[a]] = a;
  above[0] = arcs;
}

void make_parts(SecondOrderScores& s) {
  ArcIndex index;
  index.build(s);
  s.sibling_begin.assign(1, 0);
  s.sibling_arc.clear();
  s.grand_begin.assign(1, 0);
  s.grand_arc.clear();
  for (Index a = 0; a < s.arcs.size(); ++a) {
    const auto [head, modifier] = s.arcs[a];
    const Index right = index.right[head];
    for (Index inner = right; inner < a; ++inner) s.sibling_arc.push_back(inner);
    for (Index inner = right; inner > a + 1; --inner) s.sibling_arc.push_back(inner - 1);
    for (Index k = index.above_begin[head]; head != 0 && k < index.above_begin[head + 1]; ++k) {
      if (s.arcs[index.above[k]].head != modifier) s.grand_arc.push_back(index.above[k]);
    }
    s.sibling_begin.push_back(static_cast<Index>(s.sibling_arc.size()));
    s.grand_begin.push_back(static_cast<Index>(s.grand_arc.size()));
  }
  s.arc.assign(s.arcs.size(), 0.0f);
  s.first.assign(s.arcs.size(), 0.0f);
  s.sibling.assign(s.sibling_arc.size(), 0.0f);
  s.last.clear();
  s.grand.assign(s.grand_arc.size(), 0.0f);
}

// Looks for siblings among the candidates, which are fewer than the words.
ArcParts parts_into(const SecondOrderScores& s, std::span<const Index> heads, Index modifier) {
  const Arc wanted{heads[modifier], modifier};
  const auto found = std::lower_bound(s.arcs.begin(), s.arcs.end(), wanted, by_head);
  if (found == s.arcs.end() || by_head(wanted, *found)) return {};

  const Index head = wanted.head;
  const auto arc = static_cast<Index>(found - s.arcs.begin());
  const auto in_tree = [&](Index a) { return heads[s.arcs[a].modifier] == head; };
  ArcParts parts{.arc = arc, .is_last = is_outermost(s, arc, in_tree)};
  for (Index p = s.sibling_begin[arc]; p < s.sibling_begin[arc + 1]; ++p) {
    if (in_tree(s.sibling_arc[p])) parts.sibling = p;  // the last of them is the nearest
  }
  for (Index p = s.grand_begin[arc]; p < s.grand_begin[arc + 1]; ++p) {
    if (s.arcs[s.grand_arc[p]].head == heads[head]) parts.grand = p;
  }
  return parts;
}

double score_of(const SecondOrderScores& s, std::span<const Index> heads) {
  double score = 0.0;
  const bool candidates = each_part(s, heads, [&](TreePart kind, Index k) {
    switch (kind) {
      case TreePart::arc:
        score += s.arc[k];
        break;
      case TreePart::first:
        score += s.first[k];
        break;
      case TreePart::sibling:
        score += s.sibling[k];
        break;
      case TreePart::last:
        score += s.last.empty() ? 0.0f : s.last[k];
        break;
      case TreePart::grand:
        score += s.grand[k];
        break;
    }
  });
  return candidates ? score : kNone;
}

void SecondOrderChart::prepare(const SecondOrderScores& s) {
  const std::size_t n = s.words;
  index.build(s);
  of_word.resize(n + 1);
  of_arc.resize(s.arcs.size() + 1);
  incomplete_begin.resize(n + 1);
  std::size_t complete_size = 0, incomplete_size = 0;
  for (std::size_t h = 0; h <= n; ++h) {
    const Index* above = index.above.data() + index.above_begin[h];
    const std::size_t heads = index.above_begin[h + 1] - index.above_begin[h];
    const std::size_t slots = (heads + 3) / 4 * 4;
    of_word[h] = {complete_size, slots};
    for (std::size_t k = 0; k < heads; ++k) of_arc[above[k]] = {complete_size + k, slots};
    incomplete_begin[h] = incomplete_size;
    complete_size += slots * (n + 1);
    incomplete_size += slots * (index.children[h + 1] - index.children[h]);
  }
  grow(complete_spans, complete_size);
  grow(incomplete_spans, incomplete_size);
  grow(splits, s.sibling_arc.size());
  last.assign(s.arcs.size(), 0.0f);
  std::copy(s.last.begin(), s.last.end(), last.begin());
  attached.assign(index.right.begin(), index.right.end());
}

double SecondOrderDecoder::best(const SecondOrderScores& scores, std::span<Index> heads) {
  chart_.prepare(scores);
  HWY_DYNAMIC_DISPATCH(fill_chart)(scores, chart_);
  return read_tree(scores, heads) ? score_of(scores, heads) : kNone;
}

// Recomputes the steps that led to the best tree: they are few, and as they are not
// stored, the loops above are just an addition and a maximum.
bool SecondOrderDecoder::read_tree(const SecondOrderScores& s, std::span<Index> heads) {
  const auto n = static_cast<Index>(s.words);
  heads[0] = 0;
  agenda_.clear();
  if (s.single_root) {
    const Index arc = best_only_root(s);
    if (arc == kNoPart) return false;
    const Index root = s.arcs[arc].modifier;
    heads[root] = 0;
    agenda_.push_back({arc, root, 1});
    agenda_.push_back({arc, root, n});
  } else {
    const Index top = chart_.index.above[0];
    if (chart_.complete(top, n) == kNone) return false;
    agenda_.push_back({top, 0, n});
  }
  while (!agenda_.empty()) {
    const Half half = agenda_.back();
    agenda_.pop_back();
    if (half.word != half.end) read_half(s, half, heads);
  }
  return true;
}

Index SecondOrderDecoder::best_only_root(const SecondOrderScores& s) const {
  Index best = kNoPart;
  double best_score = kNone;
  for (Index a = 0; a < chart_.index.children[1]; ++a) {
    const double below = chart_.complete(a, 1) + chart_.complete(a, s.words);
    const double score = below + s.arc[a] + s.first[a] + chart_.last[a];
    if (score > best_score) {
      best_score = score;
      best = a;
    }
  }
  return best;
}

void SecondOrderDecoder::read_half(const SecondOrderScores& s, const Half& half, std::span<Index> heads) {
  const auto [above, h, end] = half;
  const ArcIndex& index = chart_.index;
  const Index slot = index.slot[above];
  const bool to_right = end > h;
  const Index stop = to_right ? index.children[h + 1] : index.right[h];
  Index best = kNoPart;
  double best_score = kNone;
  for (Index a = to_right ? index.right[h] : index.children[h]; a < stop; ++a) {
    if (to_right ? s.arcs[a].modifier > end : s.arcs[a].modifier < end) continue;
    const double score = chart_.incomplete(a, h)[slot] + (chart_.complete(a, end) + chart_.last[a]);
    if (score > best_score) {
      best_score = score;
      best = a;
    }
  }
  agenda_.push_back({best, s.arcs[best].modifier, end});
  read_children(s, best, slot, heads);
}

// Reads the children of a head, from the child of `arc` inwards.
void SecondOrderDecoder::read_children(const SecondOrderScores& s, Index arc, Index slot,
                                       std::span<Index> heads) {
  const Index h = s.arcs[arc].head;
  while (true) {
    const Index m = s.arcs[arc].modifier;
    const Index beside = m > h ? h + 1 : h - 1;
    heads[m] = h;
    Index best = kNoPart;
    double best_score = s.first[arc] + chart_.complete(arc, beside);
    for (Index p = s.sibling_begin[arc]; p < s.sibling_begin[arc + 1]; ++p) {
      const double inside = chart_.incomplete(s.sibling_arc[p], h)[slot];
      const double score = inside + (s.sibling[p] + chart_.splits[p]);
      if (score > best_score) {
        best_score = score;
        best = s.sibling_arc[p];
      }
    }
    if (best == kNoPart) {
      agenda_.push_back({arc, m, beside});
      return;
    }
    read_between(s, best, arc);
    arc = best;
  }
}

void SecondOrderDecoder::read_between(const SecondOrderScores& scores, Index inner, Index outer) {
  Half left{inner, scores.arcs[inner].modifier, 0};
  Half right{outer, scores.arcs[outer].modifier, 0};
  if (left.word > right.word) std::swap(left, right);
  double best_score = kNone;
  for (Index r = left.word; r < right.word; ++r) {
    const double score = chart_.complete(left.arc, r) + chart_.complete(right.arc, r + 1);
    if (score > best_score) {
      best_score = score;
      left.end = r;
      right.end = r + 1;
    }
  }
  agenda_.push_back(left);
  agenda_.push_back(right);
}

}  // namespace hinge
#endif
