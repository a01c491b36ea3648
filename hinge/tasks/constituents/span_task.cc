#include "hinge/tasks/constituents/span_task.h"

#include <algorithm>
#include <cmath>

namespace hinge::constituents {
namespace {

void add_to(const float* from, std::size_t n, float* to) {
  for (std::size_t k = 0; k < n; ++k) to[k] += from[k];
}

}  // namespace

struct SpanTask::SpanScratch final : Scratch {
  explicit SpanScratch(const Plan& plan) : keys(plan) {}

  EdgeScorer keys;
  std::size_t example = static_cast<std::size_t>(-1);
  std::vector<std::string_view> words;
  Derivation gold_tree;
  std::vector<std::uint16_t> gold;  // [spans] labels; kNoLabel: no phrase
  std::vector<LabelledSpan> gold_spans;
  std::vector<Symbol> gold_tags;
  SpanSentence sentence;
  SpanChart chart;
  SpanForest forest;
  ForestSums sums;
  ForestKBest k_best;
  std::vector<ForestKBest::Tree> trees;
  std::vector<LabelledSpan> tree;
  std::vector<Symbol> tags;
  std::vector<float> posteriors;
};

std::unique_ptr<Scratch> SpanTask::make_scratch() const { return std::make_unique<SpanScratch>(plan_); }

void score_sentence(EdgeScorer& keys, const SpanLayout& layout, const float* w, SpanSentence& out) {
  const std::size_t span_stride = layout.span_stride(), word_stride = layout.word_stride();
  score_spans(
      keys,
      [&](Key key, float* row) {
        const std::uint32_t id = layout.spans.find(key);
        if (id != KeyIndex::kNone) add_to(w + layout.span_row(id), span_stride, row);
      },
      [&](Key key, float* row) {
        const std::uint32_t id = layout.words.find(key);
        if (id != KeyIndex::kNone) add_to(w + layout.word_row(id), word_stride, row);
      },
      out);
}

SpanTask::SpanScratch& SpanTask::load(std::size_t i, Scratch& base) const {
  data_.use(i);
  auto& scratch = static_cast<SpanScratch&>(base);
  if (scratch.example == i) return scratch;
  scratch.example = i;
  const PrunedSentence sentence = data_.sentence(i, scratch.words);
  scratch.keys.start({sentence.words, sentence.tags, {}});
  scratch.sentence.resize(sentence.words.size(), layout_.labels, layout_.tags);
  scratch.gold.assign(scratch.sentence.spans.spans(), kNoLabel);
  scratch.gold_spans.clear();
  scratch.gold_tags.assign(sentence.words.size(), 0);
  plan_.grammars.coarse.read_tree(data_.gold[i], scratch.gold_tree);
  for (const BinaryNode& node : scratch.gold_tree) {
    if (node.rule == kNone) scratch.gold_tags[node.begin] = node.symbol;
    const std::uint16_t label = labels_.labels[node.symbol];
    if (label == kNoLabel) continue;
    scratch.gold[scratch.sentence.spans.span(node.begin, node.end)] = label;
    scratch.gold_spans.push_back({label, node.begin, node.end});
  }
  return scratch;
}

// A span costs one if its label is not the one it has in gold, or none; a tag likewise.
void SpanTask::score(const Weights& w, double loss_weight, SpanScratch& scratch) const {
  SpanSentence& sentence = scratch.sentence;
  sentence.resize(sentence.spans.words, layout_.labels, layout_.tags);
  score_sentence(scratch.keys, layout_, w.data(), sentence);
  const auto cost = static_cast<float>(loss_weight);
  if (cost == 0.0f) return;
  for (std::size_t s = 0; s < sentence.spans.spans(); ++s) {
    float* row = sentence.spans.row(s);
    for (std::size_t l = 0; l < layout_.labels; ++l) row[l] += cost;
    if (scratch.gold[s] != kNoLabel) {
      row[scratch.gold[s]] -= cost;
      sentence.spans.plain[s] += cost;
    }
  }
  for (std::size_t i = 0; i < sentence.spans.words; ++i) {
    float* row = sentence.tags.data() + i * sentence.tag_stride;
    for (std::size_t t = 0; t < layout_.tags; ++t) row[t] += cost;
    row[scratch.gold_tags[i]] -= cost;
  }
}

template <typename Use>
void SpanTask::each_span_row(SpanScratch& scratch, std::size_t begin, std::size_t end, const Use& use) const {
  for (const Key key : scratch.keys.span_keys(begin, end)) {
    const std::uint32_t id = layout_.spans.find(key);
    if (id != KeyIndex::kNone) use(layout_.span_row(id));
  }
}

template <typename Use>
void SpanTask::each_word_row(SpanScratch& scratch, std::size_t word, const Use& use) const {
  for (const Key key : scratch.keys.word_keys(word)) {
    const std::uint32_t id = layout_.words.find(key);
    if (id != KeyIndex::kNone) use(layout_.word_row(id));
  }
}

// With the best tags. Scores include costs, so those are taken off the margin again.
void SpanTask::fill(std::span<const LabelledSpan> tree, double loss_weight, SpanScratch& scratch,
                    Cut& cut) const {
  cut.psi.clear();
  cut.loss = 0.0;
  cut.exact = true;
  const SpanSentence& sentence = scratch.sentence;
  double gold = 0.0, rival = 0.0;
  std::vector<char> kept(sentence.spans.spans(), 0);
  for (const LabelledSpan& span : tree) {
    const std::size_t s = sentence.spans.span(span.begin, span.end);
    const bool wrong = span.label != scratch.gold[s];
    cut.loss += wrong;
    rival += span.label == kNoLabel ? sentence.spans.plain[s] : sentence.spans.row(s)[span.label];
    if (!wrong) kept[s] = 1;
    if (span.label == kNoLabel || !wrong) continue;
    each_span_row(scratch, span.begin, span.end,
                  [&](std::size_t row) { cut.psi.add(static_cast<FeatureId>(row + span.label), -1.0f); });
  }
  for (const LabelledSpan& span : scratch.gold_spans) {
    const std::size_t s = sentence.spans.span(span.begin, span.end);
    gold += sentence.spans.row(s)[span.label];
    if (kept[s]) continue;
    each_span_row(scratch, span.begin, span.end,
                  [&](std::size_t row) { cut.psi.add(static_cast<FeatureId>(row + span.label), 1.0f); });
  }
  best_tags(sentence, layout_.tags, scratch.tags);
  for (std::size_t i = 0; i < scratch.tags.size(); ++i) {
    const float* row = sentence.tags.data() + i * sentence.tag_stride;
    const Symbol right = scratch.gold_tags[i], chosen = scratch.tags[i];
    gold += row[right];
    rival += row[chosen];
    if (right == chosen) continue;
    cut.loss += 1.0;
    each_word_row(scratch, i, [&](std::size_t weights) {
      cut.psi.add(static_cast<FeatureId>(weights + right), 1.0f);
      cut.psi.add(static_cast<FeatureId>(weights + chosen), -1.0f);
    });
  }
  cut.margin = cut.psi.empty() && cut.loss == 0.0 ? 0.0 : gold - rival + loss_weight * cut.loss;
}

void SpanTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& base,
                             Cut& cut) const {
  SpanScratch& scratch = load(i, base);
  score(w, loss_weight, scratch);
  scratch.chart.best(scratch.sentence.spans, scratch.tree);
  fill(scratch.tree, loss_weight, scratch, cut);
}

