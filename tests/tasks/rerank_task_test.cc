// Every pairing of oracle and prediction against a simple search, and costs in
// context against recomputation.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hinge/corpus/nbest/builder.h"
#include "hinge/tasks/rerank/evaluate.h"
#include "hinge/tasks/rerank/model.h"
#include "tests/support/data.h"
#include "tests/support/random_lists.h"

namespace hinge::rerank {
namespace {

class Pairings : public testing::TestWithParam<std::tuple<Oracle, Prediction>> {};

TEST_P(Pairings, AreWhatAPlainSearchFinds) {
  const auto [oracle, prediction] = GetParam();
  const test::TemporaryFolder folder;
  const auto metric = make_metric("bleu");
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomLists world = random_lists(seed, folder, *metric);
    const PickOptions options{.oracle = oracle, .prediction = prediction, .local = 3};
    const RerankTask task(world.lists, world.costs, *metric, 3, options);
    const auto scratch = task.make_scratch();
    Cut cut;
    for (std::size_t i = 0; i < task.size(); ++i) {
      for (const double loss_weight : {0.0, 1.0, 0.5}) {
        task.most_violated(i, world.w, loss_weight, *scratch, cut);
        std::vector<std::size_t> all;
        for (std::size_t h = world.lists.begin(i); h < world.lists.end(i); ++h) all.push_back(h);
        const auto score = [&](std::size_t h) { return score_hypothesis(world.lists, h, world.w); };
        const auto cost = [&](std::size_t h) { return static_cast<double>(world.costs.costs[h]); };
        const auto best = [](const std::vector<std::size_t>& from, const auto& value) {
          std::size_t found = from[0];
          for (const std::size_t h : from) {
            if (value(h) > value(found)) found = h;
          }
          return found;
        };
        std::vector<std::size_t> near = all;
        std::stable_sort(near.begin(), near.end(), [&](auto a, auto b) { return score(a) > score(b); });
        near.resize(std::min<std::size_t>(near.size(), 3));
        // With loss_weight 0, hope becomes the least cost: the scaling rule of core/task.h.
        const std::size_t good = oracle == Oracle::kHope && loss_weight > 0.0
                                     ? best(all, [&](auto h) { return score(h) - loss_weight * cost(h); })
                                 : oracle == Oracle::kLocal ? best(near, [&](auto h) { return -cost(h); })
                                                            : best(all, [&](auto h) { return -cost(h); });
        const std::size_t bad = loss_weight == 0.0 || prediction == Prediction::kBest ? best(all, score)
                                : prediction == Prediction::kMostCost
                                    ? best(all, cost)
                                    : best(all, [&](auto h) { return score(h) + loss_weight * cost(h); });
        const double loss = std::max(0.0, cost(bad) - cost(good));
        EXPECT_DOUBLE_EQ(cut.loss, loss);
        if (loss == 0.0) {
          EXPECT_TRUE(cut.psi.empty());
          continue;
        }
        EXPECT_NEAR(cut.margin, score(good) - score(bad), 1e-9);
        EXPECT_NEAR(dot(world.w, cut.psi), cut.margin, 1e-5);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Pairings,
                         testing::Combine(testing::Values(Oracle::kLeastCost, Oracle::kLocal, Oracle::kHope),
                                          testing::Values(Prediction::kBest, Prediction::kMostCost,
                                                          Prediction::kFear)));

TEST(RerankTask, CostsInContextAreThoseOfTheWholeRecomputed) {
  const test::TemporaryFolder folder;
  for (const char* name : {"bleu", "ter"}) {
    const auto metric = make_metric(name);
    RandomLists world = random_lists(7, folder, *metric);
    const RerankTask task(world.lists, world.costs, *metric, 3, {});
    const auto* context = find_extension<ContextTask>(task);
    ASSERT_NE(context, nullptr);
    context->context().see(world.w);
    const std::size_t width = world.costs.width;
    const auto whole = [&](std::size_t changed, std::size_t to) {
      std::vector<double> sum(width, 0.0);
      for (std::size_t i = 0; i < world.lists.lists(); ++i) {
        const std::size_t h = i == changed ? to : best_of(world.lists, i, world.w);
        add_stats(1.0, std::span(world.costs.stats).subspan(h * width, width), sum);
      }
      return metric->cost(metric->score(sum)) * static_cast<double>(world.lists.lists()) / 100.0;
    };
    for (std::size_t i = 0; i < world.lists.lists(); ++i) {
      const std::size_t first = world.lists.begin(i);
      double least = 1e9;
      for (std::size_t h = first; h < world.lists.end(i); ++h) {
        EXPECT_GE(task.costs()[h], 0.0f);
        least = std::min(least, static_cast<double>(task.costs()[h]));
        EXPECT_NEAR(task.costs()[h] - task.costs()[first], whole(i, h) - whole(i, first), 1e-4);
      }
      EXPECT_EQ(least, 0.0);
    }
  }
}

TEST(RerankTask, SupportCoversWhatScoresRead) {
  const test::TemporaryFolder folder;
  const auto metric = make_metric("bleu");
  RandomLists world = random_lists(3, folder, *metric);
  const RerankTask task(world.lists, world.costs, *metric, 3, {});
  for (std::size_t i = 0; i < task.size(); ++i) {
    std::vector<Block> blocks;
    task.support(i, *task.make_scratch(), blocks);
    for (std::size_t h = world.lists.begin(i); h < world.lists.end(i); ++h) {
      for (const std::uint32_t f : world.lists.row(h).features)
        EXPECT_TRUE(std::ranges::any_of(blocks, [f](const Block& block) { return block.first == f; }));
    }
  }
}

NBestLists one_hypothesis(std::string_view text) {
  NBestBuilder builder;
  Hypothesis hypothesis{
      .id = 4, .text = text, .entries = {{builder.feature("lm"), 2.0f}}, .score = {}, .cost = {}};
  builder.add(hypothesis, {});
  return builder.finish();
}

// The name of the bigram of a text of two words.
std::string ngram_of(std::string_view text) {
  return std::string(with_more(one_hypothesis(text), {}, 2).name(2));
}

TEST(RerankLists, NGramsAreCountedAndNamesMatched) {
  const NBestLists plain = one_hypothesis("a b a b");
  const NBestLists more = with_more(plain, {}, 3);
  std::map<std::string, float> seen;
  for (std::size_t k = 0; k < more.row(0).features.size(); ++k)
    seen.emplace(more.name(more.row(0).features[k]), more.row(0).values[k]);
  const std::map<std::string, float> expected = {
      {"lm", 2},          {"ngram:<s>_a", 1},  {"ngram:a_b", 2},
      {"ngram:b_a", 1},   {"ngram:b_</s>", 1}, {"ngram:<s>_a_b", 1},
      {"ngram:a_b_a", 1}, {"ngram:b_a_b", 1},  {"ngram:a_b_</s>", 1}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(more.feature_count(), expected.size());
  EXPECT_EQ(with_more(plain, {}, 1).feature_count(), 1u);
  EXPECT_NE(ngram_of("a_b c"), ngram_of("a b_c"));
  EXPECT_NE(ngram_of("a_b c"), ngram_of("a%5Fb c"));
  const NBestLists matched = with_names(plain, {"other", "ngram:a_b"}, 2);
  ASSERT_EQ(matched.row(0).features.size(), 1u);
  EXPECT_EQ(matched.row(0).features[0], 1u);
  EXPECT_EQ(matched.row(0).values[0], 2.0f);
}

TEST(RerankLists, AnNGramThatAListGivesItselfStays) {
  NBestBuilder builder;
  Hypothesis hypothesis{
      .id = 0, .text = "a b", .entries = {{builder.feature("ngram:a_b"), 7.0f}}, .score = {}, .cost = {}};
  builder.add(hypothesis, {});
  const NBestLists more = with_more(builder.finish(), {}, 2);
  ASSERT_EQ(more.name(0), "ngram:a_b");
  EXPECT_EQ(more.row(0).values[0], 7.0f);
  EXPECT_EQ(more.row(0).values.size(), 3u);  // also <s>_a and b_</s>
}

}  // namespace
}  // namespace hinge::rerank
