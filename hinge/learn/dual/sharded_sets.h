// Working sets in rounds of distributed dual ascent (learn/dual/rounds.h).
#pragma once

#include <cstdint>
#include <span>

#include "hinge/learn/dual/rounds.h"
#include "hinge/learn/dual/working_set.h"

namespace hinge {

// Notes every alpha of an example.
void begin_round(WorkingSet& set);
// Makes the changes of alpha since then `step` times as long.
void end_round(WorkingSet& set, double step);

// D along the changes of alpha of these examples in this round.
Ascent ascent_of(std::span<const WorkingSet> sets, std::span<const std::uint32_t> examples, Loss loss,
                 double C);

}  // namespace hinge
