// In floats. Trees of wide spans are products of many small factors, so all values of width w are
// multiplied by c^w, with one c for the sentence: a product of two spans is then scaled
// right by itself. If the values of a width leave the safe range, c changes and all
// narrower widths are multiplied again; this is rare.
#include "hinge/decode/cky.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/interrupt.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/cky.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;

// out[s] += p * sum_k a[k * stride + s] * b[k * step + s] for s < n, rounded up to whole vectors.
// The right parts shrink while the left ones grow: `step` is 1 - stride.
HWY_INLINE void add_products(const float* a, const float* b, std::ptrdiff_t a_step, std::ptrdiff_t b_step,
                             std::size_t splits, float p, std::size_t n, float* out) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, p);
  std::size_t s = 0;
  for (; s + lanes < n; s += 2 * lanes) {
    auto first = hn::Zero(d), second = hn::Zero(d);
    const float* left = a + s;
    const float* right = b + s;
    for (std::size_t k = 0; k < splits; ++k, left += a_step, right += b_step) {
      first = hn::MulAdd(hn::LoadU(d, left), hn::LoadU(d, right), first);
      second = hn::MulAdd(hn::LoadU(d, left + lanes), hn::LoadU(d, right + lanes), second);
    }
    hn::StoreU(hn::MulAdd(first, scale, hn::LoadU(d, out + s)), d, out + s);
    hn::StoreU(hn::MulAdd(second, scale, hn::LoadU(d, out + s + lanes)), d, out + s + lanes);
  }
  if (s < n) {
    auto sum = hn::Zero(d);
    const float* left = a + s;
    const float* right = b + s;
    for (std::size_t k = 0; k < splits; ++k, left += a_step, right += b_step)
      sum = hn::MulAdd(hn::LoadU(d, left), hn::LoadU(d, right), sum);
    hn::StoreU(hn::MulAdd(sum, scale, hn::LoadU(d, out + s)), d, out + s);
  }
}

// All rules, for the spans of one width.
void fill_inside_width(const CkyRows& rows, std::size_t width) {
  const auto stride = static_cast<std::ptrdiff_t>(rows.stride);
  const std::size_t n = rows.words - width + 1;
  for (const CkyRule& rule : rows.rules) {
    if (!rows.present[rule.left] || !rows.present[rule.right]) continue;
    // Splits from..to: a tag spans one word.
    const std::size_t from = rule.right < rows.tags ? width - 1 : 1;
    const std::size_t to = rule.left < rows.tags ? 1 : width - 1;
    if (from > to) continue;
    add_products(rows.inside + rows.at(rule.left, from),
                 rows.inside + rows.at(rule.right, width - from) + from, stride, 1 - stride, to - from + 1,
                 rule.probability, n, rows.inside + rows.at(rule.parent, width));
  }
}