void SpanTask::most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                               Scratch& base, std::vector<Cut>& cuts) const {
  SpanScratch& scratch = load(i, base);
  score(w, loss_weight, scratch);
  scratch.forest.build(scratch.sentence.spans);
  scratch.k_best.best(scratch.forest.forest, scratch.forest.scores, k, scratch.trees);
  cuts.resize(scratch.trees.size());
  for (std::size_t t = 0; t < cuts.size(); ++t) {
    scratch.forest.read(scratch.trees[t].edges, scratch.tree);
    fill(scratch.tree, loss_weight, scratch, cuts[t]);
  }
}

void SpanTask::expect(std::size_t i, const Weights& w, double loss_weight, Scratch& base,
                      Expectation& expectation) const {
  SpanScratch& scratch = load(i, base);
  score(w, loss_weight, scratch);
  const SpanSentence& sentence = scratch.sentence;
  scratch.forest.build(sentence.spans);
  double total = scratch.sums.run(scratch.forest.forest, scratch.forest.scores, scratch.posteriors);
  expectation.expected_loss = 0.0;
  expectation.gradient.clear();
  std::vector<float> shares(sentence.spans.spans() * layout_.span_stride(), 0.0f);
  for (std::size_t e = 0; e < scratch.posteriors.size(); ++e) {
    const LabelledSpan& span = scratch.forest.meaning[e];
    if (span.begin == span.end) continue;
    const std::size_t s = sentence.spans.span(span.begin, span.end);
    if (span.label != scratch.gold[s]) expectation.expected_loss += scratch.posteriors[e];
    if (span.label != kNoLabel) shares[s * layout_.span_stride() + span.label] = scratch.posteriors[e];
  }
  double gold = 0.0;
  for (std::size_t width = 1; width <= sentence.spans.words; ++width) {
    for (std::size_t begin = 0; begin + width <= sentence.spans.words; ++begin) {
      const std::size_t s = sentence.spans.span(begin, begin + width);
      float* share = shares.data() + s * layout_.span_stride();
      if (scratch.gold[s] != kNoLabel) {
        share[scratch.gold[s]] -= 1.0f;
        gold += sentence.spans.row(s)[scratch.gold[s]];
      }
      if (std::all_of(share, share + layout_.labels, [](float p) { return std::abs(p) < 1e-6f; })) continue;
      std::ranges::copy_n(share, static_cast<std::ptrdiff_t>(layout_.span_stride()),
                          expectation.gradient.values(layout_.span_stride()).begin());
      each_span_row(scratch, begin, begin + width,
                    [&](std::size_t row) { expectation.gradient.add_row(static_cast<FeatureId>(row)); });
    }
  }
  for (std::size_t word = 0; word < sentence.spans.words; ++word) {
    const float* row = sentence.tags.data() + word * sentence.tag_stride;
    const float high = *std::max_element(row, row + layout_.tags);
    double sum = 0.0;
    for (std::size_t t = 0; t < layout_.tags; ++t) sum += std::exp(row[t] - high);
    total += high + std::log(sum);
    gold += row[scratch.gold_tags[word]];
    const auto values = expectation.gradient.values(layout_.word_stride());
    for (std::size_t t = 0; t < layout_.tags; ++t)
      values[t] = static_cast<float>(std::exp(row[t] - high) / sum);
    expectation.expected_loss += 1.0 - values[scratch.gold_tags[word]];
    values[scratch.gold_tags[word]] -= 1.0f;
    each_word_row(scratch, word, [&](std::size_t weights) {
      expectation.gradient.add_row(static_cast<FeatureId>(weights));
    });
  }
  expectation.log_loss = total - gold;
}

