#include "hinge/features/vocabulary.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "hinge/core/error.h"
#include "hinge/core/random.h"

namespace hinge {
namespace {

constexpr std::uint32_t kUnknown = Vocabulary::kUnknown;

TEST(Vocabulary, IsMadeOfKnownKeysThatPruningKeeps) {
  Vocabulary vocabulary = Vocabulary::of({9, 4, 7});
  EXPECT_EQ(vocabulary.find(4), 1u);
  EXPECT_EQ(vocabulary.intern(5), 3u);
  EXPECT_EQ(vocabulary.prune(2), (std::vector<std::uint32_t>{0, 1, 2, Vocabulary::kUnknown}));
  EXPECT_EQ(vocabulary.keys(), (std::vector<Key>{9, 4, 7}));
}

TEST(Vocabulary, NumbersKeysInOrderOfAppearance) {
  Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.intern(70), 0u);
  EXPECT_EQ(vocabulary.intern(50), 1u);
  EXPECT_EQ(vocabulary.intern(70), 0u);
  EXPECT_EQ(vocabulary.intern(60), 2u);
  EXPECT_EQ(vocabulary.size(), 3u);
  EXPECT_EQ(vocabulary.key(1), 50u);
  EXPECT_EQ(vocabulary.find(60), 2u);
  EXPECT_EQ(vocabulary.find(80), kUnknown);
}

TEST(Vocabulary, FindsWithoutCounting) {
  Vocabulary vocabulary;
  vocabulary.intern(1);
  for (int i = 0; i < 5; ++i) vocabulary.find(1);
  vocabulary.prune(2);
  EXPECT_EQ(vocabulary.size(), 0u);
}

TEST(Vocabulary, WhatIsKeptStaysHoweverRare) {
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.keep(7));
  EXPECT_TRUE(vocabulary.keep(8));
  EXPECT_FALSE(vocabulary.keep(7));
  vocabulary.intern(9);
  for (int i = 0; i < 3; ++i) vocabulary.intern(5);
  vocabulary.intern(8);
  vocabulary.prune(3);
  EXPECT_EQ(vocabulary.keys(), (std::vector<Key>{5, 8, 7}));
  EXPECT_EQ(vocabulary.find(9), kUnknown);
}

TEST(Vocabulary, PrunedIsNumberedByFallingCount) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Vocabulary vocabulary;
    std::map<Key, std::int64_t> counts;
    std::vector<Key> old_keys;
    for (std::size_t n = random.below(300); n > 0; --n) {
      const Key key = 1 + random.below(40) * random.below(40);
      if (++counts[key] == 1) old_keys.push_back(key);
      EXPECT_EQ(old_keys[vocabulary.intern(key)], key);
    }
    const auto min_count = static_cast<std::int64_t>(random.below(5));
    const std::vector<std::uint32_t> new_ids = vocabulary.prune(min_count);

    ASSERT_EQ(new_ids.size(), old_keys.size());
    std::size_t kept = 0;
    for (std::size_t old_id = 0; old_id < old_keys.size(); ++old_id) {
      const Key key = old_keys[old_id];
      EXPECT_EQ(vocabulary.find(key), new_ids[old_id]);
      EXPECT_EQ(new_ids[old_id] == kUnknown, counts[key] < min_count);
      if (new_ids[old_id] == kUnknown) continue;
      ++kept;
      ASSERT_LT(new_ids[old_id], vocabulary.size());
      EXPECT_EQ(vocabulary.key(new_ids[old_id]), key);
    }
    EXPECT_EQ(vocabulary.size(), kept);
    for (std::uint32_t id = 1; id < kept; ++id)
      EXPECT_GE(counts[vocabulary.key(id - 1)], counts[vocabulary.key(id)]);
  }
}

TEST(Vocabulary, PrunedGoesOnCounting) {
  Vocabulary vocabulary;
  for (const Key key : {1, 2, 2, 3, 3, 3}) vocabulary.intern(key);
  vocabulary.prune(2);
  EXPECT_EQ(vocabulary.size(), 2u);
  EXPECT_EQ(vocabulary.intern(3), 0u);
  EXPECT_EQ(vocabulary.intern(9), 2u);
  for (int i = 0; i < 9; ++i) vocabulary.intern(9);
  vocabulary.prune(1);
  EXPECT_EQ(vocabulary.find(9), 0u);  // ten times
  EXPECT_EQ(vocabulary.find(3), 1u);  // four times
  EXPECT_EQ(vocabulary.find(2), 2u);
}

// ---- Names

// All features of a few sentences, with their expected names.
class NamesOfFeatures : public testing::Test {
 protected:
  NamesOfFeatures()
      : model_(parse_templates("U0:%x[-1,0]/%x[0,0]\nU1:%lower[0,0]\nU2:%suffix[0,0,2]!\nU3\n", "test")),
        extractor_(model_) {
    add({"The", "dog", "saw", "the", "Dog"});
    add({"A", "dog"});
    add({"straße"});
  }

