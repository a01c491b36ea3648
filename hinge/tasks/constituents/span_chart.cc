#include "hinge/tasks/constituents/span_chart.h"

#include <algorithm>
#include <limits>

namespace hinge::constituents {

void SpanScores::resize(std::size_t n, std::size_t label_count) {
  words = n;
  labels = label_count;
  stride = (label_count + 15) / 16 * 16;
  rows.assign(spans() * stride + 256, 0.0f);  // a RowTable may write to the first 256
  plain.assign(spans(), 0.0f);
}

double SpanChart::best(const SpanScores& scores, std::vector<LabelledSpan>& tree) {
  tree.clear();
  words_ = scores.words;
  const std::size_t n = words_, side = n + 1;
  phrase_.resize(side * side);
  rest_by_end_.resize(side * side);
  rest_labelled_.resize(side * side);
  label_.resize(side * side);
  split_.resize(side * side);
  for (std::size_t width = 1; width <= n; ++width) {
    for (std::size_t begin = 0; begin + width <= n; ++begin) {
      const std::size_t end = begin + width, at = begin * side + end, s = scores.span(begin, end);
      float split_score = 0.0f;
      if (width > 1) {
        split_score = -std::numeric_limits<float>::infinity();
        const float* left = phrase_.data() + begin * side;
        const float* right = rest_by_end_.data() + end * side;
        std::size_t best = begin + 1;
        for (std::size_t m = begin + 1; m < end; ++m) {
          const float sum = left[m] + right[m];
          if (sum > split_score) {
            split_score = sum;
            best = m;
          }
        }
        split_[at] = static_cast<std::uint16_t>(best);
      }
      const float* row = scores.row(s);
      const float* top = std::max_element(row, row + scores.labels);
      label_[at] = static_cast<std::uint16_t>(top - row);
      const float labelled = split_score + *top, plain = split_score + scores.plain[s];
      rest_labelled_[at] = labelled > plain;
      const float rest = std::max(labelled, plain);
      phrase_[at] = width == 1 ? rest : labelled;
      rest_by_end_[end * side + begin] = rest;
    }
  }
  read(n > 1 || rest_labelled_[n], tree);
  return phrase_[n];
}

void SpanChart::read(bool labelled, std::vector<LabelledSpan>& tree) const {
  struct Open {
    std::size_t begin, end;
    bool labelled;
  };
  const std::size_t side = words_ + 1;
  std::vector<Open> open{{0, words_, labelled}};
  while (!open.empty()) {
    const Open top = open.back();
    open.pop_back();
    const std::size_t at = top.begin * side + top.end;
    tree.push_back({top.labelled ? label_[at] : kNoLabel, static_cast<std::uint16_t>(top.begin),
                    static_cast<std::uint16_t>(top.end)});
    if (top.end == top.begin + 1) continue;
    const std::size_t m = split_[at];
    open.push_back({m, top.end, rest_labelled_[m * side + top.end] != 0});
    open.push_back({top.begin, m, m > top.begin + 1 || rest_labelled_[top.begin * side + m] != 0});
  }
}

void SpanForest::build(const SpanScores& from) {
  const std::size_t n = from.words, side = n + 1;
  forest.begin.assign(1, 0);
  forest.edges.clear();
  scores.clear();
  meaning.clear();
  std::vector<std::uint32_t> phrase(side * side), rest(side * side);  // nodes
  const auto add = [&](std::uint32_t left, std::uint32_t right, float score, LabelledSpan decides) {
    forest.edges.push_back({left, right});
    scores.push_back(score);
    meaning.push_back(decides);
  };
  const auto finish = [&] {
    forest.begin.push_back(static_cast<std::uint32_t>(forest.edges.size()));
    return static_cast<std::uint32_t>(forest.nodes() - 1);
  };
  for (std::size_t width = 1; width <= n; ++width) {
    for (std::size_t begin = 0; begin + width <= n; ++begin) {
      const std::size_t end = begin + width, at = begin * side + end, s = from.span(begin, end);
      const auto b = static_cast<std::uint16_t>(begin), e = static_cast<std::uint16_t>(end);
      std::uint32_t inner = kNoNode;
      if (width > 1) {
        for (std::size_t m = begin + 1; m < end; ++m)
          add(phrase[begin * side + m], rest[m * side + end], 0.0f, {kNoLabel, 0, 0});
        inner = finish();
      }
      for (std::size_t l = 0; l < from.labels; ++l)
        add(inner, kNoNode, from.row(s)[l], {static_cast<std::uint16_t>(l), b, e});
      if (width == 1) add(inner, kNoNode, from.plain[s], {kNoLabel, b, e});
      phrase[at] = finish();
      if (width == 1) {
        rest[at] = phrase[at];
      } else if (width < n) {
        add(phrase[at], kNoNode, 0.0f, {kNoLabel, 0, 0});
        add(inner, kNoNode, from.plain[s], {kNoLabel, b, e});
        rest[at] = finish();
      }
    }
  }
}

void SpanForest::read(std::span<const std::uint32_t> edges, std::vector<LabelledSpan>& tree,
                      std::vector<std::uint32_t>* deciding) const {
  tree.clear();
  if (deciding != nullptr) deciding->clear();
  for (const std::uint32_t e : edges) {
    if (meaning[e].begin == meaning[e].end) continue;
    tree.push_back(meaning[e]);
    if (deciding != nullptr) deciding->push_back(e);
  }
}

}  // namespace hinge::constituents
