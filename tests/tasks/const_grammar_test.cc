// Trees in binary form and back, and grammars in model files.
#include "hinge/tasks/constituents/grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/tasks/constituents/treebank.h"
#include "tests/support/data.h"

namespace hinge::constituents {
namespace {

const std::vector<Markovization> kOrders = {{1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1},
                                            {2, 2}, {2, 3}, {3, 0}, {3, 1}, {3, 2}, {3, 3}};

std::string written(const BracketTree& tree) {
  std::string out;
  append_brackets(tree, out);
  return out;
}

BracketTree parsed(std::string_view text) {
  BracketTree tree;
  EXPECT_TRUE(parse_brackets(text, "here", {.keep_functions = true, .keep_empty = true}, tree));
  return tree;
}

void add_tags(const BracketTree& tree, Grammar& grammar) {
  for (const BracketNode& node : tree.nodes) {
    if (node.word) grammar.add_tag(node.label);
  }
}

// A grammar and the derivations of its trees.
struct Bank {
  Grammar grammar;
  std::vector<Derivation> derivations;

  Bank(const std::vector<BracketTree>& trees, const Markovization& order) {
    for (const BracketTree& tree : trees) add_tags(tree, grammar);
    for (const BracketTree& tree : trees) {
      derivations.emplace_back();
      grammar.add(tree, order, derivations.back());
    }
    grammar.finish();
  }
};

// ---- Derivations

// Every node is built by its rule from children that share its words.
void expect_sound(const Grammar& grammar, const Derivation& nodes, std::size_t words) {
  ASSERT_FALSE(nodes.empty());
  ASSERT_EQ(nodes[0].begin, 0u);
  ASSERT_EQ(nodes[0].end, words);
  std::size_t tags = 0, reached = 1;
  for (std::uint32_t k = 0; k < nodes.size(); ++k) {
    const BinaryNode& node = nodes[k];
    ASSERT_LT(node.symbol, grammar.symbols());
    ASSERT_EQ(grammar.is_tag(node.symbol), node.rule == kNone) << "node " << k;
    if (node.rule == kNone) {
      ASSERT_EQ(node.begin, tags++) << "node " << k;
      ASSERT_EQ(node.end, node.begin + 1) << "node " << k;
      ASSERT_EQ(std::tuple(node.left, node.right), std::tuple(kNone, kNone)) << "node " << k;
      continue;
    }
    const Rule& rule = grammar.rules().at(node.rule);
    ASSERT_EQ(node.left, k + 1) << "node " << k << " is not before its left child";
    const BinaryNode& left = nodes.at(node.left);
    ASSERT_EQ(std::tuple(rule.parent, rule.left), std::tuple(node.symbol, left.symbol)) << "node " << k;
    ASSERT_EQ(left.begin, node.begin) << "node " << k;
    ++reached;
    if (node.right == kNone) {
      ASSERT_EQ(rule.right, kNoSymbol) << "node " << k;
      ASSERT_TRUE(grammar.is_tag(left.symbol)) << "node " << k;
      ASSERT_EQ(left.end, node.end) << "node " << k;
      continue;
    }
    const BinaryNode& right = nodes.at(node.right);
    ASSERT_GT(node.right, node.left) << "node " << k;
    ASSERT_EQ(rule.right, right.symbol) << "node " << k;
    ASSERT_EQ(left.end, right.begin) << "node " << k;
    ASSERT_EQ(right.end, node.end) << "node " << k;
    ++reached;
  }
  ASSERT_EQ(tags, words);
  ASSERT_EQ(reached, nodes.size());
}

void expect_same_tree(const BracketTree& actual, const BracketTree& expected) {
  ASSERT_EQ(actual.words, expected.words);
  ASSERT_EQ(actual.nodes.size(), expected.nodes.size());
  for (std::size_t k = 0; k < expected.nodes.size(); ++k) {
    const BracketNode &a = actual.nodes[k], &b = expected.nodes[k];
    ASSERT_EQ(a.label, b.label) << "node " << k;
    ASSERT_EQ(std::tuple(a.begin, a.end, a.next, a.word), std::tuple(b.begin, b.end, b.next, b.word))
        << "node " << k;
  }
}

std::vector<std::uint32_t> numbers_of(const Grammar& grammar, const Derivation& tree) {
  std::vector<std::uint32_t> numbers;
  for (const BinaryNode& node : tree) numbers.push_back(grammar.number_of(node.symbol, node.rule));
  return numbers;
}

// The numbers of a tree say everything about it.
void expect_numbers(const Grammar& grammar, const Derivation& tree) {
  Derivation again;
  ASSERT_TRUE(grammar.read_tree(numbers_of(grammar, tree), again));
  ASSERT_EQ(again.size(), tree.size());
  for (std::size_t k = 0; k < tree.size(); ++k) {
    const BinaryNode &a = again[k], &b = tree[k];
    ASSERT_EQ(std::tuple(a.symbol, a.begin, a.end, a.rule, a.left, a.right),
              std::tuple(b.symbol, b.begin, b.end, b.rule, b.left, b.right))
        << "node " << k;
  }
}

// Binary form and back is the same tree, for all orders.
void expect_identity(const std::vector<BracketTree>& trees) {
  for (const Markovization& order : kOrders) {
    SCOPED_TRACE(testing::Message() << "vertical " << order.vertical << ", horizontal " << order.horizontal);
    const Bank bank(trees, order);
    BracketTree again;
    for (std::size_t i = 0; i < trees.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "tree " << i);
      ASSERT_NO_FATAL_FAILURE(expect_sound(bank.grammar, bank.derivations[i], trees[i].words.size()));
      unbinarize(bank.grammar, bank.derivations[i], "-", trees[i].words, again);
      ASSERT_NO_FATAL_FAILURE(expect_same_tree(again, trees[i]));
      ASSERT_NO_FATAL_FAILURE(expect_numbers(bank.grammar, bank.derivations[i]));
    }
  }
}

// Chains of up to 30 labels, up to 12 children; labels that look like marks of the grammar.
void add_random_tree(Random& random, std::size_t depth, std::string& text) {
  static const std::vector<std::string> kLabels = {"S",  "NP",  "VP",   "S+VP", "@S", "@",    "^",   "+",
                                                   "S^", "^@+", "NP^S", "X@Y",  "A+", "+@NP", "ROOT"};
  static const std::vector<std::string> kTags = {"N", "V", "@", "S", "NP+N", "^V", "@N^S", "+"};
  if (depth == 0 || random.below(3) == 0) {
    text += "(" + kTags[random.below(kTags.size())] + " w)";
    return;
  }
  const std::size_t chain = random.below(6) == 0 ? random.below(31) : 1;
  for (std::size_t link = 0; link < chain; ++link) text += "(" + kLabels[random.below(kLabels.size())] + " ";
  text += "(" + kLabels[random.below(kLabels.size())];
  for (std::size_t child = 0, n = 1 + random.below(random.below(4) == 0 ? 12 : 3); child < n; ++child) {
    text += " ";
    add_random_tree(random, depth - 1, text);
  }
  text.append(chain + 1, ')');
}

std::vector<std::string> random_texts(std::uint64_t seed, std::size_t trees) {
  Random random(seed);
  std::vector<std::string> texts(trees);
  for (std::string& text : texts) add_random_tree(random, random.below(6), text);
  return texts;
}

std::vector<BracketTree> parsed_all(const std::vector<std::string>& texts) {
  std::vector<BracketTree> trees;
  for (const std::string& text : texts) trees.push_back(parsed(text));
  return trees;
}

TEST(ConstGrammar, LeadsFromTreesToBinaryFormAndBack) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::vector<std::string> texts = random_texts(seed, 10);
    ASSERT_NO_FATAL_FAILURE(expect_identity(parsed_all(texts)));
  }
}

