// Summaries as a Task: the contract, and brute force over all choices of sentences and parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "hinge/core/random.h"
#include "hinge/learn/driver/check_task.h"
#include "hinge/tasks/summarize/cuts.h"
#include "hinge/tasks/summarize/plan.h"
#include "hinge/tasks/summarize/task.h"
#include "tests/support/task_checks.h"

namespace hinge::test {
namespace {

using summarize::TopicData;

Weights random_weights(std::size_t dimension, std::uint64_t seed) {
  Random random(seed);
  Weights w(dimension);
  for (std::size_t d = 0; d < w.size(); ++d) w[d] = static_cast<float>(2.0 * random.uniform() - 1.0);
  return w;
}

// Topics of few sentences over few words, so that bigrams recur and all choices can be listed.
summarize::Topic random_topic(Random& random, bool trees) {
  static constexpr std::string_view kWords[] = {"the", "room", "was", "clean", "staff", "and", "friendly"};
  const auto word = [&] { return std::string(kWords[random.below(std::size(kWords))]); };
  const auto words = [&](std::size_t n) {
    std::string text;
    for (std::size_t k = 0; k < n; ++k) text += (k == 0 ? "" : " ") + word();
    return text;
  };
  summarize::Topic topic{.id = "t"};
  for (int d = 0; d < 3; ++d) {
    summarize::Document document;
    for (int s = 0; s < 2; ++s) {
      if (trees) {
        document.trees.push_back("(S (NP (DT " + word() + ") (NN " + word() + ")) (VP (VBD " + word() +
                                 ") (PP (IN " + word() + ") (NP (NN " + word() + ") (SBAR (WDT " + word() +
                                 ") (VBZ " + word() + "))))))");
      } else {
        document.text += words(3 + random.below(4)) + ".\n\n";
      }
    }
    topic.documents.push_back(document);
  }
  for (int r = 0; r < 2; ++r) topic.references.push_back(words(6));
  return topic;
}

struct World {
  explicit World(bool trees, double word_cost = 0.0, bool mean_recall = false) {
    Random random(1);
    const summarize::DataOptions options{.limit = 10, .word_cost = word_cost, .mean_recall = mean_recall};
    summarize::TopicSplitter splitter({.compress = trees}, nullptr);
    summarize::Phrases phrases;
    for (int t = 0; t < 8; ++t) {
      topics.push_back(random_topic(random, trees));
      texts.push_back(splitter.split(topics.back()));
      phrases.add(summarize::Phrases::of(texts.back()));
    }
    for (const auto& text : texts) {
      const auto own = summarize::Phrases::of(text);
      data.push_back(summarize::make_data(text, options, phrases, &own));
    }
    for (const TopicData& topic : data) set.add(topic);
    task = std::make_unique<summarize::SummarizeTask>(set, options.solver);
  }

  // visit(chosen) for every feasible choice.
  template <typename Visit>
  void each_choice(std::size_t i, const Visit& visit) const {
    const std::size_t n = data[i].origins.size();
    std::vector<char> chosen(n);
    for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
      for (std::size_t k = 0; k < n; ++k) chosen[k] = static_cast<char>(bits >> k & 1u);
      if (is_feasible(data[i].coverage, chosen)) visit(chosen);
    }
  }

  // Recall less costs.
  double gain(std::size_t i, const std::vector<char>& chosen) const {
    std::vector<double> own;
    for (const double cost : data[i].costs) own.push_back(-cost);
    return coverage_value(data[i].coverage, {data[i].gains, own}, chosen);
  }
  double score(std::size_t i, const Weights& w, const std::vector<char>& chosen) const {
    summarize::Decoder decoder({});
    decoder.weigh(data[i], w.data(), 0.0);
    return coverage_value(data[i].coverage, {decoder.bigram_scores(), decoder.piece_scores()}, chosen);
  }

  std::vector<summarize::Topic> topics;
  std::vector<summarize::TopicText> texts;
  std::vector<TopicData> data;
  summarize::TopicSet set{10};
  std::unique_ptr<summarize::SummarizeTask> task;
};

class SummarizeTask : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutCompression, SummarizeTask, testing::Bool());

