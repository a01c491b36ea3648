// Keys of parts: the same words give the same key, other words a different one.
#include "hinge/features/factor_keys.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace hinge {
namespace {

using Sentence = std::vector<WordCells>;

const Sentence kSentence = {
    {.form = "Die", .lemma = "der", .upos = "DET", .xpos = "ART", .feats = "Case=Nom|Gender=Fem"},
    {.form = "Ölpreise", .lemma = "Ölpreis", .upos = "NOUN", .xpos = "NN", .feats = "Case=Nom|Number=Plur"},
    {.form = "STEIGEN", .lemma = "steigen", .upos = "VERB", .xpos = "VVFIN", .feats = "_"},
    {.form = "2024", .lemma = "2024", .upos = "NUM", .xpos = "CARD", .feats = "NumType=Card"},
};

std::vector<Key> hashed(const FactorTemplateSet& set, const Sentence& sentence) {
  FieldHasher hasher(set);
  std::vector<Key> keys;
  hasher.add_root(keys);
  for (const WordCells& word : sentence) hasher.add_word(word, keys);
  return keys;
}

Key field_of(const std::string& name, const WordCells& word) {
  const FactorTemplateSet set = parse_factor_templates("arc h." + name, "test");
  return hashed(set, {word}).at(1);
}

// [words + 2]: the contribution of a role to the key of one template.
std::vector<Key> shares(const std::string& text, Role role, const Sentence& sentence) {
  const FactorTemplateSet set = parse_factor_templates("arc h.form\n" + text, "test");
  std::vector<const FactorTemplate*> templates;
  for (const auto& kind : set.kinds) {
    for (const FactorTemplate& t : kind) {
      if (t.line == 2) templates.push_back(&t);
    }
  }
  const std::vector<Key> fields = hashed(set, sentence);
  std::vector<Key> keys(1000, 7);  // left over from an earlier sentence
  RoleKeys(templates, role).fill({fields, set.fields.size()}, keys);
  EXPECT_EQ(keys.size(), sentence.size() + 2);
  return keys;
}

TEST(FieldHasher, HashesTheTextOfEachField) {
  const WordCells& word = kSentence[1];
  EXPECT_EQ(field_of("form", word), hash_text("Ölpreise"));
  EXPECT_EQ(field_of("lemma", word), hash_text("Ölpreis"));
  EXPECT_EQ(field_of("upos", word), hash_text("NOUN"));
  EXPECT_EQ(field_of("xpos", word), hash_text("NN"));
  EXPECT_EQ(field_of("feats", word), hash_text("Case=Nom|Number=Plur"));
  EXPECT_EQ(field_of("lower", word), hash_text("ölpreise"));
  EXPECT_EQ(field_of("shape", word), hash_text("Xx"));
}

TEST(FieldHasher, CutsWordsByLettersNotBytes) {
  const WordCells& word = kSentence[1];
  EXPECT_EQ(field_of("prefix1", word), hash_text("Ö"));
  EXPECT_EQ(field_of("prefix3", word), hash_text("Ölp"));
  EXPECT_EQ(field_of("suffix2", word), hash_text("se"));
  EXPECT_EQ(field_of("suffix8", word), hash_text("Ölpreise"));
  EXPECT_EQ(field_of("suffix7", word), hash_text("lpreise"));
  EXPECT_EQ(field_of("prefix99", word), hash_text("Ölpreise"));
  EXPECT_EQ(field_of("suffix99", word), hash_text("Ölpreise"));
  EXPECT_EQ(field_of("suffix2", {.form = "日本語"}), hash_text("本語"));
}

TEST(FieldHasher, FindsOneFeatureAmongFeats) {
  EXPECT_EQ(field_of("feats:Case", kSentence[1]), hash_text("Nom"));
  EXPECT_EQ(field_of("feats:Number", kSentence[1]), hash_text("Plur"));
  EXPECT_EQ(field_of("feats:Gender", kSentence[1]), hash_text("_"));
  EXPECT_EQ(field_of("feats:Case", kSentence[2]), hash_text("_"));
  const WordCells similar{.feats = "Abcd=1|Ab=2|Abc=3|X=Abc=4"};
  EXPECT_EQ(field_of("feats:Ab", similar), hash_text("2"));
  EXPECT_EQ(field_of("feats:Abc", similar), hash_text("3"));
  EXPECT_EQ(field_of("feats:Abcd", similar), hash_text("1"));
  EXPECT_EQ(field_of("feats:A", similar), hash_text("_"));
  EXPECT_EQ(field_of("feats:X", similar), hash_text("Abc=4"));
  EXPECT_EQ(field_of("feats:Empty", {.feats = "Empty="}), hash_text(""));
  EXPECT_EQ(field_of("feats:Last", {.feats = "A=1|"}), hash_text("_"));
}

TEST(FieldHasher, TagsAndTheFormStandInForWhatATreebankLeavesOut) {
  EXPECT_EQ(field_of("upos", {.upos = "_", .xpos = "NN"}), hash_text("NN"));
  EXPECT_EQ(field_of("xpos", {.upos = "NOUN", .xpos = "_"}), hash_text("NOUN"));
  EXPECT_EQ(field_of("xpos", {.upos = "_", .xpos = "_"}), hash_text("_"));
  EXPECT_EQ(field_of("lemma", {.form = "trees", .lemma = "_"}), hash_text("trees"));
  EXPECT_EQ(field_of("feats", {.form = "trees", .feats = "_"}), hash_text("_"));
}

TEST(FieldHasher, SeveralFieldsDoNotDisturbEachOther) {
  const FactorTemplateSet set =
      parse_factor_templates("arc h.lower h.shape h.form h.lower h.suffix2 h.feats:Case", "test");
  const std::vector<Key> keys = hashed(set, kSentence);
  ASSERT_EQ(set.fields.size(), 5u);
  ASSERT_EQ(keys.size(), 5 * (kSentence.size() + 1));
  const std::vector<Key> steigen(keys.begin() + 15, keys.begin() + 20);
  EXPECT_EQ(steigen, (std::vector<Key>{hash_text("steigen"), hash_text("X"), hash_text("STEIGEN"),
                                       hash_text("EN"), hash_text("_")}));
}

TEST(FieldHasher, TheRootIsLikeNoWord) {
  const FactorTemplateSet set = parse_factor_templates("arc h.form h.upos", "test");
  for (const std::string text : {"", "_", "root", "ROOT", "0"}) {
    const std::vector<Key> keys = hashed(set, {{.form = text, .upos = text}});
    EXPECT_NE(keys[0], keys[2]) << text;
    EXPECT_NE(keys[1], keys[3]) << text;
  }
}

TEST(RoleKeys, AreZeroWhereTheTemplateLacksTheRole) {
  for (const Key key : shares("arc h.form", Role::kModifier, kSentence)) EXPECT_EQ(key, 0u);
  for (const Key key : shares("grand g.form m.form", Role::kHead, kSentence)) EXPECT_EQ(key, 0u);
  for (const Key key : shares("label dir", Role::kModifier, kSentence)) EXPECT_EQ(key, 0u);
  for (const Key key : shares("arc h.form", Role::kHead, kSentence)) EXPECT_NE(key, 0u);
}

TEST(RoleKeys, DifferForWordsThatDifferAndForTheRootAndForNoWord) {
  const std::vector<Key> keys = shares("arc h.form", Role::kHead, kSentence);
  EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), kSentence.size() + 2);
}

