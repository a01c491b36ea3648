// Gradients and cuts as bytes, for other ranks.
#pragma once

#include <cstring>
#include <span>

#include "hinge/core/communicator.h"
#include "hinge/core/gradient.h"
#include "hinge/core/task.h"

namespace hinge {

template <typename T>
void put_value(const T& value, Bytes& out) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

template <typename T>
T take_value(std::span<const std::byte>& in) {
  T value;
  std::memcpy(&value, in.data(), sizeof value);
  in = in.subspan(sizeof value);
  return value;
}

void put_gradient(const Gradient& merged, Bytes& out);
void take_gradient(std::span<const std::byte>& in, Gradient& gradient);

void put_cut(Cut& cut, Bytes& out);  // merges psi
void take_cut(std::span<const std::byte>& in, Cut& cut);

}  // namespace hinge