TEST_P(SummarizeTask, HasNoneOfTheUsualMistakes) {
  EXPECT_EQ(check_task(*World(GetParam()).task), std::vector<std::string>());
  EXPECT_EQ(check_task(*World(GetParam(), 0.2).task), std::vector<std::string>());
}

TEST_P(SummarizeTask, GoldHasTheHighestRecallLessCostsOfAllChoices) {
  for (const double word_cost : {0.0, 0.05}) {
    const World world(GetParam(), word_cost);
    for (std::size_t i = 0; i < world.data.size(); ++i) {
      double best = 0.0;
      world.each_choice(
          i, [&](const std::vector<char>& chosen) { best = std::max(best, world.gain(i, chosen)); });
      EXPECT_NEAR(world.data[i].facts.gain, best, 1e-8);
      EXPECT_NEAR(world.gain(i, world.data[i].gold), best, 1e-8);
      EXPECT_GT(best, 0.0);
      EXPECT_EQ(world.data[i].facts.recall > world.data[i].facts.gain, word_cost > 0.0);
    }
  }
}

// F1 by counts of bigrams, a summary's by its words: the best of all choices is gold if a word
// costs half of it.
TEST_P(SummarizeTask, AtHalfTheBestF1PerWordGoldHasTheBestF1) {
  const World world(GetParam());
  const auto f1 = [&](std::size_t i, const std::vector<char>& chosen) {
    const TopicData& data = world.data[i];
    double words = 0.0;
    for (std::size_t k = 0; k < chosen.size(); ++k)
      words += chosen[k] != 0 ? data.coverage.pieces[k].length : 0;
    constexpr double kReference = 5.0;  // bigrams in each
    return 2.0 * world.gain(i, chosen) * kReference / (words + kReference);
  };
  for (std::size_t i = 0; i < world.data.size(); ++i) {
    double best = 0.0;
    world.each_choice(i, [&](const std::vector<char>& chosen) { best = std::max(best, f1(i, chosen)); });
    EXPECT_NEAR(f1(i, World(GetParam(), best / 2).data[i].gold), best, 1e-6);
  }
}

TEST_P(SummarizeTask, TheMostViolatedChoiceIsThatOfEnumeration) {
  for (const double word_cost : {0.0, 0.05}) {
    const World world(GetParam(), word_cost);
    for (const double loss_weight : {0.0, 1.0, 30.0}) {
      for (std::size_t i = 0; i < world.data.size(); ++i) {
        const Weights w = random_weights(world.task->dimension(), i + 3);
        double best = -std::numeric_limits<double>::infinity();
        world.each_choice(i, [&](const std::vector<char>& chosen) {
          best = std::max(best, world.score(i, w, chosen) +
                                    loss_weight * (world.data[i].facts.gain - world.gain(i, chosen)));
        });
        const Cut cut = cut_at(*world.task, i, w, loss_weight);
        EXPECT_TRUE(cut.exact);
        const double gold = world.score(i, w, world.data[i].gold);
        EXPECT_NEAR(gold - cut.margin + loss_weight * cut.loss, best, 1e-4);
        EXPECT_NEAR(dot(w, cut.psi), cut.margin, 1e-3);
      }
    }
  }
}

