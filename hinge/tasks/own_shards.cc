#include "hinge/tasks/own_shards.h"

#include <utility>

#include "hinge/core/block_task.h"
#include "hinge/core/factored_task.h"
#include "hinge/core/k_best_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/core/shards.h"

namespace hinge {
namespace {

// Numbers the examples of a task as all ranks together do.
class NumberedTask final : public Task,
                           public ShardedTask,
                           public KBestTask,
                           public MarginalTask,
                           public FactoredTask,
                           public BlockTask {
 public:
  NumberedTask(std::unique_ptr<Task> own, std::vector<std::size_t> begins, std::size_t first)
      : own_(std::move(own)), begins_(std::move(begins)), first_(first) {
    find(k_best_);
    find(marginals_);
    find(factored_);
    find(blocks_);
  }

  std::size_t size() const override { return begins_.back(); }
  std::size_t dimension() const override { return own_->dimension(); }
  TaskFacts facts() const override { return own_->facts(); }
  std::unique_ptr<Scratch> make_scratch() const override { return own_->make_scratch(); }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override {
    own_->most_violated(i - first_, w, loss_weight, scratch, cut);
  }
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    own_->support(i - first_, scratch, blocks);
  }
  bool initialize(Random& random, Weights& w) const override { return own_->initialize(random, w); }
  double squared_norm(const Weights& w) const override { return own_->squared_norm(w); }

  const Extension* extension(std::string_view name) const override {
    if (name == ShardedTask::kName) return static_cast<const ShardedTask*>(this);
    if (name == KBestTask::kName && k_best_ != nullptr) return static_cast<const KBestTask*>(this);
    if (name == MarginalTask::kName && marginals_ != nullptr) return static_cast<const MarginalTask*>(this);
    if (name == FactoredTask::kName && factored_ != nullptr) return static_cast<const FactoredTask*>(this);
    if (name == BlockTask::kName && blocks_ != nullptr) return static_cast<const BlockTask*>(this);
    return nullptr;
  }

  std::span<const std::size_t> shard_begins() const override { return begins_; }
  void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k, Scratch& scratch,
                       std::vector<Cut>& cuts) const override {
    k_best_->most_violated_k(i - first_, w, loss_weight, k, scratch, cuts);
  }
  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
              Expectation& expectation) const override {
    marginals_->expect(i - first_, w, loss_weight, scratch, expectation);
  }
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    marginals_->gold_support(i - first_, scratch, blocks);
  }
  void gold_parts(std::size_t i, Scratch& scratch, std::vector<Part>& parts) const override {
    factored_->gold_parts(i - first_, scratch, parts);
  }
  void exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                Scratch& scratch, Exchange& exchange) const override {
    factored_->exchange(i - first_, w, allowed, search, scratch, exchange);
  }
  double add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                      Scratch& scratch, Gradient& features) const override {
    return factored_->add_features(i - first_, parts, amounts, scratch, features);
  }
  double product(const Weights& w, const Gradient& features, Scratch& scratch) const override {
    return factored_->product(w, features, scratch);
  }
  double squared_length(const Gradient& features, Scratch& scratch) const override {
    return factored_->squared_length(features, scratch);
  }
  const ExampleBlocks& blocks() const override { return blocks_->blocks(); }
  std::size_t blocks_read() const override { return blocks_->blocks_read(); }

 private:
  template <typename E>
  void find(const E*& extension) const {
    extension = find_extension<E>(*own_);
  }

  std::unique_ptr<Task> own_;
  std::vector<std::size_t> begins_;
  std::size_t first_;
  const KBestTask* k_best_ = nullptr;  // what it has of these
  const MarginalTask* marginals_ = nullptr;
  const FactoredTask* factored_ = nullptr;
  const BlockTask* blocks_ = nullptr;
};

}  // namespace

OwnShards OwnShards::of(const Source& source) {
  OwnShards own;
  const std::size_t shards = this_shard_count();
  if (shards == 1 || source.memory != nullptr || source.read_once() || source.has_pipe()) return own;
  Communicator& ranks = this_communicator();
  const auto rank = static_cast<std::size_t>(ranks.rank()), count = static_cast<std::size_t>(ranks.size());
  own.cut_ = true;
  own.text_ = cut_text(source.inputs(), shards, ranks);
  own.first_ = share_begin(shards, rank, count);
  own.sizes_.resize(share_begin(shards, rank + 1, count) - own.first_);
  return own;
}

void OwnShards::finish() {
  if (!cut_) return;
  text_ = {.input = TextInput(""), .shards = {}};
  begins_.assign(1, 0);
  for (const std::size_t size : gather_values(ranks(), std::span<const std::size_t>(sizes_)))
    begins_.push_back(begins_.back() + size);
}

std::unique_ptr<Task> OwnShards::number(std::unique_ptr<Task> task) const {
  if (!cut_) return task;
  return std::make_unique<NumberedTask>(std::move(task), begins_, first_example());
}

}  // namespace hinge
