// Turns sentences into feature keys. Every cell is hashed once, and every function of
// a cell is computed once per distinct cell; templates then only combine hashes.
// Nothing is allocated per token once the buffers have grown.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/features/hash.h"
#include "hinge/features/history.h"
#include "hinge/features/lexicon.h"
#include "hinge/features/template.h"

namespace re2 {
class RE2;
}

namespace hinge {

// The cells of one sentence that templates may read.
struct Cells {
  std::span<const std::string_view> cells;  // [tokens][stride]
  std::size_t stride;                       // columns of the file
  std::span<const std::size_t> columns;     // template column -> file column

  std::size_t tokens() const { return stride == 0 ? 0 : cells.size() / stride; }
  std::string_view at(std::size_t token, std::size_t column) const {
    return cells[token * stride + columns[column]];
  }
};

// kAbsent where a template does not fire. Values only if a template has %v.
struct FeatureKeys {
  std::vector<Key> nodes;          // [tokens][node templates]
  std::vector<float> node_values;  // the same, or empty
  std::vector<Key> edges;          // [tokens][edge templates]
  std::vector<float> edge_values;
};

// Thrown for a %v cell that is not a number; the caller knows the file and line.
struct NotANumber {
  std::size_t token;
  std::string cell;
};

// Templates and the lexicons they use. Once built: immutable, shared by all threads.
class FeatureModel {
 public:
  explicit FeatureModel(TemplateSet templates);
  ~FeatureModel();
  FeatureModel(FeatureModel&&) noexcept;

  // Reads the files that templates name; `clusters_path` may be empty.
  void read_lexicons(const std::string& clusters_path);
  // Lexicons from the training data: count every sentence, then finish.
  bool needs_counting() const { return !tag_lexicons_.empty(); }
  void count(const Cells& cells);
  void add_counts_of_ranks();  // each of them counted a part; a meeting
  void finish_counting();

  const TemplateSet& templates() const { return templates_; }

  void write(ByteWriter& out) const;
  static FeatureModel load(ByteReader& in);

  // The text of a view of one cell, built in `buffer` if necessary; nullopt if
  // absent. Not for gazetteers, which need the sentence.
  std::optional<std::string_view> text_of(std::size_t view, std::string_view cell, Key cell_key,
                                          std::string& buffer) const;
  const Gazetteer& gazetteer(std::size_t view) const { return gazetteers_[slot_[view]]; }
  // How many earlier sentences features depend on.
  std::size_t lookback() const { return templates_.earlier.empty() ? 0 : History::kSentences; }

 private:
  std::optional<std::string_view> match(std::size_t view, std::string_view cell) const;

  TemplateSet templates_;
  std::vector<std::unique_ptr<re2::RE2>> patterns_;  // [views], null if a view has none
  std::vector<std::size_t> slot_;                    // [views], into gazetteers_ or tag_lexicons_
  BrownClusters clusters_;
  std::vector<Gazetteer> gazetteers_;
  std::vector<std::pair<std::size_t, std::size_t>> tag_columns_;  // [tag_lexicons_]: word, tag
  std::vector<TagLexicon> tag_lexicons_;
};

// Where the key of a feature starts; the hash of the text of each value is then
// combined with it in order. So the texts suffice to compute the key again (see
// FeatureNames).
Key template_key(const Template& t);

class Extractor {
 public:
  // The model must outlive the extractor.
  explicit Extractor(const FeatureModel& model);

  // Templates may read earlier sentences: those that were given to extract() or observe()
  // since begin_text(), of the same document, at most History::kSentences back.
  void extract(const Cells& cells, FeatureKeys& out);
  void observe(const Cells& cells);  // only remembers the sentence
  void begin_text() { history_.begin_document(); }

  // The value of an item at a token of the last sentence extracted.
  std::string value_text(const TemplateItem& item, std::size_t token) const;
  std::string feature_text(const Template& t, std::size_t token) const;  // t must fire there
  Key value_key(const TemplateItem& item, std::size_t token) const {
    return item.earlier ? earlier_values_[item.view * tokens_ + token]
                        : values_[item.view * width_ + position(item, token)];
  }

 private:
  std::size_t position(const TemplateItem& item, std::size_t token) const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(token + reach_) + item.row);
  }
  void hash_cells(const Cells& cells);
  void fill_views(const Cells& cells);
  void fill_gazetteer(std::size_t view, Key* out) const;
  void begin_sentence(const Cells& cells);
  void look_up_earlier();
  void remember();
  int beyond_by(std::ptrdiff_t at) const;
  std::string inside_text(std::size_t view, std::string_view cell, Key value) const;
  const Key* derived(std::size_t column, std::string_view cell, Key key);
  void combine_templates(const std::vector<Template>& templates, const std::vector<Key>& seeds,
                         const Cells& cells, std::vector<Key>& keys, std::vector<float>& values) const;

  // Cache of the functions of one column, by cell.
  struct Memory {
    std::vector<std::size_t> views;  // the derived views of this column
    NumberMap rows;
    std::vector<Key> values;  // [rows][views]
  };

  const FeatureModel& model_;
  std::size_t reach_;
  std::size_t width_ = 0;            // positions of a view: tokens + 2 reach
  std::size_t tokens_ = 0;           // of the last sentence extracted
  Cells sentence_{};                 // the last sentence extracted
  std::vector<Memory> memories_;     // [columns read]
  std::vector<Key> cell_keys_;       // [columns read][tokens]
  std::vector<Key> values_;          // [views][width_]
  History history_;
  std::vector<std::size_t> occurrences_;  // [tokens], in the history
  std::vector<Key> earlier_values_;       // [TemplateSet::earlier][tokens]
  std::vector<History::Value> remembered_;
  std::vector<Key> before_, after_;  // boundary values, nearest first: _B-1, _B-2, ...
  std::vector<Key> node_seeds_, edge_seeds_;
  std::string buffer_;
};

}  // namespace hinge
