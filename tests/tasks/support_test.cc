// Kernels by support vectors, against the same kernels written out.
#include <gtest/gtest.h>

#include <cmath>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/learn/driver/check_task.h"
#include "hinge/learn/registry.h"
#include "hinge/tasks/tag/conjunctions.h"
#include "hinge/tasks/tag/model.h"
#include "hinge/tasks/tag/support_task.h"
#include "tests/support/memory.h"
#include "tests/support/systems.h"
#include "tests/support/task_checks.h"

namespace hinge::test {
namespace {

using tag::ChainData;
using tag::ChainLayout;
using tag::Kernel;

constexpr std::size_t kFeatures = 7;
constexpr std::size_t kLabels = 3;

ChainData random_sentences(Random& random, bool valued) {
  ChainData data;
  for (std::size_t s = 0; s < 5; ++s) {
    for (std::size_t t = random.below(5) + 1; t > 0; --t) {
      for (std::size_t k = random.below(5); k > 0; --k) {
        data.node_ids.push_back(static_cast<std::uint32_t>(random.below(kFeatures)));
        if (valued) data.node_values.push_back(static_cast<float>(random.below(9)) / 4.0f - 1.0f);
      }
      data.node_begin.push_back(data.node_ids.size());
      data.edge_begin.push_back(0);
      data.gold.push_back(static_cast<LabelId>(random.below(kLabels)));
    }
    data.sentence_begin.push_back(data.gold.size());
  }
  return data;
}

float random_weight(Random& random) { return (static_cast<float>(random.below(33)) - 16.0f) / 16.0f; }

// The quadratic kernel twice: by support vectors and written out.
struct Both {
  Both(std::uint64_t seed, bool valued, double r, std::size_t cache_bytes = 0)
      : random(seed), data(random_sentences(random, valued)), pairs(data) {
    sort_features(data);
    const Kernel kernel{.kind = Kernel::Kind::kPoly, .degree = 2, .s = 0.5, .r = r};
    conjunctions.learn(kernel, kFeatures, {}, pairs);
    index = std::make_unique<tag::SupportIndex>(kernel, kFeatures, data.node_begin, data.node_ids,
                                                data.node_values);
    tag::ChainTaskOptions options;
    for (std::size_t k = 0; k < kLabels * kLabels; ++k)
      options.costs.push_back(k % (kLabels + 1) == 0 ? 0.0f : 1.0f);
    support = std::make_unique<tag::SupportTask>(data, *index, kLabels, /*transitions=*/true, options,
                                                 tag::SupportLimits{.cache_bytes = cache_bytes});
    layout = {.labels = kLabels, .node_features = conjunctions.rows()};
    expanded = std::make_unique<tag::ChainTask>(pairs, layout, options);
  }

  Weights random_coefficients() {
    Weights alpha(support->dimension());
    for (float& value : alpha.span()) value = random.below(3) == 0 ? 0.0f : random_weight(random);
    return alpha;
  }
  // The same function as a sum of written-out tokens.
  Weights written_out(const Weights& alpha) const {
    Weights w(layout.dimension());
    const ChainLayout& from = support->layout();
    for (std::size_t t = 0; t < data.tokens(); ++t) {
      for (std::size_t k = pairs.node_begin[t]; k < pairs.node_begin[t + 1]; ++k) {
        if (pairs.node_ids[k] == conjunctions.constant_row()) continue;  // has a weight of its own
        for (std::size_t y = 0; y < kLabels; ++y)
          w[layout.node(pairs.node_ids[k], y)] += alpha[from.node(t, y)] * pairs.node_values[k];
      }
    }
    for (std::size_t y = 0; y < kLabels; ++y)
      w[layout.node(conjunctions.constant_row(), y)] = alpha[from.node(data.tokens(), y)];
    for (std::size_t k = 0; k < kLabels * kLabels; ++k)
      w[layout.transitions_begin() + k] = alpha[from.transitions_begin() + k];
    return w;
  }

  Random random;
  ChainData data, pairs;
  tag::Conjunctions conjunctions;
  std::unique_ptr<tag::SupportIndex> index;
  std::unique_ptr<tag::SupportTask> support;
  ChainLayout layout;
  std::unique_ptr<tag::ChainTask> expanded;
};

TEST(SupportTask, FindsWhatTheKernelWrittenOutFinds) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Both both(seed, /*valued=*/seed % 2 == 0, /*r=*/seed % 3 == 0 ? 0.0 : 1.5,
              /*cache_bytes=*/seed % 4 * 50);
    Weights alpha = both.random_coefficients();
    EXPECT_NEAR(both.support->squared_norm(alpha), squared_norm(both.written_out(alpha)), 1e-3);
    for (std::size_t i = 0; i < both.support->size(); ++i) {
      const Cut cut = cut_at(*both.support, i, alpha, 1.0);
      const Cut expected = cut_at(*both.expanded, i, both.written_out(alpha), 1.0);
      EXPECT_NEAR(cut.violation(), expected.violation(), 1e-3);
      // A step along psi is the same step in both.
      Weights moved = alpha;
      axpy(0.25, cut.psi, moved);
      const Cut after = cut_at(*both.support, i, moved, 1.0);
      EXPECT_NEAR(after.violation(), cut_at(*both.expanded, i, both.written_out(moved), 1.0).violation(),
                  1e-3);
    }
    EXPECT_EQ(check_task(*both.support), std::vector<std::string>{});
  }
}

