#include "hinge/mt/link_posteriors.h"

#include <algorithm>
#include <cmath>

#include "hinge/mt/diagonal.h"

namespace hinge::mt {

void LinkScores::resize(std::size_t made, std::size_t given) {
  m = made;
  n = given;
  translation.resize(m * n);
  null_translation.resize(m);
  link.resize(m * n);
  null.resize(m);
}

DiagonalSums diagonal_posteriors(double null_probability, double tension, LinkScores& scores) {
  const std::size_t m = scores.m, n = scores.n;
  const auto linked = static_cast<float>(1.0 - null_probability);
  DiagonalSums sums{0.0, 0.0};
  for (std::size_t j = 0; j < m; ++j) {
    float* link = scores.link.data() + j * n;
    const float* translation = scores.translation.data() + j * n;
    diagonal_row(j + 1, m, tension, {link, n});
    const float null = static_cast<float>(null_probability) * scores.null_translation[j];
    float sum = null;
    for (std::size_t i = 0; i < n; ++i) {
      link[i] *= linked * translation[i];
      sum += link[i];
    }
    const float scale = 1.0f / sum;
    double distance = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      link[i] *= scale;
      distance += static_cast<double>(link[i]) * diagonal_distance(j + 1, m, i + 1, n);
    }
    scores.null[j] = null * scale;
    sums.log_likelihood += std::log(static_cast<double>(sum));
    sums.distance += distance;
  }
  return sums;
}

void JumpChain::reset(const Jumps& jumps, const LinkScores& scores) {
  const std::size_t m = scores.m, n = scores.n, states = n + 1;
  to_.resize(states * n);
  from_.resize(states * n);
  state_.resize((m + 1) * states);
  scale_.resize(m);
  later_.resize(states);
  earlier_.resize(states);
  arrival_.resize(n);
  jumped_.assign(states * n, 0.0f);
  jumps.fill(n, to_);
  for (std::size_t s = 0; s < states; ++s) {
    for (std::size_t i = 0; i < n; ++i) {
      to_[s * n + i] *= 1.0f - null_probability_;
      from_[i * states + s] = to_[s * n + i];
    }
  }
}

double JumpChain::forward(const LinkScores& scores) {
  const std::size_t m = scores.m, n = scores.n, states = n + 1;
  double log_likelihood = 0.0;
  std::fill_n(state_.begin(), states, 0.0f);
  state_[0] = 1.0f;
  for (std::size_t j = 0; j < m; ++j) {
    const float* before = state_.data() + j * states;
    float* after = state_.data() + (j + 1) * states;
    float* reached = after + 1;  // the state of word i is i + 1
    std::fill_n(after, states, 0.0f);
    for (std::size_t s = 0; s < states; ++s) {
      const float* to = to_.data() + s * n;
      for (std::size_t i = 0; i < n; ++i) reached[i] += before[s] * to[i];
    }
    const float* translation = scores.translation.data() + j * n;
    for (std::size_t i = 0; i < n; ++i) reached[i] *= translation[i];
    const float null = null_probability_ * scores.null_translation[j];
    float sum = 0.0f;
    for (std::size_t s = 0; s < states; ++s) {
      after[s] += null * before[s];
      sum += after[s];
    }
    for (std::size_t s = 0; s < states; ++s) after[s] /= sum;
    scale_[j] = sum;
    log_likelihood += std::log(static_cast<double>(sum));
  }
  return log_likelihood;
}

void JumpChain::backward(LinkScores& scores) {
  const std::size_t m = scores.m, n = scores.n, states = n + 1;
  std::fill(later_.begin(), later_.end(), 1.0f);
  for (std::size_t j = m; j-- > 0;) {
    const float* before = state_.data() + j * states;
    const float* translation = scores.translation.data() + j * n;
    float* link = scores.link.data() + j * n;
    for (std::size_t i = 0; i < n; ++i) arrival_[i] = translation[i] * later_[i + 1] / scale_[j];
    std::fill_n(link, n, 0.0f);
    for (std::size_t s = 0; s < states; ++s) {
      const float* to = to_.data() + s * n;
      float* jumped = jumped_.data() + s * n;
      for (std::size_t i = 0; i < n; ++i) {
        const float ends = before[s] * arrival_[i];
        jumped[i] += ends;
        link[i] += ends * to[i];
      }
    }
    const float null = null_probability_ * scores.null_translation[j] / scale_[j];
    float unlinked = 0.0f;
    for (std::size_t s = 0; s < states; ++s) {
      earlier_[s] = null * later_[s];
      unlinked += before[s] * earlier_[s];
    }
    scores.null[j] = unlinked;
    for (std::size_t i = 0; i < n; ++i) {
      const float* from = from_.data() + i * states;
      for (std::size_t s = 0; s < states; ++s) earlier_[s] += arrival_[i] * from[s];
    }
    later_.swap(earlier_);
  }
}

void JumpChain::count_jumps(const LinkScores& scores, JumpCounts& counts) {
  for (std::size_t k = 0; k < jumped_.size(); ++k) jumped_[k] *= to_[k];
  counts.add(scores.n, jumped_);
}

double JumpChain::posteriors(const Jumps& jumps, LinkScores& scores, JumpCounts& counts) {
  reset(jumps, scores);
  const double log_likelihood = forward(scores);
  backward(scores);
  count_jumps(scores, counts);
  return log_likelihood;
}

}  // namespace hinge::mt
