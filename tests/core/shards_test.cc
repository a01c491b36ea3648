#include "hinge/core/shards.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "hinge/core/random.h"
#include "tests/support/thread_communicator.h"

namespace hinge {
namespace {

std::vector<std::size_t> even_begins(std::size_t examples, std::size_t shards) {
  std::vector<std::size_t> begins;
  for (std::size_t s = 0; s <= shards; ++s) begins.push_back(share_begin(examples, s, shards));
  return begins;
}

// Sparse, and rounded differently in every order of addition.
Weights vector_of_shard(std::size_t shard, std::size_t dimension) {
  Random random(shard + 1);
  Weights w(dimension);
  for (std::size_t k = 0; k < dimension / 3; ++k)
    w[random.below(dimension)] = static_cast<float>(random.uniform() - 0.5) / 3.0f;
  return w;
}

std::vector<float> sum_on(int ranks, std::size_t shards, std::size_t dimension,
                          std::uint64_t* sent = nullptr) {
  std::vector<float> result;
  as_ranks(ranks, [&](Communicator& communicator) {
    const Shards mine(even_begins(100, shards), communicator);
    ShardSum sum(mine);
    Weights total(dimension);
    for (int time = 0; time < 2; ++time) {  // the second sum uses the memory of the first
      for (std::size_t s = mine.first(); s < mine.last(); ++s) {
        Weights vector = vector_of_shard(s, dimension);
        sum.add(vector);
        EXPECT_EQ(squared_norm(vector), 0.0);
      }
      total = Weights(dimension);
      sum.finish(total);
    }
    if (communicator.rank() == ranks - 1) result.assign(total.span().begin(), total.span().end());
    if (communicator.rank() == 0 && sent != nullptr) *sent = communicator.bytes_sent() / 2;
  });
  return result;
}

TEST(Shards, RanksHaveRunsOfShardsThatTogetherAreAll) {
  std::vector<std::size_t> owned;
  for (int rank = 0; rank < 3; ++rank) {
    ThreadCommunicator::Group group(3);
    ThreadCommunicator communicator(group, rank);
    const Shards shards(even_begins(50, 8), communicator);
    EXPECT_EQ(shards.first_example(), shards.begin(shards.first()));
    for (std::size_t s = shards.first(); s < shards.last(); ++s) owned.push_back(s);
  }
  EXPECT_EQ(owned, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(ShardSum, GivesTheSameBytesAtAnyNumberOfRanks) {
  constexpr std::size_t kDimension = 1000;
  for (const std::size_t shards : {1, 2, 5, 7, 8, 13}) {
    const std::vector<float> alone = sum_on(1, shards, kDimension);
    for (const int ranks : {2, 3, 4, 8}) {
      const std::vector<float> together = sum_on(ranks, shards, kDimension);
      ASSERT_EQ(together.size(), kDimension);
      EXPECT_EQ(std::memcmp(alone.data(), together.data(), kDimension * sizeof(float)), 0)
          << shards << " shards, " << ranks << " ranks";
    }
  }
}

TEST(ShardSum, IsTheSumOfAllVectors) {
  const std::vector<float> sum = sum_on(3, 5, 100);
  for (std::size_t id = 0; id < 100; ++id) {
    double expected = 0.0;
    for (std::size_t s = 0; s < 5; ++s) expected += vector_of_shard(s, 100)[id];
    EXPECT_NEAR(sum[id], expected, 1e-6);
  }
}

TEST(ShardSum, SendsAboutOneVectorARankHoweverManyShards) {
  constexpr std::size_t kDimension = 16 * 1024;
  std::uint64_t few = 0, many = 0;
  sum_on(2, 2, kDimension, &few);
  sum_on(2, 64, kDimension, &many);
  EXPECT_LE(many, few + few / 4);
  // Half of it to be added by the other rank, and half as a sum for it.
  EXPECT_LE(many, (kDimension + kDimension / 32) * sizeof(float));
}

TEST(ShardSum, DoesNotSendZeros) {
  std::uint64_t sent = 0;
  as_ranks(2, [&](Communicator& communicator) {
    const Shards shards(even_begins(10, 2), communicator);
    ShardSum sum(shards);
    Weights w(1 << 16);
    w[5] = 1.0f;
    sum.add(w);
    sum.finish(w);
    EXPECT_EQ(w[5], 2.0f);
    if (communicator.rank() == 0) sent = communicator.bytes_sent();
  });
  EXPECT_LT(sent, 2000u);  // 262,144 otherwise
}

}  // namespace
}  // namespace hinge
