// A checkpoint whose bytes were changed and whose checksum is right again: resuming is
// refused or goes on, and never reads or writes out of bounds (run with `make asan`).
#include <gtest/gtest.h>
#include <xxhash.h>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "tests/support/chain_world.h"
#include "tests/support/data.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

class HostileCheckpoint : public testing::TestWithParam<std::string> {};

void sign(std::string& bytes) {
  const std::uint64_t sum = XXH3_64bits(bytes.data(), bytes.size() - sizeof(std::uint64_t));
  std::memcpy(bytes.data() + bytes.size() - sizeof sum, &sum, sizeof sum);
}

// One of: a bit flipped, a small number made large, a stretch of ones, a stretch left out.
void damage(Random& random, std::string& bytes, std::size_t from) {
  const std::size_t at = from + random.below(bytes.size() - from - 16);
  switch (random.below(4)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 1:
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 4, '\xff');
      break;
    case 2:
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 8, '\x01');
      break;
    default:
      bytes.erase(at, 1 + random.below(8));
  }
}

TEST_P(HostileCheckpoint, IsRefusedOrResumed) {
  const TemporaryFolder folder;
  const ChainWorld world({.name = "chains"}, 6, 14);
  const Task& task = world.task();
  Workers workers(1);
  Quiet observer;
  TrainSettings settings{.epochs = 2, .checkpoint = folder.path("c")};
  settings.checkpoint_header = {.description = "{}", .fingerprint = 7};
  const auto run = [&] {
    const auto learner = configured(GetParam(), {})->start(task, workers);
    train(task, *learner, settings, workers, observer);
  };
  run();
  const std::string good = TemporaryFolder::read(folder.path("c"));
  settings.checkpoint.clear();
  settings.epochs = 3;
  const std::size_t header = 8 + 4 + 8 + 2 + 8;  // magic, format, description, fingerprint
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::string bytes = good;
    damage(random, bytes, header);
    sign(bytes);
    try {
      const CheckpointFile file(folder.write("bad", bytes));
      settings.resume = &file;
      run();
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Learners, HostileCheckpoint,
                         testing::Values("perceptron", "mira", "ops", "sgd", "smd", "dcd", "dcd-light", "ocp",
                                         "bcfw", "cpd", "cutting-plane", "one-slack", "smo", "crf",
                                         "softmax-margin", "egd", "extragradient"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace hinge::test
