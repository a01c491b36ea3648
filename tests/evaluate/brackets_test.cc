// Scores of phrase-structure trees: every rule of EVALB and COLLINS.prm on trees
// counted by hand, and random trees against a plain count.
#include "hinge/evaluate/brackets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hinge/core/random.h"

namespace hinge {
namespace {

// Well-formed brackets only; the tree refers to the text.
class Nested {
 public:
  explicit Nested(std::string_view text) : text_(text) { node(); }

  BracketTree tree;

 private:
  void node() {
    skip_spaces();
    ++at_;  // (
    const std::string_view label = token();
    const std::size_t self = tree.nodes.size();
    tree.nodes.push_back({label, size(tree.words), 0, 0, false});
    skip_spaces();
    if (text_[at_] == '(') {
      for (; text_[at_] == '('; skip_spaces()) node();
    } else if (text_[at_] != ')') {
      tree.words.push_back(token());
      tree.nodes[self].word = true;
      skip_spaces();
    }
    ++at_;  // )
    tree.nodes[self].end = size(tree.words);
    tree.nodes[self].next = size(tree.nodes);
  }

  template <typename List>
  static std::uint32_t size(const List& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  std::string_view token() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(" ()", at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool add(BracketScorer& scorer, std::string_view gold, std::string_view system) {
  return scorer.add(Nested(gold).tree, Nested(system).tree);
}

Evaluation evaluate(std::string_view gold, std::string_view system) {
  BracketScorer scorer;
  EXPECT_TRUE(add(scorer, gold, system));
  return scorer.evaluate();
}

double score(const Scores& scores, const std::string& name) {
  for (const auto& [key, value] : scores) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no score '" << name << "'";
  return std::nan("");
}

double score(const Evaluation& evaluation, const std::string& name) { return score(evaluation.scores, name); }

const Scores* find(const Evaluation& evaluation, const std::string& name) {
  for (const auto& [key, scores] : evaluation.detail) {
    if (key == name) return &scores;
  }
  return nullptr;
}

double detail(const Evaluation& evaluation, const std::string& name, const std::string& key) {
  const Scores* scores = find(evaluation, name);
  if (scores != nullptr) return score(*scores, key);
  ADD_FAILURE() << "no detail '" << name << "'";
  return std::nan("");
}

void expect_brackets(const Evaluation& evaluation, int correct, int gold, int found) {
  EXPECT_NEAR(score(evaluation, "precision"), 100.0 * correct / found, 1e-9);
  EXPECT_NEAR(score(evaluation, "recall"), 100.0 * correct / gold, 1e-9);
  EXPECT_NEAR(score(evaluation, "f1"), 200.0 * correct / (gold + found), 1e-9);
}

constexpr std::string_view kDog = "(S (NP (DT The) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))";

// ---- Brackets

TEST(BracketScorer, ATreeAgreesWithItself) {
  const Evaluation result = evaluate(kDog, kDog);
  for (const char* name : {"f1", "precision", "recall", "exact", "tags", "f1_15", "f1_40"}) {
    EXPECT_EQ(score(result, name), 100.0) << name;
  }
  EXPECT_EQ(detail(result, "all", "crossing"), 0.0);
  EXPECT_FALSE(result.lower_is_better);
}

TEST(BracketScorer, TheScoresComeInTheOrderTheyAreRead) {
  const Evaluation result = evaluate(kDog, kDog);
  std::vector<std::string> names;
  for (const auto& [name, value] : result.scores) names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"f1", "precision", "recall", "exact", "tags", "f1_15", "f1_40"}));
  names.clear();
  for (const auto& [name, scores] : result.detail) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"<= 15", "<= 40", "all", "NP", "S", "VP"}));
}

TEST(BracketScorer, CountsLabelAndSpan) {
  // S and the first NP agree; VP is relabelled, the second NP is missing.
  const Evaluation result = evaluate(kDog, "(S (NP (DT The) (NN dog)) (XP (VBZ sees) (DT a) (NN cat)))");
  expect_brackets(result, 2, 4, 3);
  EXPECT_EQ(score(result, "exact"), 0.0);
  EXPECT_EQ(detail(result, "NP", "precision"), 100.0);
  EXPECT_EQ(detail(result, "NP", "recall"), 50.0);
  EXPECT_NEAR(detail(result, "NP", "f1"), 200.0 / 3.0, 1e-9);
  EXPECT_EQ(detail(result, "NP", "gold"), 2.0);
  EXPECT_EQ(detail(result, "NP", "found"), 1.0);
  EXPECT_EQ(detail(result, "XP", "gold"), 0.0);
  EXPECT_EQ(detail(result, "XP", "found"), 1.0);
  EXPECT_EQ(detail(result, "XP", "f1"), 0.0);
}

