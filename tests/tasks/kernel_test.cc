// The quadratic kernel written out as pairs of features, against the kernel itself.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/learn/driver/check_task.h"
#include "hinge/learn/driver/objective.h"
#include "hinge/tasks/tag/conjunctions.h"
#include "hinge/tasks/tag/data.h"
#include "hinge/tasks/tag/model.h"
#include "tests/support/memory.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

using tag::ChainData;
using tag::Conjunctions;
using tag::FeaturePair;
using tag::Kernel;

Kernel poly(int degree, double s, double r) {
  return {.kind = Kernel::Kind::kPoly, .degree = degree, .s = s, .r = r};
}

double binomial(int n, int k) {
  double result = 1.0;
  for (int i = 0; i < k; ++i) result *= static_cast<double>(n - i) / (i + 1);
  return result;
}

TEST(Kernel, IsTheProductOfSetsOfFeatures) {
  for (int degree = 2; degree <= 4; ++degree) {
    for (const auto& [s, r] : {std::pair(1.0, 1.0), std::pair(0.5, 2.0), std::pair(2.0, 0.0)}) {
      const Kernel kernel = poly(degree, s, r);
      const std::vector<double> c = set_weights(kernel);
      for (int common = 0; common <= 9; ++common) {
        double sum = 0.0;
        for (int m = 0; m <= degree; ++m)
          sum += c[static_cast<std::size_t>(m)] * c[static_cast<std::size_t>(m)] * binomial(common, m);
        EXPECT_NEAR(sum, kernel(common), 1e-9 * (1.0 + kernel(common))) << degree << " " << s << " " << r;
      }
    }
  }
}

TEST(Kernel, OfTwoFeaturesWithValuesIsTheProductOfMonomials) {
  const double a[] = {0.5, -2.0}, b[] = {3.0, 0.25};
  for (int degree = 2; degree <= 4; ++degree) {
    const Kernel kernel = poly(degree, 0.7, 1.3);
    double sum = 0.0;
    for (int p = 0; p <= degree; ++p) {
      for (int q = 0; p + q <= degree; ++q) {
        const double weight = monomial_weight(kernel, {p, q});
        sum += weight * weight * std::pow(a[0] * b[0], p) * std::pow(a[1] * b[1], q);
      }
    }
    EXPECT_NEAR(sum, kernel(a[0] * b[0] + a[1] * b[1]), 1e-9);
  }
}

constexpr std::size_t kFeatures = 8;

// One sentence of tokens with up to six features, some of them repeated if allowed.
ChainData random_tokens(Random& random, bool valued, bool repeated) {
  ChainData data;
  for (std::size_t t = 0; t < 12; ++t) {
    std::vector<std::uint32_t> ids;
    for (std::size_t k = random.below(7); k > 0; --k) {
      const auto id = static_cast<std::uint32_t>(random.below(kFeatures));
      if (repeated || std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    for (const std::uint32_t id : ids) {
      data.node_ids.push_back(id);
      if (valued) data.node_values.push_back(static_cast<float>(random.below(9)) / 4.0f - 1.0f);
    }
    data.node_begin.push_back(data.node_ids.size());
    data.edge_begin.push_back(0);
    data.gold.push_back(0);
  }
  data.sentence_begin.push_back(12);
  return data;
}

std::map<std::uint32_t, double> token_vector(const ChainData& data, std::size_t t) {
  std::map<std::uint32_t, double> vector;
  for (std::size_t k = data.node_begin[t]; k < data.node_begin[t + 1]; ++k)
    vector[data.node_ids[k]] += data.node_values.empty() ? 1.0 : data.node_values[k];
  return vector;
}

double product(const std::map<std::uint32_t, double>& a, const std::map<std::uint32_t, double>& b) {
  double sum = 0.0;
  for (const auto& [id, value] : a) sum += b.contains(id) ? value * b.at(id) : 0.0;
  return sum;
}

struct TokenKind {
  std::string name;
  bool valued;
  bool repeated;
};

class Pairs : public testing::TestWithParam<TokenKind> {};
INSTANTIATE_TEST_SUITE_P(All, Pairs,
                         testing::Values(TokenKind{"Plain", false, false}, TokenKind{"Repeated", false, true},
                                         TokenKind{"Valued", true, false},
                                         TokenKind{"ValuedAndRepeated", true, true}),
                         [](const auto& info) { return info.param.name; });

TEST_P(Pairs, GiveAnyTwoTokensTheProductOfTheKernel) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Kernel kernel = poly(2, seed % 3 == 0 ? 0.5 : 1.0, seed % 2 == 0 ? 2.0 : 0.0);
    const ChainData plain = random_tokens(random, GetParam().valued, GetParam().repeated);
    ChainData data = plain;
    Conjunctions conjunctions;
    conjunctions.learn(kernel, kFeatures, {}, data);
    ChainData again = plain;
    conjunctions.expand(again);
    EXPECT_EQ(again.node_ids, data.node_ids);
    EXPECT_EQ(again.node_values, data.node_values);
    EXPECT_EQ(again.node_begin, data.node_begin);
    for (std::size_t t = 0; t < data.tokens(); ++t) {
      for (std::size_t u = 0; u < data.tokens(); ++u) {
        const double expected = kernel(product(token_vector(plain, t), token_vector(plain, u)));
        EXPECT_NEAR(product(token_vector(data, t), token_vector(data, u)), expected, 1e-5 * (1.0 + expected));
      }
    }
  }
}