TEST(SupportTask, ProductsOfPartsAreThoseOfTheKernelWrittenOut) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Both both(seed, /*valued=*/seed % 2 == 0, /*r=*/seed % 3 == 0 ? 0.0 : 1.5,
              /*cache_bytes=*/seed % 4 * 50);
    const Weights alpha = both.random_coefficients();
    const Weights w = both.written_out(alpha);
    const auto scratch = both.support->make_scratch(), plain = both.expanded->make_scratch();
    for (std::size_t i = 0; i < both.support->size(); ++i) {
      std::vector<Part> parts;
      both.support->gold_parts(i, *scratch, parts);
      std::vector<double> amounts;
      for (std::size_t k = 0; k < parts.size(); ++k) amounts.push_back(random_weight(both.random));
      Gradient features, expected;
      EXPECT_NEAR(both.support->add_features(i, parts, amounts, *scratch, features),
                  both.expanded->add_features(i, parts, amounts, *plain, expected), 1e-5);
      features.merge();
      expected.merge();
      EXPECT_NEAR(both.support->product(alpha, features, *scratch),
                  both.expanded->product(w, expected, *plain), 1e-3);
      EXPECT_NEAR(both.support->squared_length(features, *scratch),
                  both.expanded->squared_length(expected, *plain), 1e-3);
    }
  }
}

TEST(ProductRows, AreTheProductsOfTheFirstTokensThatFit) {
  const std::vector<std::size_t> begin{0, 2, 5, 5, 6, 8};
  const std::vector<std::uint32_t> ids{0, 3, 0, 1, 3, 2, 1, 3};
  const int expected[3][5] = {{2, 2, 0, 0, 1}, {2, 3, 0, 0, 2}, {0, 0, 0, 0, 0}};
  const Kernel kernel{.kind = Kernel::Kind::kTanh, .s = 0.1};
  const tag::SupportIndex index(kernel, 4, begin, ids, {});
  const tag::ProductRows rows(index, begin, ids, /*valued=*/false, /*bytes=*/19);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows.row(3), nullptr);
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t v = 0; v < 5; ++v) EXPECT_EQ(rows.row(t)[v], expected[t][v]) << t << " " << v;
  }
  EXPECT_EQ(tag::ProductRows(index, begin, ids, /*valued=*/true, 1000).size(), 0u);
}

TEST(SupportTask, TrimsTheShortestVectors) {
  Both both(2, /*valued=*/false, /*r=*/1.5);
  Weights alpha = both.random_coefficients();
  tag::SupportTask task(both.data, *both.index, kLabels, true, {}, {.budget = 3});
  std::vector<std::uint32_t> before, after;
  task.active(alpha, before);
  ASSERT_GT(before.size(), 3u);
  Weights trimmed = alpha;
  task.trim(trimmed);
  task.active(trimmed, after);
  ASSERT_EQ(after.size(), 3u);
  for (const std::uint32_t v : before) {
    if (std::ranges::find(after, v) != after.end()) continue;
    for (const std::uint32_t kept : after)
      EXPECT_LE(task.squared_length(v, alpha), task.squared_length(kept, alpha));
  }
  for (std::size_t k = both.data.tokens() * kLabels; k < alpha.size(); ++k) EXPECT_EQ(trimmed[k], alpha[k]);
}

TEST(SupportTask, SmoEndsAtTheOptimumOfTheKernelWrittenOut) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Both both(seed, /*valued=*/false, /*r=*/1.5);
    const Options options{{"epochs", "400"}, {"C", "0.5"}, {"epsilon", "1e-5"}};
    const auto dual = [&](const Task& task) {
      Workers workers(1);
      const auto learner = configured("smo", options)->start(task, workers);
      Quiet observer;
      train(task, *learner, {.epochs = 400, .objective = ObjectiveWhen::kNever}, workers, observer);
      return *learner->dual();
    };
    const double expected = dual(*both.expanded);
    EXPECT_NEAR(dual(*both.support), expected, 2e-3 * std::abs(expected));
  }
}

Options tanh_options() { return {{"kernel", "tanh"}, {"s", "0.1"}, {"r", "0"}, {"features", "chunk"}}; }

