// Labelled sentences as numbers, read from a file or memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/decode/viterbi.h"
#include "hinge/features/label_set.h"
#include "hinge/files/block_cache.h"
#include "hinge/files/column.h"
#include "hinge/tasks/own_shards.h"
#include "hinge/tasks/tag/features.h"
#include "hinge/tasks/tag/options.h"
#include "hinge/tasks/tag/reader.h"

namespace hinge::tag {

// Sentences in compressed rows. A gold label >= the number of labels is one that
// training never saw (development data only).
struct ChainData {
  Column<std::size_t> sentence_begin{0};  // [sentences + 1], into tokens
  Column<std::size_t> node_begin{0};      // [tokens + 1], into node_ids
  Column<std::uint32_t> node_ids;
  Column<float> node_values;          // parallel to node_ids, or empty: all ones
  Column<std::size_t> edge_begin{0};  // [tokens + 1], into edge_ids
  Column<std::uint32_t> edge_ids;     // features of label pairs that depend on the input
  Column<float> edge_values;
  Column<LabelId> gold;  // [tokens]
  // Partly labelled sentences: the labels a token may have are [allowed_begin,
  // allowed_end) of allowed_labels; an empty range means "just gold".
  Column<std::uint32_t> allowed_begin, allowed_end;  // [tokens], or empty
  std::vector<LabelId> allowed_labels;
  BlockUse use;  // call it before a sentence is read

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    const auto token = [](const ChainData& c, std::size_t i) { return c.sentence_begin[i]; };
    const auto node = [](const ChainData& c, std::size_t i) { return c.node_begin[c.sentence_begin[i]]; };
    const auto edge = [](const ChainData& c, std::size_t i) { return c.edge_begin[c.sentence_begin[i]]; };
    body("sentence_begin", d.sentence_begin, [](const ChainData&, std::size_t i) { return i; });
    body("node_begin", d.node_begin, token);
    body("node_ids", d.node_ids, node);
    body("node_values", d.node_values, node);
    body("edge_begin", d.edge_begin, token);
    body("edge_ids", d.edge_ids, edge);
    body("edge_values", d.edge_values, edge);
    body("gold", d.gold, token);
    body("allowed_begin", d.allowed_begin, token);
    body("allowed_end", d.allowed_end, token);
  }

  std::size_t sentences() const { return sentence_begin.size() - 1; }
  std::size_t tokens() const { return gold.size(); }
  bool is_partial(std::size_t sentence) const;
  std::span<const LabelId> allowed(std::size_t token) const;  // empty: just gold
};

// Makes `one` that sentence of the data, except for its node features.
void copy_sentence(const ChainData& data, std::size_t sentence, ChainData& one);

struct Corpus {
  FileLayout layout;
  LabelSet labels;
  ChainData data;              // of this rank's shards
  OwnShards own;               // training data
  std::size_t all_tokens = 0;  // of all ranks, if it is cut,
  std::uint64_t all_data = 0;  // and a fingerprint

  std::size_t sentences() const { return own.is_cut() ? own.examples() : data.sentences(); }
  std::size_t tokens() const { return own.is_cut() ? all_tokens : data.tokens(); }
  void add_to(Fingerprint& print) const;  // without the labels
};

// Reads training data and adds new features and labels to those known. Columns go to
// `space`; null: into memory, those of this rank's shards if there are several. A meeting.
Corpus read_training(const Source& source, const TagOptions& options, const Known& known, Features& features,
                     SpillSpace* space = nullptr);

// Reads other labelled data with a finished vocabulary; unseen labels get ids after
// `labels`.
Corpus read_labelled(const Source& source, const FileLayout& layout, const LabelSet& labels,
                     const Features& features);

}  // namespace hinge::tag
