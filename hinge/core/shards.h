// The training set in a fixed number of shards, spread over however many ranks there
// are: a result may depend on the number of shards, but never on that of ranks.
//
// Shards are runs of examples; ranks have runs of shards. Sums over examples are
// formed per shard, and those of shards in a fixed order: one by one if they are
// few numbers (gather_values() gives them in the order of shards), as a binary tree
// if they are as long as the weights (ShardSum).
//
// For learners:
// - Examples are numbered over all ranks, and Task::size() counts them all; a rank asks
//   its task only about the examples of its own shards.
// - With more than one shard, Pass::order has the examples of this rank, shard by shard,
//   each shard shuffled by itself.
// - run_pass(), model(), take_model(), dual() and visit() are called on all ranks, so
//   they may hold meetings. What visit() saves must be the same on all ranks: rank 0
//   writes it, and any number of ranks may load it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/core/lines.h"
#include "hinge/core/task.h"
#include "hinge/core/weights.h"

namespace hinge {

// Where the share `which` of `shares` begins in [0, whole): about whole * which / shares.
inline std::size_t share_begin(std::size_t whole, std::size_t which, std::size_t shares) {
  return whole / shares * which + whole % shares * which / shares;
}

class Shards {
 public:
  // Where each shard's examples begin, and the end of the last.
  Shards(std::vector<std::size_t> begins, const Communicator& communicator);

  std::size_t count() const { return begins_.size() - 1; }
  std::size_t begin(std::size_t shard) const { return begins_[shard]; }    // its examples,
  std::size_t end(std::size_t shard) const { return begins_[shard + 1]; }  // counted over all ranks
  std::size_t shard_of(std::size_t example) const;
  std::size_t size(std::size_t shard) const { return end(shard) - begin(shard); }

  // This rank's shards [first, last) and their examples.
  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  std::size_t mine() const { return last_ - first_; }
  std::size_t first_example() const { return begins_[first_]; }
  std::size_t last_example() const { return begins_[last_]; }

 private:
  std::vector<std::size_t> begins_;  // [count + 1]
  std::size_t first_, last_;
};

// An extension: a task that says itself where its shards begin, because the text they
// come from was cut before it was read. It may hold only the examples of its rank.
class ShardedTask : public Extension {
 public:
  static constexpr std::string_view kName = "shards";
  virtual std::span<const std::size_t> shard_begins() const = 0;  // [shards + 1]
};

// The shards of a task for this rank: the task's own, or even parts, this_shard_count()
// of them.
Shards shards_of(const Task& task);

// The sum over all shards of one vector per shard, the same on every rank.
//
// The sum is a balanced binary tree over the shards. A rank adds up the subtrees that
// it holds whole, so it keeps few vectors and sends about one, however many shards
// it has; then each rank adds its slice of the weights over all ranks and sends the
// sum to all. Only lines that are in a vector are kept, added and sent.
class ShardSum {
 public:
  explicit ShardSum(const Shards& shards) : shards_(shards) {}

  // Takes the vector of this rank's next shard.
  void add(LineVector vector);
  void add(Weights& vector) { add(take_lines(vector)); }  // leaves zeros
  // Once all of this rank's shards are added: the sum. A meeting.
  LineVector finish();
  void finish(Weights& zeros) { axpy(1.0, finish(), zeros); }
  // The same, but every rank learns only the part of its slice, lines [slices[rank],
  // slices[rank + 1]); all ranks must give the same slices.
  LineVector finish_slice(std::span<const std::uint32_t> slices);
  // Forgets what was added.
  void clear();

 private:
  // The sum of shards [first, first + width), or fewer at the end.
  struct Subtree {
    std::size_t first;
    std::size_t width;
    LineVector sum;
  };

  static void add_halves(std::vector<Subtree>& subtrees);
  static LineVector add_all(std::vector<Subtree>& subtrees);
  static LineVector sum_of(const std::vector<Bytes>& received);
  static void put_slice(const Subtree& subtree, std::uint32_t begin, std::uint32_t end, Bytes& out);
  std::vector<std::uint32_t> even_slices() const;

  const Shards& shards_;
  std::size_t next_ = 0;  // of this rank's shards
  std::vector<Subtree> subtrees_;
};

}  // namespace hinge
