// What ranks merge is what one process finds in all the data.
#include "hinge/features/merged_vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hinge/core/random.h"
#include "hinge/core/shards.h"
#include "tests/support/thread_communicator.h"

namespace hinge {
namespace {

// Words of a text as features, each with itself as its name.
struct Words {
  Vocabulary vocabulary;
  FeatureNames names;

  void know(std::uint64_t word) {
    if (vocabulary.keep(hash_text(std::to_string(word)))) names.record(std::to_string(word));
  }
  std::uint32_t meet(std::uint64_t word) {
    const std::uint32_t id = vocabulary.intern(hash_text(std::to_string(word)));
    if (id == names.size()) names.record(std::to_string(word));
    return id;
  }
};

// A text in numbers of features, and what is known of these.
struct Outcome {
  std::vector<std::uint32_t> ids;
  std::vector<Key> keys;
  std::vector<std::string> names;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_on(int ranks, const std::vector<std::uint64_t>& text, std::int64_t min_count) {
  const std::vector<Template> templates = FeatureNames::attribute_templates();
  Outcome outcome;
  std::vector<Outcome> of(static_cast<std::size_t>(ranks));
  as_ranks(ranks, [&](Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    Words words;
    for (const std::uint64_t known : {3, 1000, 7}) words.know(known);
    std::vector<std::uint32_t> mine;
    const auto count = static_cast<std::size_t>(ranks);
    const std::size_t end = share_begin(text.size(), rank + 1, count);
    for (std::size_t k = share_begin(text.size(), rank, count); k < end; ++k)
      mine.push_back(words.meet(text[k]));
    const MergedKeys merged = merge_and_prune(words.vocabulary, min_count, communicator);
    merge_names(words.names, merged, templates, communicator);
    of[rank].keys = words.vocabulary.keys();
    for (const std::uint32_t id : mine) of[rank].ids.push_back(merged.new_ids[id]);
    for (std::uint32_t id = 0; rank == 0 && id < words.vocabulary.size(); ++id)
      outcome.names.push_back(words.names.text(id, templates));
    EXPECT_TRUE(rank == 0 || words.names.size() == 0);
  });
  outcome.keys = of[0].keys;
  for (const Outcome& part : of) {
    EXPECT_EQ(part.keys, outcome.keys);
    outcome.ids.insert(outcome.ids.end(), part.ids.begin(), part.ids.end());
  }
  return outcome;
}

TEST(MergedVocabulary, NumbersAndNamesFeaturesAsOneProcessDoes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    std::vector<std::uint64_t> text(seed * 13);
    for (std::uint64_t& word : text) word = random.below(1 + random.below(200));  // some far more often
    for (const std::int64_t min_count : {1, 2, 5}) {
      const Outcome alone = outcome_on(1, text, min_count);
      for (const int ranks : {2, 3, 8})
        EXPECT_EQ(outcome_on(ranks, text, min_count), alone) << "seed " << seed << ", " << ranks << " ranks";
    }
  }
}

TEST(MergedVocabulary, NumbersLabelsInTheOrderOfTheData) {
  const std::vector<std::vector<std::string>> of_ranks = {{"B", "A"}, {}, {"C", "A", "D"}};
  as_ranks(3, [&](Communicator& communicator) {
    LabelSet labels;
    labels.intern("known");
    for (const std::string& label : of_ranks.at(static_cast<std::size_t>(communicator.rank())))
      labels.intern(label);
    const std::vector<std::uint16_t> numbers = merge_labels(labels, communicator);
    EXPECT_EQ(labels.names(), (std::vector<std::string>{"known", "B", "A", "C", "D"}));
    if (communicator.rank() == 2) {
      EXPECT_EQ(numbers, (std::vector<std::uint16_t>{0, 3, 2, 4}));
    }
  });
}

}  // namespace
}  // namespace hinge
