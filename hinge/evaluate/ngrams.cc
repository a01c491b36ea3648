#include "hinge/evaluate/ngrams.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace hinge {
namespace {

constexpr std::size_t kFirstSlots = 128;
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;

constexpr std::uint64_t edge_of(std::uint32_t node, std::uint32_t symbol) {
  return std::uint64_t{node} << 32 | symbol;
}

}  // namespace

NgramTable::NgramTable(std::size_t order) : order_(order), limit_(1), used_(1) { grow(); }

void NgramTable::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  limit_.assign(1, 0);
  used_.assign(1, 0);
}

// Where the edge is, or the free slot where it belongs. Takes the top bits of the
// product, since only they depend on all bits of the edge.
std::size_t NgramTable::slot_of(std::uint64_t edge) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = static_cast<std::size_t>((edge * kGolden) >> shift_);
  while (slots_[i].edge != edge && slots_[i].edge != kFree) i = (i + 1) & mask;
  return i;
}

std::uint32_t NgramTable::step(std::uint32_t node, std::uint32_t symbol) {
  if (2 * limit_.size() > slots_.size()) grow();
  const std::uint64_t edge = edge_of(node, symbol);
  Slot& slot = slots_[slot_of(edge)];
  if (slot.edge == kFree) {
    slot = {edge, static_cast<std::uint32_t>(limit_.size())};
    limit_.push_back(0);
    used_.push_back(0);
  }
  return slot.node;
}

void NgramTable::grow() {
  std::vector<Slot> old(std::max(kFirstSlots, 2 * slots_.size()));
  old.swap(slots_);
  shift_ = 64u - static_cast<unsigned>(std::countr_zero(slots_.size()));
  for (const Slot& slot : old) {
    if (slot.edge != kFree) slots_[slot_of(slot.edge)] = slot;
  }
}

void NgramTable::add(std::span<const std::uint32_t> symbols) {
  std::fill(used_.begin(), used_.end(), 0);
  for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
    std::uint32_t node = 0;
    for (const std::uint32_t symbol : symbols.subspan(begin, std::min(order_, symbols.size() - begin))) {
      node = step(node, symbol);
      limit_[node] = std::max(limit_[node], ++used_[node]);
    }
  }
}

void NgramTable::match(std::span<const std::uint32_t> symbols, std::span<std::uint32_t> matches) {
  assert(matches.size() >= order_);
  std::fill(used_.begin(), used_.end(), 0);
  for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
    std::uint32_t node = 0;
    const std::size_t longest = std::min(order_, symbols.size() - begin);
    for (std::size_t n = 0; n < longest; ++n) {
      node = slots_[slot_of(edge_of(node, symbols[begin + n]))].node;
      if (node == kNone) break;
      if (used_[node] == limit_[node]) continue;
      ++used_[node];
      ++matches[n];
    }
  }
}

}  // namespace hinge
