#include "hinge/corpus/columns.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using Row = std::vector<std::string>;
using Table = std::vector<Row>;

// A sentence that outlives the reader's text.
struct Kept {
  Table tokens;
  Row lines;
  std::vector<std::int32_t> token_of_line;
  std::vector<std::size_t> line_numbers;
  std::size_t first_line = 0;
  bool crlf = false;
};

Kept keep(const ColumnSentence& sentence) {
  Kept kept;
  for (std::size_t t = 0; t < sentence.tokens(); ++t) {
    Row row;
    for (std::size_t c = 0; c < sentence.columns; ++c) row.emplace_back(sentence.cell(t, c));
    kept.tokens.push_back(row);
    kept.line_numbers.push_back(sentence.line_number(t));
  }
  kept.lines.assign(sentence.lines.begin(), sentence.lines.end());
  kept.token_of_line = sentence.token_of_line;
  kept.first_line = sentence.first_line;
  kept.crlf = sentence.crlf;
  return kept;
}

std::vector<Kept> read_all(const std::string& path, ColumnFormat format = ColumnFormat::kAuto,
                           bool keep_empty = false) {
  ColumnReader reader(path, format);
  ColumnSentence sentence;
  std::vector<Kept> all;
  while (reader.next(sentence, keep_empty)) all.push_back(keep(sentence));
  EXPECT_FALSE(reader.next(sentence, keep_empty));
  return all;
}

std::vector<Table> tokens_of(const std::vector<Kept>& sentences) {
  std::vector<Table> tables;
  for (const Kept& sentence : sentences) tables.push_back(sentence.tokens);
  return tables;
}

std::vector<Table> parse(const std::string& text, ColumnFormat format = ColumnFormat::kAuto) {
  const TemporaryFolder folder;
  return tokens_of(read_all(folder.write("text", text), format));
}

