#include "hinge/tasks/constituents/folds.h"

#include <algorithm>

#include "hinge/core/interrupt.h"

namespace hinge::constituents {
namespace {

// One sentence of training data while threads work on it.
struct Prepared {
  std::vector<Item> items;
  std::vector<float> values;  // of tags
  std::vector<Symbol> tags;
  std::vector<std::uint8_t> aux;
  std::size_t lost = 0;
  std::size_t gold = 0;
};

// Adds gold items, or gold tags, that pruning has lost.
void add_gold(std::span<const BinaryNode> tree, const Grammar& grammar, bool only_tags, Prepared& prepared) {
  std::vector<Item> missing;
  for (const BinaryNode& node : tree) {
    if (only_tags && node.rule != kNone) continue;
    const Item item{node.symbol, node.begin, node.end};
    ++prepared.gold;
    if (std::ranges::binary_search(prepared.items, item, Item::before)) continue;
    if (std::ranges::find(missing, item) == missing.end()) missing.push_back(item);
  }
  prepared.lost = missing.size();
  constexpr float kUnlikely = -10.0f;  // log P(word | tag) of a tag thought impossible
  const auto is_tag = [&grammar](const Item& item) { return grammar.is_tag(item.symbol); };
  for (const Item& item : missing) {
    const auto place = std::ranges::lower_bound(prepared.items, item, Item::before);
    if (is_tag(item))
      prepared.values.insert(prepared.values.begin() + std::count_if(prepared.items.begin(), place, is_tag),
                             kUnlikely);
    prepared.items.insert(place, item);
  }
}

void find_tags(std::span<const BinaryNode> tree, std::vector<Symbol>& tags) {
  tags.clear();
  for (const BinaryNode& node : tree) {
    if (node.rule == kNone) tags.push_back(node.symbol);
  }
}

// A sentence as it was read. One per thread.
struct GoldSentence {
  Derivation tree;
  std::vector<Symbol> given;  // tags that prediction will have
  std::vector<std::string_view> words;

  void read(const Counted& counted, const TreeNumbers& trees, std::size_t i, bool given_tags) {
    counted.plan.grammars.coarse.read_tree(trees[i], tree);
    counted.data.words.read(i, words);
    given.clear();
    if (given_tags) find_tags(tree, given);
  }
};

// Calls work(i, prepared) for sentences of a part, on all threads, then append(prepared) in order. In
// lots, as a part may be longer than memory.
template <typename Work, typename Append>
void each_in_order(Workers& workers, std::size_t begin, std::size_t end, const Work& work,
                   const Append& append) {
  constexpr std::size_t kLot = 1024;
  std::vector<Prepared> lot(std::min(kLot, end - begin));
  for (std::size_t first = begin; first < end; first += lot.size()) {
    const std::size_t count = std::min(lot.size(), end - first);
    workers.each(count, [&](std::size_t k) {
      check_interrupt();
      work(first + k, lot[k]);
    });
    for (std::size_t k = 0; k < count; ++k) append(lot[k]);
  }
}

// Calls use(counts of the other parts, begin, end) for each part; a single one has its own counts.
template <typename Use>
void each_fold(const TreeNumbers& trees, const FoldCounts& all, std::int64_t most, const Counted& counted,
               const Use& use) {
  const std::size_t n = counted.data.sentences();
  const std::size_t folds = std::min<std::size_t>(n, static_cast<std::size_t>(most));
  GoldSentence gold;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const std::size_t begin = n * fold / folds, end = n * (fold + 1) / folds;
    FoldCounts rest = all;
    for (std::size_t i = begin; folds > 1 && i < end; ++i) {
      gold.read(counted, trees, i, false);
      rest.add(counted.plan.grammars.coarse, gold.tree, gold.words, -1);
    }
    rest.tags.finish();
    use(std::move(rest), begin, end);
  }
}

// Calls use(first word, end, number of words) for all spans of a sentence.
template <typename Use>
void each_span(std::size_t words, const Use& use) {
  for (std::size_t width = 1; width <= words; ++width) {
    for (std::size_t begin = 0; begin + width <= words; ++begin) use(begin, begin + width);
  }
}

// Each half of the training data gets the opinion of a flat classifier of the other.
void add_auxiliary(const TreeNumbers& trees, const FlatClassifier& known, Counted& out) {
  ParseData& data = out.data;
  const Grammar& grammar = out.plan.grammars.coarse;
  const std::size_t n = data.sentences();
  EdgeScorer keys(out.plan, FeatureKind::kSpan);
  std::vector<std::string_view> text;
  const auto start = [&](std::size_t i) {
    check_interrupt();
    const PrunedSentence sentence = data.sentence(i, text);
    keys.start({sentence.words, sentence.tags, {}});
  };
  FlatClassifier halves[2];
  Derivation tree;
  std::vector<char> phrase;
  for (std::size_t i = 0; i < n; ++i) {
    start(i);
    phrase.assign(text.size() * (text.size() + 1) / 2, 0);
    grammar.read_tree(trees[i], tree);
    for (const BinaryNode& node : tree) {
      if (node.rule != kNone && !grammar.is_partial(node.symbol))
        phrase[span_index(text.size(), node.begin, node.end)] = 1;
    }
    each_span(text.size(), [&](std::size_t begin, std::size_t end) {
      halves[i * 2 / n].count(keys.span_keys(begin, end), phrase[span_index(text.size(), begin, end)] != 0);
    });
  }
  out.flat = known;
  for (const FlatClassifier& half : halves) out.flat.add(half);
  for (FlatClassifier& half : halves) half.add(known);
  for (std::size_t i = 0; i < n; ++i) {
    start(i);
    std::uint8_t* aux = data.aux.values.data() + data.aux.begin[i];
    each_span(text.size(), [&](std::size_t begin, std::size_t end) {
      aux[span_index(text.size(), begin, end)] +=
          auxiliary(halves[1 - i * 2 / n].grade(keys.span_keys(begin, end)), 0.0f);
    });
  }
}

}  // namespace

