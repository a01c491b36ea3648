#include "hinge/core/interrupt.h"

#include <gtest/gtest.h>

#include <thread>

namespace hinge {
namespace {

struct Stop {};

TEST(Interrupt, ChecksOfAScopeEndWithIt) {
  EXPECT_NO_THROW(check_interrupt());
  {
    const InterruptScope scope([] { throw Stop(); });
    EXPECT_THROW(check_interrupt(), Stop);
  }
  EXPECT_NO_THROW(check_interrupt());
}

TEST(Interrupt, TheInnerScopeCounts) {
  const InterruptScope outer([] { throw Stop(); });
  {
    int calls = 0;
    const InterruptScope inner([&calls] { ++calls; });
    check_interrupt();
    EXPECT_EQ(calls, 1);
  }
  EXPECT_THROW(check_interrupt(), Stop);
}

TEST(Interrupt, OtherThreadsAreNotAsked) {
  const InterruptScope scope([] { throw Stop(); });
  std::thread([] { EXPECT_NO_THROW(check_interrupt()); }).join();
}

}  // namespace
}  // namespace hinge
