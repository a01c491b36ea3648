// Documents with coreference: what is read from CoNLL-2012 and CoNLL-U, and what is refused.
#include "hinge/corpus/documents.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

std::vector<Document> read_all(const TextInput& input, bool keep_empty = false) {
  DocumentReader reader(input);
  std::vector<Document> documents(1);
  while (reader.next(documents.back(), keep_empty)) documents.emplace_back();
  documents.pop_back();
  return documents;
}

std::vector<Document> read_text_as(std::string_view text, bool keep_empty = false) {
  return read_all(TextInput(text, "text"), keep_empty);
}

Document read_one(std::string_view text) {
  std::vector<Document> documents = read_text_as(text);
  if (documents.size() != 1) throw std::runtime_error("not one document");
  return std::move(documents[0]);
}

std::string refusal(std::string_view text) {
  try {
    read_text_as(text, /*keep_empty=*/true);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

std::string covered(const Document& document, std::uint32_t begin, std::uint32_t end) {
  std::string text;
  for (std::uint32_t token = begin; token < end; ++token) {
    if (token > begin) text += ' ';
    text += document.tokens[token].word;
  }
  return text;
}

// "cluster: words", in the order of the document.
std::vector<std::string> mentions_of(const Document& document) {
  std::vector<std::string> result;
  for (const Mention& mention : document.mentions) {
    result.push_back(std::string(document.cluster_names[mention.cluster]) + ": " +
                     covered(document, mention.begin, mention.end));
  }
  return result;
}

std::vector<std::string> ranges_of(const Document& document, const std::vector<LabelledRange>& ranges) {
  std::vector<std::string> result;
  for (const LabelledRange& range : ranges) {
    result.push_back(std::string(range.label) + ": " + covered(document, range.begin, range.end));
  }
  return result;
}

using Strings = std::vector<std::string>;

// Words in three columns, each with its brackets: "a (1", "b 1)", "c".
std::string three_columns(const Strings& words) {
  std::string text = "#begin document (d); part 000\n";
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::size_t space = words[k].find(' ');
    text += std::to_string(k) + '\t' + words[k].substr(0, space) + '\t';
    text += (space == std::string::npos ? "_" : words[k].substr(space + 1)) + '\n';
  }
  return text + "#end document\n";
}

// The same as one sentence of CoNLL-U.
std::string conllu(const Strings& words, const std::string& comments = "") {
  std::string text = comments;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::size_t space = words[k].find(' ');
    text += std::to_string(k + 1) + '\t' + words[k].substr(0, space) + "\t_\t_\t_\t_\t_\t_\t_\t";
    text += (space == std::string::npos ? "_" : "Entity=" + words[k].substr(space + 1)) + '\n';
  }
  return text + '\n';
}

constexpr const char* kTwelveColumns =
    "#begin document (wb/made/00/up_0001); part 002\n"
    "wb/made/00/up_0001   2   0   Mary    NNP   (TOP(S(NP*         -   -   -   Ann_Lee  (PERSON*   (ARG0*    "
    "  (3\n"
    "wb/made/00/up_0001   2   1   Smith   NNP            *)        -   -   -   Ann_Lee         *)       *)   "
    "   3)\n"
    "wb/made/00/up_0001   2   2   lost    VBD         (VP*      lose  01   1   Ann_Lee         *      (V*)   "
    "    -\n"
    "wb/made/00/up_0001   2   3   her     PRP$       (NP*         -   -   -   Ann_Lee         *   (ARG1*   "
    "(4|(3)\n"
    "wb/made/00/up_0001   2   4   hat     NN           *))))      -   -   -   Ann_Lee         *        *)    "
    "  4)\n"
    "\n"
    "wb/made/00/up_0001   2   0   Sad     JJ    (TOP(ADJP*))      -   -   -   -           (GPE)   -\n"
    "\n"
    "#end document\n";

