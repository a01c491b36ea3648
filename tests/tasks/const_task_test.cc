// The tasks of constituency parsing: the contract, brute force over spans, and
// gradients against finite differences.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hinge/core/k_best_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/core/random.h"
#include "hinge/learn/driver/check_task.h"
#include "hinge/tasks/constituents/span_chart.h"
#include "tests/support/systems.h"
#include "tests/support/task_checks.h"

namespace hinge::test {
namespace {

constexpr const char* kTrees =
    "(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))\n"
    "(ROOT (S (NP (PRP she)) (VP (VBZ sees) (NP (NP (DT the) (NN dog)) (PP (IN with) (NP (NNS eyes))))) (. "
    ".)))\n"
    "(ROOT (S (NP (PRP she)) (VP (VBZ eats) (NP (NN fish)) (PP (IN with) (NP (NNS eyes))))))\n"
    "(ROOT (FRAG (NP (NN fish))))\n"
    "(ROOT (NN dog))\n"
    "(ROOT (SBARQ (WHNP (WP who)) (SQ (VP (VBZ sees) (NP (DT the) (JJ old) (JJ red) (NN fish)))) (. ?)))\n";

std::unique_ptr<TrainingSet> load_trees(const Options& options) {
  Options all = options;
  all.emplace_back("folds", "1");
  if (std::ranges::none_of(options, [](const auto& option) { return option.first == "hash_bits"; }))
    all.emplace_back("hash_bits", "14");
  return load_system("const", all, Source::of_text(kTrees, "trees"));
}

Weights random_weights(const Task& task, std::uint64_t seed, double scale) {
  Random random(seed);
  Weights w(task.dimension());
  for (std::size_t d = 0; d < w.size(); ++d)
    w[d] = static_cast<float>(scale * (2.0 * random.uniform() - 1.0));
  return w;
}

struct Case {
  std::string name;
  Options options;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class ConstTask : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, ConstTask,
                         testing::Values(Case{"span", {}}, Case{"exact", {{"exact", "true"}}},
                                         Case{"constituents", {{"errors", "constituents"}}},
                                         Case{"markov", {{"vertical", "3"}, {"horizontal", "1"}}},
                                         Case{"basic", {{"features", "basic"}}},
                                         Case{"lexical", {{"features", "lexical"}}},
                                         Case{"lexical_aux", {{"features", "lexical+aux"}}},
                                         Case{"generative", {{"features", "generative"}}},
                                         Case{"gold_tags", {{"tags", "gold"}}},
                                         Case{"none", {{"grammar", "none"}}}),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(ConstTask, ObeysTheContract) {
  const auto set = load_trees(GetParam().options);
  // Different trees may have the same probability, the only feature of `generative`.
  if (GetParam().name != "generative") EXPECT_EQ(check_task(set->task()), std::vector<std::string>());
  const Weights w = random_weights(set->task(), 3, 0.3);
  expect_scratch_can_be_used_again(set->task(), w);
  for (std::size_t i = 0; i < set->task().size(); ++i) expect_support_is_all_that_is_read(set->task(), i, w);
}

TEST_P(ConstTask, TheBestOfKIsTheMostViolatedAndOthersFollow) {
  const auto set = load_trees(GetParam().options);
  const auto* k_best = find_extension<KBestTask>(set->task());
  ASSERT_NE(k_best, nullptr);
  const Weights w = random_weights(set->task(), 4, 0.3);
  const auto scratch = set->task().make_scratch();
  for (std::size_t i = 0; i < set->task().size(); ++i) {
    std::vector<Cut> cuts;
    k_best->most_violated_k(i, w, 1.0, 5, *scratch, cuts);
    ASSERT_FALSE(cuts.empty());
    const Cut best = cut_at(set->task(), i, w, 1.0);
    EXPECT_NEAR(cuts[0].violation(), best.violation(), 1e-4);
    for (std::size_t k = 1; k < cuts.size(); ++k)
      EXPECT_LE(cuts[k].violation(), cuts[k - 1].violation() + 1e-4);
  }
}

// log_loss changes as its gradient says.
void expect_gradients(const Task& task, double scale, double step) {
  const auto* marginals = find_extension<MarginalTask>(task);
  ASSERT_NE(marginals, nullptr);
  Weights w = random_weights(task, 5, scale);
  const auto scratch = task.make_scratch();
  Expectation expectation;
  for (std::size_t i = 0; i < task.size(); ++i) {
    marginals->expect(i, w, 1.0, *scratch, expectation);
    Weights gradient(task.dimension());
    axpy(1.0, expectation.gradient, gradient);
    Weights direction = random_weights(task, 6 + i, 1.0);
    double along = 0.0;
    for (std::size_t d = 0; d < w.size(); ++d) along += static_cast<double>(gradient[d]) * direction[d];
    const auto loss_at = [&](double step) {
      Weights there = w;
      for (std::size_t d = 0; d < w.size(); ++d) there[d] += static_cast<float>(step * direction[d]);
      Expectation result;
      const auto fresh = task.make_scratch();
      marginals->expect(i, there, 1.0, *fresh, result);
      return result.log_loss;
    };
    EXPECT_NEAR((loss_at(step) - loss_at(-step)) / (2 * step), along, 2e-2 * std::max(1.0, std::abs(along)))
        << "example " << i;
  }
}

TEST_P(ConstTask, LikelihoodHasTheGradientItSays) {
  expect_gradients(load_trees(GetParam().options)->task(), 0.3, 1e-3);
}

TEST(ConstNeural, GradientsAreThoseOfFiniteDifferences) {
  for (const std::string features : {"neural", "span+neural"}) {
    SCOPED_TRACE(features);
    const auto set = load_trees({{"features", features}, {"hidden", "16"}});
    EXPECT_FALSE(set->task().facts().linear);
    expect_gradients(set->task(), 0.1, 1e-4);  // few hidden units change sign so close
  }
}

TEST(ConstNeural, CutsHaveTheGradientOfTheMargin) {
  const auto set = load_trees({{"features", "neural"}, {"hidden", "16"}});
  const Task& task = set->task();
  const Weights w = random_weights(task, 7, 0.1);
  for (std::size_t i = 0; i < task.size(); ++i) {
    const Cut cut = cut_at(task, i, w, 1.0);
    if (cut.psi.empty()) continue;
    Weights psi(task.dimension());
    axpy(1.0, cut.psi, psi);
    // A step small enough not to change the rival.
    const double step = 1e-4;
    Weights there = w;
    double along = 0.0;
    for (std::size_t d = 0; d < w.size(); ++d) {
      there[d] += static_cast<float>(step * psi[d]);
      along += static_cast<double>(psi[d]) * psi[d];
    }
    const Cut moved = cut_at(task, i, there, 1.0);
    if (moved.loss != cut.loss) continue;
    EXPECT_NEAR((moved.margin - cut.margin) / step, along, 0.05 * along) << "example " << i;
  }
}

TEST(ConstNeural, ObeysTheContract) {
  const auto set = load_trees({{"features", "span+neural"}, {"hidden", "16"}});
  const Weights w = random_weights(set->task(), 3, 0.1);
  expect_scratch_can_be_used_again(set->task(), w);
  for (std::size_t i = 0; i < set->task().size(); ++i) expect_support_is_all_that_is_read(set->task(), i, w);
}

// All trees of labelled spans, by recursion: the best score of words begin..end.
double best_by_hand(const constituents::SpanScores& scores, std::size_t begin, std::size_t end,
                    bool must_have_label) {
  double inner = 0.0;
  if (end > begin + 1) {
    inner = -1e30;
    for (std::size_t m = begin + 1; m < end; ++m)
      inner = std::max(inner,
                       best_by_hand(scores, begin, m, m > begin + 1) + best_by_hand(scores, m, end, false));
  }
  const std::size_t s = scores.span(begin, end);
  double best = must_have_label ? -1e30 : inner + scores.plain[s];
  for (std::size_t l = 0; l < scores.labels; ++l) best = std::max(best, inner + scores.row(s)[l]);
  return best;
}

TEST(SpanChart, FindsTheBestTreeAndTheForestAgrees) {
  Random random(8);
  for (std::size_t words = 1; words <= 7; ++words) {
    for (int round = 0; round < 10; ++round) {
      constituents::SpanScores scores;
      scores.resize(words, 3);
      for (std::size_t s = 0; s < scores.spans(); ++s) {
        scores.plain[s] = static_cast<float>(random.uniform() - 0.5);
        for (std::size_t l = 0; l < 3; ++l)
          scores.row(s)[l] = static_cast<float>(2.0 * random.uniform() - 1.0);
      }
      std::vector<constituents::LabelledSpan> tree;
      const double best = constituents::SpanChart().best(scores, tree);
      EXPECT_NEAR(best, best_by_hand(scores, 0, words, words > 1), 1e-4);
      double sum = 0.0;
      for (const auto& span : tree) {
        const std::size_t s = scores.span(span.begin, span.end);
        sum += span.label == constituents::kNoLabel ? scores.plain[s] : scores.row(s)[span.label];
      }
      EXPECT_NEAR(sum, best, 1e-4);
      constituents::SpanForest forest;
      forest.build(scores);
      std::vector<std::uint32_t> edges;
      EXPECT_NEAR(ForestSearch().best(forest.forest, forest.scores, edges), best, 1e-4);
      std::vector<constituents::LabelledSpan> same;
      forest.read(edges, same);
      EXPECT_EQ(same.size(), tree.size());
    }
  }
}

}  // namespace
}  // namespace hinge::test
