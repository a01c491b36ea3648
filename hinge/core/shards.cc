#include "hinge/core/shards.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

namespace hinge {
namespace {

constexpr std::uint32_t kNoLine = std::numeric_limits<std::uint32_t>::max();  // beyond all lines

template <typename T>
void put(std::span<const T> values, Bytes& out) {
  const auto bytes = std::as_bytes(values);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

template <typename T>
std::vector<T> take(std::span<const std::byte>& in, std::size_t count) {
  std::vector<T> values(count);
  assert(in.size() >= count * sizeof(T));
  if (count > 0) std::memcpy(values.data(), in.data(), count * sizeof(T));
  in = in.subspan(count * sizeof(T));
  return values;
}

// Lines are written as gaps, one byte each unless large: else numbers would be a sixteenth of what is sent.
constexpr std::uint8_t kLargeGap = 255;

void put_lines(const LineVector& v, std::size_t first, std::size_t last, Bytes& out) {
  const std::uint64_t count = last - first;
  put_value(count, out);
  std::uint32_t before = 0;
  for (const std::uint32_t line : v.lines().subspan(first, count)) {
    const std::uint32_t gap = line - std::exchange(before, line);
    const auto small = static_cast<std::uint8_t>(std::min<std::uint32_t>(gap, kLargeGap));
    put_value(small, out);
    if (small == kLargeGap) put_value(gap, out);
  }
  if (count > 0) put(std::span(v.values(first), count * kLine), out);
}

LineVector take_lines(std::span<const std::byte>& in) {
  std::vector<std::uint32_t> lines(take_value<std::uint64_t>(in));
  std::uint32_t before = 0;
  for (std::uint32_t& line : lines) {
    const std::uint8_t small = take_value<std::uint8_t>(in);
    line = before += small < kLargeGap ? small : take_value<std::uint32_t>(in);
  }
  LineVector v;
  v.append(lines, take<float>(in, lines.size() * kLine));
  return v;
}

}  // namespace

Shards::Shards(std::vector<std::size_t> begins, const Communicator& communicator)
    : begins_(std::move(begins)) {
  const auto rank = static_cast<std::size_t>(communicator.rank());
  const auto ranks = static_cast<std::size_t>(communicator.size());
  first_ = share_begin(count(), rank, ranks);
  last_ = share_begin(count(), rank + 1, ranks);
}

std::size_t Shards::shard_of(std::size_t example) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(begins_, example) - begins_.begin()) - 1;
}

Shards shards_of(const Task& task) {
  std::vector<std::size_t> begins;
  if (const auto* own = find_extension<ShardedTask>(task)) {
    begins.assign(own->shard_begins().begin(), own->shard_begins().end());
  } else {
    const std::size_t count = this_shard_count();
    for (std::size_t s = 0; s <= count; ++s) begins.push_back(share_begin(task.size(), s, count));
  }
  return {std::move(begins), this_communicator()};
}

// Adds up the last two subtrees as long as they are the two halves of a larger one.
void ShardSum::add_halves(std::vector<Subtree>& subtrees) {
  while (subtrees.size() > 1) {
    Subtree& left = subtrees[subtrees.size() - 2];
    if (left.width != subtrees.back().width || left.first % (2 * left.width) != 0) return;
    left.sum.add(subtrees.back().sum);
    left.width *= 2;
    subtrees.pop_back();
  }
}

// The number of shards need not be a power of two: the tree then lacks leaves at the end.
LineVector ShardSum::add_all(std::vector<Subtree>& subtrees) {
  for (; subtrees.size() > 1; subtrees.pop_back()) subtrees[subtrees.size() - 2].sum.add(subtrees.back().sum);
  LineVector sum = subtrees.empty() ? LineVector() : std::move(subtrees[0].sum);
  subtrees.clear();
  return sum;
}

void ShardSum::add(LineVector vector) {
  subtrees_.push_back({shards_.first() + next_++, 1, std::move(vector)});
  add_halves(subtrees_);
}

void ShardSum::clear() {
  next_ = 0;
  subtrees_.clear();
}

void ShardSum::put_slice(const Subtree& subtree, std::uint32_t begin, std::uint32_t end, Bytes& out) {
  const std::array<std::uint64_t, 2> place{subtree.first, subtree.width};
  put(std::span<const std::uint64_t>(place), out);
  put_lines(subtree.sum, subtree.sum.find(begin), subtree.sum.find(end), out);
}

// What every rank sent of its subtrees -> the whole tree.
LineVector ShardSum::sum_of(const std::vector<Bytes>& received) {
  std::vector<Subtree> all;
  for (const Bytes& bytes : received) {
    for (std::span<const std::byte> in(bytes); !in.empty();) {
      const auto place = take<std::uint64_t>(in, 2);
      all.push_back({place[0], place[1], take_lines(in)});
      add_halves(all);
    }
  }
  return add_all(all);
}

// Slices with about as many lines each: the many rare features reach few. As rank 0 has them;
// the sum does not depend on it.
std::vector<std::uint32_t> ShardSum::even_slices() const {
  Communicator& communicator = this_communicator();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::uint32_t> slices(ranks + 1, 0);
  slices.back() = kNoLine;
  if (!subtrees_.empty() && !subtrees_[0].sum.empty()) {
    const auto lines = subtrees_[0].sum.lines();
    for (std::size_t r = 1; r < ranks; ++r) slices[r] = lines[share_begin(lines.size(), r, ranks)];
  }
  communicator.broadcast(std::as_writable_bytes(std::span(slices)), 0);
  return slices;
}

LineVector ShardSum::finish_slice(std::span<const std::uint32_t> slices) {
  assert(next_ == shards_.mine());
  next_ = 0;
  Communicator& communicator = this_communicator();
  if (communicator.size() == 1) return add_all(subtrees_);
  std::vector<Bytes> to_each(static_cast<std::size_t>(communicator.size()));
  for (std::size_t r = 0; r < to_each.size(); ++r) {
    for (const Subtree& subtree : subtrees_) put_slice(subtree, slices[r], slices[r + 1], to_each[r]);
  }
  subtrees_.clear();
  return sum_of(communicator.exchange(std::move(to_each)));
}

LineVector ShardSum::finish() {
  Communicator& communicator = this_communicator();
  if (communicator.size() == 1) return finish_slice({});
  const LineVector mine = finish_slice(even_slices());
  Bytes bytes;
  put_lines(mine, 0, mine.lines().size(), bytes);
  LineVector sum;
  for (const Bytes& slice : communicator.gather(bytes)) {
    std::span<const std::byte> in(slice);
    const LineVector part = take_lines(in);
    if (!part.empty()) sum.append(part.lines(), {part.values(0), part.lines().size() * kLine});
  }
  return sum;
}

}  // namespace hinge
