#include "hinge/core/shared_work.h"

#include <gtest/gtest.h>

#include <atomic>

#include "hinge/core/error.h"
#include "tests/support/thread_communicator.h"

namespace hinge {
namespace {

TEST(SharedWork, EveryItemIsComputedOnceAndAllRanksGetAllInOrder) {
  for (const int ranks : {1, 2, 3, 5}) {
    for (const std::size_t count : {0u, 1u, 4u, 100u}) {
      std::atomic<std::size_t> computed = 0;
      as_ranks(ranks, [&](Communicator&) {
        Workers workers(2);
        const auto squares = share_values<std::size_t>(count, workers, [&](std::size_t i) {
          ++computed;
          return i * i;
        });
        ASSERT_EQ(squares.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(squares[i], i * i);
      });
      EXPECT_EQ(computed, count) << ranks << " ranks";
    }
  }
}

TEST(SharedWork, AllRanksThrowWhatTheFirstFailingItemThrew) {
  for (const int ranks : {1, 3}) {
    std::atomic<int> failed = 0;
    const auto work = [&](Communicator&) {
      Workers workers(2);
      try {
        share_items(30, workers, [](std::size_t i) {
          if (i == 7 || i == 8 || i == 25) fail<InputError>("item {}", i);
        });
      } catch (const InputError& error) {
        failed += std::string_view(error.what()) == "item 7";
        throw;
      }
    };
    EXPECT_THROW(as_ranks(ranks, work), InputError);
    EXPECT_EQ(failed, ranks);
  }
}

}  // namespace
}  // namespace hinge
