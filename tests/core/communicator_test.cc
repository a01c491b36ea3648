#include "hinge/core/communicator.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "tests/support/thread_communicator.h"

namespace hinge {
namespace {

TEST(Communicator, OneProcessMeetsOnlyItself) {
  EXPECT_EQ(solitary().size(), 1);
  EXPECT_EQ(sum_over_ranks(solitary(), 7), 7);
  const std::vector<double> values = {1.5, 2.5};
  EXPECT_EQ(gather_values(solitary(), std::span<const double>(values)), values);
  EXPECT_EQ(solitary().bytes_sent(), 0u);
}

TEST(Communicator, GathersValuesInTheOrderOfRanks) {
  as_ranks(3, [](Communicator& communicator) {
    // Rank r has r values.
    const std::vector<int> mine(static_cast<std::size_t>(communicator.rank()), communicator.rank());
    EXPECT_EQ(gather_values(communicator, std::span<const int>(mine)), (std::vector<int>{1, 2, 2}));
    EXPECT_EQ(sum_over_ranks(communicator, communicator.rank()), 3);
    EXPECT_TRUE(any_rank(communicator, communicator.rank() == 2));
    EXPECT_FALSE(any_rank(communicator, false));
  });
}

TEST(Communicator, BroadcastsTheBytesOfOneRank) {
  as_ranks(3, [](Communicator& communicator) {
    int value = communicator.rank();
    communicator.broadcast(std::as_writable_bytes(std::span(&value, 1)), 1);
    EXPECT_EQ(value, 1);
  });
}

TEST(Communicator, AllRanksThrowTheErrorOfTheLowestRankThatFailed) {
  as_ranks(4, [](Communicator& communicator) {
    const int rank = communicator.rank();
    try {
      agree_on(communicator, [rank] {
        if (rank == 1) fail<InputError>("line {}", rank);
        if (rank == 3) throw std::runtime_error("later");
      });
      FAIL() << "rank " << rank << " did not throw";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()), "line 1");
    }
  });
}

TEST(Communicator, KeepsTheTypeOfAnAgreedError) {
  const auto raise_on_rank_1 = [](const auto& error) {
    as_ranks(2, [&error](Communicator& communicator) {
      agree_on(communicator, [&] {
        if (communicator.rank() == 1) throw error;
      });
    });
  };
  EXPECT_THROW(raise_on_rank_1(OptionError("a")), OptionError);
  EXPECT_THROW(raise_on_rank_1(ModelError("a")), ModelError);
  EXPECT_THROW(raise_on_rank_1(OutputError("a")), OutputError);
  EXPECT_THROW(raise_on_rank_1(Interrupted()), Interrupted);
  EXPECT_THROW(raise_on_rank_1(std::bad_alloc()), std::bad_alloc);
  EXPECT_THROW(raise_on_rank_1(std::logic_error("a")), std::runtime_error);
}

}  // namespace
}  // namespace hinge
