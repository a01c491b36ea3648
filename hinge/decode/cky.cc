// Trees of wide spans are products of many small factors, so all values of width w are
// multiplied by c^w, with one c for the sentence: a product of two spans is then scaled
// right by itself. If the values of a width leave the safe range, c changes and all
// narrower widths are multiplied again. Floats almost always suffice; if they do not, which the tags'
// probabilities show, the sentence is done again in doubles.
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

// out[s] += p * sum_k a[k * stride + s] * b[k * step + s] for s < n, rounded up to whole vectors.
// The right parts shrink while the left ones grow: `step` is 1 - stride.
template <typename T>
HWY_INLINE void add_products(const T* a, const T* b, std::ptrdiff_t a_step, std::ptrdiff_t b_step,
                             std::size_t splits, float p, std::size_t n, T* out) {
  const hn::CappedTag<T, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, static_cast<T>(p));
  std::size_t s = 0;
  for (; s + lanes < n; s += 2 * lanes) {
    auto first = hn::Zero(d), second = hn::Zero(d);
    const T* left = a + s;
    const T* right = b + s;
    for (std::size_t k = 0; k < splits; ++k, left += a_step, right += b_step) {
      first = hn::MulAdd(hn::LoadU(d, left), hn::LoadU(d, right), first);
      second = hn::MulAdd(hn::LoadU(d, left + lanes), hn::LoadU(d, right + lanes), second);
    }
    hn::StoreU(hn::MulAdd(first, scale, hn::LoadU(d, out + s)), d, out + s);
    hn::StoreU(hn::MulAdd(second, scale, hn::LoadU(d, out + s + lanes)), d, out + s + lanes);
  }
  if (s < n) {
    auto sum = hn::Zero(d);
    const T* left = a + s;
    const T* right = b + s;
    for (std::size_t k = 0; k < splits; ++k, left += a_step, right += b_step)
      sum = hn::MulAdd(hn::LoadU(d, left), hn::LoadU(d, right), sum);
    hn::StoreU(hn::MulAdd(sum, scale, hn::LoadU(d, out + s)), d, out + s);
  }
}

