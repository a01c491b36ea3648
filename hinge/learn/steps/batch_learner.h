// Base of stochastic gradient learners, which differ in what they ask of the task and in the
// step that follows: batches of examples are decoded in parallel under one w, then their
// answers are used one by one.
//
// With several shards (core/shards.h) the batches are synchronous: every shard gives
// each batch its part, at least one example, and every rank uses all answers, in the order
// of the shards, so all ranks have the same weights.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/shards.h"
#include "hinge/core/threads.h"

namespace hinge {

class BatchLearner : public Learner {
 public:
  void run_pass(Pass& pass) override;

 protected:
  // `batch` examples are decoded under one w; at least one per shard.
  BatchLearner(const Task& task, std::int64_t batch, Workers& workers);

  const Task& task() const { return task_; }
  std::size_t batch() const { return batch_; }
  std::size_t most_in_batch() const { return batch_ + shards_.count(); }
  std::size_t steps_per_pass() const {
    return std::max<std::size_t>(1, (task_.size() + batch_ - 1) / batch_);
  }

  // What will be read of the weights to answer for this example, if prepare() needs it.
  virtual void list_reads(std::size_t /*example*/, Scratch& /*scratch*/, std::vector<Block>& /*reads*/) {}
  // Called before a batch with what all its examples read.
  virtual void prepare(std::span<const Block> /*reads*/) {}
  // Asks the task about an example, the b-th of the batch. Called on several
  // threads.
  virtual void ask(std::size_t b, std::size_t example, Scratch& scratch) = 0;
  // Counts the b-th answer in the pass and uses its gradient.
  virtual void use(std::size_t b, std::size_t example, Pass& pass) = 0;
  // After the last answer of a batch.
  virtual void end_batch() {}
  // For other ranks: checks the b-th answer, merges its gradient and appends it; and reads
  // one into the b-th place.
  virtual void put(std::size_t b, std::size_t example, Bytes& out) = 0;
  virtual void take(std::size_t b, std::span<const std::byte>& in) = 0;

  // For batches besides those of a pass: asks about examples of any shards, at most batch(), then
  // calls visit(b, example) for each; with several shards in their order. A meeting.
  using Visit = std::function<void(std::size_t b, std::size_t example)>;
  void ask_about(std::span<const std::uint32_t> examples, const Visit& visit);
  // Whether a rank is to stop. A meeting.
  bool any_stops(const Pass& pass) const;

 private:
  void run_sharded(Pass& pass);
  bool stops_or_prepares(std::span<const std::uint32_t> examples, Pass& pass);
  void take_step(std::span<const std::uint32_t> examples, Pass& pass);
  void ask_own(std::span<const std::uint32_t> examples);
  template <typename AnyVisit>
  void visit_all(std::span<const std::uint32_t> own, const AnyVisit& visit);

  const Task& task_;
  Workers& workers_;
  Shards shards_;
  ScratchPool scratches_;
  std::size_t batch_;
  std::vector<Block> reads_;
  Bytes answers_;  // of a batch, of this rank
};

}  // namespace hinge
