// What is fixed before training: templates, weight layout and the kind of trees.
#pragma once

#include <string>

#include "hinge/tasks/dep/arcs.h"
#include "hinge/tasks/dep/labels.h"
#include "hinge/tasks/dep/second.h"

namespace hinge::dep {

// The templates of a preset or a file, which read these columns.
FactorTemplateSet choose_factor_templates(const std::string& features, const std::string& columns);

enum class TreeAlgorithm { kEisner, kChuLiuEdmonds };

struct TreeOptions {
  TreeAlgorithm algorithm = TreeAlgorithm::kEisner;
  bool single_root = true;
  bool label_cost = true;  // a wrong label costs what a wrong head does
  int order = 1;           // 2: siblings and grandparents, projective only
};

// Neither copyable nor movable: members refer to each other.
struct ParserPlan {
  ParserPlan(FactorTemplateSet set, TreeOptions tree_options, TreeLayout weight_layout)
      : templates(std::move(set)),
        options(tree_options),
        layout(std::move(weight_layout)),
        arcs(templates),
        labels(templates),
        second(templates) {}
  ParserPlan(const ParserPlan&) = delete;

  FactorTemplateSet templates;
  TreeOptions options;
  TreeLayout layout;
  ArcTemplates arcs;
  LabelTemplates labels;
  SecondTemplates second;
};

}  // namespace hinge::dep
