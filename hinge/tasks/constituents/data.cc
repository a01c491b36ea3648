#include "hinge/tasks/constituents/data.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/threads.h"
#include "hinge/tasks/tree_source.h"

namespace hinge::constituents {
namespace {

// One sentence of training data while threads work on it.
struct Prepared {
  std::vector<Item> items;
  std::vector<float> values;
  std::vector<Symbol> tags;
  std::vector<float> phrases;
  std::size_t lost = 0;
  std::size_t gold = 0;
};

// Adds gold items, or gold tags, that pruning has lost.
void add_gold(std::span<const BinaryNode> tree, bool only_tags, Prepared& prepared) {
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
  for (const Item& item : missing) {
    const auto place = std::ranges::lower_bound(prepared.items, item, Item::before);
    prepared.values.insert(prepared.values.begin() + (place - prepared.items.begin()), kUnlikely);
    prepared.items.insert(place, item);
  }
}

}  // namespace

std::string remove_wrapper(BracketTree& tree) {
  const BracketNode top = tree.nodes[0];
  if (top.word || !is_wrapper(top.label) || tree.nodes[1].next != top.next) return "-";
  tree.nodes.erase(tree.nodes.begin());
  for (BracketNode& node : tree.nodes) --node.next;
  return std::string(top.label);
}

void find_tags(const Grammar& grammar, std::span<const std::string_view> names, std::vector<Symbol>& out) {
  out.clear();
  for (const std::string_view name : names) {
    const std::size_t tag = grammar.tag_names().find(name);
    out.push_back(tag < grammar.tags() ? static_cast<Symbol>(tag) : kNoSymbol);
  }
}

void fill_tag_scores(const PrunedSentence& sentence, std::size_t tags, std::vector<float>& scores) {
  scores.assign(sentence.words.size() * tags, 0.0f);
  for (std::size_t k = 0; k < sentence.items.size(); ++k) {
    const Item& item = sentence.items[k];
    if (item.symbol < tags) scores[item.begin * tags + item.symbol] = sentence.values[k];
  }
}

void tags_of(const BracketTree& tree, std::vector<std::string_view>& tags) {
  tags.clear();
  for (const BracketNode& node : tree.nodes) {
    if (node.word) tags.push_back(node.label);
  }
}

void Treebank::add(const BracketTree& tree, std::span<const std::string_view> found_tags) {
  std::string text;
  for (const BracketNode& node : tree.nodes) text += node.label;
  for (const std::string_view word : tree.words) text += word;
  for (const std::string_view tag : found_tags) text += tag;
  texts.push_back(std::move(text));
  std::string_view rest = texts.back();
  const auto move = [&rest](std::string_view& view) {
    view = rest.substr(0, view.size());
    rest.remove_prefix(view.size());
  };
  BracketTree copy = tree;
  for (BracketNode& node : copy.nodes) move(node.label);
  for (std::string_view& word : copy.words) move(word);
  trees.push_back(std::move(copy));
  if (found_tags.empty()) return;
  tags.emplace_back(found_tags.begin(), found_tags.end());
  for (std::string_view& tag : tags.back()) move(tag);
}

void Treebank::given_tags(std::size_t i, std::vector<std::string_view>& out) const {
  if (tags.empty()) {
    tags_of(trees[i], out);
  } else {
    out = tags[i];
  }
}

void Treebank::take_tags() {
  for (std::size_t i = 0; i < tags.size(); ++i) {
    for (BracketNode& node : trees[i].nodes) {
      if (node.word) node.label = tags[i][node.begin];
    }
  }
}

namespace {

// Calls use(tree, tags) for all trees in the comments of CoNLL-U, with the tags of the words.
template <typename Use>
void each_tagged_tree(const Source& source, const BracketCleaning& cleaning, std::size_t tag_column,
                      const Use& use) {
  ColumnReader reader(source.input(), ColumnFormat::kConllu);
  ColumnSentence sentence;
  BracketTree tree;
  std::vector<std::string_view> tags;
  while (reader.next(sentence)) {
    parse_brackets(tree_of(sentence), reader.where(sentence, 0), cleaning, tree);
    tags.clear();
    for (std::size_t i = 0; i < sentence.tokens(); ++i) tags.push_back(sentence.cell(i, tag_column));
    if (tags.size() != tree.words.size())
      fail<InputError>("{}: has {} words, its tree {}", reader.where(sentence, 0), tags.size(),
                       tree.words.size());
    use(tree, tags);
  }
}

}  // namespace

Treebank read_treebank(const Source& source, const BracketCleaning& cleaning, std::int64_t longest,
                       std::size_t tag_column) {
  if (source.memory != nullptr)
    fail<OptionError>("{}: is data of another task; trees were expected", source.name());
  Treebank bank;
  const auto add = [&](BracketTree& tree, std::span<const std::string_view> tags) {
    check_interrupt();
    const std::string wrapper = remove_wrapper(tree);
    if (bank.trees.empty()) bank.wrapper = wrapper;
    if (longest > 0 && tree.words.size() > static_cast<std::size_t>(longest)) {
      ++bank.skipped;
    } else {
      bank.add(tree, tags);
    }
  };
  if (is_tree_columns(source)) {
    each_tagged_tree(source, cleaning, tag_column, add);
  } else {
    BracketReader reader(source.input(), cleaning);
    for (BracketTree tree; reader.next(tree);) add(tree, {});
  }
  if (bank.trees.empty())
    fail<InputError>("{}: has no trees{}; expected brackets such as (S (NP (DT The) ...) ...)", source.name(),
                     bank.skipped > 0 ? " as short as `longest`" : "");
  return bank;
}

Treebank read_training(const Source& source, const ConstOptions& options) {
  Treebank bank = read_dev(source, options);
  bank.take_tags();
  return bank;
}

Treebank read_dev(const Source& source, const ConstOptions& options) {
  return read_treebank(source, options.cleaning(), options.longest, options.tag_index());
}

PrunedSentence Pruner::prune(std::span<const std::string_view> words, std::span<const Symbol> given,
                             float mildness) {
  model_.prune(words, given, threshold_ * mildness, workspace_, items_, tags_);
  if (exhaustive_) items_.clear();
  const std::size_t T = model_.tags().tags();
  if (exhaustive_) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::size_t t = 0; t < T; ++t) {
        if (workspace_.ratios[i * T + t] > 0.0f)
          items_.push_back(
              {static_cast<Symbol>(t), static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(i + 1)});
      }
    }
  }
  values_.clear();
  for (const Item& item : items_)
    values_.push_back(item.symbol < T ? std::log(workspace_.ratios[item.begin * T + item.symbol]) : 0.0f);
  aux_.clear();
  if (keys_) {
    keys_->start({words, tags_, {}});
    for (std::size_t width = 1; width <= words.size(); ++width) {
      for (std::size_t begin = 0; begin + width <= words.size(); ++begin) {
        const float probability = workspace_.phrases[begin * (words.size() + 1) + begin + width];
        aux_.push_back(auxiliary(flat_->grade(keys_->span_keys(begin, begin + width)), probability));
      }
    }
  }
  return {words, items_, values_, tags_, aux_};
}

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

