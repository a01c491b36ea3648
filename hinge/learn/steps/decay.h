// The weight decay of AdaGrad with a regularizer, applied late: a weight whose
// gradient was zero for t updates is brought up to date in one go.
// Kummerfeld, Berg-Kirkpatrick, Klein (EMNLP 2015), Algorithm 1, UPDATE-CATCHUP.
//
// For each weight: root = sqrt(q) of its sum of squared gradients, last the
// update it stands at; rate = eta * lambda. A weight of zero stays zero, so its
// `last` is left alone. A root below kInitialRoot counts as that. SIMD, chosen at run time; up to
// kReadableSlack weights beyond n may be brought up to date as well, which is always sound.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hinge {

inline constexpr float kInitialRoot = 1e-3f;  // sqrt(delta); delta is 1e-6 in Algorithm 1

// w <- w (root / (rate + root))^t
void decay_l2(float* w, const float* root, std::uint32_t* last, std::size_t n, std::uint32_t now, float rate);

// w <- sign(w) max(0, |w| - t rate / root)
void decay_l1(float* w, const float* root, std::uint32_t* last, std::size_t n, std::uint32_t now, float rate);

}  // namespace hinge
