#include "hinge/tasks/constituents/names.h"

#include <fmt/core.h>

#include "hinge/core/interrupt.h"
#include "hinge/tasks/constituents/feature_texts.h"
#include "hinge/tasks/constituents/model.h"
#include "hinge/tasks/heaviest.h"

namespace hinge::constituents {

WeightNames read_names(const ModelFile& file) {
  return {RowNames::read(file, kHashedNames), RowNames::read(file, kSpanNames),
          RowNames::read(file, kWordNames)};
}

RowNames name_weights(const Counted& counted, bool exhaustive, const RowNames& known) {
  const Plan& plan = counted.plan;
  RowNames names;
  names.keep(known, [&](Key key) { return plan.slot(key); });
  ForestBuilder builder(plan.grammars);
  ParseForest forest;
  EdgeScorer scorer(plan);
  FeatureTexts texts(plan);
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < counted.data.sentences(); ++i) {
    check_interrupt();
    const PrunedSentence sentence = counted.data.sentence(i, words);
    builder.build(words.size(), sentence.items, exhaustive, plan.fine_rules.roots, {}, forest);
    const SentenceText text{sentence.words, sentence.tags, {}, sentence.aux};
    scorer.start(text);
    texts.start(text);
    for (std::uint32_t v = 0; v < forest.nodes.size(); ++v) {
      const Item& node = forest.nodes[v];
      scorer.each_key(
          forest, v,
          [&](std::size_t k, Key key) {
            names.meet(plan.slot(key), key, [&] { return texts.of_node(node, k).text(); });
          },
          [&](std::uint32_t edge, std::size_t k, Key key) {
            names.meet(plan.slot(key), key, [&] { return texts.of_edge(forest, node, edge, k).text(); });
          });
    }
  }
  return names;
}

WeightNames name_rows(const Counted& counted, std::span<const Key> span_keys, std::span<const Key> word_keys,
                      const WeightNames& known) {
  KeyIndex spans, words;
  for (const Key key : span_keys) spans.add(key);
  for (const Key key : word_keys) words.add(key);
  WeightNames names;
  names.spans.keep(known.spans, [&](Key key) { return spans.find(key); });
  names.words.keep(known.words, [&](Key key) { return words.find(key); });
  EdgeScorer scorer(counted.plan);
  FeatureTexts texts(counted.plan);
  const auto meet = [](const KeyIndex& index, RowNames& rows, std::span<const Key> keys, const auto& text) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::uint32_t row = index.find(keys[k]);
      if (row != KeyIndex::kNone) rows.meet(row, keys[k], [&] { return text(k).text(); });
    }
  };
  Derivation tree;
  std::vector<std::string_view> text;
  for (std::size_t i = 0; i < counted.data.sentences(); ++i) {
    check_interrupt();
    const PrunedSentence sentence = counted.data.sentence(i, text);
    scorer.start({sentence.words, sentence.tags, {}});
    texts.start({sentence.words, sentence.tags, {}});
    counted.plan.grammars.coarse.read_tree(counted.data.gold[i], tree);
    for (const BinaryNode& node : tree)
      meet(spans, names.spans, scorer.span_keys(node.begin, node.end),
           [&](std::size_t k) { return texts.of_span(node.begin, node.end, k); });
    for (std::size_t word = 0; word < text.size(); ++word)
      meet(words, names.words, scorer.word_keys(word),
           [&](std::size_t k) { return texts.of_word(word, k); });
  }
  return names;
}

namespace {

struct Heavy {
  float weight;
  std::size_t id;
};

std::string name_or_number(const RowNames& names, std::string_view what, std::size_t id) {
  std::string name = names.text(static_cast<std::uint32_t>(id));
  return name.empty() ? fmt::format("{} {}", what, id) : name;
}

std::vector<WeightLine> heaviest_of_grammar(const RowNames& names, const Parser& parser, std::size_t n) {
  std::vector<Heavy> all;
  const Weights& w = parser.weights();
  for (std::size_t id = 0; id < w.size(); ++id) {
    if (w[id] != 0.0f) all.push_back({w[id], id});
  }
  keep_heaviest(n, all);
  const std::size_t hashed = parser.plan().hashed();
  const auto name = [&](std::size_t id) -> std::string {
    if (id < hashed) return name_or_number(names, "hashed weight", id);
    if (id == hashed + kTreeProbability) return "log probability";
    if (id == hashed + kTagProbability) return "log P(word | tag)";
    return fmt::format("network weight {}", id - hashed - kRealFeatures);
  };
  std::vector<WeightLine> lines;
  for (const Heavy& heavy : all) lines.push_back({name(heavy.id), "", heavy.weight});
  return lines;
}

std::vector<WeightLine> heaviest_rows(const WeightNames& names, const Parser& parser, std::size_t n) {
  struct HeavyRow {
    float weight;
    bool of_word;
    std::size_t row, column;
  };
  std::vector<HeavyRow> all;
  parser.each_row_weight([&](bool of_word, std::size_t row, std::size_t column, float weight) {
    all.push_back({weight, of_word, row, column});
  });
  keep_heaviest(n, all);
  std::vector<WeightLine> lines;
  for (const HeavyRow& heavy : all)
    lines.push_back({heavy.of_word ? name_or_number(names.words, "word row", heavy.row)
                                   : name_or_number(names.spans, "span row", heavy.row),
                     parser.column_name(heavy.of_word, heavy.column), heavy.weight});
  return lines;
}

}  // namespace

std::vector<WeightLine> heaviest_weights(const ModelFile& file, const Parser& parser, std::size_t n) {
  const WeightNames names = read_names(file);
  return parser.has_grammar() ? heaviest_of_grammar(names.hashed, parser, n)
                              : heaviest_rows(names, parser, n);
}

}  // namespace hinge::constituents