// What read_tree() takes is a tree of the grammar: damage is noticed, or gives another.
TEST(ConstGrammar, ReadsOnlyTreesFromNumbers) {
  Random random(5);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Bank bank(parsed_all(random_texts(seed, 10)), {1, 1});
    const std::size_t most = bank.grammar.tags() + bank.grammar.rules().size() + 2;
    for (const Derivation& tree : bank.derivations) {
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<std::uint32_t> numbers = numbers_of(bank.grammar, tree);
        numbers[random.below(numbers.size())] = static_cast<std::uint32_t>(random.below(most));
        if (trial % 3 == 0) numbers.resize(random.below(numbers.size() + 1));
        if (trial % 5 == 0) numbers.push_back(static_cast<std::uint32_t>(random.below(most)));
        Derivation read;
        if (!bank.grammar.read_tree(numbers, read)) continue;
        EXPECT_EQ(numbers_of(bank.grammar, read), numbers);
        ASSERT_NO_FATAL_FAILURE(expect_sound(bank.grammar, read, read[0].end));
      }
    }
  }
}

TEST(ConstGrammar, LeadsBackFromTreesThatAreDeepWideOrSmall) {
  std::string chain = "(A a)", left = "(A a)", right = "(A a)", wide = "(S";
  for (int level = 0; level < 900; ++level) {
    chain = "(X" + std::to_string(level % 7) + " " + chain + ")";
    left = "(X " + left + " (B b))";
    right = "(X (B b) " + right + ")";
  }
  for (int child = 0; child < 1000; ++child) wide += " (A" + std::to_string(child % 5) + " a)";
  const std::vector<std::string> texts = {chain, left, right, wide + ")", "(A a)", "(X (A a))", "(A (A a))"};
  ASSERT_NO_FATAL_FAILURE(expect_identity(parsed_all(texts)));
}

