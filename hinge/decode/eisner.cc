// With C the best complete and I the best incomplete span,
//
//   I_right(i, j) = score(i, j) + max_{i <= q < j} C_right(i, q) + C_left(q + 1, j)
//   I_left(i, j)  = score(j, i) + the same maximum
//   C_right(i, j) = max_{i < q <= j} I_right(i, q) + C_right(q, j)
//   C_left(i, j)  = max_{i <= q < j} C_left(i, q) + I_left(q, j)
//
// Every projective tree is derived in exactly one way.
#include "hinge/decode/eisner.h"

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

// Rows have room for one vector of this length beyond their last span.
using Doubles = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Doubles>;

// best[v] = max_k a[k][v] + b[k][v], where from one k to the next the left part
// grows by one position and the right part loses its first. Splits are dealt
// out to kWays maxima, so that they need not wait for one another.
template <std::size_t kVectors>
HWY_INLINE void best_splits(const double* a, const double* b, std::size_t stride, std::size_t splits,
                            Vector* best) {
  constexpr std::size_t kWays = 4 / kVectors;
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto sum = [&](std::size_t k, std::size_t v) HWY_ATTR {
    return hn::Add(hn::LoadU(d, a + k * stride + v * lanes), hn::LoadU(d, b - k * (stride - 1) + v * lanes));
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

struct Tables {
  explicit Tables(ProjectiveChart& chart)
      : right(chart.right.data()),
        left(chart.left.data()),
        right_arc(chart.right_arc.data()),
        left_arc(chart.left_arc.data()),
        stride(chart.stride) {}

  double* right;
  double* left;
  double* right_arc;
  double* left_arc;
  std::size_t stride;
};

template <std::size_t kVectors>
HWY_INLINE void incomplete(const Tables& t, std::size_t width, std::size_t start) {
  const Doubles d;
  Vector best[kVectors];
  best_splits<kVectors>(t.right + start, t.left + (width - 1) * t.stride + start + 1, t.stride, width, best);
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t at = width * t.stride + start + v * hn::Lanes(d);
    hn::StoreU(hn::Add(best[v], hn::LoadU(d, t.right_arc + at)), d, t.right_arc + at);
    hn::StoreU(hn::Add(best[v], hn::LoadU(d, t.left_arc + at)), d, t.left_arc + at);
  }
}

template <std::size_t kVectors>
HWY_INLINE void complete(const Tables& t, std::size_t width, std::size_t start) {
  const Doubles d;
  const std::size_t row = width * t.stride + start;
  Vector right[kVectors];
  Vector left[kVectors];
  best_splits<kVectors>(t.right_arc + t.stride + start, t.right + row - t.stride + 1, t.stride, width, right);
  best_splits<kVectors>(t.left + start, t.left_arc + row, t.stride, width, left);
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(right[v], d, t.right + row + v * hn::Lanes(d));
    hn::StoreU(left[v], d, t.left + row + v * hn::Lanes(d));
  }
}

