#include "hinge/mt/ngram_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "hinge/core/error.h"
#include "hinge/mt/ngram_estimate.h"
#include "hinge/mt/perplexity.h"
#include "tests/mt/ngram_reference.h"

namespace hinge::mt {
namespace {

using test::Gram;
using test::Reference;
using test::Sentence;
using test::side_of;

constexpr SectionKind kKind = {
    .magic = std::string_view("LMTESTLM", 8),
    .format = 1,
    .what = "a language model",
    .make = "make one",
    .redo = "make it again",
    .refuse = [](const std::string& message) { throw ModelError(message); },
};

NgramModel estimate(const Side& text, std::int64_t order, int threads = 1) {
  Workers workers(threads);
  return estimate_ngrams(text, {.order = order}, workers);
}

std::string bytes_of(const NgramModel& model) {
  SectionWriter writer(kKind);
  model.write(writer);
  return writer.bytes();
}

// All histories of up to `length` words, some of which begin with <s>.
std::vector<Gram> all_histories(const std::vector<std::string>& words, std::size_t length) {
  std::vector<Gram> histories = {{}, {"<s>"}};
  for (std::size_t i = 0; i < histories.size(); ++i) {
    if (histories[i].size() >= length) continue;
    for (const std::string& word : words) {
      Gram longer = histories[i];
      longer.push_back(word);
      histories.push_back(longer);
    }
  }
  if (length == 0) histories.pop_back();
  return histories;
}

// Compares all probabilities after a history, and their sum.
void expect_equal(const NgramModel& model, const Words& words, const Reference& reference,
                  const Gram& history) {
  double sum = 0.0;
  for (const std::string& word : reference.vocabulary()) {
    const double prob = test::prob_of(model, words, word, history);
    const double expected = reference.prob(word, history);
    ASSERT_NEAR(prob, expected, 1e-5 * expected) << word << " after " << ::testing::PrintToString(history);
    sum += prob;
  }
  ASSERT_NEAR(sum, 1.0, 1e-5) << "after " << ::testing::PrintToString(history);
}

TEST(NgramModel, IsModifiedKneserNeyAfterEveryHistoryOfSmallTexts) {
  for (std::size_t order = 1; order <= NgramModel::kMostOrder; ++order) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const auto text = test::random_text(6 + 20 * seed, 3, seed);
      const Side side = side_of(text);
      const Reference reference(text, order);
      const NgramModel model = estimate(side, static_cast<std::int64_t>(order));
      EXPECT_EQ(model.order(), order);
      for (const Gram& history : all_histories({"w0", "w1", "w2", "new"}, order - 1))
        expect_equal(model, side.words, reference, history);
    }
  }
}

TEST(NgramModel, IsModifiedKneserNeyWithDiscountsFromTheText) {
  for (std::size_t order = 1; order <= NgramModel::kMostOrder; ++order) {
    const auto text = test::random_text(2000, 600, order);
    const Side side = side_of(text);
    const Reference reference(text, order);
    for (std::size_t k = 1; k <= std::min<std::size_t>(order, 3); ++k)
      ASSERT_TRUE(reference.uses_formula(k)) << k;
    const NgramModel model = estimate(side, static_cast<std::int64_t>(order));
    for (std::size_t s = 0; s < 3; ++s) {
      Gram history = {"<s>"};
      for (const std::string& word : text[s]) {
        expect_equal(model, side.words, reference, history);
        history.push_back(word);
      }
    }
  }
}

TEST(NgramModel, ScoresByStatesAsByWholeHistories) {
  for (std::size_t order = 1; order <= NgramModel::kMostOrder; ++order) {
    const auto text = test::random_text(60, 8, 10 + order);
    const Side side = side_of(text);
    const Reference reference(text, order);
    const NgramModel model = estimate(side, static_cast<std::int64_t>(order));
    for (Sentence sentence : test::random_text(60, 9, 20 + order)) {
      NgramModel::State state = model.begin();
      Gram history = {"<s>"};
      for (const std::string& word : sentence) {
        const float log_prob = model.score(state, test::number_of(side.words, word), state);
        ASSERT_NEAR(log_prob, std::log(reference.prob(word, history)), 1e-4);
        history.push_back(reference.vocabulary().contains(word) ? word : "<unk>");
      }
      ASSERT_NEAR(model.end(state), std::log(reference.prob("</s>", history)), 1e-4);
    }
  }
}