TEST(ConstGrammar, LeadsBackFromTreesWithoutLabels) {
  const std::vector<std::string> texts = {"( (S (A a)))", "( (A a) (B b))"};
  ASSERT_NO_FATAL_FAILURE(expect_identity(parsed_all(texts)));
}

TEST(ConstGrammar, LeadsBackFromRealTrees) {
  for (const std::string name : {"ptb_sample-train", "ptb_sample-dev", "ptb_sample-test", "icepahc-dev"}) {
    SCOPED_TRACE(name);
    HINGE_DATA_FILE(path, "const/" + name + ".mrg");
    const Treebank bank = read_treebank(Source(path), {});
    EXPECT_GT(bank.size(), 200u);
    EXPECT_EQ(bank.wrapper, name == "icepahc-dev" ? "-" : "ROOT");
    std::vector<BracketTree> trees(bank.size());
    for (std::size_t i = 0; i < trees.size(); ++i) bank.read(i, trees[i]);
    ASSERT_NO_FATAL_FAILURE(expect_identity(trees));
  }
}

TEST(ConstGrammar, WrapsTreesUnlessTheyAreWrapped) {
  const auto wrapped = [](const std::string& text, std::string_view wrapper) {
    const Bank bank({parsed(text)}, {});
    BracketTree again;
    const BracketTree tree = parsed(text);
    unbinarize(bank.grammar, bank.derivations[0], wrapper, tree.words, again);
    return written(again);
  };
  EXPECT_EQ(wrapped("(S (A a) (B b))", "ROOT"), "(ROOT (S (A a) (B b)))");
  EXPECT_EQ(wrapped("(S (A a) (B b))", ""), "( (S (A a) (B b)))");
  EXPECT_EQ(wrapped("(S (A a) (B b))", "-"), "(S (A a) (B b))");
  EXPECT_EQ(wrapped("(A a)", "TOP"), "(TOP (A a))");
  EXPECT_EQ(wrapped("(ROOT (A a) (B b))", "TOP"), "(ROOT (A a) (B b))");
  for (const std::string_view label : {"ROOT", "TOP", "S1", ""}) EXPECT_TRUE(is_wrapper(label)) << label;
  for (const std::string_view label : {"S", "root", "-", "ROOT2"}) EXPECT_FALSE(is_wrapper(label)) << label;
}

// ---- The grammar

std::vector<std::string> rule_names(const Grammar& grammar) {
  std::vector<std::string> names;
  for (const Rule& rule : grammar.rules()) {
    names.push_back(grammar.name(rule.parent) + " -> " + grammar.name(rule.left));
    if (rule.right != kNoSymbol) names.back() += " " + grammar.name(rule.right);
  }
  std::ranges::sort(names);
  return names;
}

TEST(ConstGrammar, HasTheRulesWorkedOutByHand) {
  const std::vector<BracketTree> trees = {parsed("(S (NP (N a)) (V b) (NP (D c) (N d)) (P e))"),
                                          parsed("(S (VP (V a) (N b)))")};
  using Names = std::vector<std::string>;
  EXPECT_EQ(rule_names(Bank(trees, {1, 0}).grammar),
            (Names{"@S -> NP P", "@S -> V @S", "NP -> D N", "NP -> N", "S -> NP @S", "S+VP -> V N"}));
  EXPECT_EQ(rule_names(Bank(trees, {1, 1}).grammar), (Names{"@S[NP] -> V @S[V]", "@S[V] -> NP P", "NP -> D N",
                                                            "NP -> N", "S -> NP @S[NP]", "S+VP -> V N"}));
  EXPECT_EQ(rule_names(Bank(trees, {1, 3}).grammar),
            (Names{"@S[NP+V] -> NP P", "@S[NP] -> V @S[NP+V]", "NP -> D N", "NP -> N", "S -> NP @S[NP]",
                   "S+VP -> V N"}));
  EXPECT_EQ(rule_names(Bank(trees, {2, 0}).grammar),
            (Names{"@S -> NP^S P", "@S -> V @S", "NP^S -> D N", "NP^S -> N", "S -> NP^S @S", "S+VP -> V N"}));
}