void fill_outside_width(const CkyRows& rows, std::size_t width) {
  const auto stride = static_cast<std::ptrdiff_t>(rows.stride);
  const std::size_t n = rows.words - width + 1;
  for (const CkyRule& rule : rows.rules) {
    if (!rows.present[rule.left] || !rows.present[rule.right] || !rows.present[rule.parent]) continue;
    // As the left part: the parent has the same beginning, and the right part any width up to the end.
    if (rule.left >= rows.tags || width == 1) {
      const std::size_t most = rule.right < rows.tags ? 1 : rows.words - width;
      add_products(rows.outside + rows.at(rule.parent, width + 1),
                   rows.inside + rows.at(rule.right, 1) + width, stride, stride, most, rule.probability, n,
                   rows.outside + rows.at(rule.left, width));
    }
    // As the right part: the parent begins earlier, by the width of the left part. Columns
    // before the first word belong to the zeros at the end of the row before.
    if (rule.right >= rows.tags || width == 1) {
      const std::size_t most = rule.left < rows.tags ? 1 : rows.words - width;
      add_products(rows.outside + rows.at(rule.parent, width + 1) - 1,
                   rows.inside + rows.at(rule.left, 1) - 1, stride - 1, stride - 1, most, rule.probability, n,
                   rows.outside + rows.at(rule.right, width));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(fill_inside_width);
HWY_EXPORT(fill_outside_width);

constexpr std::size_t kLanes = 16;  // no target has more
constexpr float kLow = 1e-12f, kHigh = 1e12f;
constexpr float kNothing = 1e-30f;  // smaller values become zero: denormals are slow

}  // namespace

void CkyChart::start(const CkyGrammar& grammar, std::span<const float> tag_scores) {
  symbols_ = grammar.symbols;
  tags_ = grammar.tags;
  // Rows are read up to a vector beyond their end, from any column.
  stride_ = (words_ + kLanes - 1) / kLanes * kLanes + kLanes;
  const std::size_t values = row(symbols_, 1) + 3 * stride_;
  inside_.reserve(values);
  outside_.reserve(values);
  std::fill_n(inside_.data(), values, 0.0f);
  std::fill_n(outside_.data(), values, 0.0f);
  present_.assign(symbols_, 0);
  for (std::size_t i = 0; i < words_; ++i) {
    const auto scores = tag_scores.subspan(i * tags_, tags_);
    const float high = *std::ranges::max_element(scores);
    for (std::size_t t = 0; t < tags_; ++t) {
      if (scores[t] <= 0.0f) continue;
      inside_.data()[row(t, 1) + i] = scores[t] / high;
      present_[t] = 1;
    }
  }
  for (const CkyRule& rule : grammar.unary) {
    if (!present_[rule.left]) continue;
    present_[rule.parent] = 1;
    const float* from = inside_.data() + row(rule.left, 1);
    float* to = inside_.data() + row(rule.parent, 1);
    for (std::size_t i = 0; i < words_; ++i) to[i] += rule.probability * from[i];
  }
  active_.clear();
  for (const CkyRule& rule : grammar.rules) {
    if ((rule.left >= tags_ || present_[rule.left]) && (rule.right >= tags_ || present_[rule.right]))
      active_.push_back(rule);
  }
}

// Cleans the rows of a finished width. False: their values must be rescaled.
bool CkyChart::settle(const CkyGrammar& grammar, std::size_t width) {
  float high = 0.0f;
  const std::size_t n = words_ - width + 1;
  for (std::size_t a = tags_; a < grammar.symbols; ++a) {
    float* values = inside_.data() + row(a, width);
    float here = 0.0f;
    for (std::size_t s = 0; s < n; ++s) {
      if (values[s] < kNothing) values[s] = 0.0f;
      here = std::max(here, values[s]);
    }
    std::fill(values + n, values + stride_, 0.0f);
    if (here > 0.0f) present_[a] = 1;
    high = std::max(high, here);
  }
  if (high == 0.0f || (high > kLow && high < kHigh)) return true;
  rescale(width, std::pow(high, -1.0f / static_cast<float>(width)));
  return false;
}

void CkyChart::rescale(std::size_t width, float factor) {
  for (std::size_t a = 0; a < symbols_; ++a) {
    float power = 1.0f;
    for (std::size_t w = 1; w <= (a < tags_ ? 1 : width); ++w) {
      power *= factor;
      float* values = inside_.data() + row(a, w);
      for (std::size_t s = 0; s < words_; ++s) values[s] *= power;
    }
  }
}

CkyRows CkyChart::rows() {
  return {words_, tags_, stride_, inside_.data(), outside_.data(), present_, active_};
}

void CkyChart::fill_inside(const CkyGrammar& grammar) {
  settle(grammar, 1);
  for (std::size_t width = 2; width <= words_; ++width) {
    check_interrupt();
    HWY_DYNAMIC_DISPATCH(fill_inside_width)(rows(), width);
    settle(grammar, width);
  }
}

void CkyChart::fill_outside(const CkyGrammar& grammar) {
  for (std::size_t a = 0; a < symbols_; ++a) {
    if (words_ == 1 || a >= tags_) outside_.data()[row(a, words_)] = grammar.root[a];
  }
  for (std::size_t width = words_; width-- > 1;) {
    check_interrupt();
    HWY_DYNAMIC_DISPATCH(fill_outside_width)(rows(), width);
    const std::size_t n = words_ - width + 1;
    for (std::size_t a = width == 1 ? 0 : tags_; a < symbols_; ++a) {
      float* values = outside_.data() + row(a, width);
      for (std::size_t s = 0; s < n; ++s) {
        if (values[s] < kNothing) values[s] = 0.0f;
      }
      std::fill(values + n, values + stride_, 0.0f);
    }
  }
  for (const CkyRule& rule : grammar.unary) {
    if (!present_[rule.left]) continue;
    const float* from = outside_.data() + row(rule.parent, 1);
    float* to = outside_.data() + row(rule.left, 1);
    for (std::size_t i = 0; i < words_; ++i) to[i] += rule.probability * from[i];
  }
}

bool CkyChart::fill(const CkyGrammar& grammar, std::size_t words, std::span<const float> tag_scores) {
  words_ = words;
  total_ = 0.0f;
  if (words == 0) return false;
  start(grammar, tag_scores);
  fill_inside(grammar);
  for (std::size_t a = 0; a < symbols_; ++a) {
    if (a >= tags_ || words_ == 1) total_ += grammar.root[a] * inside_.data()[row(a, words_)];
  }
  if (!(total_ > 0.0f)) return false;
  fill_outside(grammar);
  return true;
}

}  // namespace hinge
#endif
