#include "hinge/core/ordered_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "hinge/core/interrupt.h"

namespace hinge {
namespace {

class OrderedLoop : public testing::TestWithParam<int> {};

std::string message_of(const LoopEnd& end) {
  try {
    end.rethrow();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_P(OrderedLoop, DoesEveryItemOnce) {
  Workers workers(GetParam());
  std::vector<int> done(1000, 0);
  const LoopEnd end = each_until_error(workers, done.size(), [&](std::size_t i) { ++done[i]; });
  EXPECT_EQ(end.done, done.size());
  EXPECT_EQ(end.error, nullptr);
  EXPECT_EQ(done, std::vector<int>(1000, 1));
}

TEST_P(OrderedLoop, KeepsTheFirstErrorAndAllItemsBeforeIt) {
  Workers workers(GetParam());
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<int> done(1000, 0);
    const LoopEnd end = each_until_error(workers, done.size(), [&](std::size_t i) {
      if (i >= 300 && i % 100 == 7) throw std::runtime_error(std::to_string(i));
      ++done[i];
    });
    EXPECT_EQ(end.done, 307u);
    EXPECT_EQ(message_of(end), "307");
    EXPECT_EQ(std::vector<int>(done.begin(), done.begin() + 307), std::vector<int>(307, 1));
  }
}

TEST_P(OrderedLoop, StopsAllThreadsAfterAnInterruptThatIsThrownOnce) {
  Workers workers(GetParam());
  std::atomic<int> checks = 0;
  std::atomic<int> done = 0;
  const InterruptScope scope([&] {
    if (++checks == 50) throw std::runtime_error("interrupted");
  });
  const LoopEnd end = each_until_error(workers, 100000, [&](std::size_t) {
    check_interrupt();
    ++done;
  });
  EXPECT_EQ(message_of(end), "interrupted");
  EXPECT_LT(done, 50000);  // a thread may be kept waiting on a busy machine
}

INSTANTIATE_TEST_SUITE_P(Threads, OrderedLoop, testing::Values(1, 2, 7));

}  // namespace
}  // namespace hinge
