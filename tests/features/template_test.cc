#include "hinge/features/template.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/features/presets.h"

namespace hinge {
namespace {

TemplateSet parse(std::string_view text) { return parse_templates(text, "my.templates"); }

std::string message_of(std::string_view text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

View only_view(std::string_view line) {
  const TemplateSet set = parse(line);
  EXPECT_EQ(set.views.size(), 1u);
  return set.views.at(0);
}

TEST(Templates, OfCrfppAreUnderstood) {
  const TemplateSet set = parse(
      "# Unigram\n"
      "U00:%x[-2,0]\n"
      "U01:%x[-1,0]/%x[0,0]\n"
      "\n"
      "# Bigram\n"
      "B\n");
  ASSERT_EQ(set.nodes.size(), 2u);
  ASSERT_EQ(set.edges.size(), 1u);
  EXPECT_EQ(set.nodes[0].source, "U00:%x[-2,0]");
  EXPECT_EQ(set.nodes[0].line, 2u);
  EXPECT_EQ(set.nodes[0].literals, (std::vector<std::string>{"U00:", ""}));
  ASSERT_EQ(set.nodes[0].items.size(), 1u);
  EXPECT_EQ(set.nodes[0].items[0].row, -2);
  EXPECT_EQ(set.nodes[1].literals, (std::vector<std::string>{"U01:", "/", ""}));
  ASSERT_EQ(set.nodes[1].items.size(), 2u);
  EXPECT_EQ(set.nodes[1].items[0].row, -1);
  EXPECT_EQ(set.nodes[1].items[1].row, 0);
  EXPECT_EQ(set.edges[0].source, "B");
  EXPECT_EQ(set.edges[0].line, 6u);
  EXPECT_TRUE(set.edges[0].items.empty());
  EXPECT_EQ(set.views.size(), 1u);  // one column and function, regardless of row
  EXPECT_EQ(set.reach(), 2u);
  EXPECT_FALSE(set.has_values());
}

TEST(Templates, WithAStarStandInBothLists) {
  const TemplateSet set = parse("*07:%x[0,1]\n");
  ASSERT_EQ(set.nodes.size(), 1u);
  ASSERT_EQ(set.edges.size(), 1u);
  EXPECT_EQ(set.nodes[0].source, set.edges[0].source);
}

TEST(Templates, HaveOneViewForEachFunctionAndArgument) {
  const View lower{.kind = ViewKind::kLower, .column = 3};
  EXPECT_EQ(only_view("U:%x[0,3]"), (View{.kind = ViewKind::kCell, .column = 3}));
  EXPECT_EQ(only_view("U:%lower[0,3]"), lower);
  EXPECT_EQ(only_view("U:%X[0,3]"), lower);
  EXPECT_EQ(only_view("U:%prefix[0,3,4]"), (View{.kind = ViewKind::kPrefix, .column = 3, .n = 4}));
  EXPECT_EQ(only_view("U:%suffix[0,3,4]"), (View{.kind = ViewKind::kSuffix, .column = 3, .n = 4}));
  EXPECT_EQ(only_view("U:%shape[0,3]"), (View{.kind = ViewKind::kShape, .column = 3}));
  EXPECT_EQ(only_view("U:%digits[0,3]"), (View{.kind = ViewKind::kDigits, .column = 3}));
  EXPECT_EQ(only_view("U:%t[0,3,\"^a]b$\"]"), (View{.kind = ViewKind::kTest, .column = 3, .text = "^a]b$"}));
  EXPECT_EQ(only_view("U:%if[0,3,\"a,b\"]"), (View{.kind = ViewKind::kIf, .column = 3, .text = "a,b"}));
  EXPECT_EQ(only_view("U:%m[0,3,\"a+\"]"), (View{.kind = ViewKind::kMatch, .column = 3, .text = "a+"}));
  EXPECT_EQ(only_view("U:%cluster[0,3,6]"), (View{.kind = ViewKind::kCluster, .column = 3, .n = 6}));
  EXPECT_EQ(only_view("U:%gazetteer[0,3,\"names.txt\"]"),
            (View{.kind = ViewKind::kGazetteer, .column = 3, .text = "names.txt"}));
  EXPECT_EQ(only_view("U:%lexicon[0,3,1,2]"),
            (View{.kind = ViewKind::kLexicon, .column = 3, .n = 2, .other = 1}));
}

TEST(Templates, TellPatternsThatIgnoreCaseFromThoseThatDoNot) {
  const TemplateSet set = parse("U1:%t[0,0,\"a\"]\nU2:%T[0,0,\"a\"]\nU3:%m[0,0,\"a\"]\nU4:%M[0,0,\"a\"]\n");
  EXPECT_EQ(set.views.size(), 4u);
  EXPECT_EQ(set.views[1].kind, ViewKind::kTest);
  EXPECT_EQ(set.views[3].kind, ViewKind::kMatch);
}

TEST(Templates, ShareAViewWhereverItIsAskedFor) {
  const TemplateSet set =
      parse("U1:%lower[0,0]\nU2:%X[-1,0]/%lower[1,0]\nB:%lower[0,0]\nU3:%prefix[0,0,2]\n");
  EXPECT_EQ(set.views.size(), 2u);
  EXPECT_EQ(set.nodes[0].items[0].view, set.nodes[1].items[1].view);
  EXPECT_EQ(set.edges[0].items[0].view, set.nodes[0].items[0].view);
}

TEST(Templates, MayHoldAQuoteInAPattern) {
  EXPECT_EQ(only_view("U:%t[0,0,\"a\\\"b\"]").text, "a\"b");
  EXPECT_EQ(only_view("U:%t[0,0,\"\\d+\\.\"]").text, "\\d+\\.");
}

TEST(Templates, MayHaveAValue) {
  const TemplateSet set = parse("U1:%x[0,0]=%v[-1,2]\nU2:%x[1,0]\n");
  EXPECT_TRUE(set.has_values());
  EXPECT_TRUE(set.nodes[0].has_value);
  EXPECT_EQ(set.nodes[0].value_column, 2u);
  EXPECT_EQ(set.nodes[0].value_row, -1);
  ASSERT_EQ(set.nodes[0].items.size(), 1u);
  EXPECT_EQ(set.nodes[0].literals.size(), 2u);
  EXPECT_FALSE(set.nodes[1].has_value);
}

TEST(Templates, MayHaveASignBeforeARow) {
  EXPECT_EQ(parse("U:%x[+1,0]").nodes[0].items[0].row, 1);
  EXPECT_EQ(parse("U:%x[-1,0]").nodes[0].items[0].row, -1);
}

TEST(Templates, MayHoldPercentSignsThatAreNoFunctions) {
  EXPECT_EQ(parse("U:100%").nodes[0].literals, (std::vector<std::string>{"U:100%"}));
  EXPECT_EQ(parse("U:5%-%x[0,0]").nodes[0].literals, (std::vector<std::string>{"U:5%-", ""}));
}

TEST(Templates, AreTheSameWhateverTheLineEnds) {
  const TemplateSet dos = parse("U1:%x[0,0]\r\n\r\n# c\r\nB\r\n");
  ASSERT_EQ(dos.nodes.size(), 1u);
  EXPECT_EQ(dos.nodes[0].source, "U1:%x[0,0]");
  EXPECT_EQ(dos.nodes[0].literals.back(), "");
  EXPECT_EQ(dos.edges[0].source, "B");
  EXPECT_EQ(dos.edges[0].line, 4u);
  EXPECT_EQ(parse("U1:%x[0,0]").nodes[0].source, "U1:%x[0,0]");  // and without a last one
}

TEST(Templates, ReachAsFarAsTheirFarthestRow) {
  EXPECT_EQ(parse("B\n").reach(), 0u);
  EXPECT_EQ(parse("U:%x[0,0]\n").reach(), 0u);
  EXPECT_EQ(parse("U:%x[0,0]/%x[3,0]\nB:%x[-5,0]\n").reach(), 5u);
}

TEST(Templates, AreKeptAsWritten) {
  const std::string text = "# mine\nU1:%x[0,0]\n\nB\n";
  EXPECT_EQ(parse(text).source, text);
}

TEST(Templates, WithoutAnyLineThatCountsAreRefused) {
  for (const std::string_view text : {"", "\n\n", "# only comments\n"})
    EXPECT_TRUE(contains(message_of(text), "my.templates")) << message_of(text);
}

class MalformedTemplate : public testing::TestWithParam<std::string_view> {};

TEST_P(MalformedTemplate, IsRefusedNamingFileAndLine) {
  const std::string line(GetParam());
  for (const std::string end : {"", "\n", "\r\n", "\nU99:%x[0,0]\n"}) {
    const std::string message = message_of("# first\nU00:%x[0,0]\n\n" + line + end);
    EXPECT_TRUE(contains(message, "my.templates:4:")) << line << ": '" << message << "'";
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lines, MalformedTemplate,
    testing::Values("X00:%x[0,0]",  // no such kind
                    "u00:%x[0,0]", "%x[0,0]", "U:%x",
                    "U:%x[",  // ends too early
                    "U:%x[0", "U:%x[0,", "U:%x[0,0", "U:%x[]", "U:%x[,]", "U:%x[0]", "U:%x[0,]", "U:%x[,0]",
                    "U:%x[a,0]",  // no numbers
                    "U:%x[0,b]", "U:%x[0,-1]", "U:%x[0.5,0]", "U:%x[+-1,0]", "U:%x[0,0,1]", "U:%x[0;0]",
                    "U:%x(0,0)", "U:%x[99999999999999999999,0]", "U:%x[0,99999999999999999999]",
                    "U:%word[0,0]",  // no such function
                    "U:%lowr[0,0]", "U:%xx[0,0]", "U:%prefix[0,0]", "U:%prefix[0,0,]", "U:%prefix[0,0,a]",
                    "U:%prefix[0,0,-2]", "U:%prefix[0,0,0]", "U:%suffix[0,0,0]", "U:%prefix[0,0,2,3]",
                    "U:%shape[0,0,1]", "U:%cluster[0,0]", "U:%cluster[0,0,0]", "U:%lexicon[0,0]",
                    "U:%lexicon[0,0,1]", "U:%lexicon[0,0,1,0]", "U:%lexicon[0,0,-1,1]",
                    "U:%t[0,0]",  // no pattern
                    "U:%t[0,0,]", "U:%t[0,0,a]", "U:%t[0,0,\"a]", "U:%t[0,0,\"a\"", "U:%t[0,0,\"a\\\"]",
                    "U:%t[0,0,\"(\"]",  // wrong patterns
                    "U:%if[0,0,\"[a\"]", "U:%m[0,0,\"*\"]", "U:%M[0,0,\"a)\"]", "U:%T[0,0,\"(?<x\"]",
                    "U:%gazetteer[0,0]", "U:%gazetteer[0,0,names]", "U:%v[0]", "U:%v[0,0,1]",
                    "U:%v[0,0]%v[0,1]"  // two values
                    ));

TEST(Templates, WithAnUnknownFunctionNameTheNearest) {
  EXPECT_TRUE(contains(message_of("U:%sufix[0,0,3]"), "suffix")) << message_of("U:%sufix[0,0,3]");
}

TEST(Templates, ThatReadAColumnTheDataHasNotAreRefusedNamingBoth) {
  const TemplateSet set = parse("U1:%x[0,0]\nU2:%lower[0,2]\n");
  EXPECT_NO_THROW(check_columns(set, "my.templates", 3, "train.txt"));
  try {
    check_columns(set, "my.templates", 2, "train.txt");
    FAIL() << "accepted";
  } catch (const OptionError& error) {
    EXPECT_TRUE(contains(error.what(), "my.templates:2:")) << error.what();
    EXPECT_TRUE(contains(error.what(), "train.txt")) << error.what();
    EXPECT_TRUE(contains(error.what(), "column 2")) << error.what();
  }
}

TEST(Templates, ReadTheColumnsOfValuesLexiconsAndEdgesToo) {
  for (const std::string_view line :
       {"U:%v[0,2]", "U:%lexicon[0,0,2,1]", "U:%lexicon[0,2,0,1]", "B:%x[0,2]"}) {
    EXPECT_NO_THROW(check_columns(parse(line), "t", 3, "d")) << line;
    EXPECT_THROW(check_columns(parse(line), "t", 2, "d"), OptionError) << line;
  }
}

TEST(Templates, ThatReadDataWithoutColumnsAreRefusedInWordsThatMakeSense) {
  try {
    check_columns(parse("U1:%x[0,0]\n"), "my.templates", 0, "train.txt");
    FAIL() << "accepted";
  } catch (const OptionError& error) {
    EXPECT_FALSE(contains(error.what(), "18446744073709551615")) << error.what();
  }
}

TEST(Presets, AreTemplatesThatParse) {
  for (const Preset& preset : token_preset_table()) {
    const std::string text = preset.text();
    EXPECT_FALSE(text.empty()) << preset.name;
    EXPECT_FALSE(preset.summary.empty()) << preset.name;
    const TemplateSet set = parse(text);
    EXPECT_FALSE(set.nodes.empty()) << preset.name;
    EXPECT_FALSE(set.edges.empty()) << preset.name;
    EXPECT_NO_THROW(check_columns(set, "preset", 2, "data")) << preset.name;
    EXPECT_NO_THROW(parse(text + cluster_templates(true))) << preset.name;
  }
  EXPECT_THROW(template_text("no such preset", token_preset_table()), OptionError);
}

}  // namespace
}  // namespace hinge
