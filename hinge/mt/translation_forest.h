// All translations that a search found, and the scores of their parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/decode/forest.h"
#include "hinge/mt/features.h"
#include "hinge/mt/ngram_model.h"
#include "hinge/mt/rules.h"

namespace hinge::mt {

// What a search needs of a model. The parts must outlive it.
struct Parts {
  const Words* source;
  const Words* target;
  const Rules* rules;
  const NgramModel* language_model;
  Word frequent = Words::kNone;  // words from this number on have no sparse rule features
};

// Edges that are not rules of the model.
inline constexpr std::uint32_t kCopyEdge = 0xFFFFFFF0;   // a source word is copied
inline constexpr std::uint32_t kFirstEdge = 0xFFFFFFF1;  // the first part of a sentence
inline constexpr std::uint32_t kGlueEdge = 0xFFFFFFF2;   // another part
inline constexpr std::uint32_t kEndEdge = 0xFFFFFFF3;    // the end of the sentence
inline bool is_rule(std::uint32_t rule) { return rule < kCopyEdge; }

// All translations found.
struct TranslationForest {
  struct Edge {
    std::uint32_t rule;    // or one of the above
    std::uint32_t source;  // of a rule: its source side, in `sources`; of a copy: the position
    float language_model;  // what the edge adds
  };
  struct SourceSide {
    std::array<Symbol, kMostSourceSymbols> symbols;
    std::uint32_t size;
    std::uint32_t count;  // in the training text

    std::span<const Symbol> text() const { return {symbols.data(), size}; }
  };

  Forest forest;
  std::vector<Edge> edges;                  // as those of the forest
  std::vector<float> scores;                // of edges, under the weights of the search
  std::vector<Word> first_word, last_word;  // [nodes]
  std::vector<SourceSide> sources;
  std::vector<Word> copies;                 // [source words]: the target word if it is copied
  std::vector<std::string_view> new_words;  // target words from number Words::size() on
  bool keeps_ends = false;                  // hypotheses that differ in their first or last word are apart
};

// Double: a long translation adds a thousand small numbers.
using DenseSums = std::array<double, kDenseFeatures>;

// Dense features of an edge, without the language model's.
void add_dense(const TranslationForest& forest, const TranslationForest::Edge& edge, const Parts& parts,
               DenseSums& sums);

inline constexpr std::array<Symbol, 2> kGapSymbols = {kFirstGap, kSecondGap};

// Calls word(w) and part(k) for the target side of an edge, from left to right.
template <typename OnWord, typename OnPart>
void read_target(const TranslationForest& forest, const TranslationForest::Edge& edge, const Parts& parts,
                 const OnWord& on_word, const OnPart& on_part) {
  if (edge.rule == kCopyEdge) return on_word(forest.copies[edge.source]);
  const std::span<const Symbol> target = is_rule(edge.rule) ? parts.rules->target(edge.rule)
                                         : edge.rule == kGlueEdge
                                             ? std::span<const Symbol>(kGapSymbols)
                                             : std::span<const Symbol>(kGapSymbols).first(1);
  for (const Symbol symbol : target) {
    if (is_gap(symbol)) {
      on_part(symbol == kFirstGap ? 0u : 1u);
    } else {
      on_word(symbol);
    }
  }
}

// Throws ModelError if the score is not finite: what is not a number has no place in an order.
void check_score(double score);

// Scores of edges, without the language model's, and of bigrams.
class EdgeScorer {
 public:
  EdgeScorer(const Parts& parts, const FeatureWeights& weights) : parts_(parts), weights_(weights) {}

  float own(const TranslationForest& forest, const TranslationForest::Edge& edge) const;
  // kNone: the end of a sentence.
  float bigram(const TranslationForest& forest, Word left, Word right) const {
    if (!weights_.has(SparseKind::kBigram)) return 0.0f;
    return weights_.sparse(
        sparse_key(SparseKind::kBigram, hash(forest, left, "<s>"), hash(forest, right, "</s>")));
  }
  float language_model(float log) const { return weights_.dense()[kLanguageModel] * log; }

 private:
  Key hash(const TranslationForest& forest, Word word, std::string_view end) const {
    if (word == Words::kNone) return hash_text(end);
    const std::size_t known = parts_.target->size();
    return hash_text(word < known ? parts_.target->text(word) : forest.new_words[word - known]);
  }

  const Parts& parts_;
  const FeatureWeights& weights_;
};

// Bigrams that an edge adds to those within its parts; `first` and `last` become its ends.
struct Ends {
  Word first = Words::kNone, last = Words::kNone;
};
template <typename EndsOf>
float join_ends(const TranslationForest& forest, const TranslationForest::Edge& edge, const Parts& parts,
                const EdgeScorer& scorer, const EndsOf& ends_of, Ends& ends) {
  float score = 0.0f;
  const bool begins = edge.rule == kFirstEdge;
  const auto join = [&](Word first, Word last) {
    if (ends.last != Words::kNone || (begins && ends.first == Words::kNone))
      score += scorer.bigram(forest, ends.last, first);
    if (ends.first == Words::kNone) ends.first = first;
    ends.last = last;
  };
  read_target(
      forest, edge, parts, [&](Word word) { join(word, word); },
      [&](unsigned part) {
        const Ends inner = ends_of(part);
        if (inner.first != Words::kNone) join(inner.first, inner.last);
      });
  if (edge.rule == kEndEdge) score += scorer.bigram(forest, ends.last, Words::kNone);
  return score;
}

// The scores of all edges under other weights, e.g. to extract other translations from
// the same forest. Weights of bigrams need a forest that keeps ends. Throws ModelError if a score is
// not finite.
std::vector<float> edge_scores(const TranslationForest& forest, const Parts& parts,
                               const FeatureWeights& weights);

}  // namespace hinge::mt
