// Several processes that train one model. All run the same job on their own part of
// the examples; where they meet, they exchange bytes through a Communicator.
//
// A process is called a rank, as in MPI. Every member function but the first three
// is a meeting: all ranks must make the same calls in the same order, on one thread
// each. Work that can fail on one rank alone goes through agree(), so that the
// others learn of it instead of waiting for ever.
//
// One process alone uses solitary(); mpi/communicator.cc is for many machines, and
// tests/support/thread_communicator.h runs ranks on threads.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hinge {

using Bytes = std::vector<std::byte>;

// Appends a value to bytes for another rank, and takes it off the front of those that came.
template <typename T>
void put_value(const T& value, Bytes& out) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}
template <typename T>
T take_value(std::span<const std::byte>& in) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  assert(in.size() >= sizeof value);
  std::memcpy(&value, in.data(), sizeof value);
  in = in.subspan(sizeof value);
  return value;
}

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;  // from 0; rank 0 writes the files
  virtual int size() const = 0;
  // By this rank to others, so far; for reports.
  virtual std::uint64_t bytes_sent() const = 0;

  // Gives to_each[r] to rank r; returns what each rank gave this one. One message
  // per rank, of any length.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> to_each) = 0;
  // Gives the bytes to all; returns those of all ranks in their order.
  virtual std::vector<Bytes> gather(std::span<const std::byte> mine) = 0;
  // Fills `bytes` on every rank with those of rank `root`.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
};

// Of one process; each meeting returns at once.
Communicator& solitary();

// While alive, what this thread does is the work of one rank of several, on training
// sets in so many shards (core/shards.h). Scopes may nest; the innermost applies.
class RankScope {
 public:
  RankScope(Communicator& communicator, std::size_t shards);
  ~RankScope();
  RankScope(const RankScope&) = delete;
  RankScope& operator=(const RankScope&) = delete;

 private:
  Communicator* communicator_before_;
  std::size_t shards_before_;
};

// Of this thread's innermost scope; solitary() and 1 outside of scopes. The threads
// of a parallel loop have none: only a rank's own thread meets the others.
Communicator& this_communicator();
std::size_t this_shard_count();

// The values of all ranks, one rank after the other.
template <typename T>
std::vector<T> gather_values(Communicator& communicator, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (communicator.size() == 1) return {mine.begin(), mine.end()};
  std::vector<T> all;
  for (const Bytes& bytes : communicator.gather(std::as_bytes(mine))) {
    const std::size_t before = all.size();
    all.resize(before + bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(all.data() + before, bytes.data(), bytes.size());
  }
  return all;
}

// Gives the bytes to rank 0, which gets those of all ranks in their order; the others get none.
std::vector<Bytes> give_to_first(Communicator& communicator, Bytes mine);

// The sum over all ranks. Only for whole numbers: sums of floats depend on their
// order, so they are formed shard by shard (core/shards.h).
template <std::integral T>
T sum_over_ranks(Communicator& communicator, T mine) {
  T sum = 0;
  for (const T value : gather_values(communicator, std::span<const T>(&mine, 1))) sum += value;
  return sum;
}

inline bool any_rank(Communicator& communicator, bool mine) {
  return sum_over_ranks(communicator, std::uint32_t{mine}) > 0;
}

// If any rank has an error, throws that of the lowest such rank, on all ranks: data
// is in rank order, so it is the one that a single machine would have met first.
void agree(Communicator& communicator, const std::exception_ptr& mine);

// work(), which may throw, and then agree(). It must hold no meetings.
template <typename Work>
void agree_on(Communicator& communicator, const Work& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    if (communicator.size() == 1) throw;
    error = std::current_exception();
  }
  agree(communicator, error);
}

// Throws InputError, on all ranks, unless all have the same value, a fingerprint of `what`: the
// parts of different problems add up to none. A meeting.
void require_same(Communicator& communicator, std::uint64_t mine, std::string_view what);

// True while an error is thrown that all ranks know of.
bool has_agreed_error();

}  // namespace hinge