// Where every choice loses, the solver takes none; a summary then is the sentence that loses least.
TEST_P(SummarizeTask, ASummaryHasASentenceEvenIfNoneIsWorthIt) {
  const World world(GetParam());
  int alone = 0;
  for (std::size_t i = 0; i < world.data.size(); ++i) {
    Weights w = random_weights(world.task->dimension(), i + 3);
    w[0] = -20.0f;  // every bigram
    const TopicData& data = world.data[i];
    summarize::Decoder decoder({});
    decoder.weigh(data, w.data(), 0.0);
    const std::vector<char> none(data.origins.size(), 0);
    ASSERT_EQ(decoder.solve(data, {}).chosen, none);
    const CoverageSolution& summary = decoder.summarize(data);
    double best = -std::numeric_limits<double>::infinity();
    world.each_choice(i, [&](const std::vector<char>& chosen) {
      std::size_t sentences = 0, cut = 0, parts = 0;
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        const bool head = data.origins[k].part == 0;
        if (head) parts = static_cast<std::size_t>(chosen[k]);
        sentences += head && chosen[k] != 0;
        cut += !head && parts != 0 && chosen[k] == 0;
      }
      const auto kept = static_cast<std::size_t>(std::ranges::count(chosen, 1));
      if (sentences == 1 && (cut == 0 || kept == 1)) best = std::max(best, world.score(i, w, chosen));
    });
    EXPECT_TRUE(is_feasible(data.coverage, summary.chosen));
    EXPECT_NEAR(summary.value, best, 1e-9);
    EXPECT_NEAR(world.score(i, w, summary.chosen), best, 1e-9);
    EXPECT_EQ(summary.bound, summary.value);
    alone += summary.value < 0.0;
  }
  EXPECT_EQ(alone, 8);
}

TEST_P(SummarizeTask, OfEqualSentencesTheFirstThatFitsIsTheSummary) {
  World world(GetParam());
  const Weights w(world.task->dimension());
  for (TopicData& data : world.data) {
    summarize::Decoder decoder({});
    data.coverage.pieces[0].length = data.coverage.limit + 1;
    decoder.weigh(data, w.data(), 0.0);
    const std::vector<char> chosen = decoder.summarize(data).chosen;
    std::size_t second = 1;
    while (data.origins[second].part != 0) ++second;
    EXPECT_EQ(std::ranges::find(chosen, 1) - chosen.begin(), static_cast<std::ptrdiff_t>(second));
    for (Piece& piece : data.coverage.pieces) piece.length = data.coverage.limit + 1;
    EXPECT_EQ(std::ranges::count(decoder.summarize(data).chosen, 1), 0);
  }
}

// The gains of a choice, by the recall of each reference alone.
TEST_P(SummarizeTask, MeanRecallIsThatOfTheReferencesOneByOne) {
  const World world(GetParam(), 0.05, /*mean_recall=*/true);
  for (std::size_t i = 0; i < world.data.size(); ++i) {
    const TopicData& data = world.data[i];
    const auto& references = world.texts[i].references;
    ASSERT_EQ(references.size(), 2u);
    double cost = 0.0;
    std::vector<double> gains(data.keys.size());
    for (const RougeText& reference : references) {
      const std::vector<std::uint64_t> bigrams = BigramRecall::bigrams_of(reference, false);
      const auto n = static_cast<double>(bigrams.size());
      cost += 0.05 / n / 2;
      for (std::size_t c = 0; c < gains.size(); ++c)
        gains[c] += std::ranges::binary_search(bigrams, data.keys[c]) ? 1 / n / 2 : 0.0;
    }
    for (std::size_t c = 0; c < gains.size(); ++c) EXPECT_NEAR(data.gains[c], gains[c], 1e-12);
    for (std::size_t p = 0; p < data.costs.size(); ++p)
      EXPECT_NEAR(data.costs[p], cost * data.coverage.pieces[p].length, 1e-12);
  }
}

TEST_P(SummarizeTask, AScratchCanBeUsedAgain) {
  const World world(GetParam());
  expect_scratch_can_be_used_again(*world.task, random_weights(world.task->dimension(), 9));
}

TEST(Cuts, TheFeaturesOfACutCountIfThePartIsDroppedAndItsParentKept) {
  const World world(true);
  const summarize::Layout plan = summarize::layout();
  const std::size_t cut_one = plan.bigrams + plan.sentences + summarize::kCutKinds.size();
  Weights w(world.task->dimension());
  w[cut_one] = 1.0f;
  for (std::size_t i = 0; i < world.data.size(); ++i) {
    world.each_choice(i, [&](const std::vector<char>& chosen) {
      double cuts = 0;
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        const std::uint32_t parent = world.data[i].coverage.pieces[k].parent;
        cuts += parent != kNoPiece && chosen[parent] != 0 && chosen[k] == 0;
      }
      EXPECT_NEAR(world.score(i, w, chosen), cuts, 1e-6);
    });
  }
}