TEST(BracketScorer, TagsOverWordsAreNotBrackets) {
  expect_brackets(evaluate("(S (A a) (B b))", "(S (C a) (D b))"), 1, 1, 1);
}

TEST(BracketScorer, TheOrderOfAUnaryChainDoesNotMatter) {
  const Evaluation result = evaluate("(S (VP (VB go)))", "(VP (S (VB go)))");
  expect_brackets(result, 2, 2, 2);
  EXPECT_EQ(score(result, "exact"), 100.0);
}

TEST(BracketScorer, ARepeatedLabelOverOneSpanCountsAsOftenAsItOccurs) {
  expect_brackets(evaluate("(S (NP (NP (N a))) (V b))", "(S (NP (NP (NP (N a)))) (V b))"), 3, 3, 4);
  expect_brackets(evaluate("(S (NP (NP (N a))) (V b))", "(S (NP (N a)) (V b))"), 2, 3, 2);
}

TEST(BracketScorer, FunctionPartsOfLabelsAreCut) {
  const Evaluation result = evaluate("(S=1 (NP-SBJ-1 (N a)) (VP=2 (V b)))", "(S (NP=3 (N a)) (VP (V b)))");
  expect_brackets(result, 3, 3, 3);
  EXPECT_NE(find(result, "NP"), nullptr);
  EXPECT_EQ(find(result, "NP-SBJ-1"), nullptr);
}

TEST(BracketScorer, LabelsThatBeginWithADashStayWhole) {
  const Evaluation result = evaluate("(S (-X-Y (N a)) (V b))", "(S (-X-Z (N a)) (V b))");
  expect_brackets(result, 1, 2, 2);
  EXPECT_NE(find(result, "-X-Y"), nullptr);
}

TEST(BracketScorer, RootsAreNotCounted) {
  for (const char* system : {"(TOP (S (N a)))", "(ROOT (S (N a)))", "(S1 (S (N a)))", "( (S (N a)))",
                             "(ROOT-1 (S (N a)))", "(S (N a))"}) {
    const Evaluation result = evaluate("(TOP (S (N a)))", system);
    expect_brackets(result, 1, 1, 1);
    EXPECT_EQ(score(result, "exact"), 100.0) << system;
  }
}

TEST(BracketScorer, ParticlesAreAdverbPhrases) {
  const Evaluation result = evaluate("(VP (V give) (PRT (RP up)))", "(VP (V give) (ADVP (RP up)))");
  expect_brackets(result, 2, 2, 2);
  EXPECT_EQ(detail(result, "ADVP", "gold"), 1.0);
  EXPECT_EQ(find(result, "PRT"), nullptr);
  // One of the two agrees, not both.
  expect_brackets(evaluate("(VP (V give) (PRT (ADVP (RP up))))", "(VP (V give) (ADVP (RP up)))"), 2, 3, 2);
}

// ---- Words

TEST(BracketScorer, PunctuationIsRemovedBeforeSpansAreNumbered) {
  // Only the attachment of , : `` '' . differs.
  const Evaluation result = evaluate("(S (`` ``) (NP (N a) (, ,)) ('' '') (VP (V b) (: ;)) (. .))",
                                     "(S (NP (`` ``) (N a)) (, ,) (VP ('' '') (V b)) (: ;) (. .))");
  expect_brackets(result, 3, 3, 3);
  EXPECT_EQ(score(result, "exact"), 100.0);
}

TEST(BracketScorer, OtherSymbolsAreWords) {
  expect_brackets(
      evaluate("(S (NP (N a) (-LRB- -LRB-)) ($ $) (V b))", "(S (NP (N a)) (-LRB- -LRB-) ($ $) (V b))"), 1, 2,
      2);
}

TEST(BracketScorer, BracketsOfPunctuationAloneAreNotCounted) {
  expect_brackets(evaluate("(S (N a) (PRN (, ,) (NP (: -))))", "(S (N a) (, ,) (: -))"), 1, 1, 1);
  expect_brackets(evaluate("(S (N a) (: (: -) (N b)))", "(S (N a) (: -) (N b))"), 1, 1, 1);
}

