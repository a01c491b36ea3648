#include "hinge/learn/dual/estimate.h"

#include <algorithm>

#include "hinge/learn/dual/working_set.h"

namespace hinge {

double bytes_of_constraints(const Task& task) {
  constexpr std::size_t kSample = 64;
  const std::size_t count = std::min(kSample, task.size());
  const auto scratch = task.make_scratch();
  const Weights w(task.dimension());
  Cut cut;
  double entries = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    task.most_violated(k * task.size() / count, w, /*loss_weight=*/1.0, *scratch, cut);
    cut.psi.merge();
    entries += static_cast<double>(cut.psi.entries().size());
  }
  constexpr double kEntry = sizeof(FeatureId);  // most values are one and take no more
  return static_cast<double>(task.size()) * (sizeof(WorkingSet) + sizeof(Member)) +
         static_cast<double>(task.size()) / static_cast<double>(std::max<std::size_t>(1, count)) * entries *
             kEntry;
}

}  // namespace hinge