// All rules, for the spans of one width.
template <typename T>
HWY_INLINE void inside_width(const CkyRows<T>& rows, std::size_t width) {
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

template <typename T>
HWY_INLINE void outside_width(const CkyRows<T>& rows, std::size_t width) {
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

void inside_floats(const CkyRows<float>& rows, std::size_t width) { inside_width(rows, width); }
void inside_doubles(const CkyRows<double>& rows, std::size_t width) { inside_width(rows, width); }
void outside_floats(const CkyRows<float>& rows, std::size_t width) { outside_width(rows, width); }
void outside_doubles(const CkyRows<double>& rows, std::size_t width) { outside_width(rows, width); }

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(inside_floats);
HWY_EXPORT(inside_doubles);
HWY_EXPORT(outside_floats);
HWY_EXPORT(outside_doubles);

constexpr std::size_t kLanes = 16;  // no target has more

// The highest value of a width is kept in this range; values below `nothing` become zero, as
// denormals are slow.
template <typename T>
struct Range;
template <>
struct Range<float> {
  static constexpr float low = 1e-2f, high = 1e2f, nothing = 1e-35f;
};
template <>
struct Range<double> {
  static constexpr double low = 1e-20, high = 1e20, nothing = 1e-290;
};

void inside_width(const CkyRows<float>& rows, std::size_t width) {
  HWY_DYNAMIC_DISPATCH(inside_floats)(rows, width);
}
void inside_width(const CkyRows<double>& rows, std::size_t width) {
  HWY_DYNAMIC_DISPATCH(inside_doubles)(rows, width);
}
void outside_width(const CkyRows<float>& rows, std::size_t width) {
  HWY_DYNAMIC_DISPATCH(outside_floats)(rows, width);
}
void outside_width(const CkyRows<double>& rows, std::size_t width) {
  HWY_DYNAMIC_DISPATCH(outside_doubles)(rows, width);
}

}  // namespace

template <typename T>
void CkyTable<T>::start(const CkyGrammar& grammar, std::span<const float> tag_scores) {
  symbols_ = grammar.symbols;
  tags_ = grammar.tags;
  // Rows are read up to a vector beyond their end, from any column.
  stride_ = (words_ + kLanes - 1) / kLanes * kLanes + kLanes;
  const std::size_t values = row(symbols_, 1) + 3 * stride_;
  inside_.reserve(values);
  outside_.reserve(values);
  std::fill_n(inside_.data(), values, T(0));
  std::fill_n(outside_.data(), values, T(0));
  present_.assign(symbols_, 0);
  for (std::size_t i = 0; i < words_; ++i) {
    const auto scores = tag_scores.subspan(i * tags_, tags_);
    const float high = *std::ranges::max_element(scores);
    for (std::size_t t = 0; t < tags_; ++t) {
      if (scores[t] <= 0.0f) continue;
      inside_.data()[row(t, 1) + i] = static_cast<T>(scores[t] / high);
      present_[t] = 1;
    }
  }
  for (const CkyRule& rule : grammar.unary) {
    if (!present_[rule.left]) continue;
    present_[rule.parent] = 1;
    const T* from = inside_.data() + row(rule.left, 1);
    T* to = inside_.data() + row(rule.parent, 1);
    for (std::size_t i = 0; i < words_; ++i) to[i] += static_cast<T>(rule.probability) * from[i];
  }
  active_.clear();
  for (const CkyRule& rule : grammar.rules) {
    if ((rule.left >= tags_ || present_[rule.left]) && (rule.right >= tags_ || present_[rule.right]))
      active_.push_back(rule);
  }
}

// Cleans the rows of a finished width and keeps its highest value in range. At width 1 that is a tag's, 1.
template <typename T>
void CkyTable<T>::settle(std::size_t width) {
  T high = width == 1 ? T(1) : T(0);
  const std::size_t n = words_ - width + 1;
  for (std::size_t a = tags_; a < symbols_; ++a) {
    T* values = inside_.data() + row(a, width);
    T here = 0;
    for (std::size_t s = 0; s < n; ++s) {
      if (values[s] < Range<T>::nothing) values[s] = 0;
      here = std::max(here, values[s]);
    }
    std::fill(values + n, values + stride_, T(0));
    if (here > T(0)) present_[a] = 1;
    high = std::max(high, here);
  }
  if (high == T(0) || (high > Range<T>::low && high < Range<T>::high)) return;
  rescale(width, std::pow(high, T(-1) / static_cast<T>(width)));
}

template <typename T>
void CkyTable<T>::rescale(std::size_t width, T factor) {
  for (std::size_t a = 0; a < symbols_; ++a) {
    T power = 1;
    for (std::size_t w = 1; w <= (a < tags_ ? 1 : width); ++w) {
      power *= factor;
      T* values = inside_.data() + row(a, w);
      for (std::size_t s = 0; s < words_; ++s) values[s] *= power;
    }
  }
}

template <typename T>
void CkyTable<T>::fill_inside() {
  settle(1);
  for (std::size_t width = 2; width <= words_; ++width) {
    check_interrupt();
    inside_width(rows(), width);
    settle(width);
  }
}

template <typename T>
void CkyTable<T>::fill_outside(const CkyGrammar& grammar) {
  for (std::size_t a = 0; a < symbols_; ++a) {
    if (words_ == 1 || a >= tags_) outside_.data()[row(a, words_)] = static_cast<T>(grammar.root[a]);
  }
  for (std::size_t width = words_; width-- > 1;) {
    check_interrupt();
    outside_width(rows(), width);
    const std::size_t n = words_ - width + 1;
    for (std::size_t a = width == 1 ? 0 : tags_; a < symbols_; ++a) {
      T* values = outside_.data() + row(a, width);
      for (std::size_t s = 0; s < n; ++s) {
        if (values[s] < Range<T>::nothing) values[s] = 0;
      }
      std::fill(values + n, values + stride_, T(0));
    }
  }
  for (const CkyRule& rule : grammar.unary) {
    if (!present_[rule.left]) continue;
    const T* from = outside_.data() + row(rule.parent, 1);
    T* to = outside_.data() + row(rule.left, 1);
    for (std::size_t i = 0; i < words_; ++i) to[i] += static_cast<T>(rule.probability) * from[i];
  }
}

template <typename T>
bool CkyTable<T>::sound() const {
  constexpr T kTolerance = static_cast<T>(1e-3);
  for (std::size_t i = 0; i < words_; ++i) {
    T sum = 0;
    for (std::size_t t = 0; t < tags_; ++t) {
      if (present_[t]) sum += inside_.data()[row(t, 1) + i] * outside_.data()[row(t, 1) + i];
    }
    if (!(std::abs(sum - total_) <= kTolerance * total_)) return false;
  }
  return true;
}

template <typename T>
bool CkyTable<T>::fill(const CkyGrammar& grammar, std::size_t words, std::span<const float> tag_scores) {
  words_ = words;
  total_ = 0;
  start(grammar, tag_scores);
  fill_inside();
  for (std::size_t a = 0; a < symbols_; ++a) {
    if (a >= tags_ || words_ == 1) total_ += static_cast<T>(grammar.root[a]) * inside_.data()[row(a, words_)];
  }
  if (!(total_ > T(0)) || !std::isfinite(total_)) return false;
  fill_outside(grammar);
  return true;
}

template class CkyTable<float>;
template class CkyTable<double>;

bool CkyChart::fill(const CkyGrammar& grammar, std::size_t words, std::span<const float> tag_scores) {
  in_doubles_ = false;
  if (words == 0) return false;
  if (floats_.fill(grammar, words, tag_scores) && floats_.sound()) return true;
  in_doubles_ = true;
  return doubles_.fill(grammar, words, tag_scores);
}

}  // namespace hinge
#endif
