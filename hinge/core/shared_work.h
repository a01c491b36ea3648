// Work on many items, independent of each other, that several ranks share.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/core/shards.h"
#include "hinge/core/threads.h"

namespace hinge {

// This rank's run of `count` items.
struct OwnItems {
  explicit OwnItems(std::size_t count)
      : begin(share_begin(count, static_cast<std::size_t>(this_communicator().rank()),
                          static_cast<std::size_t>(this_communicator().size()))),
        end(share_begin(count, static_cast<std::size_t>(this_communicator().rank()) + 1,
                        static_cast<std::size_t>(this_communicator().size()))) {}
  std::size_t begin, end;
};

// body(item) for this rank's items, on all threads. Throws, on all ranks, what the first
// failing item of all threw. A meeting.
inline void share_items(std::size_t count, Workers& workers, const std::function<void(std::size_t)>& body) {
  const OwnItems own(count);
  agree_on(this_communicator(), [&] {
    each_until_error(workers, own.end - own.begin, [&](std::size_t i) { body(own.begin + i); }).rethrow();
  });
}

// value(item) of all items, in their order, on every rank. A meeting.
template <typename T, typename Value>
std::vector<T> share_values(std::size_t count, Workers& workers, const Value& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> values(count);
  share_items(count, workers, [&](std::size_t i) { values[i] = value(i); });
  const OwnItems own(count);
  return gather_values(this_communicator(), std::span<const T>(values).subspan(own.begin, own.end - own.begin));
}

}  // namespace hinge
