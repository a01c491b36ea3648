#include "hinge/mt/features.h"

#include <gtest/gtest.h>

#include <set>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "tests/support/data.h"

namespace hinge::mt {
namespace {

constexpr std::array kKinds = {SparseKind::kPair, SparseKind::kInsert, SparseKind::kDelete,
                               SparseKind::kBigram, SparseKind::kShape};

// Words that look like parts of names, of weights files and of n-best lists.
const std::vector<std::string> kOddWords = {
    "%",   "~",     "=",      "|",    "|||", ":",    "::",    "%7E", "%25", "%%",
    "a~b", "~~",    "a=",     "=0.5", "#",   "#a=",  "pair:", "1",   "-1e", "%3",
    "%zz", "Haus:", "größer", "日本", "<s>", "</s>", "\"",    "\\",  "'",   "a%7Eb"};

std::string name_of(SparseKind kind, const std::string& first, const std::string& second) {
  return sparse_name(kind, first, second);
}

Key key_of(SparseKind kind, const std::string& first, const std::string& second) {
  return sparse_key(kind, hash_text(first), kind == SparseKind::kDelete ? kAbsent : hash_text(second));
}

template <typename Body>
void each_odd_feature(const Body& body) {
  for (const SparseKind kind : kKinds)
    for (const std::string& first : kOddWords)
      for (const std::string& second : kOddWords)
        if (kind != SparseKind::kDelete || second == kOddWords[0]) body(kind, first, second);
}

TEST(SparseNames, AreDifferentForDifferentFeaturesAndHaveNoSpaces) {
  std::set<std::string> names;
  std::set<Key> keys;
  std::size_t features = 0;
  each_odd_feature([&](SparseKind kind, const std::string& first, const std::string& second) {
    const std::string name = name_of(kind, first, second);
    ++features;
    EXPECT_EQ(name.find_first_of(" \t\r\n=|"), std::string::npos) << name;
    names.insert(name);
    keys.insert(key_of(kind, first, second));
  });
  EXPECT_EQ(names.size(), features);
  EXPECT_EQ(keys.size(), features);
}

TEST(FeatureWeights, AreReadBackFromNamesOfOddWords) {
  const hinge::test::TemporaryFolder folder;
  std::vector<NamedWeight> list;
  each_odd_feature([&](SparseKind kind, const std::string& first, const std::string& second) {
    list.push_back({name_of(kind, first, second), static_cast<float>(list.size() + 1)});
  });
  for (const WeightStyle style : {WeightStyle::kMoses, WeightStyle::kPairs}) {
    const std::string path = folder.path("weights");
    write_weights(path, list, style);
    const std::vector<NamedWeight> read = read_weights(path);
    EXPECT_EQ(read, list);
    const FeatureWeights weights(read, path);
    float value = 0.0f;
    each_odd_feature([&](SparseKind kind, const std::string& first, const std::string& second) {
      EXPECT_EQ(weights.sparse(key_of(kind, first, second)), ++value) << name_of(kind, first, second);
    });
    for (const SparseKind kind : kKinds) EXPECT_TRUE(weights.has(kind));
    EXPECT_EQ(weights.sparse(key_of(SparseKind::kPair, "other", "words")), 0.0f);
  }
}

TEST(FeatureWeights, HaveKindsOnlyOfWeightsThatAreNotZero) {
  const FeatureWeights none(std::vector<NamedWeight>{{"pair:a~b", 0.0f}}, "w");
  for (const SparseKind kind : kKinds) EXPECT_FALSE(none.has(kind));
  EXPECT_FALSE(none.has_rule_features());
  const FeatureWeights bigram(std::vector<NamedWeight>{{"bigram:a~b", 1.0f}}, "w");
  EXPECT_TRUE(bigram.has(SparseKind::kBigram));
  EXPECT_FALSE(bigram.has_rule_features());
  const FeatureWeights shape(std::vector<NamedWeight>{{"shape:aX~Xa", 1.0f}}, "w");
  EXPECT_FALSE(shape.has(SparseKind::kBigram));
  EXPECT_TRUE(shape.has_rule_features());
}

TEST(FeatureWeights, HaveTheDenseOnesByName) {
  std::vector<NamedWeight> list;
  std::set<std::string_view> names;
  for (std::size_t f = 0; f < kDenseFeatures; ++f) {
    list.push_back({std::string(dense_name(f)), static_cast<float>(f) - 3.5f});
    names.insert(dense_name(f));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kDenseFeatures));
  const FeatureWeights weights(list, "w");
  for (std::size_t f = 0; f < kDenseFeatures; ++f)
    EXPECT_EQ(weights.dense()[f], static_cast<float>(f) - 3.5f) << dense_name(f);
  EXPECT_EQ(FeatureWeights().dense(), (std::array<float, kDenseFeatures>{}));
}

TEST(FeatureWeights, StartWithAllDenseOnes) {
  const std::vector<NamedWeight> first = first_weights();
  ASSERT_EQ(first.size(), static_cast<std::size_t>(kDenseFeatures));
  for (std::size_t f = 0; f < kDenseFeatures; ++f) EXPECT_EQ(first[f].name, dense_name(f));
  EXPECT_GT(FeatureWeights(first, "w").dense()[kLanguageModel], 0.0f);
}

template <typename E, typename Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

TEST(FeatureWeights, OfUnknownNamesAreRefusedNamingFileAndName) {
  for (const std::string name : {"LanguageModl", "lm", "pear:a~b", "pair", "pair:a", "bigram:a", "insert:a",
                                 "shape:aX", "delete:a~b", ":a~b", "pair~a:b", "Pair:a~b", "LM_1"}) {
    const std::string message = message_of<InputError>([&] {
      FeatureWeights(std::vector<NamedWeight>{{"Glue", 1.0f}, {name, 1.0f}}, "my.weights");
    });
    EXPECT_NE(message.find("my.weights"), std::string::npos) << name;
    EXPECT_NE(message.find("'" + name + "'"), std::string::npos) << message;
  }
  const std::string message = message_of<InputError>([] {
    FeatureWeights(std::vector<NamedWeight>{{"LanguageModl", 1.0f}}, "my.weights");
  });
  EXPECT_NE(message.find("did you mean LanguageModel?"), std::string::npos) << message;
}

TEST(SparseSet, ReadsListsOfKinds) {
  EXPECT_TRUE(SparseSet("").empty());
  EXPECT_TRUE(SparseSet().empty());
  for (const SparseKind kind : kKinds) EXPECT_TRUE(SparseSet("all").has(kind));
  const SparseSet two("bigram,delete");
  for (const SparseKind kind : kKinds)
    EXPECT_EQ(two.has(kind), kind == SparseKind::kBigram || kind == SparseKind::kDelete);
  EXPECT_TRUE(two.has_rule_features());
  EXPECT_FALSE(SparseSet("bigram").has_rule_features());
  EXPECT_FALSE(SparseSet("bigram").empty());
}

TEST(SparseSet, RefusesUnknownKinds) {
  for (const std::string kinds : {"pairs", "pair,bigrams", "pair bigram", "none", "ALL"}) {
    const std::string message = message_of<OptionError>([&] { (void)SparseSet(kinds); });
    EXPECT_NE(message.find(kinds == "pair,bigrams" ? "bigrams" : kinds), std::string::npos)
        << kinds << ": " << message;
    EXPECT_NE(message.find("shape"), std::string::npos) << "names what is allowed: " << message;
  }
}

TEST(Shape, IsTheOrderOfWordsAndGaps) {
  const auto shape = [](std::vector<Symbol> side) { return std::string(shape_of(side).text()); };
  EXPECT_EQ(shape({1}), "a");
  EXPECT_EQ(shape({1, 2, 3}), "a");
  EXPECT_EQ(shape({1, kFirstGap, 2, 2, kSecondGap}), "aXaY");
  EXPECT_EQ(shape({kSecondGap, 5, kFirstGap}), "YaX");
  EXPECT_EQ(shape({kSecondGap, kFirstGap}), "YX");
  EXPECT_EQ(shape({}), "");
}

}  // namespace
}  // namespace hinge::mt
