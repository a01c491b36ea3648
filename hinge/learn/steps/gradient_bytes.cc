#include "hinge/learn/steps/gradient_bytes.h"

#include <cstdint>
#include <cstring>

namespace hinge {

void put_gradient(const Gradient& merged, Bytes& out) {
  const std::span<const Entry> entries = merged.entries();
  put_value(std::uint64_t{entries.size()}, out);
  const auto bytes = std::as_bytes(entries);
  out.insert(out.end(), bytes.begin(), bytes.end());
  std::uint64_t blocks = 0;
  merged.each_block([&blocks](FeatureId, std::span<const float>) { ++blocks; });
  put_value(blocks, out);
  merged.each_block([&out](FeatureId first, std::span<const float> values) {
    put_value(first, out);
    put_value(std::uint64_t{values.size()}, out);
    const auto dense = std::as_bytes(values);
    out.insert(out.end(), dense.begin(), dense.end());
  });
}

void take_gradient(std::span<const std::byte>& in, Gradient& gradient) {
  gradient.clear();
  const auto entries = take_value<std::uint64_t>(in);
  for (std::uint64_t k = 0; k < entries; ++k) {
    const auto entry = take_value<Entry>(in);
    gradient.add(entry.id, entry.value);
  }
  const auto blocks = take_value<std::uint64_t>(in);
  for (std::uint64_t k = 0; k < blocks; ++k) {
    const auto first = take_value<FeatureId>(in);
    const auto count = take_value<std::uint64_t>(in);
    const std::span<float> values = gradient.add_block(first, count);
    std::memcpy(values.data(), in.data(), values.size_bytes());
    in = in.subspan(values.size_bytes());
  }
}

void put_cut(Cut& cut, Bytes& out) {
  cut.psi.merge();
  put_value(cut.loss, out);
  put_value(cut.margin, out);
  put_value(cut.exact, out);
  put_gradient(cut.psi, out);
}

void take_cut(std::span<const std::byte>& in, Cut& cut) {
  cut.loss = take_value<double>(in);
  cut.margin = take_value<double>(in);
  cut.exact = take_value<bool>(in);
  take_gradient(in, cut.psi);
}

}  // namespace hinge
