// What learners need of tasks. Each row of the learner table lists its needs;
// refusals, their messages and the docs are derived from them.
#pragma once

#include <string_view>

#include "hinge/core/task.h"

namespace hinge {

struct Need {
  std::string_view name;  // "needs ..."
  bool (*is_met)(const Task& task);
};

inline constexpr Need kLinear{"a linear model", [](const Task& t) { return t.facts().linear; }};
inline constexpr Need kEuclidean{"the Euclidean norm", [](const Task& t) { return t.facts().euclidean; }};
inline constexpr Need kExact{"exact search", [](const Task& t) { return t.facts().exact; }};
inline constexpr Need kFixedGold{"gold that does not depend on the weights",
                                 [](const Task& t) { return t.facts().fixed_gold; }};
inline constexpr Need kFixedLosses{"losses that do not change",
                                   [](const Task& t) { return t.facts().fixed_losses; }};

// An extension of the contract.
template <typename E>
inline constexpr Need kHas{E::kName, [](const Task& t) { return find_extension<E>(t) != nullptr; }};

}  // namespace hinge
