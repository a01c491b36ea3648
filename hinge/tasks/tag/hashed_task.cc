#include "hinge/tasks/tag/hashed_task.h"

#include <limits>
#include <utility>

namespace hinge::tag {
namespace {

struct HashedScratch final : Scratch {
  HashedScratch(const ChainLayout& layout, const ChainTaskOptions& options)
      : task(sentence, layout, options), scratch(task.make_scratch()) {}

  // The task of sentence i alone, as its example 0.
  ChainTask& at(std::size_t i, const ChainData& data, const HashedConjunctions& conjunctions) {
    if (i != number) conjunctions.expand(data, i, sentence);
    number = i;
    return task;
  }

  std::size_t number = std::numeric_limits<std::size_t>::max();
  ChainData sentence;
  ChainTask task;
  std::unique_ptr<Scratch> scratch;
};

HashedScratch& own(Scratch& scratch) { return static_cast<HashedScratch&>(scratch); }

}  // namespace

HashedTask::HashedTask(const ChainData& data, const HashedConjunctions& conjunctions,
                       const ChainLayout& layout, ChainTaskOptions options)
    : data_(data), conjunctions_(conjunctions), layout_(layout), options_(std::move(options)) {}

std::unique_ptr<Scratch> HashedTask::make_scratch() const {
  return std::make_unique<HashedScratch>(layout_, options_);
}

void HashedTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                               Cut& cut) const {
  own(scratch).at(i, data_, conjunctions_).most_violated(0, w, loss_weight, *own(scratch).scratch, cut);
}

void HashedTask::most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                                 Scratch& scratch, std::vector<Cut>& cuts) const {
  own(scratch).at(i, data_, conjunctions_).most_violated_k(0, w, loss_weight, k, *own(scratch).scratch, cuts);
}

void HashedTask::support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const {
  own(scratch).at(i, data_, conjunctions_).support(0, *own(scratch).scratch, blocks);
}

void HashedTask::expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                        Expectation& expectation) const {
  own(scratch).at(i, data_, conjunctions_).expect(0, w, loss_weight, *own(scratch).scratch, expectation);
  expectation.gradient.own_rows();  // the next sentence takes the place of this one
}

void HashedTask::gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const {
  own(scratch).at(i, data_, conjunctions_).gold_support(0, *own(scratch).scratch, blocks);
}

void HashedTask::gold_parts(std::size_t i, Scratch& scratch, std::vector<Part>& parts) const {
  own(scratch).at(i, data_, conjunctions_).gold_parts(0, *own(scratch).scratch, parts);
}

void HashedTask::exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                          Scratch& scratch, Exchange& exchange) const {
  own(scratch).at(i, data_, conjunctions_).exchange(0, w, allowed, search, *own(scratch).scratch, exchange);
}

double HashedTask::add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                                Scratch& scratch, Gradient& features) const {
  return own(scratch)
      .at(i, data_, conjunctions_)
      .add_features(0, parts, amounts, *own(scratch).scratch, features);
}

}  // namespace hinge::tag
