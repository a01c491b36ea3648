// A loaded constituency parser.
#pragma once

#include <string>
#include <vector>

#include "hinge/core/weights.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/constituents/decoder.h"

namespace hinge::constituents {

// Immutable, shared by threads.
class Parser {
 public:
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
    Derivation derivation_;
    BracketTree tree_;
    std::vector<std::string_view> words_;
  };

  // A sentence to parse. Tags are used only by models trained with tags=gold.
  struct Input {
    std::span<const std::string_view> words;
    std::span<const std::string_view> tags;  // [words] or none
    std::span<const GivenBracket> given;     // phrases that must be in the tree
  };

  // Prunes and scores a sentence. False if the grammar has no tree for it.
  bool load(const Input& input, Workspace& workspace) const;
  // The best tree after load(), or the flat one if load() was false. Valid until the
  // next call.
  const BracketTree& best(Workspace& workspace) const;
  // The k best ones after load(): their number; then each.
  std::size_t find_k_best(std::size_t k, Workspace& workspace) const;
  const BracketTree& of_rank(std::size_t rank, double& score, Workspace& workspace) const;
  // For each phrase of the last tree, in its order (tags and wrapper have 0): its
  // probability, or its margin over the best tree without it.
  void confidence(bool probabilities, Workspace& workspace, std::vector<double>& out) const;

  bool likelihood() const { return likelihood_; }
  bool gold_tags() const { return gold_tags_; }
  const BracketCleaning& cleaning() const { return cleaning_; }
  const Plan& plan() const { return plan_; }
  const Weights& weights() const { return weights_; }
  std::size_t used_weights() const { return used_; }

 private:
  const BracketTree& flat(Workspace& workspace) const;
  const BracketTree& read(std::span<const std::uint32_t> edges, Workspace& workspace) const;

  Plan plan_;
  std::unique_ptr<CoarseModel> coarse_;
  Weights weights_;
  std::size_t used_ = 0;
  std::string wrapper_;
  std::string root_;  // the likeliest label of whole trees
  bool likelihood_ = false;
  bool gold_tags_ = false;
  bool exact_ = false;
  double prune_ = 0.0;
  BracketCleaning cleaning_;
};

// What models and training sets store; see Parser.
void write_parser(const Counted& counted, const Weights& w, const ConstOptions& options, ModelWriter& out,
                  Json& meta);
// The weights of a model by id.
void read_weights(const ModelFile& file, Weights& w);

}  // namespace hinge::constituents
