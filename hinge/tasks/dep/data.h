// Dependency trees as numbers, read from a file or memory.
#pragma once

#include <span>
#include <vector>

#include "hinge/decode/trees.h"
#include "hinge/decode/viterbi.h"
#include "hinge/features/factor_keys.h"
#include "hinge/features/factor_text.h"
#include "hinge/features/label_set.h"
#include "hinge/files/block_cache.h"
#include "hinge/files/column.h"
#include "hinge/tasks/own_shards.h"
#include "hinge/tasks/source.h"

namespace hinge::dep {

// Sentences: each has a row for the root, then one per word.
struct TreeData {
  std::size_t fields = 0;
  Column<std::size_t> begin{0};      // [sentences + 1], into rows
  Column<Key> keys;                  // [rows][fields]
  Column<HeadId> heads;              // [rows]
  Column<LabelId> labels;            // [rows]; unknown ones are >= layout.labels()
  Column<float> costs;               // [rows], for a wrong head or label
  Column<std::uint32_t> label_rows;  // [words][label templates], in gold trees; empty if unlabelled
  BlockUse use;                      // call it before a sentence is read

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    const auto row = [](const TreeData& t, std::size_t i) { return t.begin[i]; };
    body("begin", d.begin, [](const TreeData&, std::size_t i) { return i; });
    body("keys", d.keys, [](const TreeData& t, std::size_t i) { return t.begin[i] * t.fields; });
    body("heads", d.heads, row);
    body("labels", d.labels, row);
    body("costs", d.costs, row);
    body("label_rows", d.label_rows, [](const TreeData& t, std::size_t i) {
      return t.words_before(i) * (t.label_rows.size() / t.words());
    });
  }

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
  TreeData data;  // of this rank's shards
  LabelSet labels;
  Column<char> punctuation;       // [rows]
  // Of all ranks:
  std::size_t several_roots = 0;  // sentences
  std::size_t lifted = 0;         // trees made projective
  CellMask filled = kNoCells;     // columns with values
  OwnShards own;                  // training data
  std::size_t all_words = 0;      // if it is cut

  std::size_t sentences() const { return own.is_cut() ? own.examples() : data.sentences(); }
  std::size_t words() const { return own.is_cut() ? all_words : data.words(); }
};

// Labels not in `labels` get new numbers after it. Columns go to `space`; null: into
// memory. `texts`, unless null, gets those of all fields.
Corpus read_trees(const Source& source, const FactorTemplateSet& templates, const LabelSet& labels,
                  bool labelled, SpillSpace* space = nullptr, FieldTexts* texts = nullptr);
// Those of this rank's shards, which are cut from the source. A meeting.
Corpus read_own_trees(const Source& source, OwnShards own, const FactorTemplateSet& templates,
                      const LabelSet& labels, bool labelled, FieldTexts* texts);

// Equal for equal sentences [first, last), wherever they lie.
void add_trees(const TreeData& data, std::size_t first, std::size_t last, Fingerprint& print);

// Replaces each non-projective tree by the nearest projective one: as few heads
// as possible change, and those move to close ancestors.
void make_projective(Corpus& corpus);

}  // namespace hinge::dep
