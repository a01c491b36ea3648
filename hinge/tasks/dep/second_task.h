// Projective trees with second-order parts as a Task. Trees consist of each
// sentence's candidate arcs, which include the gold arcs.
#pragma once

#include <memory>
#include <vector>

#include "hinge/core/block_task.h"
#include "hinge/tasks/dep/label_layer.h"

namespace hinge::dep {

// begin: [sentences + 1], into arcs, which are sorted by head, then modifier.
struct CandidateArcs {
  Column<std::size_t> begin{0};
  Column<SecondOrderScores::Arc> arcs;
  std::span<const SecondOrderScores::Arc> of(std::size_t i) const {
    return std::span(arcs).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

class SecondTask final : public Task, public BlockTask {
 public:
  // All must outlive the task.
  SecondTask(const TreeData& data, const ParserPlan& plan, const CandidateArcs& candidates)
      : data_(data), plan_(plan), candidates_(candidates), labels_(data, plan) {}

  std::size_t size() const override { return data_.sentences(); }
  std::size_t dimension() const override { return plan_.layout.dimension(); }
  std::unique_ptr<Scratch> make_scratch() const override;
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override;
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override;
  const Extension* extension(std::string_view name) const override { return offer<BlockTask>(*this, name); }
  const ExampleBlocks& blocks() const override { return data_.use.blocks(); }
  std::size_t blocks_read() const override { return data_.use.blocks_read(); }

 private:
  const TreeData& data_;
  const ParserPlan& plan_;
  const CandidateArcs& candidates_;
  LabelLayer labels_;
};

}  // namespace hinge::dep