TEST(NgramModel, KeepsInAStateTheLongestContextAndNoMore) {
  for (std::size_t order = 1; order <= NgramModel::kMostOrder; ++order) {
    const auto text = test::random_text(30, 6, 30 + order);
    const Side side = side_of(text);
    const Reference reference(text, order);
    const NgramModel model = estimate(side, static_cast<std::int64_t>(order));
    for (const Sentence& sentence : test::random_text(60, 7, 40 + order)) {
      Gram history = {"<s>"};
      history.insert(history.end(), sentence.begin(), sentence.end());
      Gram longest = history;
      while (!reference.is_context(longest)) longest.erase(longest.begin());
      NgramModel::State expected;
      for (auto word = longest.rbegin(); word != longest.rend(); ++word)
        expected.words[expected.length++] =
            *word == "<s>" ? NgramModel::kBegin : test::number_of(side.words, *word);
      ASSERT_EQ(test::state_after(model, side.words, history), expected) << ::testing::PrintToString(history);
    }
  }
}

// Unigrams: a 2, b 1, </s> 2 of 5; discounts 0.5 and 1, so half of all is left for four.
TEST(Perplexity, OfWordsIsAsCountedByHand) {
  const Side side = side_of({{"a", "b"}, {"a"}});
  const NgramModel model = estimate(side, 1);
  Workers workers(2);
  const Perplexity result = perplexity(model, side.words, side_of({{"a", "c"}}), workers);
  EXPECT_NEAR(result.log_prob, std::log(0.325 * 0.125 * 0.325), 1e-6);
  EXPECT_NEAR(result.unknown_log_prob, std::log(0.125), 1e-6);
  EXPECT_EQ(result.words, 2u);
  EXPECT_EQ(result.unknown, 1u);
  EXPECT_EQ(result.sentences, 1u);
  EXPECT_NEAR(result.all(), std::pow(0.325 * 0.125 * 0.325, -1.0 / 3), 1e-5);
  EXPECT_NEAR(result.known(), 1 / 0.325, 1e-5);
}

// Words before: a 1, b 1, </s> 2, so P(a) = P(b) = 0.25 and P(</s>) = 0.375. After <s>
// half is left, after a half, after b half.
TEST(Perplexity, OfBigramsIsAsCountedByHand) {
  const Side side = side_of({{"a", "b"}, {"a"}});
  const NgramModel model = estimate(side, 2);
  Workers workers(1);
  const Perplexity result = perplexity(model, side.words, side_of({{"a", "b"}, {}}), workers);
  const double sentence = (0.5 + 0.5 * 0.25) * (0.25 + 0.5 * 0.25) * (0.5 + 0.5 * 0.375);
  EXPECT_NEAR(result.log_prob, std::log(sentence) + std::log(0.5 * 0.375), 1e-6);
  EXPECT_NEAR(result.all(), std::exp(-result.log_prob / 4), 1e-9);
  EXPECT_EQ(result.all(), result.known());
}

TEST(Perplexity, OfNothingIsOne) {
  const Side side = side_of({{"a"}});
  Workers workers(1);
  EXPECT_EQ(perplexity(estimate(side, 2), side.words, Side(), workers).all(), 1.0);
}

TEST(NgramModel, CountsTokensThatLookLikeMarksAsUnknownWords) {
  const std::vector<Sentence> text = {{"a", "<s>", "b"}, {"</s>", "a"}, {"<unk>"}, {"b", "<s>", "b"}};
  const std::vector<Sentence> as_unknown = {
      {"a", "<unk>", "b"}, {"<unk>", "a"}, {"<unk>"}, {"b", "<unk>", "b"}};
  const Side side = side_of(text);
  const Reference reference(as_unknown, 3);
  const NgramModel model = estimate(side, 3);
  for (const Gram& history : all_histories({"a", "b", "<unk>"}, 2))
    expect_equal(model, side.words, reference, history);
  for (const char* mark : {"<s>", "</s>", "<unk>"}) EXPECT_FALSE(model.knows(side.words.find(mark))) << mark;
  NgramModel::State next, same;
  const float unknown = model.score(model.begin(), NgramModel::kUnknown, same);
  EXPECT_EQ(model.score(model.begin(), side.words.find("</s>"), next), unknown);
  EXPECT_EQ(next, same);
}

TEST(NgramModel, KnowsTheWordsOfTheTextOnly) {
  Side side = side_of({{"a", "b"}});
  const Word unused = side.words.add("unused");
  const NgramModel model = estimate(side, 2);
  const Word later = side.words.add("later");
  EXPECT_TRUE(model.knows(side.words.find("a")));
  for (const Word word : {unused, later, NgramModel::kUnknown, NgramModel::kBegin, NgramModel::kEnd}) {
    EXPECT_FALSE(model.knows(word)) << word;
    if (word < NgramModel::kEnd) {
      NgramModel::State next;
      EXPECT_EQ(model.score({}, word, next), model.score({}, NgramModel::kUnknown, next));
      EXPECT_EQ(next, NgramModel::State());
    }
  }
}