TEST(BracketScorer, GoldTagsDecideWhatIsPunctuation) {
  // EVALB refuses both: the words left differ.
  const Evaluation missed = evaluate("(S (NP (N a)) (. .))", "(S (NP (N a) (N .)))");
  expect_brackets(missed, 2, 2, 2);
  EXPECT_EQ(score(missed, "tags"), 100.0);
  const Evaluation invented = evaluate("(S (NP (N a)) (V b))", "(S (NP (N a)) (. b))");
  expect_brackets(invented, 2, 2, 2);
  EXPECT_EQ(score(invented, "tags"), 50.0);
}

TEST(BracketScorer, EmptyElementsAreRemovedFromEachTree) {
  const Evaluation result = evaluate("(S (NP (-NONE- *)) (VP (V go) (NP (-NONE- *T*-1) (N home))))",
                                     "(S (VP (V go) (NP (N home))))");
  expect_brackets(result, 3, 3, 3);
  EXPECT_EQ(score(result, "exact"), 100.0);
  EXPECT_EQ(score(result, "tags"), 100.0);
  EXPECT_EQ(score(evaluate("(S (V go))", "(S (V go) (NP (-NONE- *)))"), "exact"), 100.0);
}

TEST(BracketScorer, TagsOfTheWordsLeftAreScored) {
  // a and b are wrong, c is correct, the full stop does not count.
  EXPECT_NEAR(score(evaluate("(S (N a) (V-1 b) (X c) (. .))", "(S (V a) (V b) (X c) (. .))"), "tags"),
              100.0 / 3.0, 1e-9);
}

TEST(BracketScorer, TagsMayBeWrongInAnExactSentence) {
  const Evaluation result = evaluate("(S (N a))", "(S (V a))");
  EXPECT_EQ(score(result, "exact"), 100.0);
  EXPECT_EQ(score(result, "tags"), 0.0);
}

// ---- Sentences

TEST(BracketScorer, ADifferentNumberOfWordsIsAnError) {
  BracketScorer scorer;
  EXPECT_FALSE(add(scorer, "(S (N a) (V b))", "(S (N a))"));
  EXPECT_EQ(scorer.sentences(), 0U);
  EXPECT_TRUE(add(scorer, kDog, kDog));
  EXPECT_EQ(scorer.sentences(), 1U);
  EXPECT_EQ(score(scorer.evaluate(), "f1"), 100.0);
  EXPECT_NE(scorer.evaluate().text.find("1 not scored: gold and system differ in words"), std::string::npos);
}

TEST(BracketScorer, ASentenceOfPunctuationAloneIsNotScored) {
  BracketScorer scorer;
  EXPECT_TRUE(add(scorer, "(X (. .) (: -))", "(Y (. .) (X (: -)))"));
  EXPECT_EQ(scorer.sentences(), 0U);
  EXPECT_EQ(score(scorer.evaluate(), "exact"), 0.0);
  EXPECT_NE(scorer.evaluate().text.find("1 not scored: only punctuation"), std::string::npos);
}

TEST(BracketScorer, NothingScoredIsZero) {
  const Evaluation result = BracketScorer().evaluate();
  for (const auto& [name, value] : result.scores) EXPECT_EQ(value, 0.0) << name;
  EXPECT_EQ(detail(result, "all", "sentences"), 0.0);
}

TEST(BracketScorer, ATreeWithoutBracketsIsExactIfGoldHasNone) {
  const Evaluation result = evaluate("(TOP (N a))", "(TOP (N a))");
  EXPECT_EQ(score(result, "exact"), 100.0);
  EXPECT_EQ(score(result, "f1"), 0.0);
}

// ---- Crossing brackets

