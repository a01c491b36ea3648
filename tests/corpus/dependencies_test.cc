#include "hinge/corpus/dependencies.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using Heads = std::vector<std::uint32_t>;

std::string word_line(const std::string& id, const std::string& form, const std::string& head,
                      const std::string& label) {
  return id + "\t" + form + "\t_\tNOUN\t_\t_\t" + head + "\t" + label + "\t_\t_\n";
}

// Words "w1", "w2", ... with these heads.
std::string tree_text(const std::vector<std::string>& heads) {
  std::string text;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::string id = std::to_string(i + 1);
    text += word_line(id, "w" + id, heads[i], heads[i] == "0" ? "root" : "dep");
  }
  return text + "\n";
}

// The error message for a text, without the folder; "" if it is valid.
std::string message_of(const std::string& text, bool annotated = true, bool labelled = true) {
  const TemporaryFolder folder;
  try {
    DependencyReader reader(folder.write("t.conllu", text), annotated, labelled);
    while (reader.next()) {
    }
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with(folder.path(""))) << message;
    return message.substr(folder.path("").size());
  }
  return "";
}

std::string message_of_heads(const std::vector<std::string>& heads) { return message_of(tree_text(heads)); }

Heads heads_of(const DependencyReader& reader) { return {reader.heads().begin(), reader.heads().end()}; }

const std::string kDogBarks = "# sent_id = 1\n" + word_line("1", "The", "2", "det") +
                              word_line("2", "dog", "3", "nsubj") + word_line("3", "barks", "0", "root") +
                              "\n";

// ---- Valid input

TEST(Dependencies, AreHeadsAndLabelsOfWordsCountedFromOne) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.conllu", kDogBarks + word_line("1", "Yes", "0", "root"));
  DependencyReader reader(path, /*annotated=*/true);
  EXPECT_EQ(reader.name(), path);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.words(), 3u);
  EXPECT_EQ(heads_of(reader), (Heads{0, 2, 3, 0}));
  EXPECT_EQ(reader.roots(), 1u);
  EXPECT_EQ(reader.label(2), "nsubj");
  EXPECT_EQ(reader.cell(1, kForm), "The");
  EXPECT_EQ(reader.cell(3, ConlluColumn::kUpos), "NOUN");
  EXPECT_EQ(reader.where(1), path + ":2");
  EXPECT_EQ(reader.where(3), path + ":4");
  EXPECT_EQ(reader.sentence().lines.at(0), "# sent_id = 1");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(heads_of(reader), (Heads{0, 0}));
  EXPECT_EQ(reader.where(1), path + ":6");
  EXPECT_FALSE(reader.next());
}

TEST(Dependencies, HaveAColumnForEveryName) {
  const std::vector<std::string> names = {"id",    "form", "lemma",  "upos", "xpos",
                                          "feats", "head", "deprel", "deps", "misc"};
  const ConlluColumn columns[] = {kId, kForm, kLemma, kUpos, kXpos, kFeats, kHead, kDeprel, kDeps, kMisc};
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(conllu_column(names[i]), static_cast<int>(columns[i]));
}

TEST(Dependencies, SkipMultiwordTokensAndEmptyNodesButKeepTheirLines) {
  const TemporaryFolder folder;
  const std::string text = "# c\n" + word_line("1-2", "vámonos", "_", "_") +
                           word_line("1", "vamos", "0", "root") + word_line("2", "nos", "1", "obj") +
                           word_line("2.1", "empty", "_", "_") + word_line("3", "al", "1", "case") + "\n";
  const std::string path = folder.write("t.conllu", text);
  DependencyReader reader(path, /*annotated=*/true);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(heads_of(reader), (Heads{0, 0, 1, 1}));
  EXPECT_EQ(reader.cell(3, kForm), "al");
  EXPECT_EQ(reader.where(3), path + ":6");
  const auto none = ColumnSentence::kNoToken;
  EXPECT_EQ(reader.sentence().token_of_line, (std::vector<std::int32_t>{none, none, 0, 1, none, 2}));
  EXPECT_EQ(reader.sentence().lines.size(), 6u);
}

