#include "hinge/tasks/tag/kernel.h"

#include <fmt/core.h>

#include <cmath>

#include "hinge/core/error.h"
#include "hinge/tasks/tag/options.h"

namespace hinge::tag {
namespace {

double factorial(int n) { return n <= 1 ? 1.0 : n * factorial(n - 1); }

double binomial(int n, int k) { return factorial(n) / (factorial(k) * factorial(n - k)); }

// Functions from k things onto m things: how often a set of m features occurs among
// the products of k factors.
double surjections(int k, int m) {
  double sum = 0.0;
  for (int j = 0; j <= m; ++j) sum += ((m - j) % 2 == 0 ? 1.0 : -1.0) * binomial(m, j) * std::pow(j, k);
  return sum;
}

}  // namespace

double Kernel::operator()(double product) const {
  switch (kind) {
    case Kind::kPoly:
      return std::pow(s * product + r, degree);
    case Kind::kTanh:
      return std::tanh(s * product + r);
    case Kind::kLinear:
      break;
  }
  return product;
}

Kernel choose_kernel(const TagOptions& options) {
  if (options.kernel == "linear") {
    if (options.vectors || options.degree != TagOptions().degree)
      fail<OptionError>("{} needs a kernel; set kernel=poly",
                        options.vectors ? "vectors=true" : fmt::format("degree={}", options.degree));
    return {};
  }
  const bool tanh = options.kernel == "tanh";
  const bool vectors = tanh || options.vectors;
  if (vectors && (options.hash_bits > 0 || options.kernel_min_count > 1))
    fail<OptionError>("{} has support vectors, no conjunctions; use hash_bits=0 and kernel_min_count=1",
                      tanh ? "kernel=tanh" : "a kernel with vectors=true");
  if (!vectors && options.degree > 2 && options.hash_bits == 0)
    fail<OptionError>("degree is {}: too many conjunctions to list; hash them, for example with hash_bits=22",
                      options.degree);
  if (options.hash_bits > 0 && options.kernel_min_count > 1)
    fail<OptionError>("kernel_min_count needs listed pairs; use hash_bits=0 or kernel_min_count=1");
  return {.kind = tanh ? Kernel::Kind::kTanh : Kernel::Kind::kPoly,
          .degree = tanh ? 1 : static_cast<int>(options.degree),
          .s = options.s,
          .r = options.r,
          .vectors = vectors};
}

std::string kernel_text(const Kernel& kernel) {
  switch (kernel.kind) {
    case Kernel::Kind::kPoly:
      return fmt::format("({} <a,b> + {})^{}", kernel.s, kernel.r, kernel.degree);
    case Kernel::Kind::kTanh:
      return fmt::format("tanh({} <a,b> + {})", kernel.s, kernel.r);
    case Kernel::Kind::kLinear:
      break;
  }
  return "<a,b>";
}

std::vector<double> set_weights(const Kernel& kernel) {
  const int d = kernel.degree;
  std::vector<double> weights;
  for (int m = 0; m <= d; ++m) {
    double square = 0.0;
    for (int k = m; k <= d; ++k)
      square += binomial(d, k) * std::pow(kernel.s, k) * std::pow(kernel.r, d - k) * surjections(k, m);
    weights.push_back(std::sqrt(square));
  }
  return weights;
}

double monomial_weight(const Kernel& kernel, const std::vector<int>& powers) {
  int rest = kernel.degree;
  double square = factorial(kernel.degree);
  for (const int power : powers) {
    rest -= power;
    square *= std::pow(kernel.s, power) / factorial(power);
  }
  return std::sqrt(square * std::pow(kernel.r, rest) / factorial(rest));
}

}  // namespace hinge::tag