// Features that are not paired count as single ones do in the kernel.
TEST(Conjunctions, OfSomeFeaturesAreTheKernelOfThoseAndLinearInTheOthers) {
  const std::vector<std::uint8_t> paired{0, 1, 1, 0, 1, 0, 1, 1};
  const Kernel kernel = poly(2, 0.5, 2.0);
  const double single = set_weights(kernel)[1];
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const ChainData plain = random_tokens(random, /*valued=*/false, /*repeated=*/false);
    ChainData data = plain, again = plain;
    Conjunctions conjunctions;
    conjunctions.learn(kernel, kFeatures, {.paired = paired}, data);
    conjunctions.expand(again);
    EXPECT_EQ(again.node_ids, data.node_ids);
    EXPECT_EQ(again.node_values, data.node_values);
    for (std::size_t t = 0; t < data.tokens(); ++t) {
      for (std::size_t u = 0; u < data.tokens(); ++u) {
        double common = 0.0, others = 0.0;
        for (const auto& [id, value] : token_vector(plain, t))
          (paired[id] != 0 ? common : others) += value * token_vector(plain, u)[id];
        EXPECT_NEAR(product(token_vector(data, t), token_vector(data, u)),
                    kernel(common) + single * single * others, 1e-4);
      }
    }
  }
}

TEST(Conjunctions, AreNumberedByTheirRarerFeatureAndNameTheirFeatures) {
  Random random(3);
  ChainData data = random_tokens(random, false, false);
  Conjunctions conjunctions;
  conjunctions.learn(poly(2, 1.0, 1.0), kFeatures, {}, data);
  std::size_t next = 0;
  std::pair<std::uint32_t, std::uint32_t> last{0, 0};
  conjunctions.each_pair([&](std::size_t number, FeaturePair pair) {
    EXPECT_EQ(number, next++);
    EXPECT_LT(pair.first, pair.second);
    EXPECT_LT(last, std::pair(pair.second, pair.first));
    last = {pair.second, pair.first};
    EXPECT_EQ(conjunctions.pair(number).first, pair.first);
    EXPECT_EQ(conjunctions.pair(number).second, pair.second);
  });
  EXPECT_EQ(next, conjunctions.pairs());
}

TEST(Conjunctions, SeenTooSeldomAreDroppedUnlessKnown) {
  ChainData data;
  for (const std::vector<std::uint32_t>& token : {std::vector<std::uint32_t>{0, 1}, {0, 1, 2}, {3, 2}}) {
    data.node_ids.append(token);
    data.node_begin.push_back(data.node_ids.size());
    data.gold.push_back(0);
  }
  data.sentence_begin.push_back(3);
  Conjunctions conjunctions;
  const std::vector<FeaturePair> known{{2, 3}, {0, 3}};
  conjunctions.learn(poly(2, 1.0, 0.0), 4, {.min_count = 2, .known = known}, data);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  conjunctions.each_pair([&](std::size_t, FeaturePair pair) { pairs.emplace_back(pair.first, pair.second); });
  EXPECT_EQ(pairs, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {0, 3}, {2, 3}}));
  EXPECT_EQ(data.node_ids, (Column<std::uint32_t>{0, 1, 5, 0, 1, 2, 5, 2, 3, 7}));
}