// The trees in binary form, both grammars, and what is counted over them.
struct Binarized {
  std::vector<BinaryNode> fine, coarse;
  std::vector<std::size_t> fine_begin{0}, coarse_begin{0};

  std::span<const BinaryNode> coarse_tree(std::size_t i) const {
    return std::span(coarse).subspan(coarse_begin[i], coarse_begin[i + 1] - coarse_begin[i]);
  }
};

Binarized binarize_all(const Treebank& bank, const Markovization& order, const Known& known,
                       GrammarPair& out) {
  for (const std::string& tag : known.grammars.coarse.tag_names().names()) {
    out.fine.add_tag(tag);
    out.coarse.add_tag(tag);
  }
  for (const BracketTree& tree : bank.trees) {
    for (const BracketNode& node : tree.nodes) {
      if (!node.word) continue;
      out.fine.add_tag(node.label);
      out.coarse.add_tag(node.label);
    }
  }
  out.fine.add(known.grammars.fine);
  out.coarse.add(known.grammars.coarse);
  Binarized all;
  Derivation tree;
  for (std::size_t i = 0; i < bank.trees.size(); ++i) {
    out.fine.add(bank.trees[i], order, tree);
    all.fine.insert(all.fine.end(), tree.begin(), tree.end());
    all.fine_begin.push_back(all.fine.size());
    out.coarse.add(bank.trees[i], {}, tree);
    all.coarse.insert(all.coarse.end(), tree.begin(), tree.end());
    all.coarse_begin.push_back(all.coarse.size());
  }
  out.fine.finish();
  out.coarse.finish();
  out.connect();
  return all;
}

