// Properties that every task must have.
#pragma once

#include <cstddef>

#include "hinge/core/task.h"

namespace hinge::test {

// Uses a fresh scratch.
Cut cut_at(const Task& task, std::size_t example, const Weights& w, double loss_weight);

// Checks that weights outside the support are not read; returns their number.
std::size_t expect_support_is_all_that_is_read(const Task& task, std::size_t example, const Weights& w);

// A scratch used before gives the same cut as a fresh one.
void expect_scratch_can_be_used_again(const Task& task, const Weights& w);

}  // namespace hinge::test
