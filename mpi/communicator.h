// Ranks that are processes under mpirun.
#pragma once

#include <mpi.h>

#include "hinge/core/communicator.h"

namespace hinge {

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator();

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::uint64_t bytes_sent() const override { return bytes_sent_; }
  std::vector<Bytes> exchange(std::vector<Bytes> to_each) override;
  std::vector<Bytes> gather(std::span<const std::byte> mine) override;
  void broadcast(std::span<std::byte> bytes, int root) override;

 private:
  void transfer(const Bytes& to, std::size_t to_rank, Bytes& from, std::size_t from_rank);

  int rank_ = 0;
  int size_ = 1;
  std::uint64_t bytes_sent_ = 0;
  bool keeps_freed_memory_ = false;
};

}  // namespace hinge