summarize::Sentence sentence_of(const std::string& tree) {
  summarize::TopicSplitter splitter({.compress = true}, nullptr);
  summarize::Topic topic{.id = "t", .documents = {{.name = "d", .text = "", .trees = {tree}}}};
  return splitter.split(topic).sentences.at(0);
}

TEST(Cuts, AreFoundByTheirLabelsAndTakeCommasAndConjunctionsAlong) {
  const summarize::Sentence sentence = sentence_of(
      "(S (PP (IN On) (NP (NNP Monday))) (, ,) (NP (NP (DT the) (NN guest)) (SBAR (WP who) (VP (VBD left)))) "
      "(VP (VBD slept) (CC and) (VP (VBD ate))) (. .))");
  const auto without = [&](std::string_view kind) {
    const auto bit = static_cast<std::size_t>(std::ranges::find(summarize::kCutKinds, kind) -
                                              summarize::kCutKinds.begin());
    std::vector<char> kept(sentence.parts.size(), 1);
    for (std::size_t p = 1; p < kept.size(); ++p) {
      if ((sentence.parts[p].kinds >> bit & 1u) != 0) kept[p] = 0;
    }
    return text_of(sentence, kept);
  };
  EXPECT_EQ(text_of(sentence, std::vector<char>(sentence.parts.size(), 1)),
            "On Monday, the guest who left slept and ate.");
  EXPECT_EQ(without("sentence-adjunct"), "the guest who left slept and ate.");
  EXPECT_EQ(without("temporal"), "the guest who left slept and ate.");
  EXPECT_EQ(without("relative-clause"), "On Monday, the guest slept and ate.");
}

TEST(Cuts, AConjunctTakesItsConjunctionAlong) {
  const summarize::Sentence sentence =
      sentence_of("(S (NP (NP (NN tea)) (CC and) (NP (NN cake))) (VP (VBD came) (ADJP (JJ cold))))");
  ASSERT_EQ(sentence.parts.size(), 2u);
  EXPECT_EQ(text_of(sentence, std::vector<char>{1, 0}), "tea came cold");
}

// The sentence without all that can go.
std::string shortest(const std::string& tree) {
  const summarize::Sentence sentence = sentence_of(tree);
  std::vector<char> kept(sentence.parts.size(), 0);
  kept[0] = 1;
  return text_of(sentence, kept);
}

TEST(Cuts, DoNotDivideBracketsAndQuotationMarks) {
  const std::string subject = "(S (NP (DT the) (NN room)) (VP (VBD was) (ADJP (JJ clean)) ";
  EXPECT_EQ(shortest(subject + "(PP (IN in) (NP (-LRB- -LRB-) (NN May) (-RRB- -RRB-)))))"),
            "the room was clean");
  EXPECT_EQ(shortest(subject + "(PP (IN in) (NP (-LRB- -LRB-) (NN May))) (-RRB- -RRB-)))"),
            "the room was clean in (May)");
  EXPECT_EQ(shortest(subject + "(\" \") (PP (IN in) (NP (NN May) (\" \")))))"),
            "the room was clean \" in May \"");
  EXPECT_EQ(shortest(subject + "(PP (IN in) (NP (NN May) (-RRB- -RRB-)))))"), "the room was clean")
      << "a bracket alone in the text goes with its phrase";
}

TEST(Cuts, LeaveASentence) {
  EXPECT_EQ(
      shortest("(S (NP (PRP It)) (VP (VBZ is) (PP (IN in) (NP (NN town))) (PP (IN by) (NP (NN day)))))"),
      "It is by day");
  EXPECT_EQ(
      shortest("(S (NP (DT The) (NNS guests)) (VP (VBD said) (SBAR (S (NP (PRP it)) (VP (VBZ works))))))"),
      "The guests said it works");
  EXPECT_EQ(shortest("(S (NP (DT The) (NNS guests)) (VP (VBD left) (SBAR (IN when) (S (NP (PRP it)) (VP (VBD "
                     "rained))))))"),
            "The guests left");
  EXPECT_EQ(shortest("(S (NP (PRP We)) (VP (VBD slept) (PP (IN in) (NP (NNS tents)))))"),
            "We slept in tents");
  EXPECT_EQ(shortest("(NP (NP (JJ good) (JJ old) (NN wine)) (PP (IN of) (NP (NNP Rome))))"),
            "good old wine of Rome");
  EXPECT_EQ(shortest("(S (NP (DT The) (NN tea)) (VP (VBD came) (CC but) (ADVP (RB late))))"),
            "The tea came but late");
}

