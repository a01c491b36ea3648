// Vectorized arc scores with shared sums against a plain sum over the features
// of each arc.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "hinge/core/random.h"
#include "hinge/features/presets.h"
#include "hinge/tasks/dep/arcs.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/tree_world.h"

namespace hinge::dep {
namespace {

using test::TreeWorld;

// A sentence with a small vocabulary, so that values repeat.
std::vector<Key> random_sentence(const FactorTemplateSet& set, std::size_t words, Random& random) {
  FieldHasher hasher(set);
  std::vector<Key> keys;
  hasher.add_root(keys);
  for (std::size_t m = 1; m <= words; ++m) {
    const std::string form = "Word" + std::to_string(random.below(20));
    const std::string upos(1, static_cast<char>('A' + random.below(5)));
    const std::string xpos = upos + std::to_string(random.below(3));
    hasher.add_word({.form = form, .lemma = form, .upos = upos, .xpos = xpos, .feats = "A=1|B=2"}, keys);
  }
  return keys;
}

// Multiples of 1/8, so that sums are exact in any order.
Weights random_weights(std::size_t dimension, Random& random) {
  Weights w(dimension);
  for (float& value : w.span()) value = (static_cast<float>(random.below(65)) - 32.0f) / 8.0f;
  return w;
}

struct Templates {
  std::string name, text;
};

std::vector<Templates> templates_of_every_group() {
  std::vector<Templates> all = {
      {"head", "arc h.form\narc h.upos h+1.upos\n"},
      {"modifier", "arc m.form\narc m-1.upos m.upos\n"},
      {"both", "arc h.form m.form\n"},
      {"between", "arc h.upos b.upos m.upos\n"},
      {"between alone", "arc b.form\n"},
      {"between and head", "arc h.form b.xpos\narc b.upos m.xpos\n"},
      {"one of each", test::kSmallTemplates},
      {"one distance", "distances 1\narc h.upos m.upos\narc h.form\n"},
  };
  std::string many = "distances 1 2 3 4 5 6 7\n";  // more than a vector, and not a multiple of one
  for (int k = 0; k < 19; ++k) many += "arc h" + std::to_string(k - 9) + ".upos m.upos\n";
  all.push_back({"nineteen of both", many});
  for (const Preset& preset : factor_preset_table()) all.push_back({std::string(preset.name), preset.text()});
  return all;
}

void fill_dictionary(ArcScorer& scorer, TreeLayout& layout, Random& random) {
  for (std::size_t m = 1; m <= scorer.words(); ++m) {
    std::size_t h = random.below(scorer.words());
    h += h >= m;
    scorer.each_key(h, m, [&](Key key) { layout.dictionary().add(key); });
  }
}

void expect_sums_of_features(ArcScorer& scorer, const Weights& w) {
  const float* scores = scorer.score(w.data());
  for (std::size_t h = 0; h <= scorer.words(); ++h) {
    for (std::size_t m = 1; m <= scorer.words(); ++m) {
      if (h == m) continue;
      double sum = 0.0;
      scorer.each_feature(h, m, [&](FeatureId id) {
        ASSERT_LT(id, w.size());
        sum += w[id];
      });
      ASSERT_EQ(scores[h * scorer.stride() + m], sum) << "arc " << h << " -> " << m;
    }
  }
}

TEST(ArcScorer, ScoresAreSumsOverTheFeaturesOfAnArc) {
  for (const auto& [name, text] : templates_of_every_group()) {
    const FactorTemplateSet set = parse_factor_templates(text, name);
    const ArcTemplates templates(set);
    for (const std::int64_t hash_bits : {1, 4, 11, 18}) {
      const TreeLayout layout(hash_bits, 1, 0);
      ArcScorer scorer(templates, layout);  // shared by all lengths, as in training
      Random random(static_cast<std::uint64_t>(hash_bits));
      const Weights w = random_weights(layout.dimension(), random);
      for (const std::size_t words : {40, 1, 2, 3, 5, 8, 17, 33, 16, 2}) {
        SCOPED_TRACE(name + ", " + std::to_string(hash_bits) + " bits, " + std::to_string(words) + " words");
        const std::vector<Key> keys = random_sentence(set, words, random);
        scorer.prepare({keys, set.fields.size()});
        ASSERT_NO_FATAL_FAILURE(expect_sums_of_features(scorer, w));
      }
    }
  }
}

TEST(ArcScorer, ScoresByDictionaryAreSumsOverTheFeaturesItHas) {
  for (const auto& [name, text] : templates_of_every_group()) {
    const FactorTemplateSet set = parse_factor_templates(text, name);
    const ArcTemplates templates(set);
    Random random(5);
    for (const std::size_t words : {1, 2, 3, 5, 8, 20}) {
      SCOPED_TRACE(name + ", " + std::to_string(words) + " words");
      TreeLayout layout(0, 1, 0);
      ArcScorer scorer(templates, layout);
      const std::vector<Key> keys = random_sentence(set, words, random);
      scorer.prepare({keys, set.fields.size()});
      fill_dictionary(scorer, layout, random);
      ASSERT_NO_FATAL_FAILURE(expect_sums_of_features(scorer, random_weights(layout.dimension(), random)));
    }
  }
}

TEST(ArcScorer, AnEmptyDictionaryScoresNothing) {
  const FactorTemplateSet set = parse_factor_templates(test::kSmallTemplates, "small");
  const ArcTemplates templates(set);
  const TreeLayout layout(0, 1, 0);
  EXPECT_EQ(layout.dimension(), 0u);
  ArcScorer scorer(templates, layout);
  Random random(1);
  const std::vector<Key> keys = random_sentence(set, 4, random);
  scorer.prepare({keys, set.fields.size()});
  const float* scores = scorer.score(nullptr);
  for (std::size_t k = 0; k < 25; ++k) EXPECT_EQ(scores[k], 0.0f);
}

TEST(ArcScorer, FeaturesAreThoseOfTheDefinitionOfTemplates) {
  for (const std::int64_t hash_bits : {0, 3, 16}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const TreeWorld world({.hash_bits = hash_bits, .longest = 6}, seed);
      ArcScorer scorer(world.plan().arcs, world.plan().layout);
      for (std::size_t s = 0; s < world.task().size(); ++s) {
        scorer.prepare(world.data().sentence(s));
        for (std::size_t h = 0; h <= world.words(s); ++h) {
          for (std::size_t m = 1; m <= world.words(s); ++m) {
            if (h == m) continue;
            std::multiset<FeatureId> found;
            scorer.each_feature(h, m, [&](FeatureId id) { found.insert(id); });
            const std::vector<FeatureId> expected = world.arc_features(s, h, m);
            EXPECT_EQ(found, std::multiset<FeatureId>(expected.begin(), expected.end()))
                << "seed " << seed << ", arc " << h << " -> " << m;
          }
        }
      }
    }
  }
}

TEST(ArcScorer, RowsAreAllThatScoringReads) {
  for (const auto& [name, text] : templates_of_every_group()) {
    const FactorTemplateSet set = parse_factor_templates(text, name);
    const ArcTemplates templates(set);
    std::size_t outside = 0;
    for (const std::int64_t hash_bits : {0, 6, 13}) {
      Random random(7);
      for (const std::size_t words : {1, 2, 6}) {
        SCOPED_TRACE(name + ", " + std::to_string(hash_bits) + " bits, " + std::to_string(words) + " words");
        TreeLayout layout(hash_bits, 1, 0);
        ArcScorer scorer(templates, layout);
        const std::vector<Key> other = random_sentence(set, 9, random);
        scorer.prepare({other, set.fields.size()});
        if (hash_bits == 0) fill_dictionary(scorer, layout, random);
        const std::vector<Key> keys = random_sentence(set, words, random);
        scorer.prepare({keys, set.fields.size()});
        const Weights w = random_weights(layout.dimension(), random);
        Weights disturbed = w;
        std::vector<bool> inside(w.size(), false);
        scorer.each_row([&](FeatureId weight) {
          const Block row = row_of(weight);
          ASSERT_EQ(row.first % kSlots, 0u);
          ASSERT_LE(row.first + row.count, w.size());
          std::fill_n(inside.begin() + row.first, row.count, true);
        });
        for (std::size_t d = 0; d < w.size(); ++d) {
          if (!inside[d]) disturbed[d] = 1e6f, ++outside;
        }
        const std::size_t arcs = (words + 1) * scorer.stride();
        const float* scores = scorer.score(w.data());
        const std::vector<float> before(scores, scores + arcs);
        scores = scorer.score(disturbed.data());
        EXPECT_EQ(before, std::vector<float>(scores, scores + arcs));
      }
    }
    EXPECT_GT(outside, 0u);
  }
}

TEST(ArcScorer, EveryInstructionSetScoresTheSame) {
  const FactorTemplateSet set = parse_factor_templates(factor_preset_table()[0].text(), "preset");
  const ArcTemplates templates(set);
  const TreeLayout layout(10, 1, 0);
  Random random(3);
  const Weights w = random_weights(layout.dimension(), random);
  const std::vector<Key> keys = random_sentence(set, 23, random);
  std::vector<float> first;
  std::size_t sets = 0;
  test::each_instruction_set([&](const char* name) {
    ++sets;
    ArcScorer scorer(templates, layout);
    scorer.prepare({keys, set.fields.size()});
    const float* scores = scorer.score(w.data());
    const std::vector<float> all(scores, scores + 24 * scorer.stride());
    if (first.empty()) first = all;
    EXPECT_EQ(all, first) << name;
  });
  EXPECT_GT(sets, 0u);
}

}  // namespace
}  // namespace hinge::dep