// The generative model of all sentences except those of one fold.
CoarseModel model_without(std::size_t begin, std::size_t end, const Treebank& bank, const Binarized& trees,
                          const Grammar& grammar, const TreeCounts& all, const Known& known) {
  TreeCounts counts = all;
  TagModel tags(grammar.tags());
  if (known.any) tags.count(known.tags, grammar.symbols_of(known.grammars.coarse));
  for (std::size_t i = 0; i < bank.trees.size(); ++i) {
    const auto tree = trees.coarse_tree(i);
    if (i >= begin && i < end) {
      counts.add(grammar, tree, -1.0);
      continue;
    }
    for (const BinaryNode& node : tree) {
      if (node.rule == kNone) tags.count(bank.trees[i].words[node.begin], node.symbol);
    }
  }
  tags.finish();
  return CoarseModel(grammar, RuleModel::estimate(grammar, counts.rules, counts.roots), std::move(tags));
}

std::vector<Symbol> tags_of(std::span<const BinaryNode> tree) {
  std::vector<Symbol> tags;
  for (const BinaryNode& node : tree) {
    if (node.rule == kNone) tags.push_back(node.symbol);
  }
  return tags;
}

// For grammar=none: the tags of each part are guessed by a model of the rest.
void guess_all(const Treebank& bank, const Binarized& trees, const ConstOptions& options, Workers& workers,
               const Known& known, Counted& out) {
  const std::size_t n = bank.trees.size(), T = out.plan.grammars.coarse.tags();
  const std::size_t folds = std::min<std::size_t>(n, static_cast<std::size_t>(options.folds));
  std::vector<std::vector<Symbol>> guessed(n);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const std::size_t begin = n * fold / folds, end = n * (fold + 1) / folds;
    TagModel tags(T);
    TagPairs pairs(T);
    if (known.any) {
      const auto here = out.plan.grammars.coarse.symbols_of(known.grammars.coarse);
      tags.count(known.tags, here);
      pairs.add(known.pairs, here);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (folds > 1 && i >= begin && i < end) continue;
      const std::vector<Symbol> gold = tags_of(trees.coarse_tree(i));
      pairs.add(gold);
      for (std::size_t word = 0; word < gold.size(); ++word)
        tags.count(bank.trees[i].words[word], gold[word]);
    }
    tags.finish();
    const TagGuesser guesser(std::move(tags), pairs);
    PerThread<TagGuesser::Workspace> workspaces(workers, [] { return TagGuesser::Workspace(); });
    workers.each(end - begin, [&](std::size_t k) {
      check_interrupt();
      const std::size_t i = begin + k;
      const std::vector<Symbol> given =
          options.given_tags() ? tags_of(trees.coarse_tree(i)) : std::vector<Symbol>();
      guesser.guess(bank.trees[i].words, given, workspaces.local(), guessed[i]);
    });
  }
  ParseData& data = out.data;
  for (std::size_t i = 0; i < n; ++i) {
    data.words.insert(data.words.end(), bank.trees[i].words.begin(), bank.trees[i].words.end());
    data.begin.push_back(data.words.size());
    data.item_begin.push_back(0);
    data.tags.insert(data.tags.end(), guessed[i].begin(), guessed[i].end());
  }
}