TEST(Dependencies, OfConllXAreReadTheSameWay) {
  const TemporaryFolder folder;
  const std::string text =
      "1\t#\t#\t#\t#\t_\t2\tNMOD\t2\tNMOD\n"
      "2\t5-6\t_\tCD\tCD\tgen=n|num=p\t3\tSBJ\t_\t_\n"
      "3\t.\t.\t.\t.\t_\t0\tROOT\t_\t_\n\n"
      "1\t# = x\t_\t_\t_\t_\t0\tROOT\t_\t_\n";
  DependencyReader reader(folder.write("t.conll", text), /*annotated=*/true);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(heads_of(reader), (Heads{0, 2, 3, 0}));
  EXPECT_EQ(reader.cell(1, kForm), "#");
  EXPECT_EQ(reader.cell(2, kForm), "5-6");
  EXPECT_EQ(reader.label(1), "NMOD");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.words(), 1u);
  EXPECT_EQ(reader.cell(1, kForm), "# = x");
  EXPECT_FALSE(reader.next());
}

TEST(Dependencies, UnderstandLinesThatEndAsOnWindows) {
  const TemporaryFolder folder;
  std::string windows;
  for (const char c : kDogBarks) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  DependencyReader reader(folder.write("t.conllu", windows + windows), /*annotated=*/true);
  for (int sentence = 0; sentence < 2; ++sentence) {
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(heads_of(reader), (Heads{0, 2, 3, 0}));
    EXPECT_EQ(reader.cell(1, kMisc), "_");
    EXPECT_TRUE(reader.sentence().crlf);
  }
  EXPECT_FALSE(reader.next());
}

TEST(Dependencies, OfSentencesOfCommentsOnlyAreSkippedUnlessAskedFor) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.conllu", "# alone\n\n" + kDogBarks + "# last\n");
  DependencyReader skipping(path, /*annotated=*/true);
  ASSERT_TRUE(skipping.next());
  EXPECT_EQ(skipping.words(), 3u);
  EXPECT_FALSE(skipping.next());

  DependencyReader keeping(path, /*annotated=*/true);
  ASSERT_TRUE(keeping.next(/*keep_empty=*/true));
  EXPECT_EQ(keeping.words(), 0u);
  EXPECT_EQ(heads_of(keeping), Heads{0});
  EXPECT_EQ(keeping.roots(), 0u);
  EXPECT_EQ(keeping.sentence().lines.at(0), "# alone");
  ASSERT_TRUE(keeping.next(/*keep_empty=*/true));
  EXPECT_EQ(keeping.roots(), 1u);
  ASSERT_TRUE(keeping.next(/*keep_empty=*/true));
  EXPECT_EQ(heads_of(keeping), Heads{0});
  EXPECT_EQ(keeping.sentence().lines.at(0), "# last");
  EXPECT_FALSE(keeping.next(/*keep_empty=*/true));
}

TEST(Dependencies, OfAnEmptyFileAreNoSentences) {
  for (const std::string text : {"", "\n\n", "# only a comment\n"}) EXPECT_EQ(message_of(text), "") << text;
}

TEST(Dependencies, MayHaveSeveralRoots) {
  const TemporaryFolder folder;
  DependencyReader reader(folder.write("t.conllu", tree_text({"0", "1", "0", "0"})), /*annotated=*/true);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.roots(), 3u);
  EXPECT_EQ(heads_of(reader), (Heads{0, 0, 1, 0, 0}));
}

TEST(Dependencies, MayBeAnythingWhereNoneAreAskedFor) {
  const std::string text = word_line("1", "a", "_", "_") + word_line("2", "b", "2", "") +
                           word_line("3", "c", "99", "x") + word_line("4", "d", "word", "y") + "\n";
  EXPECT_EQ(message_of(text, /*annotated=*/false), "");
}

