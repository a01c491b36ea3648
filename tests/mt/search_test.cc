// Searches and n-best lists against lists of all derivations.
#include "hinge/mt/search.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/mt/translation_reference.h"

namespace hinge::mt {
namespace {

using test::AllReadings;
using test::exhaustive;
using test::NamedWeights;
using test::random_sentence;
using test::random_weights;
using test::Reading;
using test::Texts;
using test::Which;
using test::World;

constexpr double kClose = 2e-3;  // scores are sums of floats

constexpr std::array kAllKinds = {Which::kDense, Which::kWithRules, Which::kWithBigrams, Which::kAll};

// The scores of all readings, or of the best per text; best first.
std::vector<double> scores_of(const std::vector<Reading>& readings, const NamedWeights& weights,
                              bool distinct) {
  std::map<std::string, double> best;
  std::vector<double> scores;
  for (const Reading& reading : readings) {
    const double score = score_of(reading, weights);
    scores.push_back(score);
    const auto [place, is_new] = best.try_emplace(reading.text(), score);
    place->second = std::max(place->second, score);
  }
  if (distinct) {
    scores.clear();
    for (const auto& [text, score] : best) scores.push_back(score);
  }
  std::sort(scores.rbegin(), scores.rend());
  return scores;
}

double dot(const NBest& best, const Translation& translation, const NamedWeights& weights) {
  double sum = 0.0;
  for (std::size_t f = 0; f < kDenseFeatures; ++f)
    sum += weights.of(std::string(dense_name(f))) * translation.dense[f];
  for (const auto& [feature, value] : translation.sparse) sum += weights.of(best.names.at(feature)) * value;
  return sum;
}

bool has_features(const Reading& reading, const NBest& best, const Translation& translation) {
  for (std::size_t f = 0; f < kDenseFeatures; ++f)
    if (std::abs(reading.dense[f] - translation.dense[f]) > kClose) return false;
  test::Sparse sparse;
  for (const auto& [feature, value] : translation.sparse) sparse[best.names.at(feature)] += value;
  return sparse == reading.sparse;
}

// What holds for every list: translations are derivations with their features, scores are
// the sums of their weights, best first, texts come once.
void expect_sound(const NBest& best, const std::vector<Reading>& readings, const NamedWeights& weights,
                  bool distinct) {
  std::multimap<std::string, const Reading*> by_text;
  for (const Reading& reading : readings) by_text.emplace(reading.text(), &reading);
  std::set<std::string> texts;
  double last = std::numeric_limits<double>::infinity();
  for (const Translation& translation : best.translations) {
    EXPECT_NEAR(translation.score, dot(best, translation, weights), 1e-3);
    EXPECT_LE(translation.score, last);
    last = translation.score;
    const bool is_new = texts.insert(translation.text).second;
    EXPECT_TRUE(is_new || !distinct) << "twice: " << translation.text;
    const auto [begin, end] = by_text.equal_range(translation.text);
    EXPECT_TRUE(std::any_of(
        begin, end, [&](const auto& entry) { return has_features(*entry.second, best, translation); }))
        << "no derivation has these features: " << translation.text;
  }
}

void expect_k_best(const NBest& best, const std::vector<Reading>& readings, const NamedWeights& weights,
                   const NBestRequest& request) {
  const std::vector<double> expected = scores_of(readings, weights, request.distinct);
  ASSERT_EQ(best.translations.size(), std::min(request.count, expected.size()));
  for (std::size_t k = 0; k < best.translations.size(); ++k)
    ASSERT_NEAR(best.translations[k].score, expected[k], kClose) << "rank " << k;
  expect_sound(best, readings, weights, request.distinct);
}

NBest extract(const Parts& parts, const TranslationForest& forest, std::span<const float> scores,
              const NBestRequest& request) {
  return NBestExtractor(parts).extract(forest, scores, request);
}

NBestRequest request_of(std::size_t count, bool distinct = true) {
  return {.count = count, .distinct = distinct, .sparse = SparseSet("all")};
}

// A sentence of a random model with all its derivations.
struct Case {
  World world;
  Random random;
  Texts sentence;
  AllReadings all;