void FoldCounts::add(const Grammar& grammar, std::span<const BinaryNode> tree,
                     std::span<const std::string_view> words, int times) {
  rules.add(grammar, tree, times);
  std::vector<Symbol> tree_tags;
  find_tags(tree, tree_tags);
  pairs.add(tree_tags, static_cast<float>(times));
  for (std::size_t word = 0; word < words.size(); ++word) tags.count(words[word], tree_tags[word], times);
}

void guess_all(const TreeNumbers& trees, const FoldCounts& all, const ConstOptions& options, Workers& workers,
               Counted& out) {
  struct Guessing {
    GoldSentence gold;
    TagGuesser::Workspace workspace;
  };
  PerThread<Guessing> threads(workers, [] { return Guessing(); });
  each_fold(trees, all, options.folds, out, [&](FoldCounts rest, std::size_t begin, std::size_t end) {
    const TagGuesser guesser(std::move(rest.tags), rest.pairs);
    each_in_order(
        workers, begin, end,
        [&](std::size_t i, Prepared& prepared) {
          Guessing& own = threads.local();
          own.gold.read(out, trees, i, options.given_tags());
          guesser.guess(own.gold.words, own.gold.given, own.workspace, prepared.tags);
        },
        [&](const Prepared& prepared) { out.data.tags.append(prepared.tags); });
  });
}

namespace {

// Prunes sentences of one part. One per thread.
class PartPruner {
 public:
  PartPruner(const CoarseModel& model, const ConstOptions& options, const Counted& counted,
             const TreeNumbers& trees)
      : options_(options), counted_(counted), trees_(trees), pruner_(model, options.prune, options.exact) {}

  void prune(std::size_t i, Prepared& out) {
    gold_.read(counted_, trees_, i, options_.given_tags());
    const PrunedSentence pruned = pruner_.prune(gold_.words, gold_.given);
    out.items.assign(pruned.items.begin(), pruned.items.end());
    out.values.assign(pruned.values.begin(), pruned.values.end());
    out.tags.assign(pruned.tags.begin(), pruned.tags.end());
    out.aux.clear();
    out.gold = 0;
    const std::size_t words = gold_.words.size();
    if (counted_.plan.aux) {
      each_span(words, [&](std::size_t begin, std::size_t end) {
        out.aux.push_back(auxiliary(0, pruner_.phrases()[begin * (words + 1) + end]));
      });
    }
    add_gold(gold_.tree, counted_.plan.grammars.coarse, options_.exact, out);
  }

 private:
  const ConstOptions& options_;
  const Counted& counted_;
  const TreeNumbers& trees_;
  Pruner pruner_;
  GoldSentence gold_;
};

void append(const Prepared& one, Counted& out) {
  out.data.items.add(one.items);
  out.data.values.add(one.values);
  out.data.tags.append(one.tags);
  if (out.plan.aux) out.data.aux.add(one.aux);
  out.lost += one.lost;
  out.items += one.gold;
}

}  // namespace

void prune_all(const TreeNumbers& trees, const FoldCounts& all, const ConstOptions& options, Workers& workers,
               const FlatClassifier& known, Counted& out) {
  const Grammar& grammar = out.plan.grammars.coarse;
  each_fold(trees, all, options.folds, out, [&](FoldCounts rest, std::size_t begin, std::size_t end) {
    const CoarseModel model(grammar, RuleModel::estimate(grammar, rest.rules.rules, rest.rules.roots),
                            std::move(rest.tags));
    PerThread<PartPruner> pruners(workers, [&] { return PartPruner(model, options, out, trees); });
    each_in_order(
        workers, begin, end, [&](std::size_t i, Prepared& one) { pruners.local().prune(i, one); },
        [&](const Prepared& one) { append(one, out); });
  });
  if (out.plan.aux) add_auxiliary(trees, known, out);
}

}  // namespace hinge::constituents
