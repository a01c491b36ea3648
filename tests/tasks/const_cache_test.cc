// Training data of parsers as columns: trees come back as they were read, counts can be taken
// off again, and no index of a cache is trusted.
#include <gtest/gtest.h>

#include "hinge/core/threads.h"
#include "hinge/tasks/constituents/compiled.h"
#include "tests/support/systems.h"

namespace hinge::constituents {
namespace {

constexpr const char* kTrees =
    "(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))\n"
    "(ROOT (S (NP (PRP she)) (VP (VBZ eats) (NP (NN fish)) (PP (IN with) (NP (NNS eyes))))))\n"
    "(ROOT (FRAG (NP (NN fish))))\n"
    "(ROOT (NN dog))\n";

std::string written(const BracketTree& tree) {
  std::string out;
  append_brackets(tree, out);
  return out;
}

TEST(ConstTreebank, GivesTreesBackAsTheyWereRead) {
  const std::string text = test::sample_text("const", 200, 3) + kTrees;
  const Treebank bank = read_treebank(Source::of_text(text, "trees"), {});
  BracketReader reader(TextInput(text, "trees"));
  BracketTree expected, tree;
  std::size_t i = 0;
  for (; reader.next(expected); ++i) {
    remove_wrapper(expected);
    bank.read(i, tree);
    EXPECT_EQ(written(tree), written(expected));
    for (std::size_t k = 0; k < expected.nodes.size(); ++k)
      ASSERT_EQ(tree.nodes[k].next, expected.nodes[k].next);
  }
  EXPECT_EQ(i, bank.size());
}

std::string bytes_of(TagModel model) {
  model.finish();
  ByteWriter out;
  model.write(out);
  return out.take();
}

TEST(ConstTagModel, ForgetsWhatIsTakenOff) {
  const std::vector<std::pair<std::string, std::uint16_t>> some = {{"the", 0}, {"dog", 1}, {"the", 0}},
                                                           more = {{"barks", 2}, {"the", 1}, {"dog", 1}};
  TagModel all(3), alone(3);
  for (const auto& [word, tag] : some) {
    all.count(word, tag);
    alone.count(word, tag);
  }
  for (const auto& [word, tag] : more) all.count(word, tag);
  EXPECT_NE(bytes_of(all), bytes_of(alone));
  for (const auto& [word, tag] : more) all.count(word, tag, -1);
  EXPECT_EQ(bytes_of(all), bytes_of(alone));
}

struct Harm {
  ConstOptions options;

  TreeParts read() const {
    Workers workers(1);
    return read_parts(Source::of_text(kTrees, "trees"), options, Known(), workers, nullptr);
  }
  bool is_good() const { return is_sound(read(), options, 0, 4); }
  template <typename Do>
  bool is_refused(const Do& harm) const {
    TreeParts parts = read();
    harm(parts.counted.data);
    return !is_sound(parts, options, 0, 4);
  }
};

void expect_words_and_trees_are_checked(const Harm& harm) {
  ASSERT_TRUE(harm.is_good());
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.words.ends.begin[1] = 90; }));
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.words.ends.begin[1] = 3; })) << "a word too few";
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.words.text.begin[2] = 0; }));
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.words.ends.values[1] = 1; }));
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.words.ends.values[3] = 1u << 20; }));
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.tags[2] = 900; }));
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.gold.begin[1] = 900; }));
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { --d.gold.begin[1]; }));
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_TRUE(harm.is_refused([k](ParseData& d) { d.gold.values[k] = 1u << 30; })) << k;
    EXPECT_TRUE(harm.is_refused([k](ParseData& d) { d.gold.values[k] ^= 1; })) << k;
  }
}

TEST(ConstCache, TrustsNoIndexOfRulesAndItems) {
  Harm harm;
  harm.options.features = "lexical+aux";
  expect_words_and_trees_are_checked(harm);
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.items.begin[1] = 1u << 20; }));
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.values.begin[1] = 0; }));
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { ++d.aux.begin[1]; }));
  const std::size_t items = harm.read().counted.data.items.begin[1];
  for (std::size_t k = 0; k < items; ++k) {
    EXPECT_TRUE(harm.is_refused([k](ParseData& d) { d.items.values[k].symbol = 999; })) << k;
    EXPECT_TRUE(harm.is_refused([k](ParseData& d) { d.items.values[k].end = 40; })) << k;
    EXPECT_TRUE(harm.is_refused([k](ParseData& d) { d.items.values[k].begin = 40; })) << k;
  }
  EXPECT_TRUE(harm.is_refused([](ParseData& d) { d.values.values[0] = std::nanf(""); }));
  EXPECT_TRUE(harm.is_refused([](ParseData& d) {
    for (Item& item : d.items.values) item = d.items.values[0];
  })) << "gold items are missing";
}

TEST(ConstCache, TrustsNoIndexWithoutPruningOrGrammar) {
  Harm harm;
  harm.options.exact = true;
  expect_words_and_trees_are_checked(harm);
  harm.options = {};
  harm.options.grammar = "none";
  expect_words_and_trees_are_checked(harm);
}

}  // namespace
}  // namespace hinge::constituents
