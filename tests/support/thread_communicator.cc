#include "tests/support/thread_communicator.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace hinge {

std::vector<Bytes> ThreadCommunicator::exchange(std::vector<Bytes> to_each) {
  const auto me = static_cast<std::size_t>(rank_);
  for (std::size_t r = 0; r < to_each.size(); ++r) {
    if (r != me) bytes_sent_ += to_each[r].size();
  }
  group_.sent[me] = std::move(to_each);
  group_.meeting.arrive_and_wait();
  std::vector<Bytes> received;
  for (const auto& from : group_.sent) received.push_back(from.at(me));
  group_.meeting.arrive_and_wait();
  return received;
}

std::vector<Bytes> ThreadCommunicator::gather(std::span<const std::byte> mine) {
  return exchange(std::vector<Bytes>(static_cast<std::size_t>(size()), Bytes(mine.begin(), mine.end())));
}

void ThreadCommunicator::broadcast(std::span<std::byte> bytes, int root) {
  std::vector<Bytes> to_each(static_cast<std::size_t>(size()));
  if (rank_ == root) to_each.assign(to_each.size(), Bytes(bytes.begin(), bytes.end()));
  const std::vector<Bytes> received = exchange(std::move(to_each));
  std::ranges::copy(received[static_cast<std::size_t>(root)], bytes.begin());
}

void as_ranks(int ranks, const std::function<void(Communicator&)>& body, std::size_t shards) {
  ThreadCommunicator::Group group(ranks);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        ThreadCommunicator communicator(group, r);
        const RankScope scope(communicator, shards);
        body(communicator);
      } catch (...) {
        errors[static_cast<std::size_t>(r)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace hinge