TEST(Dependencies, MayLackLabelsWhereOnlyHeadsAreAskedFor) {
  const std::string text = word_line("1", "a", "2", "_") + word_line("2", "b", "0", "") + "\n";
  EXPECT_EQ(message_of(text, /*annotated=*/true, /*labelled=*/false), "");
  EXPECT_NE(message_of(text), "");
  EXPECT_NE(message_of(tree_text({"2", "1"}), /*annotated=*/true, /*labelled=*/false), "");
}

// ---- Refused input

TEST(Dependencies, RefuseIdsOutOfOrder) {
  const std::string advice = "; number the words of a sentence 1, 2, 3, ... and end it with an empty line";
  for (const bool annotated : {true, false}) {
    // A missing empty line.
    EXPECT_EQ(message_of(kDogBarks.substr(0, kDogBarks.size() - 1) + kDogBarks, annotated),
              "t.conllu:6: the ID is '1', but 4 was expected" + advice);
    EXPECT_EQ(message_of(word_line("2", "a", "0", "root"), annotated),
              "t.conllu:1: the ID is '2', but 1 was expected" + advice);
    for (const std::string id : {"0", "x", "1x", "", "3", "99999999999999999999", "+2"}) {
      EXPECT_EQ(message_of(word_line("1", "a", "0", "root") + word_line(id, "b", "1", "dep"), annotated),
                "t.conllu:2: the ID is '" + id + "', but 2 was expected" + advice);
    }
  }
}

TEST(Dependencies, RefuseAHeadThatIsNoNumber) {
  for (const std::string head : {"x", "-1", "1.1", "1x", " 1", "+1"}) {
    EXPECT_EQ(message_of_heads({"0", head}),
              "t.conllu:2: the HEAD of word 2 is '" + head +
                  "', but a number from 0 (the root) to 2 was expected; check the order of the columns");
  }
}

TEST(Dependencies, RefuseAHeadBeyondTheSentence) {
  for (const std::string head :
       {"4", "31", "4294967297", "18446744073709551617", "99999999999999999999999"}) {
    EXPECT_EQ(message_of_heads({"0", "1", head}),
              "t.conllu:3: the HEAD of word 3 is " + head +
                  ", but the sentence has 3 words; check that sentence breaks survived conversion");
  }
  EXPECT_EQ(message_of_heads({"2"}),
            "t.conllu:1: the HEAD of word 1 is 2, but the sentence has 1 word; check that sentence breaks "
            "survived conversion");
}

TEST(Dependencies, RefuseAWordThatIsItsOwnHead) {
  EXPECT_EQ(message_of_heads({"0", "2"}),
            "t.conllu:2: the HEAD of word 2 is itself; give another word, or 0 for the root");
}

TEST(Dependencies, RefuseAWordWithoutHead) {
  for (const std::string head : {"_", ""}) {
    EXPECT_EQ(message_of_heads({"0", head}),
              "t.conllu:2: the HEAD of word 2 is '" + head +
                  "', but every word needs one here; give the number of a word or 0, the root, or leave the "
                  "sentence out");
  }
}

TEST(Dependencies, RefuseAWordWithoutLabel) {
  for (const std::string label : {"_", ""}) {
    EXPECT_EQ(message_of("# c\n" + word_line("1", "a", "0", label)),
              "t.conllu:2: the DEPREL of word 1 is '" + label +
                  "', but every word needs one here; give a relation, or leave the sentence out");
  }
}

TEST(Dependencies, RefuseASentenceWithoutRoot) {
  EXPECT_EQ(message_of("# c\n" + tree_text({"2", "3", "1"})),
            "t.conllu:2: the sentence has no root; give HEAD 0 to one of its 3 words");
}

