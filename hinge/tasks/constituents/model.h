// A loaded constituency parser.
#pragma once

#include <string>
#include <vector>

#include "hinge/core/weights.h"
#include "hinge/model/model_file.h"
#include "hinge/model/row_table.h"
#include "hinge/tasks/constituents/decoder.h"
#include "hinge/tasks/constituents/spans.h"
#include "hinge/tasks/constituents/stored_counts.h"

namespace hinge::constituents {

// Immutable, shared by threads.
class Parser {
 public:
  // The file must outlive it.
  explicit Parser(const ModelFile& file);

  // Keeps its memory between calls; one per thread.
  class Workspace {
   public:
    explicit Workspace(const Parser& parser);

   private:
    friend class Parser;
    Pruner pruner_;
    TreeDecoder decoder_;
    std::vector<std::uint32_t> edges_;
    std::vector<ForestKBest::Tree> trees_;
    std::vector<float> posteriors_;
    std::vector<float> without_;
    std::vector<Symbol> given_tags_;
    std::vector<GivenBracket> given_;
    Derivation derivation_;
    BracketTree tree_;
    std::vector<std::string_view> words_;
    // For grammar=none.
    EdgeScorer keys_;
    TagGuesser::Workspace guess_;
    std::vector<Symbol> guesses_, tags_;
    SpanSentence sentence_;
    SpanChart chart_;
    SpanForest span_forest_;
    std::vector<LabelledSpan> spans_;
  };

  // A sentence to parse. Tags are used only by models trained with tags=gold or a tagger.
  struct Input {
    std::span<const std::string_view> words;
    std::span<const std::string_view> tags;  // [words] or none
    std::span<const GivenBracket> given;     // phrases that must be in the tree
  };

  // Prunes and scores a sentence. False if no tree of the grammar is left. Given phrases are in preorder.
  bool load(const Input& input, Workspace& workspace) const;
  // The best tree after load(). If that was false: the given phrases, or one phrase over
  // all words, and the likeliest tags. Valid until the next call.
  const BracketTree& best(Workspace& workspace) const;
  // The k best ones after load(): their number; then each.
  std::size_t find_k_best(std::size_t k, Workspace& workspace) const;
  const BracketTree& of_rank(std::size_t rank, double& score, Workspace& workspace) const;
  // After find_k_best(): the log of the sum of exp(score) over all trees, so that a tree has the
  // probability exp(score - log_sum).
  double log_sum(Workspace& workspace) const;
  // For each phrase of the last tree, in its order (tags and wrapper have 0): its
  // probability, or its margin over the best tree without it.
  void confidence(bool probabilities, Workspace& workspace, std::vector<double>& out) const;

  // grammar=none: the weights of labels and tags with the same names, for training that continues.
  void copy_rows(const SpanLabels& labels, const Grammar& grammar, const SpanLayout& layout,
                 Weights& w) const;

  // grammar=none: body(of_word, row, column, weight) for every weight that is not zero, of a word and a tag or
  // of a span and a label, and what the column is.
  template <typename Body>
  void each_row_weight(const Body& body) const {
    for (const bool of_word : {false, true})
      (of_word ? spans_->words : spans_->spans)
          .each([&](std::size_t row, std::size_t column, float w) { body(of_word, row, column, w); });
  }
  std::string column_name(bool of_word, std::size_t column) const;

  bool has_grammar() const { return spans_ == nullptr; }
  // For explanations, after find_k_best(): the edges of two trees, and the decoder that has them.
  std::pair<std::span<const std::uint32_t>, std::span<const std::uint32_t>> edges_of(
      std::size_t rank, std::size_t other, const Workspace& workspace) const {
    return {workspace.trees_[rank].edges, workspace.trees_[other].edges};
  }
  TreeDecoder& decoder(Workspace& workspace) const { return workspace.decoder_; }

  bool likelihood() const { return likelihood_; }
  bool given_tags() const { return given_tags_; }  // not found by itself
  // The column that its tagger fills in; "" if it was trained without one.
  const std::string& tag_column() const { return tag_column_; }
  std::size_t tag_index() const {
    return tag_column_.empty() ? kXpos : static_cast<std::size_t>(conllu_column(tag_column_));
  }
  const BracketCleaning& cleaning() const { return cleaning_; }
  const Plan& plan() const { return plan_; }
  const Weights& weights() const { return weights_; }
  std::size_t used_weights() const { return used_; }

 private:
  // grammar=none.
  struct SpanModel {
    SpanModel(const ModelFile& file, const Grammar& grammar, const Known& counts);

    SpanLabels labels;
    RowTable spans, words;
    TagGuesser guesser;
  };
  bool load_spans(const Input& input, Workspace& workspace) const;
  static double tag_score(const Workspace& workspace);  // of the tags given to spans
  const BracketTree& read_spans(Workspace& workspace) const;
  void confidence_of_spans(bool probabilities, Workspace& workspace, std::vector<double>& out) const;
  const BracketTree& flat(Workspace& workspace) const;
  const BracketTree& read(std::span<const std::uint32_t> edges, Workspace& workspace) const;

  Plan plan_;
  std::unique_ptr<CoarseModel> coarse_;
  std::unique_ptr<SpanModel> spans_;  // null: there is a grammar
  FlatClassifier flat_;               // for lexical+aux
  Weights weights_;
  std::size_t used_ = 0;
  std::string wrapper_;
  std::string root_;  // the likeliest label of whole trees
  bool likelihood_ = false;
  bool given_tags_ = false;
  std::string tag_column_;
  bool exact_ = false;
  double prune_ = 0.0;
  BracketCleaning cleaning_;
};

// What models and training sets store; see Parser.
void write_counts(const Counted& counted, const ConstOptions& options, ModelWriter& out, Json& meta);
void write_weights(const Weights& w, ModelWriter& out);
// The keys of rows, in any order; read_known() finds them.
void write_keys(const std::string& name, std::vector<Key> keys, ModelWriter& out);

// What training that continues from a model keeps of it.
Known read_known(const ModelFile& file);

}  // namespace hinge::constituents
