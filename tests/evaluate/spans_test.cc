// Phrase scores against the output of the reference program, against phrases
// counted as sets, and against a second implementation of its rules.
#include "hinge/evaluate/spans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

#include "hinge/core/random.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using Labels = std::vector<std::string>;

void add(SpanScorer& scorer, const Labels& gold, const Labels& system) {
  const std::vector<std::string_view> g(gold.begin(), gold.end()), s(system.begin(), system.end());
  scorer.add(g, s);
}

Evaluation evaluate(const std::vector<std::pair<Labels, Labels>>& sentences) {
  SpanScorer scorer;
  for (const auto& [gold, system] : sentences) add(scorer, gold, system);
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

const Scores& of_type(const Evaluation& evaluation, const std::string& type) {
  static const Scores kNone;
  for (const auto& [key, scores] : evaluation.detail) {
    if (key == type) return scores;
  }
  ADD_FAILURE() << "no type '" << type << "'";
  return kNone;
}

struct Counts {
  int gold = 0, found = 0, correct = 0;

  double precision() const { return found == 0 ? 0.0 : 100.0 * correct / found; }
  double recall() const { return gold == 0 ? 0.0 : 100.0 * correct / gold; }
  double f1() const { return gold + found == 0 ? 0.0 : 200.0 * correct / (gold + found); }
};

void expect_scores(const Scores& scores, const Counts& counts) {
  EXPECT_NEAR(score(scores, "precision"), counts.precision(), 1e-9);
  EXPECT_NEAR(score(scores, "recall"), counts.recall(), 1e-9);
  EXPECT_NEAR(score(scores, "f1"), counts.f1(), 1e-9);
}

Labels lines_of(const std::string& text) {
  std::istringstream stream(text);
  Labels lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// ---- The reference program's output on real data

void expect_reference_text(const std::string& path) {
  SpanScorer scorer;
  Labels gold, system;
  for (const std::string& line : lines_of(test::TemporaryFolder::read(path))) {
    std::istringstream cells(line);
    std::string word, pos, g, s;
    if (cells >> word >> pos >> g >> s) {
      gold.push_back(g);
      system.push_back(s);
    } else if (!gold.empty()) {
      add(scorer, gold, system);
      gold.clear();
      system.clear();
    }
  }
  if (!gold.empty()) add(scorer, gold, system);
  const std::string expected = path.substr(0, path.rfind('.')) + ".expected";
  EXPECT_EQ(lines_of(scorer.evaluate().text), lines_of(test::TemporaryFolder::read(expected)));
}

TEST(Spans, PrintWhatConllevalPrintsForSystemOutput) {
  HINGE_DATA_FILE(path, "tag/scored/regular.txt");
  expect_reference_text(path);
}

TEST(Spans, PrintWhatConllevalPrintsForLabelsOutOfOrder) {
  HINGE_DATA_FILE(path, "tag/scored/irregular.txt");
  expect_reference_text(path);
}

// ---- By hand

TEST(Spans, OfASmallExampleAreThoseCountedByHand) {
  // Gold: NP 0-1, VP 2, NP 3-4. System: NP 0-1, VP 2, NP 3 (too short).
  const Evaluation evaluation =
      evaluate({{{"B-NP", "I-NP", "B-VP", "B-NP", "I-NP", "O"}, {"B-NP", "I-NP", "B-VP", "B-NP", "O", "O"}}});
  expect_scores(evaluation.scores, {.gold = 3, .found = 3, .correct = 2});
  expect_scores(of_type(evaluation, "NP"), {.gold = 2, .found = 2, .correct = 1});
  expect_scores(of_type(evaluation, "VP"), {.gold = 1, .found = 1, .correct = 1});
  EXPECT_NEAR(score(evaluation, "accuracy"), 500.0 / 6, 1e-9);
  EXPECT_EQ(evaluation.scores.at(0).first, "f1");
}

TEST(Spans, BeginAnewWithEverySentence) {
  // After a sentence break I- begins a new phrase.
  const Evaluation evaluation = evaluate({{{"B-X"}, {"B-X"}}, {{"I-X"}, {"I-X"}}});
  expect_scores(evaluation.scores, {.gold = 2, .found = 2, .correct = 2});
}

TEST(Spans, OfPhrasesAndTypesWithHyphensKeepTheWholeType) {
  const Evaluation evaluation = evaluate({{{"B-geo-loc", "I-geo-loc"}, {"B-geo-loc", "I-geo-loc"}}});
  expect_scores(of_type(evaluation, "geo-loc"), {.gold = 1, .found = 1, .correct = 1});
}

TEST(Spans, OfAllRightLabelsAreAHundred) {
  const Labels labels = {"B-NP", "I-NP", "O", "I-VP", "B-PP", "I-NP"};
  const Evaluation evaluation = evaluate({{labels, labels}});
  for (const char* name : {"f1", "precision", "recall", "accuracy"})
    EXPECT_EQ(score(evaluation, name), 100.0);
}

TEST(Spans, WhereNothingIsFoundAreZero) {
  const Evaluation nothing_found = evaluate({{{"B-X", "O"}, {"O", "O"}}});
  expect_scores(nothing_found.scores, {.gold = 1, .found = 0, .correct = 0});
}

// Gold has only O; the system's labels show that these are phrases.
TEST(Spans, WhereThereIsNothingToFindAreZero) {
  const Evaluation nothing_there = evaluate({{{"O", "O"}, {"B-X", "O"}}});
  expect_scores(nothing_there.scores, {.gold = 0, .found = 1, .correct = 0});
  EXPECT_NEAR(score(nothing_there, "accuracy"), 50.0, 1e-9);
}

TEST(Spans, OfNothingAtAllAreFinite) {
  for (const Evaluation& evaluation :
       {SpanScorer().evaluate(), evaluate({{{}, {}}}), evaluate({{{"O"}, {"O"}}})}) {
    ASSERT_FALSE(evaluation.scores.empty());
    for (const auto& [name, value] : evaluation.scores) EXPECT_TRUE(std::isfinite(value)) << name;
    EXPECT_EQ(evaluation.text.find("nan"), std::string::npos) << evaluation.text;
    EXPECT_EQ(evaluation.text.find("inf"), std::string::npos) << evaluation.text;
  }
}

TEST(Spans, OfIobesAreThoseCountedByHand) {
  // Gold: X 0, X 1, Y 2-4, X 6. System: X 0-1 as B E, Y 2-4, X 6.
  const Evaluation evaluation = evaluate(
      {{{"S-X", "S-X", "B-Y", "I-Y", "E-Y", "O", "S-X"}, {"B-X", "E-X", "B-Y", "I-Y", "E-Y", "O", "S-X"}}});
  expect_scores(evaluation.scores, {.gold = 4, .found = 3, .correct = 2});
  expect_scores(of_type(evaluation, "X"), {.gold = 3, .found = 2, .correct = 1});
  expect_scores(of_type(evaluation, "Y"), {.gold = 1, .found = 1, .correct = 1});
}

TEST(Spans, OfBilouAreThoseOfIobes) {
  const Evaluation evaluation = evaluate(
      {{{"U-X", "U-X", "B-Y", "I-Y", "L-Y", "O", "U-X"}, {"B-X", "L-X", "B-Y", "I-Y", "L-Y", "O", "U-X"}}});
  expect_scores(evaluation.scores, {.gold = 4, .found = 3, .correct = 2});
}

TEST(Spans, OfNeighboursInIobesAreTwoPhrases) {
  const Evaluation evaluation = evaluate({{{"B-X", "E-X", "B-X", "E-X", "S-X", "B-X", "I-X", "E-X"},
                                           {"B-X", "E-X", "B-X", "E-X", "S-X", "B-X", "I-X", "E-X"}}});
  expect_scores(evaluation.scores, {.gold = 4, .found = 4, .correct = 4});
}

TEST(Spans, OfLabelsThatAreNoPhrasesAreTheAccuracy) {
  const Evaluation evaluation =
      evaluate({{{"DT", "NN", "VB", "NN"}, {"DT", "VB", "VB", "NN"}}, {{"UH"}, {"NN"}}});
  for (const char* name : {"f1", "precision", "recall", "accuracy"})
    EXPECT_NEAR(score(evaluation, name), 60.0, 1e-9) << name;
  // NN: gold 2, found 2, correct 1.
  expect_scores(of_type(evaluation, "NN"), {.gold = 2, .found = 2, .correct = 1});
  EXPECT_FALSE(evaluation.text.empty());
}

TEST(Spans, OfPosTagsWithHyphensAreStillTheAccuracy) {
  const Evaluation evaluation =
      evaluate({{{"-LRB-", "NN", "HYPH", "-RRB-", "O-X"}, {"-LRB-", "NN", "NN", "-RRB-", "O-X"}}});
  EXPECT_NEAR(score(evaluation, "accuracy"), 80.0, 1e-9);
  EXPECT_NEAR(score(evaluation, "f1"), 80.0, 1e-9);
}

// There are phrases, so these are not POS tags; one stray label must not silently
// turn phrase scores into token scores.
TEST(Spans, StayPhrasesBesideALabelThatIsNone) {
  const Labels labels = {"B-NP", "I-NP", "_", "O", "B-VP"};
  const Evaluation evaluation = evaluate({{labels, {"B-NP", "I-NP", "_", "O", "B-NP"}}});
  expect_scores(of_type(evaluation, "NP"), {.gold = 1, .found = 2, .correct = 1});
  expect_scores(of_type(evaluation, "VP"), {.gold = 1, .found = 0, .correct = 0});
}

// ---- Phrases as sets

using Phrase = std::tuple<std::size_t, std::size_t, std::string>;  // first and last token, type

std::set<Phrase> random_phrases(Random& random, std::size_t tokens) {
  std::set<Phrase> phrases;
  for (std::size_t t = 0; t < tokens;) {
    const std::size_t length = 1 + random.below(3);
    if (random.below(2) == 0 && t + length <= tokens) {
      phrases.insert({t, t + length - 1, random.below(2) == 0 ? "X" : "Y"});
      t += length;
    } else {
      ++t;
    }
  }
  return phrases;
}

Labels iob2(const std::set<Phrase>& phrases, std::size_t tokens) {
  Labels labels(tokens, "O");
  for (const auto& [first, last, type] : phrases)
    for (std::size_t t = first; t <= last; ++t) labels[t] = (t == first ? "B-" : "I-") + type;
  return labels;
}

Labels iobes(const std::set<Phrase>& phrases, std::size_t tokens) {
  Labels labels(tokens, "O");
  for (const auto& [first, last, type] : phrases)
    for (std::size_t t = first; t <= last; ++t)
      labels[t] = (first == last ? "S-" : t == first ? "B-" : t == last ? "E-" : "I-") + type;
  return labels;
}

TEST(Spans, CountThePhrasesThatTwoSetsShareInIob2AndIobes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    SpanScorer two, five;
    Counts total, x;
    for (int sentence = 0; sentence < 5; ++sentence) {
      const std::size_t tokens = 1 + random.below(8);
      const std::set<Phrase> gold = random_phrases(random, tokens), system = random_phrases(random, tokens);
      add(two, iob2(gold, tokens), iob2(system, tokens));
      add(five, iobes(gold, tokens), iobes(system, tokens));
      for (const Phrase& phrase : gold) {
        total.gold += 1;
        total.correct += static_cast<int>(system.count(phrase));
        if (std::get<2>(phrase) != "X") continue;
        x.gold += 1;
        x.correct += static_cast<int>(system.count(phrase));
      }
      for (const Phrase& phrase : system) {
        total.found += 1;
        x.found += std::get<2>(phrase) == "X";
      }
    }
    expect_scores(two.evaluate().scores, total);
    expect_scores(five.evaluate().scores, total);
    if (x.gold + x.found == 0) continue;
    expect_scores(of_type(two.evaluate(), "X"), x);
    expect_scores(of_type(five.evaluate(), "X"), x);
  }
}

// ---- conlleval's rules for labels in any order

struct Tag {
  char mark;
  std::string type;
};

Tag parse_tag(const std::string& label) { return {label[0], label.size() > 2 ? label.substr(2) : ""}; }

bool ends(const Tag& before, const Tag& now) {
  if (before.mark == 'O') return false;
  return now.mark == 'B' || now.mark == 'O' || before.type != now.type;
}

bool begins(const Tag& before, const Tag& now) {
  if (now.mark == 'O') return false;
  return now.mark == 'B' || before.mark == 'O' || before.type != now.type;
}

Counts count_as_conlleval(const Labels& gold, const Labels& system) {
  Counts counts;
  Tag last_gold{'O', ""}, last_system{'O', ""};
  bool in_correct = false;
  for (std::size_t t = 0; t <= gold.size(); ++t) {
    const Tag g = t < gold.size() ? parse_tag(gold[t]) : Tag{'O', ""};
    const Tag s = t < gold.size() ? parse_tag(system[t]) : Tag{'O', ""};
    if (in_correct) {
      const bool gold_ends = ends(last_gold, g), system_ends = ends(last_system, s);
      if (gold_ends && system_ends && last_gold.type == last_system.type) {
        in_correct = false;
        ++counts.correct;
      } else if (gold_ends != system_ends || g.type != s.type) {
        in_correct = false;
      }
    }
    const bool gold_begins = begins(last_gold, g), system_begins = begins(last_system, s);
    if (gold_begins && system_begins && g.type == s.type) in_correct = true;
    counts.gold += gold_begins;
    counts.found += system_begins;
    last_gold = g;
    last_system = s;
  }
  return counts;
}

TEST(Spans, FollowTheRulesOfConllevalForLabelsInAnyOrder) {
  const Labels kAll = {"O", "B-X", "I-X", "B-Y", "I-Y"};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::size_t tokens = 1 + random.below(8);
    Labels gold(tokens), system(tokens);
    for (std::size_t t = 0; t < tokens; ++t) {
      gold[t] = kAll[random.below(kAll.size())];
      system[t] = random.below(2) == 0 ? gold[t] : kAll[random.below(kAll.size())];
    }
    const Counts counts = count_as_conlleval(gold, system);
    if (counts.gold == 0) continue;  // gold without phrases does not show the kind of label
    expect_scores(evaluate({{gold, system}}).scores, counts);
    if (HasFailure()) FAIL() << testing::PrintToString(gold) << " " << testing::PrintToString(system);
  }
}

// Out of order, too: B, I, E, S and O of two types at random.
TEST(Phrases, AreThoseThatTheScorerCounts) {
  Random random(7);
  const Labels names{"O", "B-A", "I-A", "E-A", "S-A", "B-B", "I-B", "E-B", "S-B"};
  for (int round = 0; round < 500; ++round) {
    Labels labels;
    for (std::uint64_t t = 0, n = 1 + random.below(8); t < n; ++t) labels.push_back(names[random.below(names.size())]);
    labels.push_back("B-A");  // so that labels are phrases
    const std::vector<std::string_view> views(labels.begin(), labels.end());
    std::map<std::string, double> counts;
    std::size_t end = 0;
    for (const auto& phrase : phrases_of(views)) {
      EXPECT_LE(end, phrase.begin);
      EXPECT_LT(phrase.begin, phrase.end);
      EXPECT_EQ(views[phrase.begin].substr(2), phrase.type);
      end = phrase.end;
      ++counts[std::string(phrase.type)];
    }
    EXPECT_LE(end, labels.size());
    for (const auto& [type, scores] : evaluate({{labels, labels}}).detail) EXPECT_EQ(score(scores, "found"), counts[type]);
  }
}

}  // namespace
}  // namespace hinge
