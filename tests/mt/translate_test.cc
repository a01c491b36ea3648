#include "hinge/mt/translate.h"

#include <gtest/gtest.h>

#include <ctime>

#include "hinge/core/error.h"
#include "tests/mt/translation_reference.h"
#include "tests/support/data.h"

namespace hinge::mt {
namespace {

using hinge::test::TemporaryFolder;
using test::World;

constexpr std::size_t kVocabulary = 20;

// A model file of random text.
class Translate : public ::testing::Test {
 protected:
  Translate() : world_(1, {.sentences = 200, .vocabulary = kVocabulary, .targets = 10}) {
    Json description;
    description.set("sparse", "all").set("frequent", std::int64_t{0});
    OutputFile out(folder_.path("model"));
    write_model(out, world_.parts(), description, first_weights());
    out.commit();
    model_.emplace(Model::open(folder_.path("model")));
    weights_.emplace(model_->weights(), "model");
  }

  std::vector<NBest> translate(const std::vector<std::string>& sentences, const NBestRequest& request,
                               int threads = 1, const FeatureWeights* others = nullptr) const {
    Workers workers(threads);
    const Translator translator(*model_, *weights_, {}, request, others);
    return translator.translate(sentences, workers, "text", 11);
  }

  // What the language model says to a translation.
  double language_model(const std::string& text) const {
    const Parts parts = model_->parts();
    NgramModel::State state = parts.language_model->begin();
    double log = 0.0;
    each_word(text, [&](std::string_view word) {
      log += parts.language_model->score(state, parts.target->find(word), state);
    });
    return log + parts.language_model->end(state);
  }

  TemporaryFolder folder_;
  World world_;
  std::optional<Model> model_;
  std::optional<FeatureWeights> weights_;
};

std::vector<std::string> random_sentences(std::size_t count, std::size_t most_words) {
  Random random(9);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < count; ++i)
    sentences.push_back(random_line(random, random.below(most_words + 1), kVocabulary + 2));
  return sentences;
}

void expect_equal(const std::vector<NBest>& a, const std::vector<NBest>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].translations.size(), b[i].translations.size());
    EXPECT_EQ(a[i].names, b[i].names);
    for (std::size_t k = 0; k < a[i].translations.size(); ++k) {
      const Translation &left = a[i].translations[k], &right = b[i].translations[k];
      EXPECT_EQ(left.text, right.text);
      EXPECT_EQ(left.score, right.score);
      EXPECT_EQ(left.dense, right.dense);
      ASSERT_EQ(left.sparse.size(), right.sparse.size());
      for (std::size_t f = 0; f < left.sparse.size(); ++f) {
        EXPECT_EQ(left.sparse[f].feature, right.sparse[f].feature);
        EXPECT_EQ(left.sparse[f].value, right.sparse[f].value);
      }
    }
  }
}

TEST_F(Translate, GivesTheSameWithAnyNumberOfThreads) {
  const NBestRequest request{.count = 10, .sparse = SparseSet("all")};
  const std::vector<std::string> sentences = random_sentences(40, 12);
  const std::vector<NBest> one = translate(sentences, request);
  for (const int threads : {2, 3}) expect_equal(translate(sentences, request, threads), one);
}

TEST_F(Translate, IsASearchPerSentence) {
  const NBestRequest request{.count = 10, .sparse = SparseSet("pair,shape")};
  const std::vector<std::string> sentences = random_sentences(10, 9);
  const Parts parts = model_->parts();
  FeatureWeights others(std::vector<NamedWeight>{{"WordCount", 1.0f}, {"Glue", -2.0f}}, "others");
  std::vector<NBest> expected, expected_others;
  for (const std::string& sentence : sentences) {
    std::vector<std::string_view> words;
    each_word(sentence, [&](std::string_view word) { words.push_back(word); });
    Search search(parts, *weights_, {});
    const TranslationForest& forest = search.run(words);
    expected.push_back(NBestExtractor(parts).extract(forest, forest.scores, request));
    expected_others.push_back(
        NBestExtractor(parts).extract(forest, edge_scores(forest, parts, others), request));
  }
  expect_equal(translate(sentences, request), expected);
  expect_equal(translate(sentences, request, 1, &others), expected_others);
}

