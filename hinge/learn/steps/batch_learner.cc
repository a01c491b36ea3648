#include "hinge/learn/steps/batch_learner.h"

#include <algorithm>

#include "hinge/learn/steps/gradient_bytes.h"

namespace hinge {

BatchLearner::BatchLearner(const Task& task, std::int64_t batch, Workers& workers)
    : task_(task),
      workers_(workers),
      shards_(shards_of(task)),
      scratches_(task, workers),
      batch_(std::clamp<std::size_t>(static_cast<std::size_t>(batch), shards_.count(),
                                     std::max(task.size(), shards_.count()))) {}

void BatchLearner::run_pass(Pass& pass) {
  if (shards_.count() > 1) return run_sharded(pass);
  for (std::size_t begin = 0; begin < pass.order.size() && !pass.cancelled(); begin += batch_) {
    const auto examples = pass.order.subspan(begin, std::min(batch_, pass.order.size() - begin));
    pass.updating.start();
    reads_.clear();
    for (const std::uint32_t i : examples) list_reads(i, scratches_.local(), reads_);
    prepare(reads_);
    pass.updating.stop();
    take_step(examples, pass);
  }
}

// Step t of n takes examples [t / n, (t + 1) / n) of every shard.
void BatchLearner::run_sharded(Pass& pass) {
  const std::size_t steps = steps_per_pass();
  std::vector<std::vector<std::uint32_t>> orders(shards_.mine());
  for (const std::uint32_t i : pass.order) orders[shards_.shard_of(i) - shards_.first()].push_back(i);
  std::vector<std::uint32_t> examples;
  for (std::size_t t = 0; t < steps; ++t) {
    examples.clear();
    for (const auto& order : orders) {
      const auto begin = static_cast<std::ptrdiff_t>(share_begin(order.size(), t, steps));
      const auto end = static_cast<std::ptrdiff_t>(share_begin(order.size(), t + 1, steps));
      examples.insert(examples.end(), order.begin() + begin, order.begin() + end);
    }
    pass.updating.start();
    const bool stops = stops_or_prepares(examples, pass);
    pass.updating.stop();
    if (stops) return;
    take_step(examples, pass);
  }
}

// Prepares for what any rank will read, unless a rank is to stop.
bool BatchLearner::stops_or_prepares(std::span<const std::uint32_t> examples, Pass& pass) {
  reads_.clear();
  for (const std::uint32_t i : examples) list_reads(i, scratches_.local(), reads_);
  constexpr Block kStop{.first = 0, .count = 0};
  if (pass.cancelled()) reads_.assign(1, kStop);
  reads_ = gather_values(this_communicator(), std::span<const Block>(reads_));
  if (std::ranges::any_of(reads_, [](const Block& block) { return block.count == 0; })) return true;
  prepare(reads_);
  return false;
}

void BatchLearner::take_step(std::span<const std::uint32_t> examples, Pass& pass) {
  pass.decoding.start();
  ask_own(examples);
  pass.decoding.stop();
  pass.updating.start();
  visit_all(examples, [&](std::size_t b, std::size_t example) {
    ++pass.examples;
    use(b, example, pass);
  });
  end_batch();
  pass.updating.stop();
}

void BatchLearner::ask_about(std::span<const std::uint32_t> examples, const Visit& visit) {
  if (shards_.count() == 1) {
    ask_own(examples);
    return visit_all(examples, visit);
  }
  std::vector<std::uint32_t> own;
  for (const std::uint32_t i : examples) {
    if (i >= shards_.first_example() && i < shards_.last_example()) own.push_back(i);
  }
  std::ranges::sort(own);  // then the ranks, one after the other, give them all in order
  ask_own(own);
  visit_all(own, visit);
}

bool BatchLearner::any_stops(const Pass& pass) const {
  return any_rank(this_communicator(), pass.cancelled());
}

// Of examples of this rank's shards. With several shards the answers become bytes, on one rank
// too: merging a gradient may round it.
void BatchLearner::ask_own(std::span<const std::uint32_t> examples) {
  const auto ask_each = [&] {
    workers_.each(examples.size(), [&](std::size_t b) { ask(b, examples[b], scratches_.local()); });
  };
  if (shards_.count() == 1) return ask_each();
  answers_.clear();
  agree_on(this_communicator(), [&] {
    ask_each();
    for (std::size_t b = 0; b < examples.size(); ++b) {
      put_value(examples[b], answers_);
      put(b, examples[b], answers_);
    }
  });
}

// The answers of all ranks, once they have asked. A meeting.
template <typename AnyVisit>
void BatchLearner::visit_all(std::span<const std::uint32_t> own, const AnyVisit& visit) {
  if (shards_.count() == 1) {
    for (std::size_t b = 0; b < own.size(); ++b) visit(b, own[b]);
    return;
  }
  for (const Bytes& bytes : this_communicator().gather(answers_)) {
    for (std::span<const std::byte> in(bytes); !in.empty();) {
      const auto example = take_value<std::uint32_t>(in);
      take(0, in);
      visit(0, example);
    }
  }
}

}  // namespace hinge
