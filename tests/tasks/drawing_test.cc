// Drawings of tags and trees for web pages.
#include "hinge/tasks/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <regex>
#include <vector>

#include "hinge/corpus/brackets.h"

namespace hinge {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// The groups of every match.
std::vector<std::vector<std::string>> all(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::vector<std::string>> matches;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    matches.emplace_back(match->begin(), match->end());
  return matches;
}

TEST(DrawTags, OnePhraseForBAndIWithItsLowestScore) {
  const std::vector<DrawnToken> tokens{{"in", "O", 0, 0.9}, {"New", "B-LOC", 1, 0.7}, {"<York>", "I-LOC", 1, 0.4}, {"Ann", "B-PER", 2, 0.8}};
  std::string out;
  draw_tags(tokens, /*phrases=*/true, out);
  EXPECT_NE(out.find("<p>in <span"), std::string::npos) << out;
  EXPECT_NE(out.find(">New &lt;York&gt;<sub>LOC 0.40</sub></span> <span"), std::string::npos) << out;
  EXPECT_NE(out.find(">Ann<sub>PER 0.80</sub></span></p>"), std::string::npos) << out;
}

TEST(DrawTags, EveryWordAboveItsTag) {
  const std::vector<DrawnToken> tokens{{"it", "PRP", 0, {}}, {"&", "CC", 1, 1.5}};
  std::string out;
  draw_tags(tokens, /*phrases=*/false, out);
  EXPECT_NE(out.find(">it<small>PRP</small></span>"), std::string::npos) << out;
  EXPECT_NE(out.find(">&amp;<small>CC</small><i>1.50</i></span>"), std::string::npos) << out;
}

TEST(Drawings, HaveNoScoreWhereThereIsNoRival) {
  constexpr double kNoRival = std::numeric_limits<double>::infinity();
  std::string out;
  draw_tags(std::vector<DrawnToken>{{"a", "O", 0, kNoRival}, {"b", "B-X", 1, kNoRival}}, /*phrases=*/true, out);
  draw_tags(std::vector<DrawnToken>{{"a", "DT", 0, kNoRival}}, /*phrases=*/false, out);
  draw_dependencies(std::vector<DrawnWord>{{.word = "a", .tag = "", .head = 2, .label = "x", .score = kNoRival},
                                           {.word = "b", .tag = "", .head = 0, .label = "y", .score = kNoRival}},
                    out);
  EXPECT_EQ(out.find("inf"), std::string::npos) << out;
  EXPECT_NE(out.find("<sub>X</sub>"), std::string::npos) << out;
}

// Horizontal parts of arcs that share a gap between words are not at the same height.
void expect_no_overlap(const std::vector<std::size_t>& heads) {
  std::vector<DrawnWord> words;
  for (const std::size_t head : heads) words.push_back({.word = "word", .tag = "TAG", .head = head, .label = "label", .score = {}});
  std::string out;
  draw_dependencies(words, out);
  const auto arcs = all(out, "<path d=\"M([0-9.]+) [0-9.]+V([0-9.]+)q[^H]*H([0-9.]+)q");
  const auto roots = std::ranges::count(heads, 0u);
  EXPECT_EQ(arcs.size() + static_cast<std::size_t>(roots), heads.size());
  EXPECT_EQ(count(out, "class=\"head\""), heads.size());
  EXPECT_EQ(count(out, ">word</text>"), heads.size());
  for (const auto& a : arcs) {
    EXPECT_GT(std::stod(a[2]), 0.0) << "above the drawing";
    for (const auto& b : arcs) {
      if (&a == &b || a[2] != b[2]) continue;
      const bool apart = std::stod(a[3]) < std::stod(b[1]) || std::stod(b[3]) < std::stod(a[1]);
      EXPECT_TRUE(apart) << a[0] << " and " << b[0];
    }
  }
}

TEST(DrawDependencies, ArcsDoNotLieOnEachOther) {
  expect_no_overlap({2, 0, 2});
  expect_no_overlap({0});
  expect_no_overlap({3, 4, 0, 3, 4, 5, 3});        // crossing
  expect_no_overlap({0, 1, 1, 1, 1, 1, 1, 1});     // all from one head
  expect_no_overlap({8, 8, 8, 8, 8, 8, 8, 0, 1});  // far from it
  expect_no_overlap({2, 3, 4, 5, 6, 0});
}

BracketTree parse(const std::string& text) {
  BracketTree tree;
  EXPECT_TRUE(parse_brackets(text, "test", {}, tree));
  return tree;
}

TEST(DrawTree, ParentsAreAboveTheirChildrenAndWordsFromLeftToRight) {
  const std::string text = "(S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (NN it)))))";
  std::string out;
  draw_tree(parse(text), {}, out);
  double right = 0.0;
  std::string words;
  for (const auto& word : all(out, "<text x=\"([0-9.]+)\" y=\"[0-9.]+\">([^<]*)<")) {
    EXPECT_GT(std::stod(word[1]), right);
    right = std::stod(word[1]);
    words += word[2] + " ";
  }
  EXPECT_EQ(words, "the cat sat on it ");
  EXPECT_EQ(count(out, "class=\"label\""), 10u);
  std::size_t down = 0;
  for (const auto& line : all(out, "<line x1=\"[0-9.]+\" y1=\"([0-9.]+)\" x2=\"[0-9.]+\" y2=\"([0-9.]+)\"")) {
    EXPECT_LT(std::stod(line[1]), std::stod(line[2]));
    ++down;
  }
  EXPECT_EQ(down, 9u);
}

TEST(DrawTree, MarkedLabelsStandOut) {
  std::string out;
  draw_tree(parse("(S (NP (DT the)) (VP (VBD sat)))"), std::vector<char>{0, 1, 0, 0, 1}, out);
  const auto marked = all(out, "class=\"label differs\">([A-Z]+)<");
  ASSERT_EQ(marked.size(), 2u);
  EXPECT_EQ(marked[0][1], "NP");
  EXPECT_EQ(marked[1][1], "VBD");
  EXPECT_EQ(count(out, "class=\"label\""), 3u);
}

// A long label above a short word does not leave the picture.
TEST(DrawTree, NothingIsCutOff) {
  std::string out;
  draw_tree(parse("(AVERYLONGLABEL (X a))"), {}, out);
  const auto text = all(out, "<text x=\"([0-9.]+)\"");
  const auto box = all(out, "viewBox=\"0 0 ([0-9.]+) ");
  ASSERT_EQ(text.size(), 3u);
  EXPECT_GT(std::stod(text[0][1]), 40.0);
  EXPECT_GT(std::stod(box[0][1]) - std::stod(text[0][1]), 40.0);
}

}  // namespace
}  // namespace hinge
