// Gradients and cuts as bytes, for other ranks.
#pragma once

#include <span>

#include "hinge/core/communicator.h"
#include "hinge/core/gradient.h"
#include "hinge/core/task.h"

namespace hinge {

void put_gradient(const Gradient& merged, Bytes& out);
void take_gradient(std::span<const std::byte>& in, Gradient& gradient);

void put_cut(Cut& cut, Bytes& out);  // merges psi
void take_cut(std::span<const std::byte>& in, Cut& cut);

}  // namespace hinge
