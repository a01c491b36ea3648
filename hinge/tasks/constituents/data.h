// Sentences as the parser sees them: words, what pruning has left, and the gold trees.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/brackets.h"
#include "hinge/corpus/columns.h"
#include "hinge/tasks/constituents/coarse.h"
#include "hinge/tasks/constituents/features.h"
#include "hinge/tasks/constituents/flat_classifier.h"
#include "hinge/tasks/constituents/options.h"
#include "hinge/tasks/constituents/tag_guess.h"
#include "hinge/tasks/source.h"

namespace hinge::constituents {

// Trees in memory, with their text.
struct Treebank {
  std::deque<std::string> texts;  // words and labels
  std::vector<BracketTree> trees;
  std::vector<std::vector<std::string_view>> tags;  // [trees] from a tagger; none: those of the trees
  std::string wrapper = "-";                        // the label around whole trees, removed here; "-": none
  std::size_t skipped = 0;                          // longer than `longest`

  void add(const BracketTree& tree, std::span<const std::string_view> found_tags);
  // The tags that a parser is given for a tree.
  void given_tags(std::size_t i, std::vector<std::string_view>& out) const;
  // The trees get the tags from the tagger.
  void take_tags();
};

// Removes the wrapper of a tree and returns its label; "-" if there is none.
std::string remove_wrapper(BracketTree& tree);

// Reads trees, or what tree_columns() made of them, with the tags in that column. Throws InputError if
// there is no tree. longest: leave out trees with more words; 0: none.
Treebank read_treebank(const Source& source, const BracketCleaning& cleaning, std::int64_t longest,
                       std::size_t tag_column = kXpos);

// Trees to learn from, with the tags that prediction will have; and trees to score on.
Treebank read_training(const Source& source, const ConstOptions& options);
Treebank read_dev(const Source& source, const ConstOptions& options);

// The tags of a tree; and tags by name, kNoSymbol for those the grammar lacks.
void tags_of(const BracketTree& tree, std::vector<std::string_view>& tags);
void find_tags(const Grammar& grammar, std::span<const std::string_view> names, std::vector<Symbol>& out);

// One sentence after pruning.
struct PrunedSentence {
  std::span<const std::string_view> words;
  std::span<const Item> items;             // coarse, by width, first word and symbol
  std::span<const float> values;           // [items] of a tag: log P(word | tag), up to a constant
  std::span<const Symbol> tags;            // [words] the likeliest
  std::span<const std::uint8_t> aux = {};  // [spans], for lexical+aux
};

// Fills `scores` [words][tags] with the values of tags.
void fill_tag_scores(const PrunedSentence& sentence, std::size_t tags, std::vector<float>& scores);

struct ParseData {
  std::vector<std::uint8_t> aux;          // of all spans of all sentences, for lexical+aux
  std::vector<std::size_t> aux_begin{0};  // [sentences + 1]
  std::vector<std::string_view> words;
  std::vector<std::size_t> begin{0};  // [sentences + 1]
  std::vector<Item> items;
  std::vector<float> values;
  std::vector<std::size_t> item_begin{0};
  std::vector<Symbol> tags;
  std::vector<BinaryNode> gold;  // fine symbols
  std::vector<std::size_t> gold_begin{0};

  std::size_t sentences() const { return begin.size() - 1; }
  // Words and tags alone.
  PrunedSentence text(std::size_t i) const {
    const std::size_t n = begin[i + 1] - begin[i];
    return {std::span(words).subspan(begin[i], n), {}, {}, std::span(tags).subspan(begin[i], n)};
  }
  PrunedSentence sentence(std::size_t i) const {
    const auto slice = [](const auto& values, const std::vector<std::size_t>& from, std::size_t k) {
      return std::span(values).subspan(from[k], from[k + 1] - from[k]);
    };
    return {slice(words, begin, i), slice(items, item_begin, i), slice(values, item_begin, i),
            slice(tags, begin, i), aux.empty() ? std::span<const std::uint8_t>() : slice(aux, aux_begin, i)};
  }
  std::span<const BinaryNode> gold_of(std::size_t i) const {
    return std::span(gold).subspan(gold_begin[i], gold_begin[i + 1] - gold_begin[i]);
  }
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

// Counts of a treebank, from which its generative model is estimated.
struct TreeCounts {
  std::vector<double> rules, roots;

  void add(const Grammar& grammar, std::span<const BinaryNode> tree, double amount);
  // Adds counts of another grammar, all of whose rules this one has.
  void add(const Grammar& grammar, const TreeCounts& theirs, const Grammar& other);
};

// What a model knows that training continues from; see Counted.
struct Known {
  bool any = false;
  GrammarPair grammars;
  TreeCounts coarse_counts, fine_counts;
  TagModel tags;
  TagPairs pairs;
  FlatClassifier flat;
  BrownClusters clusters;
  Embeddings embeddings;
  std::string wrapper;
  std::vector<Key> span_keys, word_keys;  // of grammar=none
};

// Everything learned by counting.
struct Counted {
  Plan plan;
  TreeCounts coarse_counts, fine_counts;
  TagModel tags;
  TagPairs pairs;
  FlatClassifier flat;  // for lexical+aux
  std::string wrapper;
  ParseData data;
  std::size_t lost = 0;   // gold items that pruning would have lost
  std::size_t items = 0;  // gold items
};

Counted count_treebank(const Treebank& bank, const ConstOptions& options, const Known& known,
                       Workers& workers);

}  // namespace hinge::constituents
