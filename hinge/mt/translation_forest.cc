#include "hinge/mt/translation_forest.h"

#include <cmath>

#include "hinge/core/error.h"

namespace hinge::mt {

void add_dense(const TranslationForest& forest, const TranslationForest::Edge& edge, const Parts& parts,
               DenseSums& sums) {
  if (edge.rule == kGlueEdge) sums[kGlue] += 1.0f;
  if (edge.rule == kCopyEdge) {
    sums[kPassThrough] += 1.0f;
    sums[kWordCount] += 1.0f;
    if (!parts.language_model->knows(forest.copies[edge.source])) sums[kUnknownWords] += 1.0f;
  }
  if (!is_rule(edge.rule)) return;
  const RuleValues& values = parts.rules->values(edge.rule);
  sums[kTargetGivenSource] += values.target_given_source;
  sums[kSourceGivenTarget] += values.source_given_target;
  sums[kLexTargetGivenSource] += values.lex_target_given_source;
  sums[kLexSourceGivenTarget] += values.lex_source_given_target;
  sums[kPairCount] += std::log1p(static_cast<float>(values.count));
  if (values.count == 1) sums[kPairOnce] += 1.0f;
  if (forest.sources[edge.source].count == 1) sums[kSourceOnce] += 1.0f;
  sums[kRuleCount] += 1.0f;
  for (const Symbol symbol : parts.rules->target(edge.rule)) {
    if (is_gap(symbol)) continue;
    sums[kWordCount] += 1.0f;
    if (!parts.language_model->knows(symbol)) sums[kUnknownWords] += 1.0f;
  }
}

void check_score(double score) {
  if (!std::isfinite(score))
    fail<ModelError>(
        "a score is not a finite number; use smaller weights, or copy the model if it is damaged");
}

float EdgeScorer::own(const TranslationForest& forest, const TranslationForest::Edge& edge) const {
  DenseSums values{};
  add_dense(forest, edge, parts_, values);
  float score = 0.0f;
  for (std::size_t f = 0; f < kDenseFeatures; ++f)
    score += weights_.dense()[f] * static_cast<float>(values[f]);
  if (!is_rule(edge.rule) || !weights_.has_rule_features()) return score;
  const auto source = forest.sources[edge.source].text(), target = parts_.rules->target(edge.rule);
  static const SparseSet kAll("all");
  each_rule_feature(source, target, parts_.rules->values(edge.rule).links, kAll, parts_.frequent,
                    [&](SparseKind kind, Word first, Word second) {
                      const bool insert = kind == SparseKind::kInsert;
                      const Key a = hash_text((insert ? parts_.target : parts_.source)->text(first));
                      const Key b = kind == SparseKind::kDelete
                                        ? kAbsent
                                        : hash_text((insert ? parts_.source : parts_.target)->text(second));
                      score += weights_.sparse(sparse_key(kind, a, b));
                    });
  if (weights_.has(SparseKind::kShape))
    score += weights_.sparse(sparse_key(SparseKind::kShape, hash_text(shape_of(source).text()),
                                        hash_text(shape_of(target).text())));
  return score;
}

std::vector<float> edge_scores(const TranslationForest& forest, const Parts& parts,
                               const FeatureWeights& weights) {
  const EdgeScorer scorer(parts, weights);
  std::vector<float> scores(forest.edges.size());
  for (std::size_t e = 0; e < scores.size(); ++e) {
    const TranslationForest::Edge& edge = forest.edges[e];
    const Forest::Tails tails = forest.forest.edges[e];
    Ends ends;
    const auto ends_of = [&](unsigned part) {
      const std::uint32_t node = part == 0 ? tails.left : tails.right;
      if (node == kNoNode) return Ends{};
      return Ends{forest.first_word[node], forest.last_word[node]};
    };
    scores[e] = scorer.own(forest, edge) + scorer.language_model(edge.language_model) +
                join_ends(forest, edge, parts, scorer, ends_of, ends);
    check_score(scores[e]);
  }
  return scores;
}

}  // namespace hinge::mt