// Lanes beyond the last span of a width hold what nothing reads.
void fill_spans(ProjectiveChart& chart) {
  const Tables t(chart);
  const std::size_t lanes = hn::Lanes(Doubles());
  for (std::size_t width = 1; width < chart.positions; ++width) {
    const std::size_t spans = chart.positions - width;
    std::size_t p = 0;
    for (; p + 3 * lanes < spans; p += 4 * lanes) incomplete<4>(t, width, p);
    for (; p + lanes < spans; p += 2 * lanes) incomplete<2>(t, width, p);
    for (; p < spans; p += lanes) incomplete<1>(t, width, p);
    p = 0;
    for (; p + 3 * lanes < spans; p += 4 * lanes) complete<4>(t, width, p);
    for (; p + lanes < spans; p += 2 * lanes) complete<2>(t, width, p);
    for (; p < spans; p += lanes) complete<1>(t, width, p);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(fill_spans);

// The first k with a[k] + b[k] + arc == best; a, b as in best_splits. Found again
// here, for the spans of one tree, rather than stored by the loops over all. The
// sums are those the maximum was taken of, so one is equal; else (scores that are
// not numbers) the last is taken and the result still is a tree.
std::size_t split_of(const double* a, const double* b, std::size_t stride, std::size_t splits, double arc,
                     double best) {
  std::size_t k = 0;
  while (k + 1 < splits && a[k * stride] + *(b - k * (stride - 1)) + arc != best) ++k;
  return k;
}

}  // namespace

void ProjectiveChart::fill(const ArcScores& scores) {
  first = scores.single_root ? 1 : 0;
  positions = scores.words + 1 - first;
  // Room for vectors that begin at a row's last span; odd in units of a cache
  // line, lest all rows meet in the same sets of the cache.
  stride = ((positions + 8 + 7) / 8 | 1) * 8;
  for (auto* table : {&right, &left, &right_arc, &left_arc}) table->reserve(positions * stride + 8);
  std::fill_n(right.data(), positions, 0.0);
  std::fill_n(left.data(), positions, 0.0);
  for (std::size_t width = 1; width < positions; ++width) {
    double* rightward = right_arc.data() + width * stride;
    double* leftward = left_arc.data() + width * stride;
    const float* corner = scores.score + first * (scores.stride + 1);
    for (std::size_t p = 0; p + width < positions; ++p) {
      const float* at = corner + p * (scores.stride + 1);
      rightward[p] = at[width];
      leftward[p] = at[width * scores.stride];
    }
    if (first == 0) leftward[0] = 0.0;  // into the root: whatever, spans that have it are part of no tree
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
  const double* left = chart_.left.data() + (width - 1) * chart_.stride + start + 1;
  const std::size_t split = split_of(right, left, chart_.stride, width, arc, best);
  open(split, start, /*headed_by_first=*/true);
  open(width - 1 - split, start + split + 1, /*headed_by_first=*/false);
}

void Eisner::read_right(const ArcScores& scores, const Span& span, std::span<HeadId> heads) {
  const std::size_t stride = chart_.stride;
  const std::size_t row = span.width * stride + span.start;
  const double* right = chart_.right.data();
  const double* arcs = chart_.right_arc.data() + stride + span.start;
  const std::size_t child = 1 + split_of(arcs, right + row - stride + 1, stride, span.width, 0.0, right[row]);
  const std::size_t head = chart_.first + span.start;
  heads[head + child] = static_cast<HeadId>(head);
  open(span.width - child, span.start + child, /*headed_by_first=*/true);
  open_inside(child, span.start, scores(head, head + child), arcs[(child - 1) * stride]);
}

void Eisner::read_left(const ArcScores& scores, const Span& span, std::span<HeadId> heads) {
  const std::size_t stride = chart_.stride;
  const std::size_t row = span.width * stride + span.start;
  const double* left = chart_.left.data();
  const double* arcs = chart_.left_arc.data() + row;
  const std::size_t child = split_of(left + span.start, arcs, stride, span.width, 0.0, left[row]);
  const std::size_t head = chart_.first + span.start + span.width;
  const std::size_t word = chart_.first + span.start + child;
  heads[word] = static_cast<HeadId>(head);
  open(child, span.start, /*headed_by_first=*/false);
  open_inside(span.width - child, span.start + child, scores(head, word), *(arcs - child * (stride - 1)));
}

double Eisner::open_both_sides_of_root(const ArcScores& scores, std::span<HeadId> heads) {
  std::size_t best = 0;
  double best_score = 0.0;
  for (std::size_t p = 0; p < chart_.positions; ++p) {
    const double score = scores(0, p + 1) + chart_.left.data()[p * chart_.stride] +
                         chart_.right.data()[(chart_.positions - 1 - p) * chart_.stride + p];
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
