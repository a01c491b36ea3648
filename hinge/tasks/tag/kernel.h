// Kernels on the features of a token: two tokens with equal labels and feature vectors
// a and b have the product
//
//   linear  <a, b>
//   poly    (s <a, b> + r)^d
//   tanh    tanh(s <a, b> + r)
//
// and transitions stay linear (Yu & Lam, COLING 2010, section 2 and Table 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hinge::tag {

struct TagOptions;

struct Kernel {
  enum class Kind : std::uint8_t { kLinear, kPoly, kTanh };
  Kind kind = Kind::kLinear;
  int degree = 1;
  double s = 1.0;
  double r = 0.0;

  double operator()(double product) const;
  bool is_linear() const { return kind == Kind::kLinear; }
  bool vectors = false;  // by support vectors, not by conjunctions
};

// Throws OptionError if the options do not go together.
Kernel choose_kernel(const TagOptions& options);
std::string kernel_text(const Kernel& kernel);  // "(1 <a,b> + 1)^2"

// A polynomial kernel is a plain product of vectors of conjunctions. If all features
// are 0 or 1, a conjunction of m of them has the value c_m, with
//
//   sum_m c_m^2 binomial(<a, b>, m) = (s <a, b> + r)^d
//
// Kudo & Matsumoto (ACL 2003), Lemma 1. Returns c_0 ... c_d.
std::vector<double> set_weights(const Kernel& kernel);

// For features with values, conjunctions are monomials: x_1^p_1 x_2^p_2 ... has its value
// times this, the root of the multinomial coefficient of (s <a, b> + r)^d.
double monomial_weight(const Kernel& kernel, const std::vector<int>& powers);

}  // namespace hinge::tag
