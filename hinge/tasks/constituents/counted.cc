#include "hinge/tasks/constituents/counted.h"

#include <map>

#include "hinge/core/interrupt.h"
#include "hinge/tasks/constituents/folds.h"

namespace hinge::constituents {

void TreeCounts::add(const Grammar& grammar, std::span<const BinaryNode> tree, double amount) {
  rules.resize(grammar.rules().size());
  roots.resize(grammar.symbols());
  roots[tree[0].symbol] += amount;
  for (const BinaryNode& node : tree) {
    if (node.rule != kNone) rules[node.rule] += amount;
  }
}

void TreeCounts::add(const Grammar& grammar, const TreeCounts& theirs, const Grammar& other) {
  rules.resize(grammar.rules().size());
  roots.resize(grammar.symbols());
  const std::vector<Symbol> here = grammar.symbols_of(other);
  for (std::size_t s = 0; s < theirs.roots.size(); ++s) roots[here[s]] += theirs.roots[s];
  for (std::size_t r = 0; r < theirs.rules.size(); ++r) {
    const Rule& rule = other.rules()[r];
    const Symbol right = rule.right == kNoSymbol ? kNoSymbol : here[rule.right];
    rules[grammar.find_rule(here[rule.parent], here[rule.left], right)] += theirs.rules[r];
  }
}

namespace {

// Adds the tags of all trees, then their phrases and rules, after those known.
BinaryTrees binarize_all(const Treebank& bank, const Markovization& order, const Known& known,
                         GrammarPair& out, SpillSpace* space) {
  for (Grammar* grammar : {&out.fine, &out.coarse}) {
    for (const std::string& tag : known.grammars.coarse.tag_names().names()) grammar->add_tag(tag);
    for (const Treebank::Node& node : bank.nodes.values) {
      if (node.word != 0) grammar->add_tag(bank.labels.names()[node.label]);
    }
  }
  out.fine.add(known.grammars.fine);
  out.coarse.add(known.grammars.coarse);
  BinaryTrees all;
  if (space != nullptr) spill_columns(all, *space);
  BracketTree tree;
  Derivation nodes;
  std::vector<std::uint32_t> numbers;
  const auto add = [&](Grammar& grammar, const Markovization& how, TreeNumbers& to) {
    grammar.add(tree, how, nodes);
    numbers.clear();
    for (const BinaryNode& node : nodes) numbers.push_back(grammar.number_of(node.symbol, node.rule));
    to.add(numbers);
  };
  for (std::size_t i = 0; i < bank.size(); ++i) {
    check_interrupt();
    bank.read(i, tree);
    add(out.fine, order, all.fine);
    add(out.coarse, {}, all.coarse);
  }
  out.fine.finish();
  out.coarse.finish();
  out.connect();
  return all;
}

// Counts all trees, after those known.
FoldCounts count_all(const WordColumns& words, const BinaryTrees& trees, const Known& known, Counted& out) {
  const GrammarPair& grammars = out.plan.grammars;
  FoldCounts counts(grammars.coarse.tags());
  if (known.any) {
    const std::vector<Symbol> here = grammars.coarse.symbols_of(known.grammars.coarse);
    counts.tags.count(known.tags, here);
    counts.pairs.add(known.pairs, here);
    counts.rules.add(grammars.coarse, known.coarse_counts, known.grammars.coarse);
    out.fine_counts.add(grammars.fine, known.fine_counts, known.grammars.fine);
  }
  Derivation tree;
  std::vector<std::string_view> text;
  for (std::size_t i = 0; i < words.sentences(); ++i) {
    check_interrupt();
    grammars.fine.read_tree(trees.fine[i], tree);
    out.fine_counts.add(grammars.fine, tree, 1.0);
    grammars.coarse.read_tree(trees.coarse[i], tree);
    words.read(i, text);
    counts.add(grammars.coarse, tree, text, 1);
  }
  return counts;
}

// Words that occur often enough to learn from get a vector, if the file has none.
void add_vectors(const WordColumns& words, Embeddings& embeddings) {
  constexpr std::size_t kOften = 5;
  std::map<std::string, std::size_t, std::less<>> counts;
  std::vector<std::string_view> text;
  for (std::size_t i = 0; i < words.sentences(); ++i) {
    words.read(i, text);
    for (const std::string_view word : text) {
      const auto at = counts.find(word);
      at == counts.end() ? counts.emplace(word, 1).first->second : ++at->second;
    }
  }
  for (const auto& [word, count] : counts) {
    if (count >= kOften) embeddings.add_random(word);
  }
}

}  // namespace

void finish_plan(const ConstOptions& options, Counted& counted) {
  Plan& plan = counted.plan;
  plan.kind = parse_kind(options.features);
  plan.aux = options.features == "lexical+aux";
  plan.hash_bits = options.hash_bits;
  plan.fine_rules =
      RuleModel::estimate(plan.grammars.fine, counted.fine_counts.rules, counted.fine_counts.roots);
  plan.make_keys();
  if (has_network(options.features))
    plan.add_network((static_cast<std::size_t>(options.hidden) + 15) / 16 * 16);
}

Counted count_treebank(Treebank bank, const ConstOptions& options, const Known& known, Workers& workers,
                       SpillSpace* space) {
  Counted out;
  out.wrapper = known.any ? known.wrapper : bank.wrapper;
  out.plan.clusters = options.clusters.empty() ? known.clusters : BrownClusters::read(options.clusters);
  BinaryTrees trees = binarize_all(bank, options.order(), known, out.plan.grammars, space);
  if (space != nullptr) spill_columns(out.data, *space);
  out.data.words = std::move(bank.words);
  bank = {};
  const FoldCounts all = count_all(out.data.words, trees, known, out);
  out.coarse_counts = all.rules;
  out.tags = all.tags;
  out.tags.finish();
  out.pairs = all.pairs;
  if (has_network(options.features)) {
    constexpr std::size_t kRandomSize = 64;
    out.plan.embeddings = !options.embeddings.empty() ? Embeddings::read(options.embeddings)
                          : known.any                 ? known.embeddings
                                                      : Embeddings::random(kRandomSize);
    add_vectors(out.data.words, out.plan.embeddings);
  }
  finish_plan(options, out);
  const bool rules = options.grammar == "rules";
  rules ? prune_all(trees.coarse, all, options, workers, known.flat, out)
        : guess_all(trees.coarse, all, options, workers, out);
  out.data.gold = std::move(rules ? trees.fine : trees.coarse);
  return out;
}

}  // namespace hinge::constituents
