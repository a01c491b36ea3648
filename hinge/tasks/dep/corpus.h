// From a CoNLL-U file or memory to numbers.
#pragma once

#include <string>

#include "hinge/corpus/dependencies.h"
#include "hinge/features/label_set.h"
#include "hinge/tasks/dep/data.h"
#include "hinge/tasks/source.h"

namespace hinge::dep {

struct Corpus {
  TreeData data;
  LabelSet labels;
  std::vector<char> punctuation;  // [rows]
  std::size_t several_roots = 0;  // sentences
  std::size_t lifted = 0;         // trees made projective
};

WordCells cells_of(const DependencyReader& reader, std::size_t word);

// Labels unknown to `labels` get numbers beyond it.
Corpus read_trees(const Source& source, const PartTemplateSet& templates, const LabelSet& labels,
                  bool labelled);

// Replaces every tree that is not projective by the nearest that is: as few
// heads as possible change, and to ancestors near by where they must.
void make_projective(Corpus& corpus);

// The templates an option names: a preset or a file.
PartTemplateSet choose_part_templates(const std::string& features);

}  // namespace hinge::dep
