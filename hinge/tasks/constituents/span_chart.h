// The best tree of labelled spans, without a grammar (Stern, Andreas and Klein, ACL
// 2017): every span has a score for each label, and a tree is the sum of its spans.
//
// A phrase with more than two children is split into its first child and the rest,
// which has no label, so every tree is derived in exactly one way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/decode/forest.h"
#include "hinge/tasks/constituents/features.h"

namespace hinge::constituents {

// The labels of a sentence's spans; scores are read in rows of `stride`.
struct SpanScores {
  std::size_t words = 0, labels = 0, stride = 0;
  std::vector<float> rows;   // [spans][stride]
  std::vector<float> plain;  // [spans] of being no phrase

  void resize(std::size_t n, std::size_t label_count);
  std::size_t spans() const { return words * (words + 1) / 2; }
  // Spans by width, then by first word.
  std::size_t span(std::size_t begin, std::size_t end) const { return span_index(words, begin, end); }
  float* row(std::size_t s) { return rows.data() + s * stride; }
  const float* row(std::size_t s) const { return rows.data() + s * stride; }
};

inline constexpr std::uint16_t kNoLabel = 0xFFFF;

struct LabelledSpan {
  std::uint16_t label;  // kNoLabel: part of the phrase around it, or a bare word
  std::uint16_t begin, end;

  bool operator==(const LabelledSpan&) const = default;
};

// Keeps its memory between calls; one per thread.
class SpanChart {
 public:
  // The spans of the best tree in preorder, with those without a label; left children come first. Returns the
  // score.
  double best(const SpanScores& scores, std::vector<LabelledSpan>& tree);

 private:
  void read(bool labelled, std::vector<LabelledSpan>& tree) const;

  std::size_t words_ = 0;
  std::vector<float> phrase_;         // [first][end] the best tree with a label, or a word
  std::vector<float> rest_by_end_;    // [end][first] with or without
  std::vector<char> rest_labelled_;   // [first][end]
  std::vector<std::uint16_t> label_;  // [first][end] the best label
  std::vector<std::uint16_t> split_;  // [first][end]
};

// The same trees as a forest, for k-best lists and sums.
struct SpanForest {
  Forest forest;
  std::vector<float> scores;          // [edges]
  std::vector<LabelledSpan> meaning;  // [edges]; of edges that decide on a span, else begin = end

  void build(const SpanScores& from);
  // The tree of some edges, parents first.
  void read(std::span<const std::uint32_t> edges, std::vector<LabelledSpan>& tree,
            std::vector<std::uint32_t>* deciding = nullptr) const;
};

}  // namespace hinge::constituents