std::string message_of(const std::string& path, ColumnFormat format = ColumnFormat::kAuto) {
  try {
    read_all(path, format);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const std::vector<Table> kTwoSentences = {{{"The", "DT"}, {"dog", "NN"}}, {{"Barks", "VB"}}};

TEST(Columns, AreSeparatedByTabs) { EXPECT_EQ(parse("The\tDT\ndog\tNN\n\nBarks\tVB\n\n"), kTwoSentences); }

TEST(Columns, AreSeparatedByRunsOfSpaces) {
  EXPECT_EQ(parse("The DT\ndog   NN\n\nBarks  VB\n\n"), kTwoSentences);
}

TEST(Columns, IgnoreSpacesAroundALine) {
  EXPECT_EQ(parse("The DT \n dog NN\n\n  Barks VB  \n\n"), kTwoSentences);
}

TEST(Columns, KeepSpacesInCellsBetweenTabs) {
  EXPECT_EQ(parse("New York\tNNP\n a \tX\n\n"), (std::vector<Table>{{{"New York", "NNP"}, {" a ", "X"}}}));
}

TEST(Columns, KeepEmptyCellsBetweenTabs) {
  EXPECT_EQ(parse("a\t\tX\nb\ty\tZ\n\n"), (std::vector<Table>{{{"a", "", "X"}, {"b", "y", "Z"}}}));
}

TEST(Columns, UnderstandLinesThatEndAsOnWindows) {
  const TemporaryFolder folder;
  for (const std::string separator : {"\t", " "}) {
    const std::string s = separator;
    const std::string text = "The" + s + "DT\r\ndog" + s + "NN\r\n\r\nBarks" + s + "VB\r\n";
    const std::vector<Kept> sentences = read_all(folder.write("text", text));
    EXPECT_EQ(tokens_of(sentences), kTwoSentences);
    for (const Kept& sentence : sentences) EXPECT_TRUE(sentence.crlf);
    EXPECT_EQ(sentences[0].lines, (Row{"The" + s + "DT", "dog" + s + "NN"}));
  }
  EXPECT_FALSE(read_all(folder.write("text", "a b\n\n"))[0].crlf);
}

TEST(Columns, NeedNoFinalNewline) {
  EXPECT_EQ(parse("The DT\ndog NN\n\nBarks VB"), kTwoSentences);
  EXPECT_EQ(parse("The DT\ndog NN\n\nBarks VB\n"), kTwoSentences);
  EXPECT_EQ(parse("The DT\r\ndog NN\r\n\r\nBarks VB\r"), kTwoSentences);
}

TEST(Columns, MayHaveSeveralEmptyLinesBetweenSentences) {
  const TemporaryFolder folder;
  const std::vector<Kept> sentences =
      read_all(folder.write("text", "\n\nThe DT\ndog NN\n\n\n\nBarks VB\n\n\n\n"));
  EXPECT_EQ(tokens_of(sentences), kTwoSentences);
  EXPECT_EQ(sentences[0].line_numbers, (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(sentences[1].line_numbers, (std::vector<std::size_t>{8}));
}

TEST(Columns, EndASentenceAtALineOfOnlyBlanks) {
  EXPECT_EQ(parse("The DT\ndog NN\n  \nBarks VB\n \n"), kTwoSentences);
  EXPECT_EQ(parse("The\tDT\ndog\tNN\n\t\nBarks\tVB\n\t\t\n"), kTwoSentences);
  EXPECT_EQ(parse("The\tDT\r\ndog\tNN\r\n \t \r\nBarks\tVB\r\n"), kTwoSentences);
}

TEST(Columns, OfAnEmptyFileAreNoSentences) {
  for (const ColumnFormat format : {ColumnFormat::kAuto, ColumnFormat::kColumns, ColumnFormat::kConllu})
    for (const std::string text : {"", "\n", "\n\n\n", "  \n\t\n", "\r\n\r\n"}) {
      EXPECT_TRUE(parse(text, format).empty()) << testing::PrintToString(text);
    }
}

TEST(Columns, MayBeOne) { EXPECT_EQ(parse("a\nb\n\nc\n"), (std::vector<Table>{{{"a"}, {"b"}}, {{"c"}}})); }

TEST(Columns, KnowTheLineOfEveryToken) {
  const TemporaryFolder folder;
  const std::vector<Kept> sentences = read_all(folder.write("text", "a 1\nb 2\n\nc 3\n\n\nd 4\ne 5"));
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_EQ(sentences[0].line_numbers, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(sentences[1].line_numbers, (std::vector<std::size_t>{4}));
  EXPECT_EQ(sentences[2].line_numbers, (std::vector<std::size_t>{7, 8}));
  EXPECT_EQ(sentences[2].first_line, 7u);
  EXPECT_EQ(sentences[2].token_of_line, (std::vector<std::int32_t>{0, 1}));
}

TEST(Columns, SayWhatTheyFoundInTheFile) {
  const TemporaryFolder folder;
  ColumnReader reader(folder.write("text", "a\tb\tc\n\n"), ColumnFormat::kAuto);
  EXPECT_EQ(reader.format(), ColumnFormat::kAuto);
  ColumnSentence sentence;
  ASSERT_TRUE(reader.next(sentence));
  EXPECT_EQ(reader.format(), ColumnFormat::kColumns);
  EXPECT_EQ(reader.columns(), 3u);
  EXPECT_TRUE(reader.tabs());
  EXPECT_EQ(reader.name(), folder.path("text"));
}

TEST(Columns, RefuseARaggedLineNamingFileAndLine) {
  const TemporaryFolder folder;
  for (const std::string s : {" ", "\t"}) {
    for (const std::string& bad : {"c" + s + "3", "c" + s + "3" + s + "x" + s + "y", std::string("c")}) {
      SCOPED_TRACE(testing::PrintToString(bad));
      const std::string head = "a" + s + "1" + s + "x\n\nb" + s + "2" + s + "x\n";
      const std::string path = folder.write("ragged", head + bad + "\n\nd" + s + "4" + s + "x\n");
      EXPECT_TRUE(contains(message_of(path), path + ":4:")) << message_of(path);
    }
  }
}

TEST(Columns, ReadTheSentencesBeforeARaggedLine) {
  const TemporaryFolder folder;
  ColumnReader reader(folder.write("ragged", "a 1\n\nb 2\n\nc\n"), ColumnFormat::kAuto);
  ColumnSentence sentence;
  EXPECT_TRUE(reader.next(sentence));
  EXPECT_TRUE(reader.next(sentence));
  EXPECT_THROW(reader.next(sentence), InputError);
}

TEST(Columns, TakeANumberSignForATokenOutsideConllu) {
  const std::vector<Table> expected = {{{"#", "#", "B-NP"}, {"5", "CD", "I-NP"}}};
  EXPECT_EQ(parse("# # B-NP\n5 CD I-NP\n\n", ColumnFormat::kColumns), expected);
  EXPECT_EQ(parse("# # B-NP\n5 CD I-NP\n\n"), expected);
  EXPECT_EQ(parse("#\t#\tB-NP\n5\tCD\tI-NP\n\n"), expected);
}

TEST(Columns, AreNotTakenForConlluBecauseOfANumberSignAndAnEqualSign) {
  EXPECT_EQ(parse("# = O\nx y O\n\n"), (std::vector<Table>{{{"#", "=", "O"}, {"x", "y", "O"}}}));
}

TEST(Columns, PassOnRefusalsOfTheTextNamingFileAndLine) {
  const TemporaryFolder folder;
  const std::string nul = folder.write("nul", std::string("a 1\n\nb\0 2\n", 11));
  EXPECT_TRUE(contains(message_of(nul), nul + ":3:")) << message_of(nul);
  const std::string latin = folder.write("latin",
                                         "a 1\n\nb 2\nstra\xDF"
                                         "e 3\n");
  EXPECT_TRUE(contains(message_of(latin), latin + ":4:")) << message_of(latin);
  EXPECT_THROW(read_all(folder.path("missing")), InputError);
}

// ---- CoNLL-U

std::string token_line(const std::string& id, const std::string& form) {
  return id + "\t" + form + "\t" + form + "\tNOUN\tNN\t_\t0\troot\t_\t_\n";
}

Row token_row(const std::string& id, const std::string& form) {
  return {id, form, form, "NOUN", "NN", "_", "0", "root", "_", "_"};
}

TEST(Conllu, HasTokensBesideCommentsMultiwordTokensAndEmptyNodes) {
  const TemporaryFolder folder;
  const std::string text = "# sent_id = 1\n# text = vámonos al\n" + token_line("1-2", "vámonos") +
                           token_line("1", "vamos") + token_line("2", "nos") + token_line("2.1", "empty") +
                           token_line("3", "al") + "\n# second\n" + token_line("1", "x") + "\n";
  for (const ColumnFormat format : {ColumnFormat::kAuto, ColumnFormat::kConllu}) {
    const std::vector<Kept> sentences = read_all(folder.write("text.conllu", text), format);
    ASSERT_EQ(sentences.size(), 2u);
    EXPECT_EQ(sentences[0].tokens,
              (Table{token_row("1", "vamos"), token_row("2", "nos"), token_row("3", "al")}));
    const auto none = ColumnSentence::kNoToken;
    EXPECT_EQ(sentences[0].token_of_line, (std::vector<std::int32_t>{none, none, none, 0, 1, none, 2}));
    EXPECT_EQ(sentences[0].line_numbers, (std::vector<std::size_t>{4, 5, 7}));
    ASSERT_EQ(sentences[0].lines.size(), 7u);
    EXPECT_EQ(sentences[0].lines[1], "# text = vámonos al");
    EXPECT_EQ(sentences[1].tokens, (Table{token_row("1", "x")}));
    EXPECT_EQ(sentences[1].first_line, 9u);
    EXPECT_EQ(sentences[1].line_numbers, (std::vector<std::size_t>{10}));
  }
}

TEST(Conllu, IsRecognizedWithOrWithoutComments) {
  const TemporaryFolder folder;
  for (const std::string head :
       {"", "# newdoc id = 1\n\n# sent_id = 1\n", "# newdoc\n# sent_id = 1\n", "#\n"}) {
    SCOPED_TRACE(testing::PrintToString(head));
    ColumnReader reader(folder.write("text", head + token_line("1", "a") + "\n"), ColumnFormat::kAuto);
    ColumnSentence sentence;
    ASSERT_TRUE(reader.next(sentence));
    EXPECT_EQ(reader.format(), ColumnFormat::kConllu);
    EXPECT_EQ(sentence.tokens(), 1u);
  }
}

TEST(Conllu, UnderstandsLinesThatEndAsOnWindows) {
  const TemporaryFolder folder;
  std::string text =
      "# id = 1\n" + token_line("1-2", "ab") + token_line("1", "a") + token_line("2", "b") + "\n";
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::vector<Kept> sentences = read_all(folder.write("text", windows));
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_EQ(sentences[0].tokens, (Table{token_row("1", "a"), token_row("2", "b")}));
  EXPECT_EQ(sentences[0].lines[0], "# id = 1");
  EXPECT_TRUE(sentences[0].crlf);
}

TEST(Conllu, KeepsSpacesInsideCells) {
  const std::vector<Table> sentences = parse(token_line("1", "10 000"), ColumnFormat::kConllu);
  EXPECT_EQ(sentences, (std::vector<Table>{{token_row("1", "10 000")}}));
}

TEST(Conllu, LineWithNineColumnsIsRefusedNamingFileAndLine) {
  const TemporaryFolder folder;
  const std::string nine = "2\tb\tb\tNOUN\tNN\t_\t0\troot\t_\n";
  for (const ColumnFormat format : {ColumnFormat::kAuto, ColumnFormat::kConllu}) {
    const std::string path = folder.write("text.conllu", "# c\n" + token_line("1", "a") + nine + "\n");
    EXPECT_TRUE(contains(message_of(path, format), path + ":3:")) << message_of(path, format);
  }
  const std::string first = folder.write("first.conllu", nine + "\n");
  EXPECT_TRUE(contains(message_of(first, ColumnFormat::kConllu), first + ":1:"))
      << message_of(first, ColumnFormat::kConllu);
}

TEST(Conllu, LineWithElevenColumnsIsRefusedNamingFileAndLine) {
  const TemporaryFolder folder;
  const std::string eleven = "2\tb\tb\tNOUN\tNN\t_\t0\troot\t_\t_\t_\n";
  const std::string path = folder.write("text.conllu", token_line("1", "a") + eleven + "\n");
  EXPECT_TRUE(contains(message_of(path, ColumnFormat::kConllu), path + ":2:"))
      << message_of(path, ColumnFormat::kConllu);
}

TEST(Conllu, LineWhoseIdIsNoNumberIsNotLostInSilence) {
  const TemporaryFolder folder;
  for (const std::string id : {"x-y", "-", ".", "a.b", "1-", "-1"}) {
    const std::string path = folder.write("text.conllu", token_line("1", "a") + token_line(id, "b") + "\n");
    EXPECT_TRUE(contains(message_of(path, ColumnFormat::kConllu), path + ":2:")) << id;
  }
}

// Fails if cells point into text that has been freed.
TEST(Conllu, LastSentenceNeedsNoEmptyLineAfterIt) {
  const std::string text = token_line("1", "a") + "\n" + token_line("1", "b") + token_line("2", "c");
  const std::vector<Table> expected = {{token_row("1", "a")}, {token_row("1", "b"), token_row("2", "c")}};
  EXPECT_EQ(parse(text, ColumnFormat::kConllu), expected);
  EXPECT_EQ(parse(text.substr(0, text.size() - 1), ColumnFormat::kConllu), expected);
}

TEST(Conllu, CommentsAtTheEndOfAFileDoNotEndTheNextOne) {
  const std::string word = "1\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", first = word + "# the end\n";
  TextInput input(first, "a");
  input.more.emplace_back(word, "b");
  ColumnReader reader(input, ColumnFormat::kConllu);
  ColumnSentence sentence;
  ASSERT_TRUE(reader.next(sentence));
  EXPECT_TRUE(reader.next(sentence));
  EXPECT_FALSE(reader.next(sentence));
}

TEST(Conllu, SentenceWithoutTokensIsSkippedUnlessAskedFor) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("text", "# alone\n\n" + token_line("1", "a") + "\n# at the end\n# of the file\n");
  const std::vector<Kept> sentences = read_all(path, ColumnFormat::kConllu);
  ASSERT_EQ(sentences.size(), 1u);
  EXPECT_EQ(sentences[0].line_numbers, (std::vector<std::size_t>{3}));

  const std::vector<Kept> all = read_all(path, ColumnFormat::kConllu, /*keep_empty=*/true);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].lines, Row{"# alone"});
  EXPECT_EQ(all[2].lines, (Row{"# at the end", "# of the file"}));
  EXPECT_TRUE(all[2].tokens.empty());
  EXPECT_EQ(all[2].first_line, 5u);
}

TEST(Conllu, ColumnsHaveNames) {
  const std::vector<std::string> names = {"id",    "form", "lemma",  "upos", "xpos",
                                          "feats", "head", "deprel", "deps", "misc"};
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(conllu_column(names[i]), static_cast<int>(i));
  for (const std::string name : {"", "UPOS", "word", "0"}) EXPECT_EQ(conllu_column(name), -1) << name;
}

// ---- Size

// A corpus and what reading it must give.
std::string random_columns(std::uint64_t seed, std::size_t bytes, std::vector<Table>& tables) {
  Random random(seed);
  std::string text;
  while (text.size() < bytes) {
    Table table;
    for (std::size_t tokens = 1 + random.below(30); tokens > 0; --tokens) {
      // Long words: megabytes of them are read quickly.
      table.push_back({"wörd" + std::string(random.below(150), 'w'), std::string(1 + random.below(9), 'T')});
      text += table.back()[0] + " " + table.back()[1] + "\n";
    }
    text += std::string(1 + random.below(2), '\n');
    tables.push_back(std::move(table));
  }
  return text;
}

TEST(Columns, AreTheSameInALargeFileAsInASmallOne) {
  const TemporaryFolder folder;
  std::vector<Table> expected;
  const std::string text = random_columns(1, std::size_t{4} << 20, expected);
  const std::vector<Kept> sentences = read_all(folder.write("large", text));
  EXPECT_TRUE(tokens_of(sentences) == expected) << "seed 1";

  std::vector<std::size_t> lines, starts;  // computed from the text
  std::size_t line = 0;
  bool inside = false;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    ++line;
    const bool empty = text[begin] == '\n';
    if (!empty && !inside) starts.push_back(line);
    inside = !empty;
  }
  for (const Kept& sentence : sentences) lines.push_back(sentence.first_line);
  EXPECT_TRUE(lines == starts) << "seed 1";
}

TEST(Columns, KeepASentenceOfManyMegabytesWhole) {
  const TemporaryFolder folder;
  std::string text = "a 1\n\n";
  constexpr std::size_t kTokens = 50000;
  for (std::size_t i = 0; i < kTokens; ++i)
    text += "token" + std::to_string(i) + " " + std::string(100, 'X') + "\n";
  text += "\nb 2\n";
  ColumnReader reader(folder.write("large", text), ColumnFormat::kAuto);
  ColumnSentence sentence;
  ASSERT_TRUE(reader.next(sentence));
  ASSERT_TRUE(reader.next(sentence));
  ASSERT_EQ(sentence.tokens(), kTokens);
  EXPECT_EQ(sentence.cell(kTokens - 1, 0), "token" + std::to_string(kTokens - 1));
  EXPECT_EQ(sentence.line_number(kTokens - 1), kTokens + 2);
  ASSERT_TRUE(reader.next(sentence));
  EXPECT_EQ(sentence.cell(0, 0), "b");
  EXPECT_EQ(sentence.line_number(0), kTokens + 4);
  EXPECT_FALSE(reader.next(sentence));
}

TEST(Columns, OfAGzipFileAreThoseOfThePlainFile) {
  const TemporaryFolder folder;
  std::vector<Table> expected;
  const std::string text = random_columns(2, std::size_t{2} << 20, expected);
  const std::string path = folder.path("text.gz");
  gzFile file = gzopen(path.c_str(), "wb1");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
  EXPECT_TRUE(tokens_of(read_all(path)) == expected) << "seed 2";

  const std::string packed = TemporaryFolder::read(path);
  const std::string cut = folder.write("cut.gz", packed.substr(0, packed.size() / 2));
  EXPECT_TRUE(contains(message_of(cut), cut)) << message_of(cut);
}

TEST(Columns, RefuseARaggedLineFarInsideALargeFile) {
  const TemporaryFolder folder;
  std::vector<Table> tables;
  std::string text = random_columns(3, std::size_t{3} << 20, tables);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  text += "fine X\nragged\n\n";
  const std::string path = folder.write("large", text);
  EXPECT_TRUE(contains(message_of(path), path + ":" + std::to_string(lines + 2) + ":"))
      << message_of(path) << ", seed 3";
}

TEST(Columns, OfRealCorporaAreAllThere) {
  HINGE_DATA_FILE(chunks, "tag/conll2000/test.txt");
  HINGE_DATA_FILE(trees, "dep/en_ewt-dev.conllu");
  std::size_t tokens = 0, words = 0;
  const std::vector<Kept> sentences = read_all(chunks);
  for (const Kept& sentence : sentences) tokens += sentence.tokens.size();
  EXPECT_EQ(sentences.size(), 2012u);
  EXPECT_EQ(tokens, 47377u);
  const std::vector<Kept> parsed = read_all(trees);
  for (const Kept& sentence : parsed) words += sentence.tokens.size();
  EXPECT_EQ(parsed.size(), 2001u);
  EXPECT_EQ(words, 25147u);
}

// Each sentence is read as a separate text.
TEST(ColumnReader, ReadsPartsOfATextAsItReadsTheWhole) {
  const TemporaryFolder folder;
  const std::string conllu = "# c\n\n" + token_line("1", "a") + "\n" + token_line("1", "b");
  for (const std::string& text :
       {std::string("a\tx 1\nb\ty\n\n\nc\tz\n\nd\tz"), conllu, std::string(" \n\na b\r\n\r\n")}) {
    const std::vector<Kept> whole = read_all(folder.write("text", text));
    const ColumnLayout layout = find_layout(text, "text", ColumnFormat::kAuto);
    ColumnReader reader(TextInput(std::string_view(), "text"), layout);
    ColumnSentence sentence;
    std::vector<Kept> all;
    std::size_t line = 1;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
      end = first_block_end(text, begin);
      const std::string_view part = std::string_view(text).substr(begin, end - begin);
      reader.restart(part, line, layout);
      while (reader.next(sentence)) all.push_back(keep(sentence));
      line += count_lines(part);
    }
    ASSERT_EQ(all.size(), whole.size()) << text;
    for (std::size_t s = 0; s < all.size(); ++s) {
      EXPECT_EQ(all[s].tokens, whole[s].tokens);
      EXPECT_EQ(all[s].line_numbers, whole[s].line_numbers);
      EXPECT_EQ(all[s].crlf, whole[s].crlf);
    }
  }
}

TEST(ColumnReader, RefusesAPartWithOtherColumnsThanTheWholeHas) {
  const ColumnLayout layout = find_layout("a b\n\n", "text", ColumnFormat::kAuto);
  ColumnReader reader(TextInput(std::string_view("a b c\n"), "text", 40), layout);
  ColumnSentence sentence;
  try {
    reader.next(sentence);
    FAIL() << "was taken";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("text:40: has 3 columns")) << error.what();
  }
}

TEST(BlockReader, GivesSentencesAndTheirLines) {
  BlockReader reader("\n \na\nb\n\t\n\r\n#c\r\n\r\nd", 10);
  std::vector<std::pair<std::string, std::size_t>> blocks;
  for (std::string_view block; reader.next(block);) blocks.emplace_back(block, reader.first_line());
  const std::vector<std::pair<std::string, std::size_t>> expected = {
      {"a\nb\n", 12}, {"#c\r\n", 16}, {"d", 18}};
  EXPECT_EQ(blocks, expected);
}

}  // namespace
}  // namespace hinge
