// Documents written with other mentions: what changes, and that nothing else does.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/corpus/documents.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

std::vector<Document> read_all(const TextInput& input) {
  DocumentReader reader(input);
  std::vector<Document> documents(1);
  while (reader.next(documents.back(), /*keep_empty=*/true)) documents.emplace_back();
  documents.pop_back();
  return documents;
}

Document read_one(const std::string& text) { return std::move(read_all(TextInput(text, "text")).at(0)); }

std::string written(const Document& document, const std::vector<Mention>& mentions) {
  std::string out;
  write_document(document, mentions, {}, out);
  return out;
}

std::string written_back(const Document& document) {
  std::string out;
  write_document(document, document.mentions, document.cluster_names, out);
  return out;
}

constexpr const char* kColumns =
    "# before\n"
    "#begin document (a); part 000\n"
    "a  0  0   He    (7)\n"
    "a  0  1   saw   -  \n"
    "a  0  2   a     (8\n"
    "a  0  3   dog   8)\n"
    "\n"
    "#end document\n";

TEST(DocumentWriter, OnlyTheLastColumnOfConll2012Changes) {
  const Document document = read_one(kColumns);
  EXPECT_EQ(written_back(document), kColumns);
  EXPECT_EQ(written(document, {{0, 2, 0}, {1, 2, 1}, {2, 4, 0}, {0, 4, 2}}),
            "# before\n"
            "#begin document (a); part 000\n"
            "a  0  0   He    (2|(0\n"
            "a  0  1   saw   0)|(1)  \n"
            "a  0  2   a     (0\n"
            "a  0  3   dog   0)|2)\n"
            "\n"
            "#end document\n");
  EXPECT_EQ(written(document, {}),
            "# before\n#begin document (a); part 000\na  0  0   He    -\na  0  1   saw   -  \n"
            "a  0  2   a     -\na  0  3   dog   -\n\n#end document\n");
}

TEST(DocumentWriter, NewCellsFollowTheStyleOfTheDocument) {
  const Document document =
      read_one("#begin document (a); part 000\n0\ta\t(2(1)\n1\tb\t2)\n2\tc\t_\n#end document\n");
  EXPECT_EQ(written(document, {{2, 3, 4}, {2, 3, 3}}),
            "#begin document (a); part 000\n0\ta\t_\n1\tb\t_\n2\tc\t(3)(4)\n#end document\n");
}

TEST(DocumentWriter, OnlyEntityInMiscOfConlluChanges) {
  const std::string before =
      "# newdoc id = a\n"
      "# global.Entity = eid-etype-head-other\n"
      "1-2\tHe's\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "1\tHe\t_\t_\t_\t_\t0\troot\t_\tA=1|Entity=(e7-person-1-)|SpaceAfter=No\n"
      "1.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(e9)|X=1\n"
      "2\t's\t_\t_\t_\t_\t1\tdep\t_\tSpaceAfter=No\n"
      "3\tin\t_\t_\t_\t_\t1\tdep\t_\tEntity=(e8--2\n"
      "4\tit\t_\t_\t_\t_\t1\tdep\t_\tDiscourse=x|Entity=e8)\n"
      "\n";
  const Document document = read_one(before);
  EXPECT_EQ(written(document, {{1, 4, 0, 3}, {1, 2, 1, 1}, {3, 4, 1}}),
            "# newdoc id = a\n"
            "# global.Entity = eid-etype-head-other\n"
            "1-2\tHe's\t_\t_\t_\t_\t_\t_\t_\t_\n"
            "1\tHe\t_\t_\t_\t_\t0\troot\t_\tA=1|SpaceAfter=No\n"
            "1.1\t_\t_\t_\t_\t_\t_\t_\t_\tX=1\n"
            "2\t's\t_\t_\t_\t_\t1\tdep\t_\tEntity=(e1--3(e2--1)|SpaceAfter=No\n"
            "3\tin\t_\t_\t_\t_\t1\tdep\t_\t_\n"
            "4\tit\t_\t_\t_\t_\t1\tdep\t_\tDiscourse=x|Entity=e1)(e2)\n"
            "\n");
  // All but the brackets of the empty node, which has no token.
  std::string expected = before;
  expected.replace(expected.find("Entity=(e9)|"), 12, "");
  EXPECT_EQ(written_back(document), expected);
  // A mention keeps its fields in another cluster.
  Mention renamed = document.mentions[0];
  renamed.cluster = 4;
  EXPECT_NE(written(document, {renamed}).find("Entity=(e5-person-1-)|"), std::string::npos);
}

