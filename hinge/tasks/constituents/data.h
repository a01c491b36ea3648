// Sentences as the parser sees them: words, what pruning has left, and the gold trees.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/files/row_column.h"
#include "hinge/files/word_columns.h"
#include "hinge/tasks/constituents/coarse.h"
#include "hinge/tasks/constituents/features.h"
#include "hinge/tasks/constituents/flat_classifier.h"

namespace hinge::constituents {

// Tags by name, kNoSymbol for those the grammar lacks.
void find_tags(const Grammar& grammar, std::span<const std::string_view> names, std::vector<Symbol>& out);

// One sentence after pruning.
struct PrunedSentence {
  std::span<const std::string_view> words;
  std::span<const Item> items;             // coarse, by width, first word and symbol
  std::span<const float> values;           // of the tags among items: log P(word | tag), up to a constant
  std::span<const Symbol> tags;            // [words] the likeliest
  std::span<const std::uint8_t> aux = {};  // [spans], for lexical+aux
};

// Fills `scores` [words][tags] with the values of tags.
void fill_tag_scores(const PrunedSentence& sentence, std::size_t tags, std::vector<float>& scores);

struct ParseData {
  WordColumns words;
  Column<Symbol> tags;  // [words] guessed
  RowColumn<std::uint32_t>
      gold;                 // trees by Grammar::number_of(): of the fine grammar; the coarse for grammar=none
  RowColumn<Item> items;    // see PrunedSentence; none for grammar=none
  RowColumn<float> values;  // likewise
  RowColumn<std::uint8_t> aux;  // for lexical+aux
  BlockUse use;                 // call it before a sentence is read

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    WordColumns::each_column(d.words, [&body](std::string_view name, auto& column, const auto& place) {
      body(name, column, [place](const ParseData& p, std::size_t i) { return place(p.words, i); });
    });
    body("tags", d.tags, [](const ParseData& p, std::size_t i) { return p.words.before(i); });
    each_row_column<&ParseData::gold>("gold", "gold_begin", d, body);
    each_row_column<&ParseData::items>("items", "item_begin", d, body);
    each_row_column<&ParseData::values>("values", "value_begin", d, body);
    each_row_column<&ParseData::aux>("aux", "aux_begin", d, body);
  }

  std::size_t sentences() const { return words.sentences(); }
  // The words are put into `text`, which must stay.
  PrunedSentence sentence(std::size_t i, std::vector<std::string_view>& text) const;
};

// Prunes one sentence; one per thread.
class Pruner {
 public:
  Pruner(const CoarseModel& model, double threshold, bool exhaustive)
      : model_(model), threshold_(static_cast<float>(threshold)), exhaustive_(exhaustive) {}
  // Sentences then also have what the auxiliary classifiers say.
  void add_auxiliary(const Plan& plan, const FlatClassifier& flat) {
    keys_.emplace(plan, FeatureKind::kSpan);
    flat_ = &flat;
  }

  std::span<const Symbol> tags() const { return tags_; }  // of the last sentence
  // [words + 1][words + 1], of the last sentence: the probability of a phrase.
  std::span<const float> phrases() const { return workspace_.phrases; }
  // given: tags, or empty. The threshold is multiplied by `mildness`. Views of this object, until the next
  // call.
  PrunedSentence prune(std::span<const std::string_view> words, std::span<const Symbol> given,
                       float mildness = 1.0f);

 private:
  const CoarseModel& model_;
  float threshold_;
  bool exhaustive_;
  CoarseModel::Workspace workspace_;
  std::vector<Item> items_;
  std::vector<float> values_;
  std::vector<Symbol> tags_;
  std::optional<EdgeScorer> keys_;
  const FlatClassifier* flat_ = nullptr;
  std::vector<std::uint8_t> aux_;
};

}  // namespace hinge::constituents