TEST(Dependencies, RefuseACycleNamingItsWords) {
  const std::string advice = "; make every word lead to the root, HEAD 0";
  // 1 leads to the cycle but is not on it.
  EXPECT_EQ(message_of("# c\n" + tree_text({"5", "0", "4", "5", "3"})),
            "t.conllu:4: the HEADs of 3 words form a cycle: 3 (w3) -> 4 (w4) -> 5 (w5) -> 3" + advice);
  EXPECT_EQ(message_of_heads({"0", "3", "2"}),
            "t.conllu:2: the HEADs of 2 words form a cycle: 2 (w2) -> 3 (w3) -> 2" + advice);
}

TEST(Dependencies, RefuseALongCycleInOneReadableLine) {
  std::vector<std::string> heads = {"0"};
  for (int word = 2; word < 500; ++word) heads.push_back(std::to_string(word + 1));
  heads.push_back("2");
  const std::string message = message_of_heads(heads);
  EXPECT_TRUE(message.starts_with("t.conllu:2: the HEADs of 499 words form a cycle: 2 (w2) -> ")) << message;
  EXPECT_TRUE(message.find("-> 487 more -> 2;") != std::string::npos) << message;
}

TEST(Dependencies, RefuseALineWithNineColumns) {
  for (const bool annotated : {true, false}) {
    EXPECT_EQ(
        message_of(kDogBarks + "1\ta\t_\t_\t_\t_\t0\troot\t_\n", annotated),
        "t.conllu:6: has 9 columns, but 10 separated by tabs were expected (CoNLL-U, CoNLL-X); check the "
        "separators, and that empty cells hold _");
  }
  EXPECT_TRUE(message_of("1 a _ _ _ _ 0 root _ _\n").starts_with("t.conllu:1: has 1 column, but 10 "));
}

TEST(Dependencies, RefuseASentenceLongerThanTheLimitWhichIsAllowedItself) {
  std::vector<std::string> heads;
  for (std::size_t word = 0; word < kMaxWords; ++word) heads.push_back(std::to_string(word));
  const std::string longest = tree_text(heads);
  heads.push_back("1");
  const std::string longer = tree_text(heads);
  for (const bool annotated : {true, false}) {
    EXPECT_EQ(message_of(longest, annotated), "");
    EXPECT_EQ(
        message_of(kDogBarks + longer, annotated),
        "t.conllu:6: the sentence has 4001 words, but at most 4000 are possible; split it, or check that "
        "an empty line ends each sentence");
  }
}

TEST(Dependencies, AreReadUpToTheErrorAfterThem) {
  const TemporaryFolder folder;
  DependencyReader reader(folder.write("t.conllu", kDogBarks + tree_text({"2", "2"})), /*annotated=*/true);
  EXPECT_TRUE(reader.next());
  EXPECT_THROW(reader.next(), InputError);
}

// ---- Trees

// Whether all words lead to the root; heads are 0 .. words, no word is its own head.
bool is_tree(const Heads& heads) {
  for (std::size_t word = 1; word < heads.size(); ++word) {
    std::size_t at = word;
    for (std::size_t steps = 0; at != 0; at = heads[at])
      if (++steps > heads.size()) return false;
  }
  return true;
}

bool leads_to(const Heads& heads, std::size_t word, std::size_t ancestor) {
  while (word != ancestor && word != 0) word = heads[word];
  return word == ancestor;
}

// By definition: all words between a head and its dependent descend from the head.
bool is_projective_by_definition(const Heads& heads) {
  for (std::size_t word = 1; word < heads.size(); ++word) {
    const std::size_t head = heads[word];
    for (std::size_t k = std::min(word, head) + 1; k < std::max(word, head); ++k)
      if (!leads_to(heads, k, head)) return false;
  }
  return true;
}