// A random tree; its words are its tags, so that what is left of it can be checked.
std::string random_tree(Random& random, int depth) {
  static constexpr std::string_view kPhrases[] = {"S", "NP", "VP", "PP", "ADVP", "SBAR", "PRN"};
  static constexpr std::string_view kTags[] = {"NN", "VBD", "IN", "CC", ",", "-LRB-", "-RRB-", "JJ"};
  std::string text = "(" + std::string(kPhrases[random.below(std::size(kPhrases))]);
  for (std::size_t k = 0, n = 1 + random.below(4); k < n; ++k) {
    const std::string tag(kTags[random.below(std::size(kTags))]);
    text += depth > 0 && random.uniform() < 0.6 ? " " + random_tree(random, depth - 1)
                                                : " (" + tag + " " + tag + ")";
  }
  return text + ")";
}

// Brackets that stand open, and those that close nothing.
std::size_t unmatched(const std::vector<std::string>& leaves) {
  std::size_t open = 0, stray = 0;
  for (const std::string& leaf : leaves) {
    if (leaf == "-LRB-") ++open;
    if (leaf == "-RRB-") open > 0 ? --open : ++stray;
  }
  return open + stray;
}

TEST(Cuts, AreSafeTogetherWhicheverAreMade) {
  Random random(5);
  std::size_t checked = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string tree = random_tree(random, 3);
    if (tree.find("NN") == std::string::npos) continue;
    const summarize::Sentence sentence = sentence_of(tree);
    const std::size_t n = sentence.parts.size();
    if (n == 1 || n > 10 || unmatched(sentence.leaves) > 0) continue;
    for (std::uint32_t bits = 1; bits < 1u << n; bits += 2) {
      bool closed = true;
      for (std::size_t p = 1; p < n; ++p)
        closed &= (bits >> p & 1u) == 0 || (bits >> sentence.parts[p].parent & 1u) != 0;
      if (!closed) continue;
      std::vector<std::string> left;
      for (std::size_t k = 0; k < sentence.leaves.size(); ++k) {
        if ((bits >> sentence.leaf_part[k] & 1u) != 0) left.push_back(sentence.leaves[k]);
      }
      EXPECT_EQ(unmatched(left), 0u) << tree;
      EXPECT_GE(std::ranges::count_if(left, [](const std::string& leaf) { return leaf != ","; }), 3) << tree;
      EXPECT_EQ(std::ranges::count(left, "VBD") > 0, true) << tree;
      ++checked;
    }
  }
  EXPECT_GT(checked, 500u);
}

TEST(Phrases, AreNotLearnedFromTheTopicItself) {
  summarize::TopicSplitter splitter({}, nullptr);
  const auto topic = [&](std::string document, std::string reference) {
    return splitter.split(
        {.id = "t", .documents = {{"", std::move(document), {}}}, .references = {std::move(reference)}});
  };
  const auto a = topic("good food here", "good food"), b = topic("good food there", "nothing at all");
  summarize::Phrases both, other;
  both.add(summarize::Phrases::of(a));
  both.add(summarize::Phrases::of(b));
  const auto own = summarize::Phrases::of(a);
  const std::uint64_t key = bigram_key(a.sentences[0].words[0], a.sentences[0].words[1]);
  EXPECT_GT(both.affinity(key, nullptr), both.affinity(key, &own));
  EXPECT_LT(both.affinity(key, &own), 0.0);
  EXPECT_EQ(both.affinity(123, nullptr), 0.0);
}

}  // namespace
}  // namespace hinge::test
