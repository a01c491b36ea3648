// Treebanks converted to numbers, and projectivization of trees.
#include "hinge/tasks/dep/data.h"

#include <gtest/gtest.h>

#include "hinge/corpus/dependencies.h"
#include "tests/support/all_trees.h"
#include "tests/support/conllu.h"
#include "tests/support/data.h"

namespace hinge::dep {
namespace {

using test::conllu;
using test::Heads;
using test::TemporaryFolder;

Corpus corpus_of(const Heads& heads) {
  Corpus corpus;
  corpus.data.heads.assign(heads.begin(), heads.end());
  corpus.data.begin.push_back(heads.size());
  return corpus;
}

Heads heads_in(const Corpus& corpus) { return {corpus.data.heads.begin(), corpus.data.heads.end()}; }

std::size_t changes(const Heads& a, const Heads& b) {
  std::size_t count = 0;
  for (std::size_t m = 1; m < a.size(); ++m) count += a[m] != b[m];
  return count;
}

bool is_ancestor(const Heads& heads, HeadId above, HeadId word) {
  while (word != 0 && word != above) word = heads[word];
  return word == above;
}

TEST(MakeProjective, LeavesProjectiveTreesAlone) {
  for (const Heads& heads : test::all_trees(5, {.projective = true})) {
    Corpus corpus = corpus_of(heads);
    make_projective(corpus);
    EXPECT_EQ(heads_in(corpus), heads);
    EXPECT_EQ(corpus.lifted, 0u);
  }
}

TEST(MakeProjective, ChangesAsFewHeadsAsCanBeOfAnyTree) {
  for (const std::size_t words : {4u, 5u}) {
    for (const Heads& heads : test::all_trees(words, {})) {
      if (test::is_projective(heads)) continue;
      SCOPED_TRACE(testing::PrintToString(heads));
      Corpus corpus = corpus_of(heads);
      make_projective(corpus);
      EXPECT_EQ(corpus.lifted, 1u);
      const Heads result = heads_in(corpus);
      const bool single = test::roots(heads) == 1;
      ASSERT_TRUE(test::is_of_kind(result, {.projective = true, .single_root = single}));
      std::size_t fewest = words;
      for (const Heads& other : test::all_trees(words, {.projective = true, .single_root = single}))
        fewest = std::min(fewest, changes(heads, other));
      ASSERT_EQ(changes(heads, result), fewest);
    }
  }
}

TEST(MakeProjective, PrefersAncestorsNearBy) {
  // The head of 4 is 2, which the arc 3 <- 1 covers; the nearest valid head is its grandparent 1.
  const Heads heads = {0, 0, 1, 1, 2};
  Corpus corpus = corpus_of(heads);
  make_projective(corpus);
  const Heads result = heads_in(corpus);
  ASSERT_EQ(changes(heads, result), 1u);
  for (HeadId m = 1; m < heads.size(); ++m) EXPECT_TRUE(is_ancestor(heads, result[m], m)) << m;
}

TEST(MakeProjective, LooksAtEachSentenceByItself) {
  Corpus corpus = corpus_of({0, 2, 0});
  const Heads crossing = {0, 0, 1, 1, 2};
  corpus.data.heads.append(crossing);
  corpus.data.begin.push_back(corpus.data.heads.size());
  make_projective(corpus);
  EXPECT_EQ(corpus.lifted, 1u);
  EXPECT_EQ((Heads(corpus.data.heads.begin(), corpus.data.heads.begin() + 3)), (Heads{0, 2, 0}));
}

// Deeper than a float can halve.
TEST(MakeProjective, WorksOnVeryDeepTrees) {
  constexpr HeadId kWords = 600;
  Heads heads(kWords + 1, 0);
  for (HeadId m = 2; m <= kWords; ++m) heads[m] = m - 1;
  heads[500] = 300;
  heads[400] = 1;  // which crosses the arc from 300 to 500
  ASSERT_TRUE(test::is_tree(heads));
  ASSERT_FALSE(is_projective(heads));
  Corpus corpus = corpus_of(heads);
  make_projective(corpus);
  EXPECT_TRUE(is_projective(corpus.data.heads));
  EXPECT_LE(changes(heads, heads_in(corpus)), 2u);
}

class ReadTrees : public testing::Test {
 protected:
  Corpus read(const std::string& text, const LabelSet& labels = {}, bool labelled = true) const {
    return read_trees(folder_.write("trees.conllu", text), templates_, labels, labelled);
  }
  const TemporaryFolder folder_;
  const FactorTemplateSet templates_ = parse_factor_templates("arc h.form m.upos\n", "small");
};

const std::string kText = conllu(
    {"the DET 2 det", "cat NOUN 0 root", ", PUNCT 2 punct", "", "a X 0 root", "b X 0 root", "c _ 1 det", ""});

TEST_F(ReadTrees, NumbersEverything) {
  const Corpus corpus = read(kText);
  const TreeData& data = corpus.data;
  EXPECT_EQ(data.sentences(), 2u);
  EXPECT_EQ(data.words(), 6u);
  EXPECT_EQ(data.words_before(1), 3u);
  EXPECT_EQ(data.fields, 2u);
  EXPECT_EQ(data.heads, (Column<HeadId>{0, 2, 0, 2, 0, 0, 0, 1}));
  EXPECT_EQ(data.labels, (Column<LabelId>{0, 0, 1, 2, 0, 1, 1, 0}));
  EXPECT_EQ(corpus.labels.names(), (std::vector<std::string>{"det", "root", "punct"}));
  EXPECT_EQ(corpus.punctuation, (Column<char>{0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(corpus.several_roots, 1u);
  EXPECT_EQ(data.keys.size(), 2 * 8u);
  EXPECT_EQ(data.sentence(1).words(), 3u);
  EXPECT_EQ(data.sentence(1).keys[2], hash_text("a"));
}

TEST_F(ReadTrees, GivesNewLabelsNumbersBeyondThoseItKnows) {
  LabelSet known;
  known.intern("root");
  const Corpus corpus = read(kText, known);
  EXPECT_EQ(corpus.data.labels, (Column<LabelId>{0, 1, 0, 2, 0, 0, 0, 1}));
  EXPECT_EQ(known.size(), 1u);
}

TEST_F(ReadTrees, LooksAtNoLabelsWhereNoneAreAskedFor) {
  const Corpus corpus = read(conllu({"a X 0 _", ""}), {}, /*labelled=*/false);
  EXPECT_EQ(corpus.labels.size(), 0u);
  EXPECT_EQ(corpus.data.labels, (Column<LabelId>{0, 0}));
}

}  // namespace
}  // namespace hinge::dep