TEST(DocumentWriter, FieldsAreDeclaredIfNothingDeclaresThem) {
  const std::string words = "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\r\n\r\n";
  const std::string named = "# text = a\r\n# newdoc id = x\r\n# sent_id = 1\r\n" + words;
  EXPECT_EQ(written(read_one(named), {{0, 1, 0}}),
            "# text = a\r\n# newdoc id = x\r\n# global.Entity = eid-etype-head-other\r\n# sent_id = 1\r\n"
            "1\ta\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)\r\n\r\n");
  EXPECT_EQ(written(read_one("\r\n" + words), {{0, 1, 0}}),
            "\r\n# global.Entity = eid-etype-head-other\r\n1\ta\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)\r\n\r\n");
  EXPECT_EQ(written(read_one(named), {}), named);
  const std::string undeclared = "1\ta\t_\t_\t_\t_\t_\t_\t_\tEntity=(e7)\n\n";
  EXPECT_EQ(written(read_one(undeclared), {{0, 1, 0, 0}}), "1\ta\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)\n\n");
}

TEST(DocumentWriter, HeadsAreCountedWithEmptyNodes) {
  const std::string text =
      "# global.Entity = eid-head\n"
      "1\ta\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-3\n"
      "1.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "2\tb\t_\t_\t_\t_\t_\t_\t_\tEntity=e1)\n"
      "\n";
  const Document document = read_one(text);
  EXPECT_EQ(document.mentions[0].head, 1u);
  EXPECT_EQ(written(document, {{0, 2, 0, 1}}), text);
}