// Calls body(heads) for every choice of heads for this number of words.
template <typename Body>
void each_choice_of_heads(std::size_t words, const Body& body) {
  Heads heads(words + 1, 0);
  for (;;) {
    bool own = false;
    for (std::size_t word = 1; word <= words; ++word) own = own || heads[word] == word;
    if (!own) body(heads);
    std::size_t word = 1;
    while (word <= words && heads[word] == words) heads[word++] = 0;
    if (word > words) return;
    ++heads[word];
  }
}

TEST(Dependencies, AreProjectiveWhereTheDefinitionSaysSoForAllTreesOfUpToSixWords) {
  const std::size_t expected[] = {1, 1, 3, 16, 125, 1296, 16807};  // trees: (n + 1)^(n - 1)
  for (std::size_t words = 0; words <= 6; ++words) {
    std::size_t trees = 0, differing = 0;
    each_choice_of_heads(words, [&](const Heads& heads) {
      if (!is_tree(heads)) return;
      ++trees;
      differing += is_projective(heads) != is_projective_by_definition(heads);
    });
    EXPECT_EQ(trees, expected[words]);
    EXPECT_EQ(differing, 0u) << words << " words";
  }
}

TEST(Dependencies, AreRefusedExactlyWhereTheyAreNoTreeForAllChoicesOfUpToFourWords) {
  for (std::size_t words = 1; words <= 4; ++words) {
    each_choice_of_heads(words, [&](const Heads& heads) {
      std::vector<std::string> cells;
      for (std::size_t word = 1; word <= words; ++word) cells.push_back(std::to_string(heads[word]));
      EXPECT_EQ(message_of_heads(cells).empty(), is_tree(heads)) << testing::PrintToString(cells);
    });
  }
}

TEST(Dependencies, OfALongChainAreProjectiveUntilTwoOfThemCross) {
  Heads right(kMaxWords + 1, 0), left(kMaxWords + 1, 0);
  for (std::uint32_t word = 1; word <= kMaxWords; ++word) {
    right[word] = word - 1;
    left[word] = word == kMaxWords ? 0 : word + 1;
  }
  EXPECT_TRUE(is_projective(right));
  EXPECT_TRUE(is_projective(left));
  right[12] = 9;
  right[13] = 11;  // spans 12, which does not descend from 11
  EXPECT_FALSE(is_projective(right));
}

// ---- Real corpora

struct Totals {
  std::size_t sentences = 0, words = 0, projective = 0, roots = 0;
};

Totals totals(const std::string& path) {
  DependencyReader reader(path, /*annotated=*/true);
  Totals sum;
  std::size_t differing = 0;
  while (reader.next()) {
    const Heads heads = heads_of(reader);
    const bool projective = is_projective(heads);
    differing += projective != is_projective_by_definition(heads);
    ++sum.sentences;
    sum.words += reader.words();
    sum.roots += reader.roots();
    sum.projective += projective;
  }
  EXPECT_EQ(differing, 0u) << path;
  return sum;
}

TEST(Dependencies, OfRealCorporaAreAllThere) {
  const std::vector<std::pair<std::string, std::size_t>> expected = {
      {"dep/en_ewt-train.conllu", 204577},    {"dep/en_ewt-dev.conllu", 25147},
      {"dep/en_ewt-test.conllu", 25094},      {"dep/nl_lassysmall-train.conllu", 88929},
      {"dep/nl_lassysmall-dev.conllu", 4616}, {"dep/nl_lassysmall-test.conllu", 4562}};
  for (const auto& [file, words] : expected) {
    HINGE_DATA_FILE(path, file);
    const Totals sum = totals(path);
    EXPECT_EQ(sum.words, words) << file;
    EXPECT_EQ(sum.roots, sum.sentences) << file;  // UD has one root per sentence
    EXPECT_LT(sum.projective, sum.sentences) << file;
    EXPECT_GT(sum.projective, sum.sentences / 2) << file;
  }
}

}  // namespace
}  // namespace hinge