// Scores in training, from the weights, and by a model, from its file, are one.
TEST(KernelTagger, ScoresDevelopmentDataAsItsModelDoes) {
  const TemporaryFolder folder;
  const std::string dev = folder.write("dev", sample_text("tag", 40, 2));
  for (const Options& more : {Options{}, Options{{"kernel_min_count", "3"}},
                              Options{{"r", "0"}, {"s", "0.5"}}, Options{{"paired", "plain"}}}) {
    Options options{{"kernel", "poly"}, {"features", "chunk"}};
    options.insert(options.end(), more.begin(), more.end());
    const auto set = load_system("tag", options, folder.write("train", sample_text("tag", 60, 1)));
    const Weights w = train_quietly(set->task(), {.learner = "dcd", .options = {{"epochs", "3"}}}).weights;
    const ModelFile model = ModelFile::from_bytes(model_of(*set, w, "tag"), "model");
    EXPECT_EQ(dev_scores(*set, dev, w), evaluate(model, dev).scores);
    // A model and weights taken from it are one, too.
    const ModelFile again = ModelFile::from_bytes(model_of(*set, set->weights_of(model), "tag"), "again");
    EXPECT_EQ(predict(again, sample_text("tag", 20, 3)), predict(model, sample_text("tag", 20, 3)));
  }
}

TEST(KernelTagger, NamesPairs) {
  const TemporaryFolder folder;
  const std::string text = "a X\nb Y\n\na X\nb Y\n\n";
  const auto set = load_system(
      "tag", {{"kernel", "poly"}, {"features", folder.write("t", "Uw:%x[0,0]\nUp:%x[-1,0]\nB\n")}},
      folder.write("train", text));
  const Weights w =
      train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "3"}}}).weights;
  const ModelFile model = ModelFile::from_bytes(model_of(*set, w, "tag"), "model");
  const tag::Tagger tagger(model);
  std::vector<std::string> names;
  for (const tag::StateWeight& weight : tagger.state_weights()) names.push_back(weight.feature);
  EXPECT_NE(std::ranges::find(names, "Up:a & Uw:b"), names.end());
}

TEST(KernelTagger, ConjoinsOnlyWhatIsPaired) {
  const TemporaryFolder folder;
  const std::string templates = folder.write("t", "Uw:%x[0,0]\nUp:%x[-1,0]\nB\n");
  const std::string paired = folder.write("paired", "Up:%x[-1,0]\nUn:%x[1,0]\n");
  const auto set = load_system("tag", {{"kernel", "poly"}, {"features", templates}, {"paired", paired}},
                               folder.write("train", "a X\nb Y\na X\n\n"));
  const Weights w =
      train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "3"}}}).weights;
  const ModelFile model = ModelFile::from_bytes(model_of(*set, w, "tag"), "model");
  const tag::Tagger tagger(model);
  std::vector<std::string> names;
  for (const tag::StateWeight& weight : tagger.state_weights()) names.push_back(weight.feature);
  EXPECT_NE(std::ranges::find(names, "Uw:b"), names.end());
  EXPECT_NE(std::ranges::find(names, "Un:a & Up:a"), names.end());
  for (const std::string& name : names) {
    const bool pairs_word = name.find('&') != std::string::npos && name.find("Uw") != std::string::npos;
    EXPECT_FALSE(pairs_word) << name;
  }
}

TEST(HashedConjunctions, GiveAnyTwoTokensTheProductOfTheKernel) {
  for (int degree = 2; degree <= 4; ++degree) {
    Random random(static_cast<std::uint64_t>(degree));
    const Kernel kernel = poly(degree, 0.5, 1.5);
    ChainData data = random_tokens(random, false, false);
    std::vector<Key> keys;
    for (Key k = 0; k < kFeatures; ++k) keys.push_back(combine(k, 7));
    const tag::HashedConjunctions conjunctions(kernel, /*bits=*/28, keys, data);
    ChainData expanded;
    conjunctions.expand(data, 0, expanded);
    for (std::size_t t = 0; t < data.tokens(); ++t) {
      for (std::size_t u = 0; u < data.tokens(); ++u) {
        const double expected = kernel(product(token_vector(data, t), token_vector(data, u)));
        EXPECT_NEAR(product(token_vector(expanded, t), token_vector(expanded, u)), expected,
                    1e-5 * (1.0 + expected));
      }
    }
  }
}