TEST(RoleKeys, AreTheSameForWordsThatAgreeInTheFields) {
  Sentence sentence = kSentence;
  sentence.push_back(kSentence[1]);
  sentence.back().form = "Autos";
  const std::vector<Key> tags = shares("arc h.upos", Role::kHead, sentence);
  EXPECT_EQ(tags[2], tags[5]);
  const std::vector<Key> both = shares("arc h.upos h.form", Role::kHead, sentence);
  EXPECT_NE(both[2], both[5]);
}

TEST(RoleKeys, DependOnTheTemplateAndOnTheRole) {
  const std::vector<std::pair<std::string, Role>> variants = {
      {"arc h.upos m.upos", Role::kHead},    {"arc h.upos m.upos", Role::kModifier},
      {"arc h.upos", Role::kHead},           {"grand g.upos h.upos m.upos", Role::kHead},
      {"grand g.upos h.upos", Role::kGrand}, {"sibling h.upos s.upos m.upos", Role::kHead},
      {"label h.upos", Role::kHead},         {"label h.upos dir", Role::kHead}};
  std::set<Key> keys;
  for (const auto& [text, role] : variants) keys.insert(shares(text, role, kSentence)[2]);
  EXPECT_EQ(keys.size(), variants.size());
}

TEST(RoleKeys, LookAsFarAsTheirOffsetsAndSeeWhereTheSentenceEnds) {
  // The words around both "a" are the same, except at the ends.
  const Sentence sentence = {{.form = "x"}, {.form = "a"}, {.form = "x"}, {.form = "a"}};
  const std::vector<Key> before = shares("arc h-1.form h.form", Role::kHead, sentence);
  EXPECT_EQ(before[2], before[4]);  // after x
  EXPECT_NE(before[1], before[3]);  // after the root; after a
  const std::vector<Key> after = shares("arc h.form h+1.form", Role::kHead, sentence);
  EXPECT_EQ(after[1], after[3]);
  EXPECT_NE(after[2], after[4]);  // x follows; nothing follows
  const std::vector<Key> far = shares("arc h-2.form", Role::kHead, sentence);
  EXPECT_EQ(far[0], far[1]);  // before the root, where there is nothing
  EXPECT_NE(far[1], far[2]);  // the root
  const std::vector<Key> ahead = shares("arc h+2.form", Role::kHead, sentence);
  EXPECT_EQ(ahead[3], ahead[4]);
  EXPECT_NE(ahead[2], ahead[3]);
  EXPECT_NE(far[0], ahead[4]);
}

