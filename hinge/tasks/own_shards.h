// Training data of which each rank reads and keeps only its own shards.
//
//   OwnShards own = OwnShards::of(source);
//   agree_on(own.ranks(), [&] { ... own.input() if own.is_cut() ... own.count(reader.part()) ... });
//   own.finish();
//   task = own.number(std::move(task));
//
// What is learned from the examples of all ranks is merged over ranks(): labels and
// features by features/merged_vocabulary.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/core/task.h"
#include "hinge/corpus/text_shards.h"
#include "hinge/tasks/fingerprint.h"
#include "hinge/tasks/source.h"

namespace hinge {

class OwnShards {
 public:
  // Every rank has all examples.
  OwnShards() = default;
  // The shards of files or of text, if there are several (this_shard_count()). Standard input
  // and a task's own data in memory are not cut. A meeting. The source must outlive the input.
  static OwnShards of(const Source& source);

  bool is_cut() const { return cut_; }
  // Those that have the other examples; none if this one has all.
  Communicator& ranks() const { return cut_ ? this_communicator() : solitary(); }
  const TextInput& input() const { return text_.input; }  // what this rank reads
  // Whether an example from this part of the input, not counted yet, is the first of its shard: what
  // examples know of earlier ones begins anew there.
  // False if it is not cut.
  bool begins_shard(std::size_t part) const { return cut_ && sizes_[text_.shards[part] - first_] == 0; }
  // An example was read from this part of the input.
  void count(std::size_t part) {
    if (cut_) ++sizes_[text_.shards[part] - first_];
  }
  // All are read. A meeting.
  void finish();

  // The rest is for afterwards. Where the examples of each shard begin, counted over all ranks.
  std::span<const std::size_t> begins() const { return begins_; }  // [shards + 1]; empty if not cut
  std::size_t examples() const { return begins_.back(); }
  std::size_t first_example() const { return begins_[first_]; }    // of this rank
  // The examples of this rank's shards: body(begin, end), counted from 0 on this rank.
  template <typename Body>
  void each_shard(const Body& body) const {
    for (std::size_t s = 0; s < sizes_.size(); ++s)
      body(begins_[first_ + s] - first_example(), begins_[first_ + s + 1] - first_example());
  }
  // A fingerprint of the examples of all ranks: add(begin, end, print) adds some of this rank's, which
  // must not depend on where they lie. 0 if it is not cut. A meeting.
  template <typename Add>
  std::uint64_t fingerprint(const Add& add) const {
    if (!cut_) return 0;
    std::vector<std::uint64_t> prints;
    each_shard([&](std::size_t begin, std::size_t end) {
      Fingerprint print;
      add(begin, end, print);
      prints.push_back(print.value());
    });
    Fingerprint all;
    all.add(gather_values(ranks(), std::span<const std::uint64_t>(prints)));
    all.add(begins_);
    return all.value();
  }
  // A task that numbers the examples of all ranks, of one with this rank's examples only.
  std::unique_ptr<Task> number(std::unique_ptr<Task> task) const;

 private:
  bool cut_ = false;
  ShardText text_{.input = TextInput(""), .shards = {}};
  std::size_t first_ = 0;           // shard of this rank
  std::vector<std::size_t> sizes_;  // of its shards, in examples
  std::vector<std::size_t> begins_;
};

}  // namespace hinge