TEST(BracketScorer, CrossingIsCountedByBracketsOfTheSystem) {
  // One bracket of the system crosses both of gold: it counts once.
  const Evaluation one = evaluate("(S (X (A a) (B b)) (X (C c) (D d)))", "(S (A a) (X (B b) (C c)) (D d))");
  EXPECT_EQ(detail(one, "all", "crossing"), 1.0);
  EXPECT_EQ(detail(one, "all", "no_crossing"), 0.0);
  EXPECT_EQ(detail(one, "all", "two_crossing"), 100.0);
  // The other way round two brackets cross one.
  const Evaluation two = evaluate("(S (A a) (X (B b) (C c)) (D d))", "(S (X (A a) (B b)) (X (C c) (D d)))");
  EXPECT_EQ(detail(two, "all", "crossing"), 2.0);
  EXPECT_EQ(detail(two, "all", "two_crossing"), 100.0);
  // Every bracket of a unary chain counts.
  const Evaluation three =
      evaluate("(S (A a) (X (B b) (C c)) (D d))", "(S (X (X (A a) (B b))) (X (C c) (D d)))");
  EXPECT_EQ(detail(three, "all", "crossing"), 3.0);
  EXPECT_EQ(detail(three, "all", "two_crossing"), 0.0);
}

TEST(BracketScorer, BracketsInsideOrBesideOthersDoNotCross) {
  const Evaluation result = evaluate("(S (X (A a) (B b)) (C c))", "(S (Y (A a)) (Y (B b)) (Y (C c)))");
  EXPECT_EQ(detail(result, "all", "crossing"), 0.0);
  EXPECT_EQ(detail(result, "all", "no_crossing"), 100.0);
}

TEST(BracketScorer, RootsDoNotCrossAndPunctuationIsNotCrossed) {
  EXPECT_EQ(detail(evaluate("(S (A a) (X (B b) (C c)))", "(S (TOP (A a) (B b)) (C c))"), "all", "crossing"),
            0.0);
  EXPECT_EQ(detail(evaluate("(S (X (A a) (, ,)) (B b))", "(S (A a) (X (, ,) (B b)))"), "all", "crossing"),
            0.0);
}

TEST(BracketScorer, AveragesAreOverSentences) {
  BracketScorer scorer;
  add(scorer, kDog, kDog);
  add(scorer, "(S (X (A a) (B b)) (X (C c) (D d)))", "(S (A a) (X (B b) (C c)) (D d))");
  const Evaluation result = scorer.evaluate();
  EXPECT_EQ(scorer.sentences(), 2U);
  expect_brackets(result, 5, 7, 6);
  EXPECT_EQ(score(result, "exact"), 50.0);
  EXPECT_EQ(detail(result, "all", "crossing"), 0.5);
  EXPECT_EQ(detail(result, "all", "no_crossing"), 50.0);
  EXPECT_EQ(detail(result, "all", "two_crossing"), 100.0);
}

// ---- Groups by length

// (S (X (N w) ...) (, ,) ... (-NONE- *)), or without X.
std::string sentence(int words, int commas, bool with_x) {
  std::string text = with_x ? "(S (X " : "(S ";
  for (int k = 0; k < words; ++k) text += "(N w) ";
  text += with_x ? ")" : "";
  for (int k = 0; k < commas; ++k) text += "(, ,) ";
  return text + "(-NONE- *))";
}

TEST(BracketScorer, LengthCountsPunctuationButNoEmptyElements) {
  BracketScorer scorer;
  for (const auto& [words, commas] : {std::pair{10, 5}, {11, 5}, {15, 25}, {16, 25}}) {
    const std::string gold = sentence(words, commas, true), system = sentence(words, commas, words != 11);
    EXPECT_TRUE(add(scorer, gold, system));
  }
  const Evaluation result = scorer.evaluate();
  EXPECT_EQ(detail(result, "<= 15", "sentences"), 1.0);
  EXPECT_EQ(detail(result, "<= 40", "sentences"), 3.0);
  EXPECT_EQ(detail(result, "all", "sentences"), 4.0);
  EXPECT_EQ(score(result, "f1_15"), 100.0);
  EXPECT_NEAR(score(result, "f1_40"), 200.0 * 5 / 11, 1e-9);
  EXPECT_NEAR(score(result, "f1"), 200.0 * 7 / 15, 1e-9);
  EXPECT_EQ(detail(result, "<= 40", "precision"), 100.0);
  EXPECT_NEAR(detail(result, "<= 40", "recall"), 500.0 / 6, 1e-9);
  EXPECT_NEAR(detail(result, "<= 40", "exact"), 200.0 / 3, 1e-9);
  EXPECT_EQ(detail(result, "all", "exact"), 75.0);
  EXPECT_EQ(detail(result, "<= 15", "tags"), 100.0);
}

// ---- Sums

