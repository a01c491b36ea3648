#include "hinge/learn/steps/sharded_pass.h"

#include <utility>

namespace hinge {
namespace {

struct Totals {
  std::int64_t examples, updates;
  double loss, violation;
};

}  // namespace

bool ShardedPass::Progress::add(std::int64_t examples) {
  if (stop) return true;
  const std::lock_guard lock(mutex);
  done += examples;
  if (watcher.interrupts(done)) stop = true;
  return stop;
}

bool ShardedPass::PartWatcher::interrupts(std::int64_t examples_done) {
  return progress_.add(examples_done - std::exchange(told_, examples_done));
}

ShardedPass::ShardedPass(Pass& whole, const Shards& shards)
    : whole_(whole), progress_{.watcher = whole.watcher, .done = whole.examples}, orders_(shards.mine()) {
  for (const std::uint32_t i : whole.order) {
    if (i < shards.first_example() || i >= shards.last_example()) continue;
    orders_[shards.shard_of(i) - shards.first()].push_back(i);
  }
  for (std::size_t s = 0; s < shards.count(); ++s) {
    const std::uint64_t seed = whole.random.bits();  // every rank draws those of all shards
    if (s >= shards.first() && s < shards.last())
      parts_.emplace_back(orders_[s - shards.first()], seed, progress_);
  }
}

void ShardedPass::add_up() const {
  std::vector<Totals> mine;
  for (const Part& part : parts_)
    mine.push_back({part.pass.examples, part.pass.updates, part.pass.loss, part.pass.violation});
  const std::vector<Totals> all = gather_values(this_communicator(), std::span<const Totals>(mine));
  for (const Totals& shard : all) {
    whole_.examples += shard.examples;
    whole_.updates += shard.updates;
    whole_.loss += shard.loss;
    whole_.violation += shard.violation;
  }
}

}  // namespace hinge
