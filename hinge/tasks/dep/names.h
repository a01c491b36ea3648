// Names of a parser's rows of weights, if they are kept: of features of arcs and other parts, and of
// features of labels.
#pragma once

#include "hinge/features/factor_text.h"
#include "hinge/model/row_names.h"
#include "hinge/tasks/dep/data.h"
#include "hinge/tasks/dep/features.h"
#include "hinge/tasks/dep/second_task.h"

namespace hinge::dep {

struct TreeNames {
  RowNames parts, labels;

  void visit(State& state) { state(parts, labels); }
};

// Keeps the names that are known and adds those of the data: gold arcs of a sentence come before
// its others, and parts of order 2 are those of its candidates. Call it when the layout is finished.
TreeNames name_rows(const TreeData& data, const CandidateArcs& candidates, const FieldTexts& texts,
                    const ParserPlan& plan, const TreeNames& known);

// Sections of a model. `parts` and `labels`: the row at each place of the file, or RowNames::kNone.
void write_names(const TreeNames& names, std::span<const std::uint32_t> parts,
                 std::span<const std::uint32_t> labels, ModelWriter& out);
TreeNames read_names(const ModelFile& file);  // by place

// What a slot of a named row of parts stands for: "left", "right:6-10", or "slot 15" if its feature
// has no such slot.
std::string slot_text(const ParserPlan& plan, const TreeNames& names, std::uint32_t row, std::uint32_t slot);

}  // namespace hinge::dep
