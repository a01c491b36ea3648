#include "hinge/decode/viterbi.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/viterbi.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows are padded to 16 floats, so no vector may be longer.
using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;

// next[v] = max_i (previous[i] + edge[i][v]) + node[v], for kVectors vectors
// of v kept in registers over the whole loop.
template <std::size_t kVectors>
HWY_INLINE void advance(const float* previous, const float* edge, const float* node, std::size_t labels,
                        std::size_t stride, float* next) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  Vector best[kVectors];
  const Vector first = hn::Set(d, previous[0]);
  for (std::size_t v = 0; v < kVectors; ++v) best[v] = hn::Add(first, hn::LoadU(d, edge + v * lanes));
  for (std::size_t i = 1; i < labels; ++i) {
    const Vector from = hn::Set(d, previous[i]);
    const float* row = edge + i * stride;
    for (std::size_t v = 0; v < kVectors; ++v) {
      best[v] = hn::Max(best[v], hn::Add(from, hn::LoadU(d, row + v * lanes)));
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(hn::Add(best[v], hn::LoadU(d, node + v * lanes)), d, next + v * lanes);
  }
}

void forward_pass(const ChainScores& s, float* forward) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::copy_n(s.node, s.stride, forward);
  for (std::size_t t = 1; t < s.tokens; ++t) {
    const float* previous = forward + (t - 1) * s.stride;
    const float* edge = s.edges_into(t);
    const float* node = s.node + t * s.stride;
    float* next = forward + t * s.stride;
    std::size_t j = 0;
    for (; j + 4 * lanes <= s.stride; j += 4 * lanes) {
      advance<4>(previous, edge + j, node + j, s.labels, s.stride, next + j);
    }
    for (; j + 2 * lanes <= s.stride; j += 2 * lanes) {
      advance<2>(previous, edge + j, node + j, s.labels, s.stride, next + j);
    }
    for (; j < s.stride; j += lanes) {
      advance<1>(previous, edge + j, node + j, s.labels, s.stride, next + j);
    }
  }
}

template <std::size_t kVectors>
HWY_INLINE void sum_block(const float* w, const std::uint32_t* rows, const float* values, std::size_t n,
                          std::size_t labels, float* out) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  Vector sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  for (std::size_t k = 0; k < n; ++k) {
    const float* row = w + static_cast<std::size_t>(rows[k]) * labels;
    if (values == nullptr) {
      for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(d, row + v * lanes));
    } else {
      const Vector value = hn::Set(d, values[k]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[v] = hn::MulAdd(value, hn::LoadU(d, row + v * lanes), sum[v]);
      }
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, out + v * lanes);
}

void sum_rows(const float* w, const std::uint32_t* rows, const float* values, std::size_t n,
              std::size_t labels, std::size_t stride, float* out) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t j = 0;
  for (; j + 4 * lanes <= stride; j += 4 * lanes) sum_block<4>(w + j, rows, values, n, labels, out + j);
  for (; j + 2 * lanes <= stride; j += 2 * lanes) sum_block<2>(w + j, rows, values, n, labels, out + j);
  for (; j < stride; j += lanes) sum_block<1>(w + j, rows, values, n, labels, out + j);
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(forward_pass);
HWY_EXPORT(sum_rows);

// The best label before `to`. Recomputed here rather than stored by the forward
// pass, whose inner loop is then one addition and one maximum.
LabelId best_before(const ChainScores& s, const float* previous, const float* edge, LabelId to) {
  std::size_t best = 0;
  float best_score = previous[0] + edge[to];
  for (std::size_t i = 1; i < s.labels; ++i) {
    const float score = previous[i] + edge[i * s.stride + to];
    if (score > best_score) {
      best_score = score;
      best = i;
    }
  }
  return static_cast<LabelId>(best);
}

}  // namespace

float viterbi(const ChainScores& s, std::vector<float>& forward, std::span<LabelId> path) {
  if (s.tokens == 0) return 0.0f;
  forward.resize(s.tokens * s.stride);
  HWY_DYNAMIC_DISPATCH(forward_pass)(s, forward.data());
  const float* last = forward.data() + (s.tokens - 1) * s.stride;
  const float* end = std::max_element(last, last + s.labels);
  path[s.tokens - 1] = static_cast<LabelId>(end - last);
  for (std::size_t t = s.tokens - 1; t > 0; --t) {
    path[t - 1] = best_before(s, forward.data() + (t - 1) * s.stride, s.edges_into(t), path[t]);
  }
  return *end;
}

void max_marginals(const ChainScores& s, std::span<const float> forward, std::vector<float>& marginals) {
  marginals.assign(forward.begin(), forward.end());
  if (s.tokens == 0) return;
  std::vector<float> backward(s.stride, 0.0f);  // best continuation after token t, by its label
  std::vector<float> ahead(s.stride);
  for (std::size_t t = s.tokens - 1; t > 0; --t) {
    const float* node = s.node + t * s.stride;
    for (std::size_t j = 0; j < s.labels; ++j) ahead[j] = node[j] + backward[j];
    for (std::size_t i = 0; i < s.labels; ++i) {
      const float* edge = s.edges_into(t) + i * s.stride;
      float best = edge[0] + ahead[0];
      for (std::size_t j = 1; j < s.labels; ++j) best = std::max(best, edge[j] + ahead[j]);
      backward[i] = best;
      marginals[(t - 1) * s.stride + i] += best;
    }
  }
}

void sum_rows(const float* w, std::span<const std::uint32_t> rows, const float* values, std::size_t labels,
              std::size_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(sum_rows)(w, rows.data(), values, rows.size(), labels, stride, out);
}

}  // namespace hinge
#endif