// Each half of the training data gets the opinion of a flat classifier of the other.
void add_auxiliary(const Binarized& trees, std::span<const Prepared> prepared, const Known& known,
                   Counted& out) {
  ParseData& data = out.data;
  const std::size_t n = data.sentences();
  EdgeScorer keys(out.plan, FeatureKind::kSpan);
  const auto each_span = [&](std::size_t i, const auto& use) {
    const auto sentence = data.text(i);
    const std::size_t words = sentence.words.size();
    keys.start({sentence.words, sentence.tags, {}});
    for (std::size_t width = 1; width <= words; ++width) {
      for (std::size_t begin = 0; begin + width <= words; ++begin) use(begin, begin + width, words);
    }
  };
  FlatClassifier halves[2];
  for (std::size_t i = 0; i < n; ++i) {
    check_interrupt();
    std::vector<char> phrase;
    for (const BinaryNode& node : trees.coarse_tree(i)) {
      const std::size_t words = trees.coarse_tree(i)[0].end;
      phrase.resize(words * (words + 1) / 2);
      const bool counts = node.rule != kNone && !out.plan.grammars.coarse.is_partial(node.symbol);
      if (counts) phrase[span_index(words, node.begin, node.end)] = 1;
    }
    each_span(i, [&](std::size_t begin, std::size_t end, std::size_t words) {
      halves[i * 2 / n].count(keys.span_keys(begin, end), phrase[span_index(words, begin, end)] != 0);
    });
  }
  out.flat = known.flat;
  for (const FlatClassifier& half : halves) out.flat.add(half);
  for (FlatClassifier& half : halves) half.add(known.flat);
  for (std::size_t i = 0; i < n; ++i) {
    check_interrupt();
    each_span(i, [&](std::size_t begin, std::size_t end, std::size_t words) {
      const float probability = prepared[i].phrases[begin * (words + 1) + end];
      data.aux.push_back(auxiliary(halves[1 - i * 2 / n].grade(keys.span_keys(begin, end)), probability));
    });
    data.aux_begin.push_back(data.aux.size());
  }
}

// Each part of the training data is pruned by a model of the rest, as new text will be.
void prune_all(const Treebank& bank, const Binarized& trees, const ConstOptions& options, Workers& workers,
               const Known& known, Counted& out) {
  const std::size_t n = bank.trees.size();
  const std::size_t folds = std::min<std::size_t>(n, static_cast<std::size_t>(options.folds));
  const Grammar& grammar = out.plan.grammars.coarse;
  std::vector<Prepared> prepared(n);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const std::size_t begin = n * fold / folds, end = n * (fold + 1) / folds;
    const CoarseModel model = model_without(folds == 1 ? n : begin, folds == 1 ? n : end, bank, trees,
                                            grammar, out.coarse_counts, known);
    PerThread<Pruner> pruners(workers, [&] { return Pruner(model, options.prune, options.exact); });
    workers.each(end - begin, [&](std::size_t k) {
      check_interrupt();
      const std::size_t i = begin + k;
      const auto tree = trees.coarse_tree(i);
      const std::vector<Symbol> given = options.given_tags() ? tags_of(tree) : std::vector<Symbol>();
      const PrunedSentence pruned = pruners.local().prune(bank.trees[i].words, given);
      prepared[i] = {{pruned.items.begin(), pruned.items.end()},
                     {pruned.values.begin(), pruned.values.end()},
                     {pruned.tags.begin(), pruned.tags.end()},
                     {}};
      if (out.plan.aux)
        prepared[i].phrases.assign(pruners.local().phrases().begin(), pruners.local().phrases().end());
      add_gold(tree, options.exact, prepared[i]);
    });
  }
  ParseData& data = out.data;
  for (std::size_t i = 0; i < n; ++i) {
    const Prepared& one = prepared[i];
    data.words.insert(data.words.end(), bank.trees[i].words.begin(), bank.trees[i].words.end());
    data.begin.push_back(data.words.size());
    data.items.insert(data.items.end(), one.items.begin(), one.items.end());
    data.values.insert(data.values.end(), one.values.begin(), one.values.end());
    data.item_begin.push_back(data.items.size());
    data.tags.insert(data.tags.end(), one.tags.begin(), one.tags.end());
    out.lost += one.lost;
    out.items += one.gold;
  }
  if (out.plan.aux) add_auxiliary(trees, prepared, known, out);
}

