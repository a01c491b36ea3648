// Labelled texts as numbers, read from a file or memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/features/label_set.h"
#include "hinge/files/block_cache.h"
#include "hinge/files/column.h"
#include "hinge/tasks/classify/features.h"
#include "hinge/tasks/classify/reader.h"
#include "hinge/tasks/own_shards.h"

namespace hinge::classify {

// Texts in compressed rows. A gold label >= the number of labels is one that
// training never saw (development data only).
struct TextData {
  Column<std::size_t> begin{0};  // [texts + 1], into ids
  Column<std::uint32_t> ids;     // the known features of a text, each once
  Column<float> values;          // [texts], of each feature; unknown features count, too
  Column<std::uint16_t> gold;    // [texts]
  BlockUse use;                  // call it before a text is read

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    const auto text = [](const TextData&, std::size_t i) { return i; };
    body("begin", d.begin, text);
    body("ids", d.ids, [](const TextData& t, std::size_t i) { return t.begin[i]; });
    body("values", d.values, text);
    body("gold", d.gold, text);
  }

  std::size_t size() const { return gold.size(); }
  std::span<const std::uint32_t> features(std::size_t i) const {
    return std::span(ids).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

struct Corpus {
  TextFormat format;
  LabelSet labels;
  TextData data;               // of this rank's shards
  OwnShards own;               // training data
  std::uint64_t all_data = 0;  // of all ranks, if it is cut: a fingerprint

  std::size_t size() const { return own.is_cut() ? own.examples() : data.size(); }
  void add_to(Fingerprint& print) const;  // without the labels
};

// The labels and features of the model that training continues from; empty by
// default. They stay even if the new data lacks them.
struct Known {
  LabelSet labels;
  std::vector<std::string> names;  // of features, as stored
  RowNames row_names;              // of hashed ones
};
// Throws ModelError if the model belongs to another task.
Known read_known(const ModelFile& file);

// Reads training data and adds new features and labels to those known. Columns go to
// `space`; null: into memory, those of this rank's shards if there are several. A meeting.
Corpus read_training(const Source& source, const ClassifyOptions& options, const Known& known,
                     Features& features, SpillSpace* space = nullptr);

// Reads other labelled data with a finished vocabulary; unseen labels get ids after
// `labels`.
Corpus read_labelled(const Source& source, const TextFormat& format, const LabelSet& labels,
                     const Features& features);

}  // namespace hinge::classify
