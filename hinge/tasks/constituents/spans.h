// grammar=none: spans with labels, and words with tags, each scored by itself. A feature
// has a row of weights, one per label or tag; rows exist for features that phrases of the training
// data have often enough.
#pragma once

#include <span>
#include <vector>

#include "hinge/core/weights.h"
#include "hinge/features/key_index.h"
#include "hinge/tasks/constituents/features.h"
#include "hinge/tasks/constituents/span_chart.h"

namespace hinge::constituents {

// The labels of spans are the symbols of the coarse grammar that are neither tags
// nor partial.
struct SpanLabels {
  std::vector<Symbol> symbols;        // [labels]
  std::vector<std::uint16_t> labels;  // [symbols]; kNoLabel for others

  explicit SpanLabels(const Grammar& grammar);
};

// Where the weights are: rows of spans, then rows of words.
struct SpanLayout {
  std::size_t labels = 0, tags = 0;
  KeyIndex spans, words;

  std::size_t span_stride() const { return (labels + 15) / 16 * 16; }
  std::size_t word_stride() const { return (tags + 15) / 16 * 16; }
  std::size_t span_row(std::uint32_t id) const { return id * span_stride(); }
  std::size_t word_row(std::uint32_t id) const { return spans.size() * span_stride() + id * word_stride(); }
  std::size_t dimension() const { return spans.size() * span_stride() + words.size() * word_stride(); }
};

// The labels and the tags of one sentence. One per thread.
struct SpanSentence {
  SpanScores spans;
  std::vector<float> tags;  // [words][tag stride]
  std::size_t tag_stride = 0;

  void resize(std::size_t words, std::size_t labels, std::size_t tag_count);
};

// Adds the rows of every span and word: add_span(key, out) and add_word(key, out) find them.
template <typename AddSpan, typename AddWord>
void score_spans(EdgeScorer& keys, const AddSpan& add_span, const AddWord& add_word, SpanSentence& out) {
  const std::size_t n = out.spans.words;
  for (std::size_t width = 1; width <= n; ++width) {
    for (std::size_t begin = 0; begin + width <= n; ++begin) {
      float* row = out.spans.row(out.spans.span(begin, begin + width));
      for (const Key key : keys.span_keys(begin, begin + width)) add_span(key, row);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (const Key key : keys.word_keys(i)) add_word(key, out.tags.data() + i * out.tag_stride);
  }
}

// The best tag of each word.
void best_tags(const SpanSentence& sentence, std::size_t tags, std::vector<Symbol>& out);

// Given tags take the place of others; kNoSymbol: none is given.
void keep_tags(std::span<const Symbol> given, std::vector<Symbol>& tags);

// The tree of spans in preorder, with tags; see unbinarize().
void tree_of_spans(const Grammar& grammar, const SpanLabels& labels, std::span<const LabelledSpan> spans,
                   std::span<const Symbol> tags, std::string_view wrapper,
                   std::span<const std::string_view> words, BracketTree& tree);

// Spans that given phrases rule out get no tree.
void keep_given(const Grammar& grammar, const SpanLabels& labels, std::span<const GivenBracket> given,
                SpanScores& scores);

}  // namespace hinge::constituents