TEST(NgramModel, IsEstimatedFromTheSmallestTexts) {
  for (const std::vector<Sentence>& text :
       std::vector<std::vector<Sentence>>{{{"a"}}, {{}}, {{}, {}, {"a"}}}) {
    for (std::size_t order = 1; order <= NgramModel::kMostOrder; ++order) {
      const Side side = side_of(text);
      const NgramModel model = estimate(side, static_cast<std::int64_t>(order));
      for (const Gram& history : all_histories({"a"}, order - 1))
        expect_equal(model, side.words, Reference(text, order), history);
    }
  }
}

TEST(NgramModel, IsNotEstimatedFromNothingOrWithAnOrderOutOfRange) {
  EXPECT_THROW(estimate(Side(), 3), InputError);
  for (const std::int64_t order : {-1, 0, 7}) EXPECT_THROW(estimate(side_of({{"a"}}), order), OptionError);
}

TEST(NgramModel, IsTheSameBytesWithAnyNumberOfThreads) {
  const Side side = side_of(test::random_text(500, 100, 5));
  const std::string bytes = bytes_of(estimate(side, 4, 1));
  for (const int threads : {2, 3, 8}) EXPECT_TRUE(bytes_of(estimate(side, 4, threads)) == bytes) << threads;
}

TEST(NgramModel, ScoresFromAFileAsInMemory) {
  const auto text = test::random_text(200, 50, 6);
  const Side side = side_of(text);
  NgramModel original = estimate(side, 4);
  const SectionFile file = SectionFile::from_bytes(bytes_of(original), "lm", kKind);
  const NgramModel moved = std::move(original);
  const NgramModel view(file);
  EXPECT_EQ(view.order(), 4u);
  for (std::size_t order = 0; order <= 7; ++order) EXPECT_EQ(view.size(order), moved.size(order));
  Workers workers(1);
  const Side other = side_of(test::random_text(200, 60, 7));
  EXPECT_EQ(perplexity(view, side.words, other, workers).log_prob,
            perplexity(moved, side.words, other, workers).log_prob);
  EXPECT_TRUE(bytes_of(view) == bytes_of(moved));
}

struct Sections {
  std::string shape, words, ngrams;

  explicit Sections(const NgramModel& model) {
    const SectionFile file = SectionFile::from_bytes(bytes_of(model), "lm", kKind);
    shape = file.section("lm.shape");
    words = file.section("lm.words");
    ngrams = file.section("lm.ngrams");
  }
  SectionFile file() const {
    SectionWriter writer(kKind);
    writer.add("lm.shape", shape);
    writer.add("lm.words", words);
    writer.add("lm.ngrams", ngrams);
    return SectionFile::from_bytes(writer.bytes(), "lm", kKind);
  }
  void set(std::size_t field, std::uint64_t value) { std::memcpy(shape.data() + 8 * field, &value, 8); }
};

TEST(NgramModel, RefusesDamagedSections) {
  const Sections intact(estimate(side_of(test::random_text(50, 10, 8)), 3));
  EXPECT_NO_THROW(NgramModel(intact.file()));
  const auto refused = [&](const char* what, const auto& damage) {
    Sections sections = intact;
    damage(sections);
    const SectionFile file = sections.file();
    EXPECT_THROW(NgramModel{file}, ModelError) << what;
  };
  const std::uint64_t slots = intact.ngrams.size() / 16;
  refused("order 0", [](Sections& s) { s.set(0, 0); });
  refused("order 7", [](Sections& s) { s.set(0, 7); });
  refused("no homes", [](Sections& s) { s.set(1, 0); });
  refused("homes beyond the slots", [&](Sections& s) { s.set(1, slots); });
  refused("short shape", [](Sections& s) { s.shape.pop_back(); });
  refused("long shape", [](Sections& s) { s.shape += s.shape; });
  refused("cut words", [](Sections& s) { s.words.pop_back(); });
  refused("no words", [](Sections& s) { s.words.resize(16); });
  refused("no unknown word", [](Sections& s) { std::memset(s.words.data() + 16, 0xFF, 4); });
  refused("cut slots", [](Sections& s) { s.ngrams.pop_back(); });
  refused("no slots", [](Sections& s) { s.ngrams.clear(); });
  refused("last slot taken", [](Sections& s) { s.ngrams[s.ngrams.size() - 12] = 1; });
}

TEST(NgramModel, EndsEverySearchWhateverTheSlotsHold) {
  const Side side = side_of(test::random_text(50, 10, 9));
  const Sections intact(estimate(side, 4));
  Workers workers(1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Sections sections = intact;
    for (std::size_t at = 0; at + 16 < sections.ngrams.size(); at += 1 + random.below(8))
      sections.ngrams[at] = static_cast<char>(random.below(256));
    const SectionFile file = sections.file();
    const NgramModel model(file);
    EXPECT_EQ(perplexity(model, side.words, side, workers).words, side.tokens.size());
    try {
      for (std::size_t order = 1; order <= 4; ++order) model.each(order, [](const auto&, const auto&) {});
    } catch (const ModelError&) {
    }
  }
}

}  // namespace
}  // namespace hinge::mt
