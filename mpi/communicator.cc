#include "mpi/communicator.h"

#include <malloc.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace hinge {
namespace {

// MPI counts in ints, so long messages go in pieces.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

// Vectors that ranks exchange come and go every round, many of them as large as the weights. Memory that was
// given back to the system would be mapped and zeroed again each time: a tenth of an epoch of mixing. Not
// before the first of them: arrays that grow while data is read would leave gaps as large as they are.
constexpr std::size_t kLarge = std::size_t{1} << 17;
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace

MpiCommunicator::MpiCommunicator() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

// Sends to one rank while receiving from another, as many messages as the bytes need: none for
// none, as the other rank may then have nothing to do in this round.
void MpiCommunicator::transfer(const Bytes& to, std::size_t to_rank, Bytes& from, std::size_t from_rank) {
  std::vector<MPI_Request> requests;
  const auto each_message = [&requests](std::size_t bytes, const auto& start) {
    for (std::size_t at = 0; at < bytes; at += kMostAtOnce)
      start(at, static_cast<int>(std::min(kMostAtOnce, bytes - at)), &requests.emplace_back());
  };
  each_message(from.size(), [&](std::size_t at, int count, MPI_Request* request) {
    MPI_Irecv(from.data() + at, count, MPI_BYTE, static_cast<int>(from_rank), 0, MPI_COMM_WORLD, request);
  });
  each_message(to.size(), [&](std::size_t at, int count, MPI_Request* request) {
    MPI_Isend(to.data() + at, count, MPI_BYTE, static_cast<int>(to_rank), 0, MPI_COMM_WORLD, request);
  });
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  bytes_sent_ += to.size();
}

// In round k everyone sends to the rank k after it and receives from the rank k
// before it, so each link carries one message at a time.
std::vector<Bytes> MpiCommunicator::exchange(std::vector<Bytes> to_each) {
  const auto ranks = static_cast<std::size_t>(size_);
  const auto me = static_cast<std::size_t>(rank_);
  std::vector<std::uint64_t> to_sizes, from_sizes(ranks);
  for (const Bytes& bytes : to_each) to_sizes.push_back(bytes.size());
  const bool large = std::ranges::any_of(to_sizes, [](std::uint64_t bytes) { return bytes >= kLarge; });
  if (large && !std::exchange(keeps_freed_memory_, true)) keep_freed_memory();
  MPI_Alltoall(to_sizes.data(), 1, MPI_UINT64_T, from_sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  bytes_sent_ += (ranks - 1) * sizeof(std::uint64_t);
  std::vector<Bytes> received(ranks);
  received[me] = std::move(to_each[me]);
  for (std::size_t k = 1; k < ranks; ++k) {
    const std::size_t to = (me + k) % ranks, from = (me + ranks - k) % ranks;
    received[from].resize(from_sizes[from]);
    transfer(to_each[to], to, received[from], from);
    to_each[to] = {};
  }
  return received;
}

// A ring: in every round each rank passes on what it got in the round before.
std::vector<Bytes> MpiCommunicator::gather(std::span<const std::byte> mine) {
  const auto ranks = static_cast<std::size_t>(size_);
  const auto me = static_cast<std::size_t>(rank_);
  const std::uint64_t size = mine.size();
  std::vector<std::uint64_t> sizes(ranks);
  MPI_Allgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  bytes_sent_ += (ranks - 1) * sizeof(std::uint64_t);
  std::vector<Bytes> all(ranks);
  all[me].assign(mine.begin(), mine.end());
  for (std::size_t k = 1; k < ranks; ++k) {
    const std::size_t passed = (me + ranks - k + 1) % ranks, next = (me + ranks - k) % ranks;
    all[next].resize(sizes[next]);
    transfer(all[passed], (me + 1) % ranks, all[next], (me + ranks - 1) % ranks);
  }
  return all;
}

void MpiCommunicator::broadcast(std::span<std::byte> bytes, int root) {
  for (std::size_t at = 0; at < bytes.size(); at += kMostAtOnce) {
    const std::size_t count = std::min(kMostAtOnce, bytes.size() - at);
    MPI_Bcast(bytes.data() + at, static_cast<int>(count), MPI_BYTE, root, MPI_COMM_WORLD);
  }
  if (rank_ == root) bytes_sent_ += bytes.size();
}

}  // namespace hinge
