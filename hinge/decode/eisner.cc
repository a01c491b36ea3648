// With C the best complete and I the best incomplete span,
//
//   I_right(i, j) = score(i, j) + max_{i <= q < j} C_right(i, q) + C_left(q + 1, j)
//   I_left(i, j)  = score(j, i) + the same maximum
//   C_right(i, j) = max_{i < q <= j} I_right(i, q) + C_right(q, j)
//   C_left(i, j)  = max_{i <= q < j} C_left(i, q) + I_left(q, j)
//
// Every projective tree is derived in exactly one way.
#include "hinge/decode/eisner.h"

#include "hinge/core/interrupt.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/eisner.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Doubles>;

struct Tables {
  explicit Tables(ProjectiveChart& chart)
      : right(chart.right.data()),
        right_by_end(chart.right_by_end.data()),
        left(chart.left.data()),
        left_by_end(chart.left_by_end.data()),
        right_arc(chart.right_arc.data()),
        left_arc_by_end(chart.left_arc_by_end.data()),
        stride(chart.stride) {}

  double* right;
  double* right_by_end;
  double* left;
  double* left_by_end;
  double* right_arc;
  double* left_arc_by_end;
  std::size_t stride;
};

// best[v] = max_k a[k][v] + b[-k][v]: from one k to the next the left part grows
// by one position and the right part shrinks by one. Splits alternate between kWays
// independent maxima, which hides latency.
template <std::size_t kVectors>
HWY_INLINE void best_splits(const double* a, const double* b, std::size_t stride, std::size_t splits,
                            Vector* best) {
  constexpr std::size_t kWays = kVectors >= 4 ? 1 : 4 / kVectors;
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto sum = [&](std::size_t k, std::size_t v) HWY_ATTR {
    return hn::Add(hn::Load(d, a + k * stride + v * lanes), hn::LoadU(d, b - k * stride + v * lanes));
  };
  Vector high[kWays][kVectors];
  for (std::size_t way = 0; way < kWays; ++way)
    for (std::size_t v = 0; v < kVectors; ++v) high[way][v] = sum(std::min(way, splits - 1), v);
  std::size_t k = kWays;
  for (; k + kWays <= splits; k += kWays)
    for (std::size_t way = 0; way < kWays; ++way)
      for (std::size_t v = 0; v < kVectors; ++v) high[way][v] = hn::Max(high[way][v], sum(k + way, v));
  for (; k < splits; ++k)
    for (std::size_t v = 0; v < kVectors; ++v) high[0][v] = hn::Max(high[0][v], sum(k, v));
  for (std::size_t v = 0; v < kVectors; ++v) {
    best[v] = high[0][v];
    for (std::size_t way = 1; way < kWays; ++way) best[v] = hn::Max(best[v], high[way][v]);
  }
}

template <std::size_t kVectors>
HWY_INLINE void incomplete(const Tables& t, std::size_t width, std::size_t start) {
  const Doubles d;
  const std::size_t row = width * t.stride + start;
  Vector best[kVectors];
  best_splits<kVectors>(t.right + start, t.left_by_end + row - t.stride + width, t.stride, width, best);
  for (std::size_t v = 0; v < kVectors; ++v) {
    double* right = t.right_arc + row + v * hn::Lanes(d);
    double* left = t.left_arc_by_end + row + width + v * hn::Lanes(d);
    hn::Store(hn::Add(best[v], hn::Load(d, right)), d, right);
    hn::StoreU(hn::Add(best[v], hn::LoadU(d, left)), d, left);
  }
}

template <std::size_t kVectors>
HWY_INLINE void complete(const Tables& t, std::size_t width, std::size_t start) {
  const Doubles d;
  const std::size_t row = width * t.stride + start;
  Vector right[kVectors];
  Vector left[kVectors];
  best_splits<kVectors>(t.right_arc + t.stride + start, t.right_by_end + row - t.stride + width, t.stride,
                        width, right);
  best_splits<kVectors>(t.left + start, t.left_arc_by_end + row + width, t.stride, width, left);
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t at = row + v * hn::Lanes(d);
    hn::Store(right[v], d, t.right + at);
    hn::StoreU(right[v], d, t.right_by_end + at + width);
    hn::Store(left[v], d, t.left + at);
    hn::StoreU(left[v], d, t.left_by_end + at + width);
  }
}

