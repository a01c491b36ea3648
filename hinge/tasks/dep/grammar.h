// What is fixed before a parser is trained: templates, places of weights, and
// which trees there are.
#pragma once

#include "hinge/tasks/dep/arcs.h"
#include "hinge/tasks/dep/labels.h"
#include "hinge/tasks/dep/second.h"

namespace hinge::dep {

enum class TreeDecoder { kEisner, kChuLiuEdmonds };

struct TreeOptions {
  TreeDecoder decoder = TreeDecoder::kEisner;
  bool single_root = true;
  bool label_cost = true;  // a wrong label costs what a wrong head does
  int order = 1;           // 2: siblings and grandparents, projective only
};

// Neither copied nor moved, as the parts refer to each other.
struct Grammar {
  Grammar(PartTemplateSet set, TreeOptions tree_options, Space places)
      : templates(std::move(set)),
        options(tree_options),
        space(std::move(places)),
        arcs(templates),
        labels(templates),
        second(templates) {}
  Grammar(const Grammar&) = delete;

  PartTemplateSet templates;
  TreeOptions options;
  Space space;
  ArcTemplates arcs;
  LabelTemplates labels;
  SecondTemplates second;
};

}  // namespace hinge::dep