TEST(DocumentWriter, MentionsOfAClusterThatCrossLoseOnlyTheirHeads) {
  const Document document = read_one(
      "# global.Entity = eid-head\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "3\tc\t_\t_\t_\t_\t_\t_\t_\t_\n4\td\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
  // With its head, the fourth word, the second would be taken for "b c", and refused.
  const Document again = read_one(written(document, {{0, 3, 0, 0}, {1, 4, 0, 3}}));
  ASSERT_EQ(again.mentions.size(), 2u);
  EXPECT_EQ(again.mentions[0].range(), (TokenRange{0, 4}));
  EXPECT_EQ(again.mentions[1].range(), (TokenRange{1, 3}));
  EXPECT_EQ(again.mentions[1].head, kNoToken);
}

TEST(DocumentWriter, NamesDifferBetweenDocumentsUnlessTheyAreGroups) {
  const auto text = [](const std::string& fields) {
    const std::string one = "# newdoc\n# global.Entity = " + fields + "\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
    return one + one;
  };
  const std::string eid = text("eid"), group = text("etype-GRP");
  const std::vector<Document> by_eid = read_all(TextInput(eid, "text"));
  EXPECT_NE(written(by_eid[0], {{0, 1, 2}}).find("Entity=(e3)\n"), std::string::npos);
  EXPECT_NE(written(by_eid[1], {{0, 1, 2}}).find("Entity=(d2.e3)\n"), std::string::npos);
  const std::vector<Document> by_group = read_all(TextInput(group, "text"));
  EXPECT_NE(written(by_group[1], {{0, 1, 2}}).find("Entity=(-3)\n"), std::string::npos);
}

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

// Clusters are numbered by their names, which the writer makes from numbers.
std::vector<Key> keys_of(const std::vector<Mention>& mentions) {
  std::vector<Key> keys;
  for (const Mention& mention : mentions) keys.emplace_back(mention.begin, mention.end, mention.cluster);
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<Mention> renumbered(const Document& document, std::uint32_t first) {
  std::vector<Mention> mentions = document.mentions;
  for (Mention& mention : mentions) {
    std::string_view name = document.cluster_names[mention.cluster];
    if (name.starts_with('e')) name.remove_prefix(1);
    mention.cluster = static_cast<std::uint32_t>(std::stoul(std::string(name))) - first;
  }
  return mentions;
}

// Any mentions, but none that crosses another of its cluster.
std::vector<Mention> random_mentions(std::uint32_t tokens, Random& random) {
  std::vector<Mention> mentions;
  for (std::uint64_t k = random.below(12); k > 0; --k) {
    const auto begin = static_cast<std::uint32_t>(random.below(tokens));
    const auto end = begin + 1 + static_cast<std::uint32_t>(random.below(tokens - begin));
    const Mention mention{begin, end, static_cast<std::uint32_t>(random.below(3))};
    const bool crosses = std::any_of(mentions.begin(), mentions.end(), [&](const Mention& other) {
      const auto& [first, second] =
          std::minmax(mention, other, [](const Mention& a, const Mention& b) { return a.begin < b.begin; });
      // Those that share one word only can be told apart.
      return mention.cluster == other.cluster && first.begin < second.begin && second.begin + 1 < first.end &&
             first.end < second.end;
    });
    if (!crosses) mentions.push_back(mention);
  }
  return mentions;
}

TEST(DocumentWriter, RandomMentionsAreReadBackFromBothFormats) {
  Random random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto tokens = static_cast<std::uint32_t>(1 + random.below(8));
    std::string columns = "#begin document (a); part 000\n", conllu;
    for (std::uint32_t k = 0; k < tokens; ++k) {
      columns += std::to_string(k) + " w -\n";
      conllu += std::to_string(k + 1) + "\tw\t_\t_\t_\t_\t_\t_\t_\tX=1\n";
    }
    columns += "#end document\n";
    const std::vector<Mention> mentions = random_mentions(tokens, random);
    for (const std::string& text : {columns, conllu}) {
      const std::string once = written(read_one(text), mentions);
      const Document again = read_one(once);
      const std::vector<Mention> found = renumbered(again, text == conllu ? 1 : 0);
      ASSERT_EQ(keys_of(found), keys_of(mentions)) << once;
      ASSERT_EQ(written_back(again), once);
      if (text == columns) ASSERT_EQ(written(again, {}), text);
    }
  }
}

TEST(DocumentWriter, RealFilesAreWrittenBackByteForByte) {
  for (const char* name :
       {"ontogum-dev.conll", "ontogum-dev.conllu", "ontogum-train.conll", "ontogum-train.conllu",
        "ontogum-test.conll", "ontogum-test.conllu", "scored/key.conll", "scored/noisy.conll",
        "scored/string-match.conll", "scored/one-cluster.conll", "scored/all-singletons.conll",
        "scored/gold-again.conll"}) {
    HINGE_DATA_FILE(path, std::string("coref/") + name);
    const std::string text = read_text(path);
    std::string out, cleared;
    for (const Document& document : read_all(path)) {
      out += written_back(document);
      cleared += written(document, {});
    }
    EXPECT_TRUE(out == text) << name;  // too long to print
    // The brackets are all that is lost, so putting them back restores the file.
    std::string restored;
    const std::vector<Document> gold = read_all(path), bare = read_all(TextInput(cleared, name));
    ASSERT_EQ(gold.size(), bare.size());
    std::size_t mentions = 0;
    for (std::size_t k = 0; k < gold.size(); ++k) {
      EXPECT_TRUE(bare[k].mentions.empty());
      write_document(bare[k], gold[k].mentions, gold[k].cluster_names, restored);
      mentions += gold[k].mentions.size();
    }
    std::size_t read_again = 0;
    for (const Document& document : read_all(TextInput(restored, name)))
      read_again += document.mentions.size();
    EXPECT_EQ(read_again, mentions) << name;
  }
}

TEST(DocumentWriter, BothFormsOfARealCorpusHaveTheSameMentions) {
  const std::pair<const char*, std::size_t> parts[] = {{"train", 23320}, {"dev", 3818}, {"test", 3581}};
  for (const auto& [part, count] : parts) {
    HINGE_DATA_FILE(columns, std::string("coref/ontogum-") + part + ".conll");
    HINGE_DATA_FILE(conllu, std::string("coref/ontogum-") + part + ".conllu");
    const std::vector<Document> one = read_all(columns), other = read_all(conllu);
    ASSERT_EQ(one.size(), other.size());
    std::size_t mentions = 0;
    for (std::size_t k = 0; k < one.size(); ++k) {
      EXPECT_EQ(one[k].name, other[k].name);
      ASSERT_EQ(one[k].tokens.size(), other[k].tokens.size());
      EXPECT_EQ(keys_of(one[k].mentions), keys_of(other[k].mentions)) << one[k].name;
      mentions += one[k].mentions.size();
    }
    EXPECT_EQ(mentions, count);
  }
}

}  // namespace
}  // namespace hinge