TEST(Documents, TwelveColumnsGiveEveryLayer) {
  const Document document = read_one(kTwelveColumns);
  EXPECT_EQ(document.name, "wb/made/00/up_0001");
  EXPECT_EQ(document.part, "002");
  EXPECT_EQ(document.format, DocumentFormat::kConll2012);
  ASSERT_EQ(document.tokens.size(), 6u);
  EXPECT_EQ(document.sentences, (std::vector<TokenRange>{{0, 5}, {5, 6}}));
  EXPECT_EQ(covered(document, 0, 6), "Mary Smith lost her hat Sad");
  EXPECT_EQ(document.tokens[2].xpos, "VBD");
  EXPECT_EQ(document.tokens[2].lemma, "lose");
  EXPECT_EQ(document.tokens[0].lemma, "");
  EXPECT_EQ(document.tokens[0].upos, "");
  EXPECT_EQ(document.tokens[4].speaker, "Ann_Lee");
  EXPECT_EQ(document.tokens[5].speaker, "");
  EXPECT_EQ(ranges_of(document, document.constituents),
            (Strings{"TOP: Mary Smith lost her hat", "S: Mary Smith lost her hat", "NP: Mary Smith",
                     "VP: lost her hat", "NP: her hat", "TOP: Sad", "ADJP: Sad"}));
  EXPECT_EQ(ranges_of(document, document.entities), (Strings{"PERSON: Mary Smith", "GPE: Sad"}));
  EXPECT_EQ(mentions_of(document), (Strings{"3: Mary Smith", "4: her hat", "3: her"}));
  EXPECT_EQ(document.where(5), "text:8");
}

TEST(Documents, FewColumnsAreNumberWordAndCoreference) {
  const Document three = read_one("#begin document (a)\n0\tHe\t(1)\n1\tran\t_\n#end document\n");
  EXPECT_EQ(three.name, "(a)");
  EXPECT_EQ(covered(three, 0, 2), "He ran");
  EXPECT_EQ(mentions_of(three), Strings{"1: He"});
  const Document four = read_one("#begin document (a); part 000\nx\t0\tHe\t(1)\n#end document\n");
  EXPECT_EQ(mentions_of(four), Strings{"1: He"});
  const Document six = read_one("#begin document (a); part 000\nx 0 0 He PRP (1)\n#end document\n");
  EXPECT_EQ(mentions_of(six), Strings{"1: He"});
  EXPECT_EQ(six.tokens[0].xpos, "PRP");
  EXPECT_TRUE(six.constituents.empty());
}

TEST(Documents, WordsMayHoldBlanksIfColumnsAreSeparatedByTabs) {
  const Document document = read_one("#begin document (a); part 0\n0\t10 000\t(1)\n#end document\n");
  EXPECT_EQ(document.tokens[0].word, "10 000");
}