TEST(RoleKeys, TellTheStartTheEndTheRootAndNoWordApart) {
  const std::vector<Key> keys = shares("arc h-1.form", Role::kHead, {{.form = "a"}});
  const std::vector<Key> ends = shares("arc h+1.form", Role::kHead, {{.form = "a"}});
  EXPECT_EQ(keys.size(), 3u);
  EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), 3u);  // the start, the root, no word
  EXPECT_EQ(std::set<Key>(ends.begin(), ends.end()).size(), 3u);  // the word, the end, no word
}

TEST(RoleKeys, OffsetsBeyondAnySentenceAreItsEnds) {
  const std::vector<Key> keys = shares("arc h-2000000000.form", Role::kHead, kSentence);
  EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), 2u);
}

// Keys of full width must differ for all pairs, even with parts in common.
TEST(RoleKeys, ExclusiveOrsTellAllPairsOfDifferentWordsApart) {
  std::vector<std::string> forms;
  for (int word = 0; word < 60; ++word) forms.push_back(std::to_string(word));
  Sentence sentence;
  for (const std::string& form : forms) sentence.push_back({.form = form, .upos = "N"});
  std::set<Key> keys;
  std::size_t pairs = 0;
  for (const std::string text : {"arc h.form m.form", "arc m.form h.form", "arc h.upos h.form m.form"}) {
    const std::vector<Key> head = shares(text, Role::kHead, sentence);
    const std::vector<Key> modifier = shares(text, Role::kModifier, sentence);
    for (std::size_t h = 0; h <= sentence.size(); ++h) {
      for (std::size_t m = 1; m <= sentence.size(); ++m, ++pairs) keys.insert(head[h] ^ modifier[m]);
    }
  }
  EXPECT_EQ(keys.size(), pairs);
}

TEST(RoleKeys, ExclusiveOrsDoNotConfuseWhoIsWho) {
  const Sentence sentence = {{.form = "a"}, {.form = "b"}};
  const std::vector<Key> head = shares("arc h.form m.form", Role::kHead, sentence);
  const std::vector<Key> modifier = shares("arc h.form m.form", Role::kModifier, sentence);
  EXPECT_NE(head[1] ^ modifier[2], head[2] ^ modifier[1]);
}

TEST(RoleKeys, FillOneColumnATemplate) {
  const FactorTemplateSet set = parse_factor_templates("arc h.form\narc m.form\narc h.upos m.upos\n", "test");
  std::vector<const FactorTemplate*> templates;
  for (const FactorTemplate& t : set.of(FactorKind::kArc)) templates.push_back(&t);
  const std::vector<Key> fields = hashed(set, kSentence);
  std::vector<Key> keys;
  RoleKeys(templates, Role::kHead).fill({fields, set.fields.size()}, keys);
  ASSERT_EQ(keys.size(), 3 * (kSentence.size() + 2));
  for (std::size_t row = 0; row < kSentence.size() + 2; ++row) {
    EXPECT_NE(keys[row * 3], 0u);
    EXPECT_EQ(keys[row * 3 + 1], 0u);
    EXPECT_NE(keys[row * 3 + 2], 0u);
  }
}

}  // namespace
}  // namespace hinge
