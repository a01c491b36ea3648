// Precision, recall and their harmonic mean.
#pragma once

namespace hinge {

// In percent.
struct PrecisionRecall {
  double precision = 0.0;
  double recall = 0.0;
  double f1 = 0.0;
};

// 0 if both are 0.
inline double f1_of(double precision, double recall) {
  return precision + recall > 0.0 ? 2.0 * precision * recall / (precision + recall) : 0.0;
}

}  // namespace hinge