TEST_F(Translate, RefusesOtherWeightsWhoseScoresAreNotFinite) {
  const FeatureWeights huge(std::vector<NamedWeight>{{"WordCount", 3e38f}, {"Glue", -3e38f}}, "huge");
  EXPECT_THROW(translate({random_sentences(1, 12).front(), "w1 w2 w3 w4"}, {}, 1, &huge), ModelError);
}

TEST_F(Translate, KeepsSpacesOutOfWords) {
  const std::vector<NBest> best = translate({"  new \t newer ", "", " \t "}, {});
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].translations.at(0).text, "new newer");
  EXPECT_EQ(best[1].translations.at(0).text, "");
  EXPECT_EQ(best[2].translations.at(0).text, "");
}

// Scores of long sentences are sums of many floats.
TEST_F(Translate, TakesAThousandWordsInSecondsAndAddsUpTheirScores) {
  Random random(2);
  std::string unknown;
  for (int i = 0; i < 1000; ++i) unknown += "new" + std::to_string(random.below(700)) + " ";
  const std::string known = random_line(random, 1000, kVocabulary), mixed = random_line(random, 1000, 40);
  const NBestRequest request{.count = 5, .sparse = SparseSet("all")};
  const std::clock_t start = std::clock();  // of this process: others may keep the machine busy
  const std::vector<NBest> best = translate({known, mixed, unknown}, request);
  EXPECT_LT(std::clock() - start, 60 * CLOCKS_PER_SEC);
  for (const NBest& list : best) {
    ASSERT_FALSE(list.translations.empty());
    for (const Translation& translation : list.translations) {
      double score = 0.0;
      for (std::size_t f = 0; f < kDenseFeatures; ++f) score += weights_->dense()[f] * translation.dense[f];
      EXPECT_NEAR(translation.score, score, 1e-5 * std::abs(score));
      const double log = language_model(translation.text);
      EXPECT_NEAR(translation.dense[kLanguageModel], log, 2e-6 * std::abs(log));
    }
  }
  EXPECT_EQ(best[2].translations[0].text + " ", unknown);
  EXPECT_EQ(best[2].translations[0].dense[kPassThrough], 1000.0f);
  EXPECT_EQ(best[2].translations.size(), 1u);
}

TEST_F(Translate, RefusesLongerSentencesNamingTheLine) {
  std::string longest;
  for (std::size_t i = 0; i < kMostWords; ++i) longest += "new ";
  EXPECT_EQ(translate({longest}, {})[0].translations.at(0).text + " ", longest);
  for (const int threads : {1, 2}) {
    try {
      (void)translate({"w1", longest + "new", longest + "new new"}, {}, threads);
      FAIL() << "not refused";
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("text:12: has 2001 words"), std::string::npos) << message;
      EXPECT_NE(message.find("2000"), std::string::npos) << message;
    }
  }
}

TEST_F(Translate, GivesListsWithAllFeatures) {
  const NBestRequest request{.count = 10, .sparse = SparseSet("all")};
  const std::vector<std::string> sentences = random_sentences(10, 6);
  const std::vector<NBest> best = translate(sentences, request);
  NBestBuilder builder;
  std::size_t translations = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    add_translations(builder, i, best[i]);
    translations += best[i].translations.size();
  }
  const NBestLists lists = builder.finish();
  ASSERT_EQ(lists.lists(), best.size());
  std::size_t h = 0;
  for (const NBest& list : best) {
    for (const Translation& translation : list.translations) {
      EXPECT_EQ(lists.text(h), translation.text);
      EXPECT_EQ(lists.scores[h], static_cast<float>(translation.score));
      std::size_t features = translation.sparse.size();
      for (const float value : translation.dense) features += value != 0.0f;
      EXPECT_EQ(lists.row(h++).features.size(), features);
    }
  }
  EXPECT_EQ(h, translations);
}

// Each is finite, but not their sums with what they weigh.
TEST_F(Translate, RefusesWeightsThatAreTooLarge) {
  std::vector<NamedWeight> huge;
  for (std::size_t f = 0; f < kDenseFeatures; ++f)
    huge.push_back({std::string(dense_name(f)), f % 2 == 0 ? 3e38f : -3e38f});
  const FeatureWeights weights(huge, "huge");
  Workers workers(1);
  const Translator translator(*model_, weights, {}, NBestRequest{});
  EXPECT_THROW((void)translator.translate(random_sentences(10, 9), workers, "text", 1), Error);
}

}  // namespace
}  // namespace hinge::mt