  void add(const std::vector<std::string>& words) {
    const std::vector<std::string_view> cells(words.begin(), words.end());
    const std::vector<std::size_t> columns = {0};
    FeatureKeys keys;
    extractor_.extract({cells, 1, columns}, keys);
    const auto& templates = model_.templates().nodes;
    for (std::size_t t = 0; t < words.size(); ++t)
      for (std::size_t k = 0; k < templates.size(); ++k) {
        const Key key = keys.nodes[t * templates.size() + k];
        if (key == kAbsent) continue;
        if (vocabulary_.intern(key) < names_.size()) continue;
        names_.record(k, templates[k], extractor_, t);
        texts_.push_back(text(words, t, k));
      }
  }

  static std::string text(const std::vector<std::string>& words, std::size_t t, std::size_t k) {
    std::string lower = words[t];
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (k == 0) return "U0:" + (t == 0 ? "_B-1" : words[t - 1]) + "/" + words[t];
    if (k == 1) return "U1:" + lower;
    if (k == 2) return "U2:" + (words[t] == "straße" ? "ße" : words[t].substr(words[t].size() - 2)) + "!";
    return "U3";
  }

  const std::vector<Template>& templates() const { return model_.templates().nodes; }

  FeatureModel model_;
  Extractor extractor_;
  Vocabulary vocabulary_;
  FeatureNames names_;
  std::vector<std::string> texts_;  // [ids]
};

TEST_F(NamesOfFeatures, GiveBackTheKeys) {
  for (std::uint32_t id = 0; id < names_.size(); ++id)
    EXPECT_EQ(names_.key(id, templates()), vocabulary_.key(id)) << texts_[id];
}

TEST_F(NamesOfFeatures, CanBeCopiedOneByOne) {
  FeatureNames copy;
  for (std::uint32_t id = 0; id < names_.size(); ++id) copy.record(names_, id, names_.template_of(id));
  std::vector<std::uint32_t> all(names_.size());
  std::iota(all.begin(), all.end(), 0u);
  ByteWriter bytes, copied;
  names_.write(all, bytes);
  copy.write(all, copied);
  EXPECT_EQ(copied.bytes(), bytes.bytes());
}

TEST_F(NamesOfFeatures, AreTheTextsOfTheFeatures) {
  ASSERT_EQ(names_.size(), texts_.size());
  ASSERT_EQ(names_.size(), vocabulary_.size());
  for (std::uint32_t id = 0; id < names_.size(); ++id) EXPECT_EQ(names_.text(id, templates()), texts_[id]);
  EXPECT_EQ(std::set<std::string>(texts_.begin(), texts_.end()).size(), texts_.size());
}

TEST_F(NamesOfFeatures, FollowTheirFeaturesThroughPruning) {
  const std::vector<std::uint32_t> new_ids = vocabulary_.prune(2);
  names_.renumber(new_ids);
  ASSERT_EQ(names_.size(), vocabulary_.size());
  ASSERT_LT(names_.size(), texts_.size());
  ASSERT_GT(names_.size(), 0u);
  for (std::size_t old_id = 0; old_id < new_ids.size(); ++old_id) {
    if (new_ids[old_id] == kUnknown) continue;
    EXPECT_EQ(names_.text(new_ids[old_id], templates()), texts_[old_id]);
  }
}

TEST_F(NamesOfFeatures, ReadBackInTheOrderAskedFor) {
  std::vector<std::uint32_t> ids(names_.size());
  std::iota(ids.begin(), ids.end(), 0u);
  Random random(1);
  for (int round = 0; round < 10; ++round) {
    random.shuffle(std::span(ids));
    ByteWriter out;
    const auto some = std::span<const std::uint32_t>(ids).first(random.below(ids.size() + 1));
    names_.write(some, out);
    ByteReader in(out.bytes(), "names");
    const FeatureNames loaded = FeatureNames::load(in, templates());
    EXPECT_TRUE(in.at_end());
    ASSERT_EQ(loaded.size(), some.size()) << "seed 1";
    for (std::uint32_t i = 0; i < some.size(); ++i)
      EXPECT_EQ(loaded.text(i, templates()), texts_[some[i]]) << "seed 1";
  }
}

TEST_F(NamesOfFeatures, CutShortAnywhereAreRefused) {
  std::vector<std::uint32_t> ids(names_.size());
  std::iota(ids.begin(), ids.end(), 0u);
  ByteWriter out;
  names_.write(ids, out);
  for (std::size_t size = 0; size < out.bytes().size(); ++size) {
    ByteReader in(std::string_view(out.bytes()).substr(0, size), "names");
    EXPECT_THROW(FeatureNames::load(in, templates()), ModelError) << size << " bytes";
  }
}

TEST_F(NamesOfFeatures, DamagedAnywhereAreRefusedOrStayInside) {
  std::vector<std::uint32_t> ids(names_.size());
  std::iota(ids.begin(), ids.end(), 0u);
  ByteWriter out;
  names_.write(ids, out);
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    std::string bytes = out.bytes();
    for (int i = 0; i < 2; ++i) bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    try {
      ByteReader in(bytes, "names");
      const FeatureNames names = FeatureNames::load(in, templates());
      for (std::uint32_t id = 0; id < names.size(); ++id) names.text(id, templates());
    } catch (const ModelError&) {
    }
  }
}

}  // namespace
}  // namespace hinge