TEST(ConstGrammar, FindsRulesByTheirChildren) {
  for (const Markovization& order : kOrders) {
    const std::vector<std::string> texts = random_texts(21, 40);
    const Grammar grammar = Bank(parsed_all(texts), order).grammar;
    std::size_t found = 0;
    const auto check = [&](Symbol left, Symbol right, std::span<const std::uint32_t> numbers) {
      std::set<std::uint32_t> distinct(numbers.begin(), numbers.end());
      EXPECT_EQ(distinct.size(), numbers.size());
      for (const std::uint32_t number : numbers) {
        const Rule& rule = grammar.rules().at(number);
        EXPECT_EQ(std::tuple(rule.left, rule.right), std::tuple(left, right)) << "seed 21";
      }
      found += numbers.size();
    };
    for (std::size_t left = 0; left < grammar.symbols(); ++left) {
      for (std::size_t right = 0; right < grammar.symbols(); ++right)
        check(static_cast<Symbol>(left), static_cast<Symbol>(right),
              grammar.with_children(static_cast<Symbol>(left), static_cast<Symbol>(right)));
      check(static_cast<Symbol>(left), kNoSymbol, grammar.over_tag(static_cast<Symbol>(left)));
    }
    EXPECT_EQ(found, grammar.rules().size());
  }
}

// Coarse symbols are those of the grammar that knows neither parents nor siblings.
TEST(ConstGrammar, HasACoarseSymbolForEverySymbol) {
  const std::vector<std::string> texts = random_texts(22, 60);
  const std::vector<BracketTree> trees = parsed_all(texts);
  const Bank coarse(trees, {});
  for (const Markovization& order : kOrders) {
    const Bank fine(trees, order);
    for (std::size_t i = 0; i < trees.size(); ++i) {
      ASSERT_EQ(fine.derivations[i].size(), coarse.derivations[i].size());
      for (std::size_t k = 0; k < fine.derivations[i].size(); ++k) {
        const Symbol symbol = fine.derivations[i][k].symbol, expected = coarse.derivations[i][k].symbol;
        if (fine.grammar.is_tag(symbol)) {
          ASSERT_EQ(symbol, expected) << "seed 22";
        } else {
          ASSERT_EQ(coarse.grammar.find_phrase(fine.grammar.coarse_key(symbol)), expected) << "seed 22";
        }
      }
    }
  }
  EXPECT_EQ(coarse.grammar.find_phrase("no such phrase"), kNoSymbol);
}

// ---- Grammars in model files

std::string bytes_of(const Grammar& grammar) {
  ByteWriter out;
  grammar.write(out);
  return out.take();
}

Grammar loaded(std::string_view bytes) {
  ByteReader in(bytes, "grammar");
  Grammar grammar = Grammar::load(in);
  EXPECT_TRUE(in.at_end());
  return grammar;
}

TEST(ConstGrammar, IsTheSameAfterWritingAndLoading) {
  for (const Markovization& order : kOrders) {
    const std::vector<std::string> texts = random_texts(23, 40);
    const std::vector<BracketTree> trees = parsed_all(texts);
    const Bank bank(trees, order);
    const Grammar& before = bank.grammar;
    const std::string bytes = bytes_of(before);
    const Grammar after = loaded(bytes);
    EXPECT_EQ(bytes_of(after), bytes) << "seed 23";
    ASSERT_EQ(after.tags(), before.tags());
    ASSERT_EQ(after.symbols(), before.symbols());
    for (std::size_t s = 0; s < before.symbols(); ++s) {
      const auto symbol = static_cast<Symbol>(s);
      EXPECT_EQ(after.name(symbol), before.name(symbol));
      EXPECT_EQ(after.is_partial(symbol), before.is_partial(symbol));
      EXPECT_TRUE(std::ranges::equal(after.over_tag(symbol), before.over_tag(symbol)));
    }
    EXPECT_EQ(rule_names(after), rule_names(before));
    BracketTree again;
    for (std::size_t i = 0; i < trees.size(); ++i) {
      unbinarize(after, bank.derivations[i], "-", trees[i].words, again);
      ASSERT_NO_FATAL_FAILURE(expect_same_tree(again, trees[i])) << "seed 23";
    }
  }
}

