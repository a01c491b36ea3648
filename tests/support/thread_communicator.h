// Ranks on threads of one process, to test what ranks do without MPI.
#pragma once

#include <barrier>
#include <exception>
#include <functional>
#include <vector>

#include "hinge/core/communicator.h"

namespace hinge {

class ThreadCommunicator final : public Communicator {
 public:
  // What all ranks share.
  struct Group {
    explicit Group(int ranks) : ranks(ranks), meeting(ranks), sent(static_cast<std::size_t>(ranks)) {}
    int ranks;
    std::barrier<> meeting;
    std::vector<std::vector<Bytes>> sent;  // [from][to]
  };

  ThreadCommunicator(Group& group, int rank) : group_(group), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return group_.ranks; }
  std::uint64_t bytes_sent() const override { return bytes_sent_; }
  std::vector<Bytes> exchange(std::vector<Bytes> to_each) override;
  std::vector<Bytes> gather(std::span<const std::byte> mine) override;
  void broadcast(std::span<std::byte> bytes, int root) override;

 private:
  Group& group_;
  int rank_;
  std::uint64_t bytes_sent_ = 0;
};

// Calls body(communicator) as every rank, within a RankScope, and throws what the
// lowest failing rank threw. All must fail if one does, as agree() makes them.
void as_ranks(int ranks, const std::function<void(Communicator&)>& body, std::size_t shards = 8);

}  // namespace hinge