  Case(std::uint64_t seed, const test::WorldOptions& options, std::size_t words, std::size_t span)
      : world(seed, options),
        random(seed + 77),
        sentence(random_sentence(random, words, options.vocabulary)),
        all(world.parts(), sentence, span) {}
};

// Calls body(case) for random models of every order.
template <typename Body>
void each_case(std::size_t span, const Body& body) {
  std::size_t used = 0, with_many = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const test::WorldOptions options{.sentences = 4 + seed % 19,
                                     .vocabulary = 3 + seed % 3,
                                     .order = 1 + static_cast<std::int64_t>(seed % 7 % 6),
                                     .targets = 2,
                                     .frequent = seed % 5 == 0 ? 2 : Words::kNone};
    Case made(seed, options, seed % 6 + (span == 1 ? 4 : span == 2 ? 2 : 0), span);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << made.all.readings().size()
                                      << " derivations of: " << ::testing::PrintToString(made.sentence));
    if (made.all.too_many()) continue;
    ++used;
    with_many += made.all.readings().size() >= 100;
    ASSERT_NO_FATAL_FAILURE(body(made));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(used, 30u);
  EXPECT_GT(with_many, 3u) << "few have a hundred derivations";
}

void expect_exact(Case& made, std::int64_t span, Which which, bool distinct) {
  const NamedWeights weights = random_weights(made.random, made.all.readings(), which);
  const FeatureWeights features = weights.features();
  Search search(made.world.parts(), features, exhaustive(span));
  const auto words = test::views_of(made.sentence);
  const TranslationForest& forest = search.run(words);
  for (const std::size_t count : {1, 10, 100'000}) {
    const NBestRequest request = request_of(count, distinct);
    const NBest best = extract(made.world.parts(), forest, forest.scores, request);
    ASSERT_NO_FATAL_FAILURE(expect_k_best(best, made.all.readings(), weights, request));
  }
}

TEST(Search, FindsTheBestDifferentTranslationsOfAllDerivations) {
  each_case(100, [](Case& made) {
    for (const Which which : kAllKinds) ASSERT_NO_FATAL_FAILURE(expect_exact(made, 100, which, true));
  });
}

TEST(Search, KeepsEveryDerivation) {
  each_case(100, [](Case& made) {
    if (made.all.readings().size() > 2000) return;
    for (const Which which : kAllKinds) ASSERT_NO_FATAL_FAILURE(expect_exact(made, 100, which, false));
  });
}

TEST(Search, PutsPartsInARowWhereRulesMayNotReach) {
  for (const std::int64_t span : {1, 2, 3}) {
    each_case(static_cast<std::size_t>(span), [&](Case& made) {
      for (const Which which : {Which::kDense, Which::kAll})
        ASSERT_NO_FATAL_FAILURE(expect_exact(made, span, which, true));
    });
  }
}

TEST(Search, CopiesUnknownWordsInOrder) {
  const World world(1, {});
  const Texts sentence = {"new", "newer", "new", "new", "newest"};
  const AllReadings all(world.parts(), sentence, 100);
  ASSERT_EQ(all.readings().size(), 1u);
  Random random(1);
  const NamedWeights weights = random_weights(random, all.readings(), Which::kAll);
  const FeatureWeights features = weights.features();
  Search search(world.parts(), features, {});
  const auto words = test::views_of(sentence);
  const TranslationForest& forest = search.run(words);
  const NBest best = extract(world.parts(), forest, forest.scores, request_of(10));
  ASSERT_NO_FATAL_FAILURE(expect_k_best(best, all.readings(), weights, request_of(10)));
  EXPECT_EQ(best.translations[0].text, "new newer new new newest");
  EXPECT_EQ(best.translations[0].dense[kPassThrough], 5.0f);
  EXPECT_EQ(best.translations[0].dense[kUnknownWords], 5.0f);
  EXPECT_EQ(best.translations[0].dense[kGlue], 4.0f);
}

// In a text these are words like others, although the language model and bigrams have other uses for them.
TEST(Search, CopiesWordsThatLookLikeTheEndsOfASentence) {
  const World world(2, {});
  for (const Texts& sentence :
       {Texts{"<s>"}, Texts{"</s>", "<s>"}, Texts{"<unk>", "w0", "</s>", "w1", "<s>"}}) {
    const AllReadings all(world.parts(), sentence, 100);
    Random random(2);
    const NamedWeights weights = random_weights(random, all.readings(), Which::kAll);
    const FeatureWeights features = weights.features();
    Search search(world.parts(), features, exhaustive());
    const auto words = test::views_of(sentence);
    const TranslationForest& forest = search.run(words);
    const NBest best = extract(world.parts(), forest, forest.scores, request_of(50));
    expect_k_best(best, all.readings(), weights, request_of(50));
  }
}

TEST(Search, TranslatesNothingByNothing) {
  const World world(1, {});
  NamedWeights weights;
  weights.set(std::string(dense_name(kLanguageModel)), 1.5);
  weights.set("bigram:<s>~</s>", 0.25);
  const FeatureWeights features = weights.features();
  Search search(world.parts(), features, {});
  const TranslationForest& forest = search.run({});
  const NBest best = extract(world.parts(), forest, forest.scores, request_of(10));
  const AllReadings all(world.parts(), {}, 100);
  expect_k_best(best, all.readings(), weights, request_of(10));
}

TEST(Search, WithSmallBeamsGivesDerivationsWithTheirFeatures) {
  each_case(100, [](Case& made) {
    for (const Which which : kAllKinds) {
      const NamedWeights weights = random_weights(made.random, made.all.readings(), which);
      const FeatureWeights features = weights.features();
      const double highest = scores_of(made.all.readings(), weights, true).at(0);
      const auto words = test::views_of(made.sentence);
      for (const std::int64_t beam : {1, 2, 7}) {
        Search search(made.world.parts(), features, {.beam = beam, .span = 15, .candidates = beam});
        const TranslationForest& forest = search.run(words);
        const NBest best = extract(made.world.parts(), forest, forest.scores, request_of(50));
        ASSERT_FALSE(best.translations.empty());
        EXPECT_LE(best.translations[0].score, highest + kClose);
        expect_sound(best, made.all.readings(), weights, true);
      }
    }
  });
}

// One search for all sentences, to see that nothing is left over.
TEST(Search, GivesTheSameAfterOtherSentences) {
  const World world(5, {});
  Random random(5);
  const Texts first = random_sentence(random, 5, 4);
  const AllReadings all(world.parts(), first, 100);
  const NamedWeights weights = random_weights(random, all.readings(), Which::kAll);
  const FeatureWeights features = weights.features();
  Search used(world.parts(), features, {});
  NBestExtractor extractor(world.parts());
  for (std::size_t i = 0; i < 50; ++i) {
    const Texts sentence = random_sentence(random, i % 9, 4);
    const auto words = test::views_of(sentence);
    const TranslationForest& forest = used.run(words);
    const NBest best = extractor.extract(forest, forest.scores, request_of(20));
    Search fresh(world.parts(), features, {});
    const TranslationForest& other = fresh.run(words);
    const NBest same = extract(world.parts(), other, other.scores, request_of(20));
    ASSERT_EQ(best.translations.size(), same.translations.size());
    for (std::size_t k = 0; k < same.translations.size(); ++k) {
      EXPECT_EQ(best.translations[k].text, same.translations[k].text);
      EXPECT_EQ(best.translations[k].score, same.translations[k].score);
      EXPECT_EQ(best.translations[k].dense, same.translations[k].dense);
    }
    EXPECT_EQ(best.names, same.names);
  }
}

// ---- Other weights

TEST(EdgeScores, AreThoseOfTheSearchUnderItsWeights) {
  each_case(100, [](Case& made) {
    for (const Which which : kAllKinds) {
      const NamedWeights weights = random_weights(made.random, made.all.readings(), which);
      const FeatureWeights features = weights.features();
      Search search(made.world.parts(), features, exhaustive());
      const auto words = test::views_of(made.sentence);
      const TranslationForest& forest = search.run(words);
      EXPECT_EQ(forest.keeps_ends, features.has(SparseKind::kBigram));
      const std::vector<float> scores = edge_scores(forest, made.world.parts(), features);
      ASSERT_EQ(scores.size(), forest.scores.size());
      for (std::size_t e = 0; e < scores.size(); ++e) ASSERT_NEAR(scores[e], forest.scores[e], 1e-4) << e;
    }
  });
}

TEST(EdgeScores, GiveTheBestTranslationsUnderOtherWeights) {
  each_case(100, [](Case& made) {
    const auto words = test::views_of(made.sentence);
    for (const Which which : kAllKinds) {
      const NamedWeights weights = random_weights(made.random, made.all.readings(), which);
      const FeatureWeights features = weights.features();
      Search search(made.world.parts(), features, exhaustive());
      const TranslationForest& forest = search.run(words);
      for (const Which other : kAllKinds) {
        const NamedWeights others = random_weights(made.random, made.all.readings(), other);
        const FeatureWeights other_features = others.features();
        if (other_features.has(SparseKind::kBigram) && !forest.keeps_ends) continue;
        const std::vector<float> scores = edge_scores(forest, made.world.parts(), other_features);
        const NBest best = extract(made.world.parts(), forest, scores, request_of(20));
        ASSERT_NO_FATAL_FAILURE(expect_k_best(best, made.all.readings(), others, request_of(20)));
      }
    }
  });
}

}  // namespace
}  // namespace hinge::mt
