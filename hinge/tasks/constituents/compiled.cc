#include "hinge/tasks/constituents/compiled.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/features/vocabulary.h"
#include "hinge/tasks/constituents/spans.h"
#include "hinge/tasks/constituents/stored_counts.h"

namespace hinge::constituents {
namespace {

// What is small, as it is stored.
struct Record {
  std::string wrapper;
  std::vector<CountPiece> pieces;
  std::vector<Key> span_keys, word_keys;
  std::uint64_t lost = 0, items = 0, fingerprint = 0;
  std::optional<WeightNames> names;

  void visit(State& state) {
    state(wrapper, pieces, span_keys, word_keys, lost, items, fingerprint);
    if (names) state(*names);
  }
};

// Features that phrases and words of the training data have often enough, and known ones.
void find_rows(const ConstOptions& options, const Known& known, TreeParts& parts) {
  const Counted& counted = parts.counted;
  const SpanLabels labels(counted.plan.grammars.coarse);
  Vocabulary spans, words;
  for (const Key key : known.span_keys) spans.keep(key);
  for (const Key key : known.word_keys) words.keep(key);
  EdgeScorer keys(counted.plan);
  Derivation tree;
  std::vector<std::string_view> text;
  for (std::size_t i = 0; i < counted.data.sentences(); ++i) {
    check_interrupt();
    const PrunedSentence sentence = counted.data.sentence(i, text);
    keys.start({sentence.words, sentence.tags, {}});
    counted.plan.grammars.coarse.read_tree(counted.data.gold[i], tree);
    for (const BinaryNode& node : tree) {
      if (labels.labels[node.symbol] == kNoLabel) continue;
      for (const Key key : keys.span_keys(node.begin, node.end)) spans.intern(key);
    }
    for (std::size_t word = 0; word < text.size(); ++word) {
      for (const Key key : keys.word_keys(word)) words.intern(key);
    }
  }
  spans.prune(options.min_count);
  words.prune(options.min_count);
  parts.span_keys = spans.keys();
  parts.word_keys = words.keys();
}

// What is small of a cache.
Counted read_record(const BlockCache& cache, const ConstOptions& options, Record& record) {
  cache.read_state(record);
  const auto find = [&](std::string_view name) {
    const auto piece = std::ranges::find(record.pieces, name, &CountPiece::first);
    if (piece == record.pieces.end()) cache.refuse("has lost what was counted");
    return std::string_view(piece->second);
  };
  Counted counted;
  Known stored;
  try {
    stored = read_counts({find, cache.path()}, options.features == "lexical+aux");
  } catch (const ModelError&) {
    cache.refuse("has counts that do not fit each other");
  }
  counted.plan.grammars = std::move(stored.grammars);
  counted.plan.clusters = std::move(stored.clusters);
  counted.plan.embeddings = std::move(stored.embeddings);
  counted.coarse_counts = std::move(stored.coarse_counts);
  counted.fine_counts = std::move(stored.fine_counts);
  counted.tags = std::move(stored.tags);
  counted.pairs = std::move(stored.pairs);
  counted.flat = std::move(stored.flat);
  counted.wrapper = record.wrapper;
  counted.lost = record.lost;
  counted.items = record.items;
  finish_plan(options, counted);
  return counted;
}

bool fits(const Counted& counted, const ConstOptions& options, std::size_t sentences) {
  const ParseData& data = counted.data;
  const std::size_t rows = options.grammar == "rules" ? sentences : 0;
  return data.words.fits(sentences) && data.tags.size() == data.words.count() && data.gold.fits(sentences) &&
         data.items.fits(rows) && data.values.fits(rows) && data.aux.fits(counted.plan.aux ? rows : 0);
}

// Items of one sentence: in order, inside the sentence; tags have usable values.
bool are_items(const PrunedSentence& sentence, const Grammar& grammar) {
  const std::size_t words = sentence.words.size();
  const auto fits = [&](const Item& item) {
    return item.symbol < grammar.symbols() && item.begin < item.end && item.end <= words;
  };
  const auto tags =
      std::ranges::count_if(sentence.items, [&](const Item& item) { return grammar.is_tag(item.symbol); });
  return std::ranges::all_of(sentence.items, fits) && std::ranges::is_sorted(sentence.items, Item::before) &&
         sentence.values.size() == static_cast<std::size_t>(tags) &&
         std::ranges::all_of(sentence.values, [](float value) { return std::isfinite(value); });
}

// Whether the forest of the sentence has the gold tree.
bool has_gold(const Counted& counted, std::span<const BinaryNode> tree, const PrunedSentence& sentence,
              bool only_tags) {
  const Plan& plan = counted.plan;
  if (!std::isfinite(plan.fine_rules.roots[tree[0].symbol])) return false;
  return std::ranges::all_of(tree, [&](const BinaryNode& node) {
    if (node.rule != kNone && !std::isfinite(plan.fine_rules.rules[node.rule])) return false;
    const Item item{plan.grammars.projection[node.symbol], node.begin, node.end};
    return (only_tags && node.rule != kNone) ||
           std::ranges::binary_search(sentence.items, item, Item::before);
  });
}

}  // namespace

TreeParts read_parts(const Source& source, const ConstOptions& options, const Known& known, Workers& workers,
                     SpillSpace* space) {
  TreeParts parts;
  parts.counted = count_treebank(read_training(source, options, space), options, known, workers, space);
  if (options.grammar == "none") {
    find_rows(options, known, parts);
    if (options.names) parts.names = name_rows(parts.counted, parts.span_keys, parts.word_keys, known.names);
  } else if (options.names) {
    parts.names.emplace().hashed = name_weights(parts.counted, options.exact, known.names.hashed);
  }
  return parts;
}

void write_parts(const TreeParts& parts, BlockCacheWriter& out) {
  const Counted& counted = parts.counted;
  Record record{.wrapper = counted.wrapper,
                .pieces = count_pieces(counted),
                .span_keys = parts.span_keys,
                .word_keys = parts.word_keys,
                .lost = counted.lost,
                .items = counted.items,
                .fingerprint = *parts.fingerprint,
                .names = parts.names};
  out.add_state(record);
  out.add_columns(counted.data, counted.data.sentences());
  out.write();
}

TreeParts open_parts(const std::shared_ptr<BlockCache>& cache, const ConstOptions& options) {
  Record record;
  if (options.names) record.names.emplace();
  TreeParts parts{.counted = read_record(*cache, options, record),
                  .span_keys = std::move(record.span_keys),
                  .word_keys = std::move(record.word_keys),
                  .names = std::move(record.names),
                  .fingerprint = record.fingerprint,
                  .cache = cache};
  ParseData& data = parts.counted.data;
  cache->read_columns(data, cache);
  data.use.set(cache);
  if (!fits(parts.counted, options, cache->examples()))
    cache->refuse("has columns that do not fit each other");
  return parts;
}

bool is_sound(const TreeParts& parts, const ConstOptions& options, std::size_t first, std::size_t last) {
  const Counted& counted = parts.counted;
  const ParseData& data = counted.data;
  const GrammarPair& grammars = counted.plan.grammars;
  if (!data.words.is_sound(first, last) || !data.gold.is_sound(first, last) ||
      !data.items.is_sound(first, last) || !data.values.is_sound(first, last) ||
      !data.aux.is_sound(first, last))
    return false;
  const bool rules = options.grammar == "rules";
  Derivation tree;
  std::vector<std::string_view> text;
  for (std::size_t i = first; i < last; ++i) {
    const PrunedSentence sentence = data.sentence(i, text);
    const std::size_t words = text.size();
    if (!are_below(sentence.tags, grammars.coarse.tags()) ||
        !(rules ? grammars.fine : grammars.coarse).read_tree(data.gold[i], tree) || tree[0].end != words)
      return false;
    if (rules &&
        (!are_items(sentence, grammars.coarse) || !has_gold(counted, tree, sentence, options.exact) ||
         (counted.plan.aux && sentence.aux.size() != words * (words + 1) / 2)))
      return false;
  }
  return true;
}

}  // namespace hinge::constituents