TEST(BracketScorer, CountsOfScorersAddUpInAnyOrder) {
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {kDog, "(S (NP (DT The) (NN dog)) (XP (VBZ sees) (DT a) (NNS cat)))"},
      {"(S (X (A a) (B b)) (X (C c) (D d)))", "(S (A a) (X (B b) (C c)) (D d))"},
      {"(S (A a))", "(S (A a) (B b))"},
      {"(S (. .))", "(S (. .))"}};
  BracketScorer together, forward, backward;
  std::vector<BracketScorer> parts(std::size(pairs));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    add(together, pairs[k].first, pairs[k].second);
    add(parts[k], pairs[k].first, pairs[k].second);
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    forward.add(parts[k]);
    backward.add(parts[parts.size() - 1 - k]);
  }
  const Evaluation expected = together.evaluate();
  for (const BracketScorer& scorer : {forward, backward}) {
    const Evaluation result = scorer.evaluate();
    EXPECT_EQ(scorer.sentences(), 2U);
    EXPECT_EQ(result.scores, expected.scores);
    EXPECT_EQ(result.detail, expected.detail);
    EXPECT_EQ(result.text, expected.text);
  }
}

TEST(BracketScorer, TheReportNamesCountsGroupsAndLabels) {
  const std::string text = evaluate(kDog, kDog).text;
  EXPECT_EQ(text.find("1 sentences with 4 brackets; found: 4; correct: 4; words: 5; correct tags: 5\n"), 0U);
  for (const char* part :
       {"<= 15", "<= 40", "all", "NP: precision: 100.00%; recall: 100.00%; F1: 100.00  2\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find("not scored"), std::string::npos);
}

// ---- Random trees against a plain count

class RandomTrees {
 public:
  explicit RandomTrees(std::uint64_t seed) : random_(seed) {}

  // Brackets over the words [begin, end), up to two of them over the same words.
  std::string tree(std::size_t begin, std::size_t end) {
    std::string text;
    std::size_t open = 0;
    for (; open < 2 && random_.below(2) == 0; ++open) text += std::string("(") + "XY"[random_.below(2)] + " ";
    if (end - begin == 1) {
      text += random_.below(2) == 0 ? "(T w)" : "(U w)";
    } else {
      const std::size_t middle = begin + 1 + random_.below(end - begin - 1);
      text += tree(begin, middle) + tree(middle, end);
    }
    return text + std::string(open, ')');
  }

 private:
  Random random_;
};

using Plain = std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t>, int>;

Plain count_plainly(const BracketTree& tree) {
  Plain counts;
  for (const BracketNode& node : tree.nodes) {
    if (!node.word && node.label != "TOP") ++counts[{node.label, node.begin, node.end}];
  }
  return counts;
}

int total(const Plain& counts) {
  int sum = 0;
  for (const auto& [bracket, count] : counts) sum += count;
  return sum;
}

bool crosses_any(std::uint32_t begin, std::uint32_t end, const Plain& others) {
  for (const auto& [bracket, count] : others) {
    const auto [label, b, e] = bracket;
    const bool overlap = begin < e && b < end;
    const bool inside = (b <= begin && end <= e) || (begin <= b && e <= end);
    if (overlap && !inside) return true;
  }
  return false;
}

TEST(BracketScorer, AgreesWithAPlainCountOnRandomTrees) {
  RandomTrees random(7);
  for (std::size_t round = 0; round < 2000; ++round) {
    const std::size_t words = 1 + round % 9;
    const std::string gold_text = "(TOP " + random.tree(0, words) + ")";
    const std::string system_text = "(TOP " + random.tree(0, words) + ")";
    const Plain gold = count_plainly(Nested(gold_text).tree),
                system = count_plainly(Nested(system_text).tree);
    int correct = 0, crossing = 0;
    for (const auto& [bracket, count] : system) {
      const auto found = gold.find(bracket);
      if (found != gold.end()) correct += std::min(count, found->second);
      crossing += crosses_any(std::get<1>(bracket), std::get<2>(bracket), gold) ? count : 0;
    }
    const Evaluation result = evaluate(gold_text, system_text);
    SCOPED_TRACE(gold_text);
    SCOPED_TRACE(system_text);
    const int both = total(gold) + total(system);
    EXPECT_NEAR(score(result, "f1"), both == 0 ? 0.0 : 200.0 * correct / both, 1e-9);
    EXPECT_EQ(score(result, "exact"), gold == system ? 100.0 : 0.0);
    EXPECT_EQ(detail(result, "all", "crossing"), crossing);
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace hinge