TEST(Documents, ConlluGivesTreesSpeakersAndFields) {
  const Document document = read_one(
      "# newdoc id = made/up\n"
      "# global.Entity = eid-etype-head-other\n"
      "# speaker = Ann Lee\n"
      "1\tMary\tmary\tPROPN\tNNP\tNumber=Sing\t3\tnsubj\t_\tEntity=(e5-person-2-x:1|SpaceAfter=No\n"
      "2\tSmith\tSmith\tPROPN\tNNP\t_\t1\tflat\t_\tEntity=e5)\n"
      "3\tlost\tlose\tVERB\tVBD\t_\t0\troot\t_\t_\n"
      "4-5\therhat\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "4\ther\ther\tPRON\tPRP$\t_\t5\tnmod:poss\t_\tEntity=(e9--2(e5-person-1)\n"
      "5\that\that\tNOUN\tNN\t_\t3\tobj\t_\tEntity=e9)\n"
      "\n"
      "1\tSad\tsad\tADJ\tJJ\t_\t_\t_\t_\t_\n"
      "\n");
  EXPECT_EQ(document.name, "made/up");
  EXPECT_EQ(document.sentences, (std::vector<TokenRange>{{0, 5}, {5, 6}}));
  EXPECT_EQ(document.tokens[0].head, 2u);
  EXPECT_EQ(document.tokens[1].head, 0u);
  EXPECT_EQ(document.tokens[2].head, kNoToken);
  EXPECT_EQ(document.tokens[5].head, kNoToken);
  EXPECT_EQ(document.tokens[3].relation, "nmod:poss");
  EXPECT_EQ(document.tokens[5].relation, "");
  EXPECT_EQ(document.tokens[0].feats, "Number=Sing");
  EXPECT_EQ(document.tokens[0].upos, "PROPN");
  EXPECT_EQ(document.tokens[4].speaker, "Ann Lee");
  EXPECT_EQ(document.tokens[5].speaker, "");
  EXPECT_EQ(mentions_of(document), (Strings{"e5: Mary Smith", "e9: her hat", "e5: her"}));
  EXPECT_EQ(document.mentions[0].head, 1u);
  EXPECT_EQ(document.mentions[1].head, 4u);
  EXPECT_EQ(document.mentions[0].fields, "e5-person-2-x:1");
}

TEST(Documents, TheDeclarationSaysWhichFieldNamesTheCluster) {
  const Document old =
      read_one(conllu({"a (person-1-new", "b", "c person-1)", "d (place-2-new(person-1-giv)", "e 2)"},
                      "# global.Entity = entity-GRP-infstat\n"));
  EXPECT_EQ(mentions_of(old), (Strings{"1: a b c", "2: d e", "1: d"}));
  // Declared once, for all documents that follow.
  const std::string twice =
      conllu({"a (x-1)"}, "# newdoc\n# global.Entity = etype-eid\n") + conllu({"b (x-1)"}, "# newdoc\n");
  const std::vector<Document> documents = read_text_as(twice);
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(mentions_of(documents[1]), Strings{"1: b"});
  EXPECT_EQ(documents[1].number, 2u);
}

// Each reads the same in both formats.
TEST(Documents, NestedCrossingAndRepeatedMentionsAreRead) {
  const std::map<std::string, std::pair<Strings, Strings>> cases = {
      {"nested, different clusters", {{"a (1(2", "b 2)", "c 1)"}, {"1: a b c", "2: a b"}}},
      {"nested, the same cluster", {{"a (1", "b (1", "c 1)", "d 1)"}, {"1: a b c d", "1: b c"}}},
      {"crossing", {{"a (1", "b (2", "c 1)", "d 2)"}, {"1: a b c", "2: b c d"}}},
      {"one after the other, sharing a word", {{"a (1", "b 1)(1", "c 1)"}, {"1: a b", "1: b c"}}},
      {"one span in two clusters", {{"a (1)(2)", "b (3(4", "c 3)4)"}, {"1: a", "2: a", "3: b c", "4: b c"}}},
      {"one span twice in one cluster", {{"a (1)(1)"}, {"1: a", "1: a"}}},
      {"one word inside its own mention", {{"a (1", "b (1)1)"}, {"1: a b", "1: b"}}},
  };
  for (const auto& [what, example] : cases) {
    const auto& [words, expected] = example;
    EXPECT_EQ(mentions_of(read_one(three_columns(words))), expected) << what;
    EXPECT_EQ(mentions_of(read_one(conllu(words))), expected) << what;
  }
  EXPECT_EQ(mentions_of(read_one(three_columns({"a (1|(2", "b 2)", "c (3)|1)"}))),
            (Strings{"1: a b c", "2: a b", "3: c"}));
}

TEST(Documents, MentionsMaySpanSentences) {
  const Document document =
      read_one("#begin document (a); part 0\n0 0 0 a (1\n\n0 0 0 b 1)\n#end document\n");
  EXPECT_EQ(document.sentences.size(), 2u);
  EXPECT_EQ(mentions_of(document), Strings{"1: a b"});
}

TEST(Documents, ADiscontinuousMentionIsItsPartWithTheHead) {
  const std::string declared = "# global.Entity = eid-etype-head\n";
  // Its words are a b d e; the third is the head.
  const Strings words = {"a (e1[1/2]--3", "b e1[1/2])", "c (e1--1)", "d (e1[2/2]--3", "e e1[2/2])"};
  const Document with_head = read_one(conllu(words, declared));
  EXPECT_EQ(mentions_of(with_head), (Strings{"e1: c", "e1: d e"}));
  EXPECT_EQ(with_head.mentions[1].head, 3u);
  const Strings bare = {"a (e1[1/3])", "b (e2)", "c (e1[2/3]", "d e1[2/3])", "e (e1[3/3])"};
  EXPECT_EQ(mentions_of(read_one(conllu(bare))), (Strings{"e1: a", "e2: b"}));
}

TEST(Documents, EmptyNodesAreNotTokens) {
  const std::string text =
      "# global.Entity = eid-head\n"
      "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "1.1\t_\t_\t_\t_\t_\t_\t_\t1:nsubj\tEntity=(e1-2(e2-1)\n"
      "2\tb\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2-1)\n"
      "3\tc\t_\t_\t_\t_\t_\t_\t_\t_\n"
      "3.1\t_\t_\t_\t_\t_\t_\t_\t3:dep\tEntity=e1)\n"
      "\n";
  const Document document = read_one(text);
  EXPECT_EQ(document.tokens.size(), 3u);
  EXPECT_EQ(mentions_of(document), (Strings{"e1: b c", "e2: b"}));
  EXPECT_EQ(document.mentions[0].head, 1u);  // its second node
  EXPECT_EQ(document.mentions[0].fields, "");
  EXPECT_EQ(document.tokens[2].empty_nodes, 1u);
  EXPECT_EQ(document.zeros, 1u);
}

TEST(Documents, DocumentsEndWhereTheNextBegins) {
  const std::string text = "\n" + conllu({"a"}, "# sent_id = 1\n# newdoc id = A\n") + conllu({"b"}) +
                           "# newdoc id = B\n\n" + conllu({"c"}, "# x\n# newdoc id = C\n");
  EXPECT_EQ(read_text_as(text).size(), 2u);
  const std::vector<Document> documents = read_text_as(text, /*keep_empty=*/true);
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_EQ(documents[0].name, "A");
  EXPECT_EQ(documents[0].sentences.size(), 2u);
  EXPECT_EQ(documents[1].tokens.size(), 0u);
  EXPECT_EQ(documents[2].name, "C");
  EXPECT_TRUE(documents[2].text->starts_with("# x\n"));
  EXPECT_EQ(documents[2].where(0), "text:12");
}

TEST(Documents, EveryByteBelongsToADocument) {
  const std::string one = three_columns({"a (1)", "b"});
  for (const std::string& text :
       {"\n\n" + one + "\n# between\n" + one + "\n\n", one + one, std::string(), std::string("\n\n"),
        std::string("# a comment\n"), conllu({"a"}) + "# end"}) {
    std::string all;
    for (const Document& document : read_text_as(text, /*keep_empty=*/true)) all += *document.text;
    EXPECT_EQ(all, text);
  }
}

TEST(Documents, DocumentsWithoutMentionsOrWordsAreRead) {
  EXPECT_TRUE(read_one(three_columns({"a", "b"})).mentions.empty());
  EXPECT_TRUE(read_text_as("#begin document (a); part 000\n#end document\n").empty());
  EXPECT_EQ(read_text_as("#begin document (a); part 000\n#end document\n", true)[0].name, "a");
  const Document words_alone = read_one(conllu({"a", "b"}));
  EXPECT_EQ(covered(words_alone, 0, 2), "a b");
  EXPECT_EQ(words_alone.tokens[0].xpos, "");
}

TEST(Documents, CarriageReturnsAreLineEnds) {
  const Document document =
      read_one("#begin document (a); part 000\r\n0 0 0 He (1)\r\n\r\n0 0 0 ran -\r\n#end document\r\n");
  EXPECT_EQ(document.part, "000");
  EXPECT_EQ(document.sentences.size(), 2u);
  EXPECT_EQ(mentions_of(document), Strings{"1: He"});
}

struct BadInput {
  std::string text;
  std::string message;
};

const std::vector<BadInput> kBadMentions = {
    {three_columns({"a", "b 7)"}),
     "text:3: a mention of '7' ends, but none is open; add '(7' where it begins"},
    {three_columns({"a", "b (7", "c (7", "d 7)"}), "text:3: the mention of '7' that begins here never ends"},
    {three_columns({"a 7"}), "text:2: the coreference is '7' from here on, but brackets such as (7"},
    {three_columns({"a (7)|"}), "text:2: the coreference is '|' from here on"},
    {three_columns({"a ()"}), "text:2: the coreference is '()' from here on"},
    {conllu({"a e1)"}), "text:1: a mention of 'e1' ends, but none is open"},
    {conllu({"a (e1"}), "text:1: the mention of 'e1' that begins here never ends"},
    {conllu({"a (person)"}, "# global.Entity = etype-eid\n"),
     "text:2: the bracket '(person)' does not name a cluster"},
    {conllu({"a"}, "# global.Entity = etype-head\n"),
     "text:1: global.Entity is 'etype-head', but one field must be"},
    {conllu({"a"}) + conllu({"b"}, "# global.Entity = eid\n"),
     "text:3: global.Entity changes within a document; give it before the first word"},
    {conllu({"a (e1-3", "b e1)"}, "# global.Entity = eid-head\n"),
     "text:2: the head of a mention is '3', but a number from 1 to 2 was expected"},
    {conllu({"a (e1-x)"}, "# global.Entity = eid-head\n"), "text:2: the head of a mention is 'x'"},
    {conllu({"a (e1[2/2])"}), "text:1: part 2 of 2 of a mention of 'e1' has no part 1 before it"},
    {conllu({"a (e1[1/2])", "b"}), "text:1: the mention of 'e1' that begins here lacks its last part"},
    {conllu({"a (e1[3/2])"}), "text:1: the name 'e1[3/2]' should end with a part such as [1/2]"},
    {conllu({"a (e1)|Entity=(e2)"}), "text:1: MISC has Entity= twice"},
};

const std::vector<BadInput> kBadLines = {
    {"He ran\n", "text:1: is neither '#begin document (name); part 000' of CoNLL-2012 nor CoNLL-U"},
    {"#begin document (a)\n0 a\n#end document\n",
     "text:2: has 2 columns, but at least number, word and coreference"},
    {"#begin document (a)\n0 a -\n1 b\tc -\n#end document\n",
     "text:3: has 4 columns, but the lines of the sentence"},
    {"#begin document (a)\n0 a -\n", "text:1: the document that begins here has no '#end document'"},
    {"#begin document (a)\n0 a -\n#begin document (b)\n#end document\n",
     "text:1: the document that begins here has"},
    {"#begin document (a)\n#end document\n0 a -\n", "text:3: is outside a document"},
    {"#begin document (a)\n#end document\n#end document\n", "text:3: a document ends that did not begin"},
    {"#begin document (a)\n0 0 0 a NN (S* -\n\n#end document\n",
     "text:2: the bracket '(S' of the parse is not closed"},
    {"#begin document (a)\n0 0 0 a NN *) -\n#end document\n",
     "text:2: a bracket of the parse closes, but none is open"},
    {"#begin document (a)\n0 0 0 a NN * - - - - (ORG* -\n#end document\n",
     "text:2: the bracket '(ORG' of the named entities is not closed"},
    {"1\ta\n", "text:1: is neither"},
    {conllu({"a"}) + "1\tb\t_\n", "text:3: has 3 columns, but 10 separated by tabs were expected"},
    {"2\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", "text:1: the ID is '2', but 1 was expected"},
    {"1\ta\t_\t_\t_\t_\tx\t_\t_\t_\n", "text:1: the HEAD is 'x', but a number"},
    {"1\ta\t_\t_\t_\t_\t3\t_\t_\t_\n", "text:1: the HEAD is 3, but the sentence has 1 words"},
    {"1\ta\t_\t_\t_\t_\t2\t_\t_\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n",
     "text:1: the HEADs form a cycle through word 1"},
};

TEST(Documents, BadMentionsAreRefusedNamingFileAndLine) {
  for (const BadInput& bad : kBadMentions) {
    const std::string message = refusal(bad.text);
    EXPECT_TRUE(message.starts_with(bad.message)) << message << "\nexpected: " << bad.message;
  }
}

TEST(Documents, BadLinesAreRefusedNamingFileAndLine) {
  for (const BadInput& bad : kBadLines) {
    const std::string message = refusal(bad.text);
    EXPECT_TRUE(message.starts_with(bad.message)) << message << "\nexpected: " << bad.message;
  }
}

// Larger than what is read at once.
TEST(Documents, FilesAndGzipFilesReadLikeMemory) {
  std::string text;
  std::size_t words = 0;
  for (int d = 0; text.size() < (std::size_t{3} << 20); ++d) {
    Strings document;
    for (int k = 0; k < 50 + d % 90; ++k) document.push_back(k % 7 == 3 ? "word (5)" : "word");
    words += document.size();
    text += d % 2 == 0 ? three_columns(document) : three_columns(document) + "\n";
  }
  const TemporaryFolder folder;
  const std::string plain = folder.write("a.conll", text);
  const std::string packed = folder.path("a.conll.gz");
  gzFile file = gzopen(packed.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(file);
  const std::vector<Document> expected = read_text_as(text);
  for (const std::string& path : {plain, packed}) {
    const std::vector<Document> documents = read_all(path);
    ASSERT_EQ(documents.size(), expected.size());
    std::size_t found = 0;
    for (std::size_t k = 0; k < documents.size(); ++k) {
      ASSERT_EQ(*documents[k].text, *expected[k].text);
      ASSERT_EQ(documents[k].tokens.back().line, expected[k].tokens.back().line);
      found += documents[k].tokens.size();
    }
    EXPECT_EQ(found, words);
  }
}

}  // namespace
}  // namespace hinge