// Words that occur often enough to learn from get a vector, if the file has none.
void add_vectors(const Treebank& bank, Embeddings& embeddings) {
  constexpr std::size_t kOften = 5;
  std::map<std::string_view, std::size_t> counts;
  for (const BracketTree& tree : bank.trees) {
    for (const std::string_view word : tree.words) ++counts[word];
  }
  for (const auto& [word, count] : counts) {
    if (count >= kOften) embeddings.add_random(word);
  }
}

}  // namespace

Counted count_treebank(const Treebank& bank, const ConstOptions& options, const Known& known,
                       Workers& workers) {
  Counted out;
  out.wrapper = known.any ? known.wrapper : bank.wrapper;
  out.plan.kind = parse_kind(options.features);
  out.plan.aux = options.features == "lexical+aux";
  out.plan.hash_bits = options.hash_bits;
  out.plan.clusters = options.clusters.empty() ? known.clusters : BrownClusters::read(options.clusters);
  Binarized trees = binarize_all(bank, options.order(), known, out.plan.grammars);
  out.tags = TagModel(out.plan.grammars.coarse.tags());
  out.pairs = TagPairs(out.plan.grammars.coarse.tags());
  if (known.any) {
    const Grammar& coarse = out.plan.grammars.coarse;
    const std::vector<Symbol> here = coarse.symbols_of(known.grammars.coarse);
    out.tags.count(known.tags, here);
    out.pairs.add(known.pairs, here);
    out.coarse_counts.add(coarse, known.coarse_counts, known.grammars.coarse);
    out.fine_counts.add(out.plan.grammars.fine, known.fine_counts, known.grammars.fine);
  }
  for (std::size_t i = 0; i < bank.trees.size(); ++i) {
    out.coarse_counts.add(out.plan.grammars.coarse, trees.coarse_tree(i), 1.0);
    const auto fine =
        std::span(trees.fine).subspan(trees.fine_begin[i], trees.fine_begin[i + 1] - trees.fine_begin[i]);
    out.fine_counts.add(out.plan.grammars.fine, fine, 1.0);
    const std::vector<Symbol> tags = tags_of(fine);
    out.pairs.add(tags);
    for (std::size_t word = 0; word < tags.size(); ++word)
      out.tags.count(bank.trees[i].words[word], tags[word]);
  }
  out.tags.finish();
  out.plan.fine_rules =
      RuleModel::estimate(out.plan.grammars.fine, out.fine_counts.rules, out.fine_counts.roots);
  out.plan.make_keys();
  if (has_network(options.features)) {
    constexpr std::size_t kRandomSize = 64;
    out.plan.embeddings = !options.embeddings.empty() ? Embeddings::read(options.embeddings)
                          : known.any                 ? known.embeddings
                                                      : Embeddings::random(kRandomSize);
    add_vectors(bank, out.plan.embeddings);
    out.plan.add_network((static_cast<std::size_t>(options.hidden) + 15) / 16 * 16);
  }
  const bool rules = options.grammar == "rules";
  rules ? prune_all(bank, trees, options, workers, known, out)
        : guess_all(bank, trees, options, workers, known, out);
  out.data.gold = std::move(rules ? trees.fine : trees.coarse);
  out.data.gold_begin = std::move(rules ? trees.fine_begin : trees.coarse_begin);
  return out;
}

}  // namespace hinge::constituents