// Blocks of kColumns starts, the last block first, from short spans to long: the
// parts of a span start further right or are shorter. Two vectors at a time, to
// hide latency. Lanes beyond the last position are never read.
void fill_spans(ProjectiveChart& chart) {
  constexpr std::size_t kColumns = 16;
  const std::size_t lanes = hn::Lanes(Doubles());
  const Tables t(chart);
  for (std::size_t start = (chart.positions - 1) / kColumns * kColumns + kColumns; start > 0;) {
    check_interrupt();
    start -= kColumns;
    for (std::size_t width = 1; start + width < chart.positions; ++width) {
      const std::size_t end = std::min(start + kColumns, chart.positions - width);
      std::size_t p = start;
      for (; p + lanes < end; p += 2 * lanes) incomplete<2>(t, width, p);
      if (p < end) incomplete<1>(t, width, p);
      p = start;
      for (; p + lanes < end; p += 2 * lanes) complete<2>(t, width, p);
      if (p < end) complete<1>(t, width, p);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(fill_spans);

// The first k with a[k] + b[-k] + arc == best. Recomputed for the spans of one
// tree, which is cheaper than storing it for all. The sums are exactly those of
// the maximum, so one is equal, unless scores are NaN: then the last k is used, and
// the result is still a tree.
std::size_t split_of(const double* a, const double* b, std::size_t stride, std::size_t splits, double arc,
                     double best) {
  std::size_t k = 0;
  while (k + 1 < splits && a[k * stride] + *(b - k * stride) + arc != best) ++k;
  return k;
}

}  // namespace

void ProjectiveChart::fill(const ArcScores& scores) {
  first = scores.single_root ? 1 : 0;
  positions = scores.words + 1 - first;
  // Room for vectors that begin at a row's last span; an odd number of cache lines,
  // so that rows do not all map to the same cache sets.
  stride = ((positions + 15) / 8 | 1) * 8;
  for (auto* table : {&right, &right_by_end, &left, &left_by_end, &right_arc, &left_arc_by_end}) {
    table->reserve(positions * stride + 8);
  }
  for (auto* table : {&right, &right_by_end, &left, &left_by_end}) std::fill_n(table->data(), positions, 0.0);
  // Each score is stored where the span with that arc will be.
  for (std::size_t head = 0; head < positions; ++head) {
    const float* row = scores.score + (first + head) * scores.stride + first;
    double* left_arcs = left_arc_by_end.data() + head;
    for (std::size_t child = 0; child < head; ++child) left_arcs[(head - child) * stride] = row[child];
    // Arc into the root: no tree contains such a span.
    if (first == 0 && head > 0) left_arcs[head * stride] = 0.0;
    double* right_arcs = right_arc.data() + head;
    for (std::size_t child = head + 1; child < positions; ++child) {
      right_arcs[(child - head) * stride] = row[child];
    }
  }
  HWY_DYNAMIC_DISPATCH(fill_spans)(*this);
}

void Eisner::open(std::size_t width, std::size_t start, bool headed_by_first) {
  if (width == 0) return;
  open_.push_back({static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(start), headed_by_first});
}

// The two spans under an arc between the ends of a span.
void Eisner::open_inside(std::size_t width, std::size_t start, double arc, double best) {
  const double* right = chart_.right.data() + start;
  const double* left = chart_.left_by_end.data() + (width - 1) * chart_.stride + start + width;
  const std::size_t split = split_of(right, left, chart_.stride, width, arc, best);
  open(split, start, /*headed_by_first=*/true);
  open(width - 1 - split, start + split + 1, /*headed_by_first=*/false);
}

void Eisner::read_right(const ArcScores& scores, const Span& span, std::span<HeadId> heads) {
  const std::size_t stride = chart_.stride;
  const std::size_t row = span.width * stride + span.start;
  const double* arcs = chart_.right_arc.data() + stride + span.start;
  const double* rest = chart_.right_by_end.data() + row - stride + span.width;
  const std::size_t child = 1 + split_of(arcs, rest, stride, span.width, 0.0, chart_.right.data()[row]);
  const std::size_t head = chart_.first + span.start;
  heads[head + child] = static_cast<HeadId>(head);
  open(span.width - child, span.start + child, /*headed_by_first=*/true);
  open_inside(child, span.start, scores(head, head + child), arcs[(child - 1) * stride]);
}

void Eisner::read_left(const ArcScores& scores, const Span& span, std::span<HeadId> heads) {
  const std::size_t stride = chart_.stride;
  const std::size_t row = span.width * stride + span.start;
  const double* rest = chart_.left.data() + span.start;
  const double* arcs = chart_.left_arc_by_end.data() + row + span.width;
  const std::size_t child = split_of(rest, arcs, stride, span.width, 0.0, chart_.left.data()[row]);
  const std::size_t head = chart_.first + span.start + span.width;
  const std::size_t word = chart_.first + span.start + child;
  heads[word] = static_cast<HeadId>(head);
  open(child, span.start, /*headed_by_first=*/false);
  open_inside(span.width - child, span.start + child, scores(head, word), *(arcs - child * stride));
}

double Eisner::open_both_sides_of_root(const ArcScores& scores, std::span<HeadId> heads) {
  std::size_t best = 0;
  double best_score = 0.0;
  for (std::size_t p = 0; p < chart_.positions; ++p) {
    const double score = chart_.left.data()[p * chart_.stride] +
                         chart_.right.data()[(chart_.positions - 1 - p) * chart_.stride + p] +
                         scores(0, p + 1);
    if (p == 0 || score > best_score) {
      best = p;
      best_score = score;
    }
  }
  heads[best + 1] = 0;
  open(best, 0, /*headed_by_first=*/false);
  open(chart_.positions - 1 - best, best, /*headed_by_first=*/true);
  return best_score;
}

double Eisner::best(const ArcScores& scores, std::span<HeadId> heads) {
  heads[0] = 0;
  if (scores.words == 0) return 0.0;
  chart_.fill(scores);
  double score;
  if (scores.single_root) {
    score = open_both_sides_of_root(scores, heads);
  } else {
    score = chart_.right.data()[scores.words * chart_.stride];
    open(scores.words, 0, /*headed_by_first=*/true);
  }
  while (!open_.empty()) {
    const Span span = open_.back();
    open_.pop_back();
    if (span.headed_by_first) {
      read_right(scores, span, heads);
    } else {
      read_left(scores, span, heads);
    }
  }
  return score;
}

}  // namespace hinge
#endif
