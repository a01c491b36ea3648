// Dependency trees as numbers, and how they come about from a file or memory.
#pragma once

#include <span>
#include <vector>

#include "hinge/decode/trees.h"
#include "hinge/decode/viterbi.h"
#include "hinge/features/factor_keys.h"
#include "hinge/features/label_set.h"
#include "hinge/tasks/source.h"

namespace hinge::dep {

// Sentences, a row for the root before each and one for each word.
struct TreeData {
  std::size_t fields = 0;
  std::vector<std::size_t> begin{0};      // [sentences + 1], into rows
  std::vector<Key> keys;                  // [rows][fields]
  std::vector<HeadId> heads;              // [rows]
  std::vector<LabelId> labels;            // [rows]; at or above `labels` of the layout where unknown
  std::vector<float> costs;               // [rows], of a wrong head or label
  std::vector<std::uint32_t> label_rows;  // [words][label templates], in gold trees; empty: no labels

  std::size_t sentences() const { return begin.size() - 1; }
  std::size_t words() const { return heads.size() - sentences(); }
  std::size_t words_before(std::size_t sentence) const { return begin[sentence] - sentence; }
  SentenceFields sentence(std::size_t i) const {
    return {std::span(keys).subspan(begin[i] * fields, (begin[i + 1] - begin[i]) * fields), fields};
  }
  std::span<const HeadId> heads_of(std::size_t i) const {
    return std::span(heads).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

struct Corpus {
  TreeData data;
  LabelSet labels;
  std::vector<char> punctuation;  // [rows]
  std::size_t several_roots = 0;  // sentences
  std::size_t lifted = 0;         // trees made projective
};

// Labels unknown to `labels` get numbers beyond it.
Corpus read_trees(const Source& source, const FactorTemplateSet& templates, const LabelSet& labels,
                  bool labelled);

// Replaces every tree that is not projective by the nearest that is: as few
// heads as possible change, and to ancestors near by where they must.
void make_projective(Corpus& corpus);

}  // namespace hinge::dep