TEST(SupportVectors, LearnByGradientDescentAndScoreAsTheirModelDoes) {
  const TemporaryFolder folder;
  const std::string train = folder.write("train", sample_text("tag", 40, 1));
  const std::string dev = folder.write("dev", sample_text("tag", 20, 2));
  for (Options options :
       {tanh_options(), Options{{"kernel", "poly"}, {"vectors", "true"}, {"degree", "3"}, {"s", "0.1"}}}) {
    options.emplace_back("format", "columns");
    const auto set = load_system("tag", options, train);
    const Options learning{{"epochs", "4"}, {"eta0", "0.1"}, {"C", "1"}};
    for (const std::string learner : {"sgd", "smd"}) {
      const Weights w = train_quietly(set->task(), {.learner = learner, .options = learning}).weights;
      const ModelFile model = ModelFile::from_bytes(model_of(*set, w, "tag"), "model");
      const Scores scores = dev_scores(*set, dev, w);
      EXPECT_GT(scores[0].second, 75.0) << learner;
      EXPECT_EQ(scores, evaluate(model, dev).scores) << learner;
      EXPECT_THROW(set->weights_of(model), ModelError);
    }
  }
}

TEST(SupportVectors, AreAtMostTheBudget) {
  const TemporaryFolder folder;
  Options options = tanh_options();
  options.emplace_back("budget", "25");
  const auto set = load_system("tag", options, folder.write("train", sample_text("tag", 30, 1)));
  const Weights w =
      train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "2"}}}).weights;
  const ModelFile model = ModelFile::from_bytes(model_of(*set, w, "tag"), "model");
  EXPECT_EQ(tag::Tagger(model).support_vectors(), 25u);
}

TEST(SupportVectors, AreAtMostTheBudgetAfterAPassOfGradientDescent) {
  const TemporaryFolder folder;
  Options options = tanh_options();
  options.emplace_back("budget", "25");
  const auto set = load_system("tag", options, folder.write("train", sample_text("tag", 30, 1)));
  const auto& task = dynamic_cast<const tag::SupportTask&>(set->task());
  for (const std::string learner : {"sgd", "smd"}) {
    for (const std::string average : {"false", "true"}) {
      const Options learning{{"epochs", "2"}, {"eta0", "0.1"}, {"C", "1"}, {"average", average}};
      const Weights w = train_quietly(task, {.learner = learner, .options = learning}).weights;
      std::vector<std::uint32_t> vectors;
      task.active(w, vectors);
      if (average == "false") {
        EXPECT_EQ(vectors.size(), 25u);
      } else {
        EXPECT_GT(vectors.size(), 25u);  // the mean remembers those of earlier passes
      }
    }
  }
}

TEST(SupportVectors, AreTheSameWithAnyCache) {
  const TemporaryFolder folder;
  const std::string train = folder.write("train", sample_text("tag", 30, 1));
  const auto learned = [&](const std::string& cache, const std::string& learner) {
    Options options = tanh_options();
    options.emplace_back("kernel_cache", cache);
    const auto set = load_system("tag", options, train);
    return train_quietly(set->task(), {.learner = learner, .options = {{"epochs", "2"}}}).weights;
  };
  for (const std::string learner : {"sgd", "smd", "perceptron", "smo"})
    EXPECT_TRUE(std::ranges::equal(learned("0", learner).span(), learned("10", learner).span())) << learner;
}

TEST(SupportVectors, AreRefusedByLearnersThatMeasureWeights) {
  const TemporaryFolder folder;
  const auto set = load_system("tag", tanh_options(), folder.write("train", sample_text("tag", 3, 1)));
  EXPECT_TRUE(find_learner("sgd").suits(set->task()));
  EXPECT_TRUE(find_learner("smo").suits(set->task()));
  EXPECT_TRUE(find_learner("perceptron").suits(set->task()));
  EXPECT_FALSE(find_learner("dcd").suits(set->task()));
  EXPECT_TRUE(find_learner("smd").suits(set->task()));
  EXPECT_FALSE(find_learner("mira").suits(set->task()));
  // Hashed conjunctions are a linear model of parts.
  const auto cubic =
      load_system("tag", {{"kernel", "poly"}, {"degree", "3"}, {"hash_bits", "6"}, {"features", "plain"}},
                  folder.write("train", sample_text("tag", 3, 1)));
  EXPECT_TRUE(find_learner("smo").suits(cubic->task()));
  EXPECT_EQ(check_task(cubic->task()), std::vector<std::string>{});
  Options hashed = tanh_options();
  hashed.emplace_back("hash_bits", "10");
  EXPECT_THROW(load_system("tag", hashed, folder.write("train", sample_text("tag", 3, 1))), OptionError);
}

}  // namespace
}  // namespace hinge::test
