// From the fields of a sentence to a labelled tree, under any weights: shared by
// development scores and prediction. For the parser of a model file see model.h.
#pragma once

#include <memory>

#include "hinge/decode/viterbi.h"
#include "hinge/tasks/dep/features.h"
#include "hinge/tasks/dep/search.h"

namespace hinge::dep {

// The two weight regions, in a Weights or a model file.
struct ParserWeights {
  const float* parts;
  const float* labels;
};

// A first-order parser that leaves a few heads per word to a second-order one.
struct Pruner {
  const ParserPlan& plan;
  ParserWeights weights;
};
inline constexpr std::size_t kPrunedHeads = 8;

// One per thread.
class TreeDecoder {
 public:
  // `pruner` is null for first order. Plans and weights must outlive this.
  explicit TreeDecoder(const ParserPlan& plan, const Pruner* pruner = nullptr);

  // The best tree and its best labels. Like all functions that score, throws
  // ModelError if weights are not finite.
  void parse(const SentenceFields& sentence, const ParserWeights& w);

  // The same in steps: arc scores, which the caller may change, also to
  // kForbidden; the best tree under them (none if the score is at most
  // kForbidden / 2); its labels.
  void score(const SentenceFields& sentence, const ParserWeights& w);
  float& arc(std::size_t head, std::size_t modifier) { return arcs_[head * scorer_.stride() + modifier]; }
  double search(const SentenceFields& sentence, const ParserWeights& w);
  void label(const SentenceFields& sentence, std::span<const HeadId> heads, const ParserWeights& w);
  // Searches again after arc scores were lowered.
  double search_again(const ParserWeights& w, std::span<HeadId> heads);

  // The arcs left for a second-order parser, including those of `keep`, excluding
  // those that are kForbidden in `forbidden` (may be null).
  void prune(const SentenceFields& sentence, const ParserWeights& w, std::span<const HeadId> keep,
             const float* forbidden, std::vector<SecondOrderScores::Arc>& arcs);

  std::span<const HeadId> heads() const { return heads_; }   // [words + 1]
  std::span<const LabelId> labels() const { return best_; }  // [words + 1]; empty if unlabelled
  TreeSearch& trees() { return trees_; }
  ArcScores scores() const { return scorer_.scores(plan_.options.single_root); }

 private:
  const ParserPlan& plan_;
  ArcScorer scorer_;
  LabelFeatures features_;
  TreeSearch trees_;
  float* arcs_ = nullptr;                // the scorer's
  std::unique_ptr<TreeDecoder> pruner_;  // for second order, like the next four
  ParserWeights pruner_weights_{};
  SecondScorer second_;
  SecondOrderDecoder second_order_;
  std::vector<SecondOrderScores::Arc> left_;
  std::vector<HeadId> heads_;
  std::vector<LabelId> best_;
  std::vector<std::uint32_t> rows_;
  std::vector<float> sums_;
};

}  // namespace hinge::dep
