// Precision, recall and their harmonic mean.
#pragma once

namespace hinge {

// In percent.
struct PrecisionRecall {
  double precision = 0.0;
  double recall = 0.0;
  double f1 = 0.0;
};

}  // namespace hinge
