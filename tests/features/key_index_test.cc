#include "hinge/features/key_index.h"

#include <gtest/gtest.h>

#include <map>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/features/label_set.h"

namespace hinge {
namespace {

TEST(KeyIndex, OfNothingFindsNothing) {
  const KeyIndex index;
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.find(1), KeyIndex::kNone);
  EXPECT_EQ(index.find(kAbsent), KeyIndex::kNone);
}

TEST(KeyIndex, NumbersKeysAsTheyCome) {
  KeyIndex index;
  EXPECT_EQ(index.add(77), 0u);
  EXPECT_EQ(index.add(5), 1u);
  EXPECT_EQ(index.add(77), 0u);
  EXPECT_EQ(index.size(), 2u);
  EXPECT_EQ(index.find(5), 1u);
  EXPECT_EQ(index.find(6), KeyIndex::kNone);
}

// Small keys all start at the same slot, random ones do not.
TEST(KeyIndex, AgreesWithAMapOnManyKeys) {
  for (const std::uint64_t range : {std::uint64_t{300}, std::uint64_t{1} << 18, ~std::uint64_t{0}}) {
    Random random(range);
    KeyIndex index;
    std::map<Key, std::uint32_t> expected;
    for (int k = 0; k < 5000; ++k) {
      const Key key = 1 + random.below(range);
      const auto [place, is_new] = expected.try_emplace(key, static_cast<std::uint32_t>(expected.size()));
      ASSERT_EQ(index.add(key), place->second);
      const Key other = 1 + random.below(range);
      const auto found = expected.find(other);
      ASSERT_EQ(index.find(other), found == expected.end() ? KeyIndex::kNone : found->second);
    }
    ASSERT_EQ(index.size(), expected.size());
    for (const auto& [key, number] : expected) ASSERT_EQ(index.find(key), number);
    const KeyIndex view(index.slots(), index.numbers());
    EXPECT_EQ(view.size(), expected.size());
    for (const auto& [key, number] : expected) ASSERT_EQ(view.find(key), number);
  }
}

TEST(KeyIndex, SurvivesBeingMoved) {
  KeyIndex index;
  for (Key key = 1; key < 100; ++key) index.add(key * key);
  KeyIndex moved = std::move(index);
  for (Key key = 1; key < 100; ++key) EXPECT_EQ(moved.find(key * key), key - 1);
  KeyIndex assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.add(5), 99u);
  for (Key key = 1; key < 100; ++key) EXPECT_EQ(assigned.find(key * key), key - 1);
}

TEST(KeyIndex, ViewsArraysWhereTheyLie) {
  const std::vector<Key> slots = {kAbsent, 1 << 8, 1 << 8 | 1, kAbsent};
  const std::vector<std::uint32_t> numbers = {0, 1, 0, 0};
  const KeyIndex view(slots, numbers);
  EXPECT_EQ(view.size(), 2u);
  EXPECT_EQ(view.slots().data(), slots.data());
  EXPECT_EQ(view.find(1 << 8), 1u);
  EXPECT_EQ(view.find(1 << 8 | 1), 0u);
  EXPECT_EQ(view.find(1 << 8 | 2), KeyIndex::kNone);
  EXPECT_EQ(view.find(2 << 8), KeyIndex::kNone);
  const KeyIndex nothing(std::span<const Key>{}, std::span<const std::uint32_t>{});
  EXPECT_EQ(nothing.find(1), KeyIndex::kNone);
}

TEST(KeyIndex, RefusesArraysThatALookupWouldNotComeOutOf) {
  const auto refused = [](const std::vector<Key>& slots, const std::vector<std::uint32_t>& numbers) {
    EXPECT_THROW(KeyIndex(slots, numbers), ModelError) << slots.size() << " slots";
  };
  refused({kAbsent, 1}, {0});
  refused({kAbsent}, {});
  refused({}, {0});
  refused({kAbsent, 1, 2}, {0, 0, 1});  // not a power of two
  refused({1, 2, 3, 4}, {0, 1, 2, 3});  // none free
  refused({1}, {0});
  refused({kAbsent, 1}, {0, 1});  // a number that no key has
}

TEST(LabelSet, NumbersLabelsAsTheyCome) {
  LabelSet labels;
  EXPECT_EQ(labels.size(), 0u);
  EXPECT_EQ(labels.find("nsubj"), 0u);
  EXPECT_EQ(labels.intern("nsubj"), 0u);
  EXPECT_EQ(labels.intern("obj"), 1u);
  EXPECT_EQ(labels.intern("nsubj"), 0u);
  EXPECT_EQ(labels.intern(""), 2u);
  EXPECT_EQ(labels.size(), 3u);
  EXPECT_EQ(labels.find("obj"), 1u);
  EXPECT_EQ(labels.find("root"), 3u);
  EXPECT_EQ(labels.names(), (std::vector<std::string>{"nsubj", "obj", ""}));
}

TEST(LabelSet, FindsTheLabelsOfAnother) {
  LabelSet labels;
  labels.intern("a");
  labels.intern("b");
  EXPECT_EQ(labels.find_all({"b", "c", "a"}), (std::vector<std::size_t>{1, 2, 0}));
}

TEST(LabelSet, RefusesMoreLabelsThanItHasNumbersFor) {
  LabelSet labels;
  for (int k = 0; k < 65534; ++k) labels.intern(std::to_string(k));
  for (int trial = 0; trial < 2; ++trial) EXPECT_THROW(labels.intern("one more"), InputError);
  EXPECT_EQ(labels.size(), 65534u);
  EXPECT_EQ(labels.find("one more"), labels.size());
  EXPECT_EQ(labels.intern("65533"), 65533u);
}

}  // namespace
}  // namespace hinge
