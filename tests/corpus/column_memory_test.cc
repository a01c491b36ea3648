#include "hinge/corpus/column_memory.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/corpus/columns.h"

namespace hinge::test {
namespace {

ColumnMemory two_sentences() {
  ColumnMemory memory(2);
  for (const std::string_view cell : {"a", "", "b c", "d"}) {
    memory.add_cell(cell);
    if (cell.empty() || cell == "d") memory.end_token();
  }
  memory.end_sentence();
  memory.end_sentence();  // an empty sentence
  memory.add_cell("\t");
  memory.add_cell("é");
  memory.end_token();
  memory.end_sentence();
  return memory;
}

TEST(ColumnMemory, IsReadAsAFileIs) {
  const ColumnMemory memory = two_sentences();
  EXPECT_EQ(memory.sentences(), 3u);
  ColumnReader reader(memory, "the data", ColumnFormat::kColumns);
  ColumnSentence sentence;
  ASSERT_TRUE(reader.next(sentence));
  EXPECT_EQ(sentence.tokens(), 2u);
  EXPECT_EQ(sentence.cell(0, 1), "");
  EXPECT_EQ(sentence.cell(1, 0), "b c");
  EXPECT_EQ(reader.where(sentence, 1), "the data: sentence 1, token 2");
  ASSERT_TRUE(reader.next(sentence));
  EXPECT_EQ(sentence.cell(0, 0), "\t");
  EXPECT_EQ(reader.where(sentence, 0), "the data: sentence 3, token 1");
  EXPECT_FALSE(reader.next(sentence));

  ColumnReader keeping(memory, "the data", ColumnFormat::kColumns);
  std::vector<std::size_t> tokens;
  while (keeping.next(sentence, /*keep_empty=*/true)) tokens.push_back(sentence.tokens());
  EXPECT_EQ(tokens, (std::vector<std::size_t>{2, 0, 1}));
}

TEST(ColumnMemory, ClearedItIsAsNew) {
  ColumnMemory memory = two_sentences();
  memory.clear();
  EXPECT_EQ(memory.sentences(), 0u);
  memory.add_cell("x");
  memory.add_cell("y");
  memory.end_token();
  memory.end_sentence();
  EXPECT_EQ(memory.cell(0, 1), "y");
  EXPECT_EQ(memory.tokens(0), 1u);
}

TEST(ColumnMemory, NamesTheTokenThatIsWrong) {
  const auto refusal = [](const std::vector<std::string>& cells, bool end_token = true) {
    ColumnMemory memory = two_sentences();
    try {
      for (std::size_t k = 0; k < cells.size(); ++k) {
        memory.add_cell(cells[k]);
        if (end_token && (k % 2 == 1 || k + 1 == cells.size())) memory.end_token();
      }
      memory.end_sentence();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({"a", "b", "c"}),
            "sentence 4, token 2: has 1 cell, but 2 were expected; give every token the same number");
  EXPECT_EQ(refusal({"a"}, false),
            "sentence 4, token 1: the sentence ends inside this token; end the token first");
  const std::string not_text = ": a text is not UTF-8 or has a NUL byte; decode it first";
  EXPECT_EQ(refusal({"a", "b", "c", "d\xff"}), "sentence 4, token 2" + not_text);
  EXPECT_EQ(refusal({std::string(1, '\0'), "b"}), "sentence 4, token 1" + not_text);
  EXPECT_EQ(refusal({"a", "\xc3", "\xa9", "d"}), "sentence 4, token 2" + not_text);  // é, cut in two
  EXPECT_EQ(refusal({"a", "b", "c", "\xc3"}), "sentence 4, token 2" + not_text);
  EXPECT_EQ(refusal({"a", "é"}), "");
}

}  // namespace
}  // namespace hinge::test