TEST(HashedConjunctions, ReportHowManyShareARow) {
  ChainData data;
  std::vector<Key> keys;
  constexpr std::uint32_t kTokens = 2000;
  for (std::uint32_t t = 0; t < kTokens; ++t) {  // each token has one pair of its own
    for (const std::uint32_t f : {2 * t, 2 * t + 1}) {
      data.node_ids.push_back(f);
      keys.push_back(hash_text(std::to_string(f)));
    }
    data.node_begin.push_back(data.node_ids.size());
    data.gold.push_back(0);
  }
  data.sentence_begin.push_back(kTokens);
  // 2001 with the constant; alone in its row with probability exp(-2001 / 2^10).
  const tag::HashedConjunctions conjunctions(poly(2, 1.0, 1.0), 10, keys, data);
  EXPECT_EQ(conjunctions.load(data), "about 2001 conjunctions in 2^10 rows, 85.8 % of them share one");
}

// Pairs listed and pairs hashed are the same features, if none share a row.
TEST(HashedConjunctions, HaveTheOptimumOfListedPairs) {
  const TemporaryFolder folder;
  const std::string train = folder.write("train", sample_text("tag", 12, 1));
  const auto lowest = [&](const std::string& bits) {
    const auto set =
        load_system("tag", {{"kernel", "poly"}, {"features", "chunk"}, {"hash_bits", bits}}, train);
    const Options options{{"epochs", "60"}, {"C", "0.01"}};
    const Weights w = train_quietly(set->task(), {.learner = "dcd", .options = options}).weights;
    Workers workers(1);
    return measure_objective(set->task(), w, {.loss = Loss::kL2, .C = 0.01}, workers).primal;
  };
  const double listed = lowest("0");
  EXPECT_NEAR(lowest("24"), listed, 0.005 * listed);
}

TEST(HashedConjunctions, KeepTheContract) {
  const TemporaryFolder folder;
  const auto set = load_system("tag",
                               {{"kernel", "poly"},
                                {"degree", "3"},
                                {"hash_bits", "10"},
                                {"features", folder.write("t", "Uw:%x[0,0]\nUp:%x[0,1]\nUq:%x[-1,1]\nB\n")}},
                               folder.write("train", sample_text("tag", 5, 1)));
  EXPECT_EQ(check_task(set->task()), std::vector<std::string>{});
  for (const std::string learner : {"dcd", "crf", "mira"}) {
    const Options options{{"epochs", "2"}};
    const Weights one =
        train_quietly(set->task(), {.learner = learner, .options = options, .threads = 1}).weights;
    const Weights two =
        train_quietly(set->task(), {.learner = learner, .options = options, .threads = 3}).weights;
    EXPECT_TRUE(std::ranges::equal(one.span(), two.span())) << learner;
  }
}

TEST(KernelTagger, RefusesWhatDoesNotGoTogether) {
  const TemporaryFolder folder;
  const std::string train = folder.write("train", sample_text("tag", 3, 1));
  const auto refused = [&](const Options& options, const Source& source) {
    EXPECT_THROW(load_system("tag", options, source), OptionError);
  };
  refused({{"kernel", "poly"}, {"degree", "3"}}, train);
  refused({{"kernel", "poly"}, {"hash_bits", "10"}, {"kernel_min_count", "2"}}, train);
  refused({{"kernel", "poly"}, {"hash_bits", "10"}, {"paired", "plain"}}, train);
  refused({{"kernel", "linear"}, {"paired", "plain"}}, train);
  refused({{"kernel", "linear"}, {"degree", "3"}}, train);
  refused({{"vectors", "true"}}, train);
  refused({{"kernel", "poly"}, {"hash_bits", "10"}, {"format", "attributes"}},
          folder.write("valued", attribute_text(attribute_sentences(10, 1))));
}

}  // namespace
}  // namespace hinge::test