TEST(ConstGrammar, OfBytesCutShortAnywhereIsRefused) {
  const std::string bytes = bytes_of(Bank({parsed("(S (NP (N a)) (V b) (NP (N c)))")}, {2, 1}).grammar);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(loaded(bytes.substr(0, size)), ModelError) << size << " of " << bytes.size() << " bytes";
}

// Parts of a grammar as it is written.
struct Parts {
  std::vector<std::string> tags, phrases;
  std::vector<Rule> rules;

  std::string bytes() const {
    ByteWriter out;
    for (const auto* names : {&tags, &phrases}) {
      out.put<std::uint64_t>(names->size());
      for (const std::string& name : *names) out.put(std::string_view(name));
    }
    out.put_array(std::span<const Rule>(rules));
    return out.take();
  }
};

TEST(ConstGrammar, WithNumbersThatAreNoSymbolsOrWithRepetitionsIsRefused) {
  const Parts good{{"N", "V"}, {"S", "NP", "S\t@"}, {{2, 3, 4}, {4, 1, 3}, {3, 0, kNoSymbol}}};
  EXPECT_EQ(loaded(good.bytes()).rules().size(), 3u);
  EXPECT_TRUE(loaded(good.bytes()).is_partial(4));
  const std::vector<Rule> bad_rules = {{0, 3, 3},         {5, 3, 3},         {2, 5, 3}, {2, 3, 5},
                                       {2, 2, kNoSymbol}, {2, 9, kNoSymbol}, {2, 3, 4}, {3, 0, kNoSymbol},
                                       {kNoSymbol, 3, 3}, {2, kNoSymbol, 3}};
  for (const Rule& rule : bad_rules) {
    Parts bad = good;
    bad.rules.push_back(rule);
    EXPECT_THROW(loaded(bad.bytes()), ModelError) << rule.parent << ' ' << rule.left << ' ' << rule.right;
  }
  Parts bad = good;
  bad.tags.clear();
  EXPECT_THROW(loaded(bad.bytes()), ModelError) << "no tags";
  bad = good;
  bad.phrases.push_back("NP");
  EXPECT_THROW(loaded(bad.bytes()), ModelError) << "a phrase twice";
}

// The numbers of all symbols after the second would be others.
TEST(ConstGrammar, WithATagTwiceIsRefused) {
  const Parts bad{{"N", "V", "V"}, {"S", "NP", "VP"}, {{3, 4, 4}}};
  EXPECT_THROW(loaded(bad.bytes()), ModelError);
}

TEST(ConstGrammar, WithMoreSymbolsThanNumbersIsRefusedAsDamaged) {
  Parts tags, phrases{{"N"}, {}, {}};
  for (int i = 0; i < 65536; ++i) {
    tags.tags.push_back(std::to_string(i));
    phrases.phrases.push_back(std::to_string(i));
  }
  EXPECT_THROW(loaded(tags.bytes()), ModelError);
  EXPECT_THROW(loaded(phrases.bytes()), ModelError);
}

// Any change is refused or leaves a grammar that can be used.
TEST(ConstGrammar, OfDamagedBytesIsRefusedOrHarmless) {
  const std::vector<std::string> texts = random_texts(24, 5);
  const Bank bank(parsed_all(texts), {2, 1});
  const std::string bytes = bytes_of(bank.grammar);
  std::size_t refused = 0;
  constexpr std::uint64_t kTimes = 3000;
  for (std::uint64_t seed = 0; seed < kTimes; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    std::string damaged = bytes;
    for (std::size_t changes = 1 + random.below(3); changes > 0; --changes)
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    try {
      ByteReader in(damaged, "grammar");
      const Grammar grammar = Grammar::load(in);
      for (std::size_t s = 0; s < grammar.symbols(); ++s) (void)grammar.name(static_cast<Symbol>(s));
      for (const Rule& rule : grammar.rules()) {
        ASSERT_LT(rule.parent, grammar.symbols());
        ASSERT_FALSE(grammar.with_children(rule.left, rule.right).empty());
      }
    } catch (const ModelError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kTimes / 3);
}

}  // namespace
}  // namespace hinge::constituents
