// For a struct of arrays that is used in two forms: with arrays of its own, or viewing those of
// others. It is a template over one of these.
#pragma once

#include <span>
#include <vector>

namespace hinge {

template <typename T>
using Owned = std::vector<T>;
template <typename T>
using Viewed = std::span<const T>;

}  // namespace hinge