void SpanTask::support(std::size_t i, Scratch& base, std::vector<Block>& blocks) const {
  SpanScratch& scratch = load(i, base);
  const std::size_t n = scratch.sentence.spans.words;
  for (std::size_t width = 1; width <= n; ++width) {
    for (std::size_t begin = 0; begin + width <= n; ++begin)
      each_span_row(scratch, begin, begin + width, [&](std::size_t row) {
        blocks.push_back({static_cast<FeatureId>(row), static_cast<FeatureId>(layout_.span_stride())});
      });
  }
  for (std::size_t word = 0; word < n; ++word)
    each_word_row(scratch, word, [&](std::size_t row) {
      blocks.push_back({static_cast<FeatureId>(row), static_cast<FeatureId>(layout_.word_stride())});
    });
}

void SpanTask::gold_support(std::size_t i, Scratch& base, std::vector<Block>& blocks) const {
  SpanScratch& scratch = load(i, base);
  for (const LabelledSpan& span : scratch.gold_spans)
    each_span_row(scratch, span.begin, span.end, [&](std::size_t row) {
      blocks.push_back({static_cast<FeatureId>(row + span.label), 1});
    });
  for (std::size_t word = 0; word < scratch.gold_tags.size(); ++word)
    each_word_row(scratch, word, [&](std::size_t row) {
      blocks.push_back({static_cast<FeatureId>(row + scratch.gold_tags[word]), 1});
    });
}

}  // namespace hinge::constituents
