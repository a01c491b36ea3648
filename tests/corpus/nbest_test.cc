#include "hinge/corpus/nbest/lists.h"

#include <gtest/gtest.h>

#include <zlib.h>
#include <cmath>

#include <map>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/corpus/nbest/builder.h"
#include "hinge/corpus/nbest/cache.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using Row = std::map<std::string, float>;

Row row_of(const NBestLists& lists, std::size_t hypothesis) {
  Row named;
  const FeatureRow row = lists.row(hypothesis);
  for (std::size_t i = 0; i < row.features.size(); ++i)
    named[std::string(lists.name(row.features[i]))] = row.values[i];
  EXPECT_EQ(named.size(), row.features.size());
  return named;
}

std::vector<std::string> names_of(const NBestLists& lists) {
  std::vector<std::string> names;
  for (std::size_t f = 0; f < lists.feature_count(); ++f) names.emplace_back(lists.name(f));
  return names;
}

std::vector<std::string> texts_of(const NBestLists& lists) {
  std::vector<std::string> texts;
  for (std::size_t h = 0; h < lists.hypotheses(); ++h) texts.emplace_back(lists.text(h));
  return texts;
}

template <typename T>
std::vector<T> vector_of(std::span<const T> values) {
  return {values.begin(), values.end()};
}

class NBest : public testing::Test {
 protected:
  NBestLists read(const std::string& text, const NBestOptions& options = {}) {
    return read_nbest(folder_.write("a.nbest", text), options);
  }
  // Without the folder's name.
  std::string message_of(const std::string& text, const NBestOptions& options = {}) {
    try {
      read(text, options);
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_TRUE(message.starts_with(folder_.path("a.nbest"))) << message;
      return message.substr(folder_.path("").size());
    }
    return "accepted";
  }
  void expect_message(const std::string& text, const std::string& expected,
                      const NBestOptions& options = {}) {
    EXPECT_EQ(message_of(text, options).substr(0, expected.size()), expected);
  }

  TemporaryFolder folder_;
};

// ---- Moses

TEST_F(NBest, OfMosesGivesTextsFeaturesAndScores) {
  const NBestLists lists = read(
      "0 ||| a b ||| lm= -1.5 tm= 2 ||| -3.25\n"
      "0 ||| a c ||| lm= 1e-2 tm= -.5 ||| 4\n"
      "1 ||| ü | |||| x|||y ||| tm= +3 lm= 0 ||| 0 ||| 0-0 1-1 ||| more\n");
  EXPECT_EQ(vector_of(lists.ids), (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(vector_of(lists.list_begin), (std::vector<std::uint64_t>{0, 2, 3}));
  EXPECT_EQ(texts_of(lists), (std::vector<std::string>{"a b", "a c", "ü | |||| x|||y"}));
  EXPECT_EQ(names_of(lists), (std::vector<std::string>{"lm", "tm"}));
  EXPECT_EQ(row_of(lists, 0), (Row{{"lm", -1.5f}, {"tm", 2.0f}}));
  EXPECT_EQ(row_of(lists, 1), (Row{{"lm", 0.01f}, {"tm", -0.5f}}));
  EXPECT_EQ(row_of(lists, 2), (Row{{"lm", 0.0f}, {"tm", 3.0f}}));
  EXPECT_EQ(vector_of(lists.scores), (std::vector<float>{-3.25f, 4.0f, 0.0f}));
  EXPECT_TRUE(lists.costs.empty());
}

TEST_F(NBest, OfMosesNumbersTheValuesOfANameWithSeveral) {
  const NBestLists lists = read(
      "7 ||| a ||| d= -1 tm= 0.1 0.2 0.3 lm= 4\n"
      "7 ||| b ||| tm= 1 2 3 d= 5\n");
  EXPECT_EQ(names_of(lists), (std::vector<std::string>{"d", "tm_1", "tm_2", "tm_3", "lm"}));
  EXPECT_EQ(vector_of(lists.value_index), (std::vector<std::uint32_t>{0, 1, 2, 3, 0}));
  EXPECT_EQ(row_of(lists, 0), (Row{{"d", -1}, {"tm_1", 0.1f}, {"tm_2", 0.2f}, {"tm_3", 0.3f}, {"lm", 4}}));
  EXPECT_EQ(row_of(lists, 1), (Row{{"d", 5}, {"tm_1", 1}, {"tm_2", 2}, {"tm_3", 3}}));
}

TEST_F(NBest, OfMosesReadsSparseFeaturesWithAndWithoutASpace) {
  const NBestLists lists = read(
      "0 ||| a ||| lm= 1 wt_a~b=1 wt_=~=_x= 2 a==3 |x|= 4\n"
      "0 ||| b ||| lm= 2 late= 5 wt_a~b= 6 a=b=-1 inf1= 1 1= 2\n");
  EXPECT_EQ(row_of(lists, 0), (Row{{"lm", 1}, {"wt_a~b", 1}, {"wt_=~=_x", 2}, {"a=", 3}, {"|x|", 4}}));
  EXPECT_EQ(row_of(lists, 1),
            (Row{{"lm", 2}, {"late", 5}, {"wt_a~b", 6}, {"a=b", -1}, {"inf1", 1}, {"1", 2}}));
  const FeatureRow row = lists.row(1);
  EXPECT_TRUE(std::is_sorted(row.features.begin(), row.features.end()));
}

TEST_F(NBest, OfMosesWithMoreFeaturesThanAreForeseenGivesThemAll) {
  std::string text;
  std::vector<Row> expected(3);
  for (int h = 0; h < 3; ++h) {
    text += fmt::format("0 ||| h{} |||", h);
    for (int f = 0; f < 300; ++f) {
      const std::string name = fmt::format("f{}", (f * (h + 1)) % 301);
      text += fmt::format(" {}= {}", name, f + h);
      expected[h][name] = static_cast<float>(f + h);
    }
    text += "\n";
  }
  const NBestLists lists = read(text);
  for (int h = 0; h < 3; ++h) EXPECT_EQ(row_of(lists, h), expected[h]);
}

TEST_F(NBest, OfMosesMayHaveNoScoresNoFeaturesAndEmptyTexts) {
  const NBestLists lists = read("3 ||| ||| \n3 |||  ||| lm= 1\n3\t|||\ta\t|||\tlm=\t2\t\n");
  EXPECT_EQ(texts_of(lists), (std::vector<std::string>{"", "", "a"}));
  EXPECT_EQ(row_of(lists, 0), Row{});
  EXPECT_EQ(row_of(lists, 2), (Row{{"lm", 2}}));
  EXPECT_TRUE(lists.scores.empty());
  EXPECT_EQ(vector_of(read("3 ||| ||| ||| 1\n").scores), std::vector<float>{1});
}

TEST_F(NBest, MayHaveWindowsLineEndsEmptyLinesAndNoLastLineEnd) {
  const NBestLists lists = read("\r\n0 ||| a ||| x= 1 ||| 2\r\n\n1 ||| b ||| x= 3 ||| 4");
  EXPECT_EQ(texts_of(lists), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(vector_of(lists.scores), (std::vector<float>{2, 4}));
}

TEST_F(NBest, MayHaveGapsInItsIdsAndAnyOrderOfLists) {
  const NBestLists lists = read("9 ||| a ||| x= 1\n2 ||| b ||| x= 1\n18446744073709551615 ||| c ||| x= 1\n");
  EXPECT_EQ(vector_of(lists.ids), (std::vector<std::uint64_t>{9, 2, ~std::uint64_t{0}}));
}

TEST_F(NBest, TakesTheCostFromTheFeatureThatIsNamed) {
  const std::string text = "0 ||| a ||| x= 1 cost= 0.5\n0 ||| b ||| cost= 0 x= 2\n";
  const NBestLists lists = read(text, {.cost_feature = "cost"});
  EXPECT_EQ(vector_of(lists.costs), (std::vector<float>{0.5f, 0.0f}));
  EXPECT_EQ(names_of(lists), std::vector<std::string>{"x"});
  EXPECT_EQ(row_of(lists, 1), (Row{{"x", 2}}));
  EXPECT_EQ(names_of(read(text)), (std::vector<std::string>{"x", "cost"}));
}

TEST_F(NBest, RoundsNumbersToTheNearestFloat) {
  const NBestLists lists = read(
      "0 ||| a ||| a= 0.1 b= 16777217 c= 123456789012345 d= 1234567890123456789 e= 3.4028234e38 f= 1e-300 "
      "g= -0 h= 0.000000000000001 i= 7.64192 j= 00000000000000000001 k= 1.\n");
  EXPECT_EQ(row_of(lists, 0), (Row{{"a", 0.1f},
                                   {"b", 16777216.0f},
                                   {"c", 123456789012345.0f},
                                   {"d", 1234567890123456789.0f},
                                   {"e", 3.4028234e38f},
                                   {"f", 0.0f},
                                   {"g", 0.0f},
                                   {"h", 1e-15f},
                                   {"i", 7.64192f},
                                   {"j", 1.0f},
                                   {"k", 1.0f}}));
  EXPECT_FALSE(std::signbit(row_of(lists, 0)["g"]));
}

TEST_F(NBest, ReadsGzip) {
  const std::string path = folder_.path("a.gz"), text = "0 ||| a ||| x= 1 ||| 2\n1 ||| b ||| x= 3 ||| 4\n";
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(file);
  EXPECT_EQ(texts_of(read_nbest(path)), (std::vector<std::string>{"a", "b"}));

  const std::string packed = TemporaryFolder::read(path);
  expect_message(packed.substr(0, packed.size() - 5), "a.nbest: the gzip data ends too early");
}

// ---- JSON

TEST_F(NBest, OfJsonGivesTextsFeaturesScoresAndCosts) {
  const NBestLists lists = read(
      R"({"id": 4, "text": "a \"b\" ü", "features": {"lm": -1.5, "tm": 2}, "score": -3, "cost": 0.25})"
      "\n\n"
      R"( {"cost": 0, "score": 1e1, "other": {"id": [1, {"text": 3}], "x": null}, "features": {}, "text": "", "id": 5} )"
      "\n"
      R"({"id":5,"text":" ||| ","features":{"late":0.0,"tm":-0.0},"score":0,"cost":1,"id2":true})"
      "\n");
  EXPECT_EQ(vector_of(lists.ids), (std::vector<std::uint64_t>{4, 5}));
  EXPECT_EQ(vector_of(lists.list_begin), (std::vector<std::uint64_t>{0, 1, 3}));
  EXPECT_EQ(texts_of(lists), (std::vector<std::string>{"a \"b\" ü", "", "|||"}));
  EXPECT_EQ(row_of(lists, 0), (Row{{"lm", -1.5f}, {"tm", 2}}));
  EXPECT_EQ(row_of(lists, 1), Row{});
  EXPECT_EQ(row_of(lists, 2), (Row{{"tm", 0}, {"late", 0}}));
  EXPECT_EQ(vector_of(lists.scores), (std::vector<float>{-3, 10, 0}));
  EXPECT_EQ(vector_of(lists.costs), (std::vector<float>{0.25f, 0, 1}));
}

TEST_F(NBest, OfJsonMayHaveNeitherScoresNorCosts) {
  const NBestLists lists = read(R"({"id": 0, "text": "a", "features": {"x": 1}})");
  EXPECT_TRUE(lists.scores.empty());
  EXPECT_TRUE(lists.costs.empty());
}

TEST_F(NBest, OfJsonTakesTheCostFromAFeatureToo) {
  const NBestLists lists =
      read(R"({"id": 0, "text": "a", "features": {"ter": 3, "x": 1}})", {.cost_feature = "ter"});
  EXPECT_EQ(vector_of(lists.costs), std::vector<float>{3});
  EXPECT_EQ(names_of(lists), std::vector<std::string>{"x"});
  expect_message(R"({"id": 0, "text": "a", "features": {"ter": 3}, "cost": 1})",
                 "a.nbest:1: the cost is given twice; give it once", {.cost_feature = "ter"});
}

TEST_F(NBest, OfJsonOfAWrongShapeIsRefused) {
  const auto expect = [&](const std::string& line, const std::string& problem) {
    expect_message(R"({"id": 0, "text": "a", "features": {"x": 1}})" + std::string("\n") + line + "\n",
                   "a.nbest:2: " + problem);
    const std::string message = message_of("{}");
    EXPECT_TRUE(message.ends_with(
        R"(a line is an object like {"id": 0, "text": "a b", "features": {"lm": -1.5}, "score": -2})"))
        << message;
  };
  expect("[1]", "is an array; a line is");
  expect("3", "is 3; a line is");
  expect("null", "is null; a line is");
  expect("\"x\"", "is the text 'x'; a line is");
  expect("{", "is not valid JSON at byte 2 (NaN and Infinity are not allowed); a line is");
  expect("0 ||| a ||| x= 1", "is 0; a line is");
  expect(R"({"id": 0, "text": "a", "features": {"x": NaN}})", "is not valid JSON at byte ");
  expect(R"({"id": 0} {"id": 1})", "is not valid JSON at byte 11");
  expect(R"({"text": "a", "features": {}})", "has no \"id\"; a line is");
  expect(R"({"id": 0, "features": {}})", "has no \"text\"; a line is");
  expect(R"({"id": 0, "text": "a"})", "has no \"features\"; a line is");
  expect(R"({"id": "0", "text": "a", "features": {}})",
         "\"id\" is the text '0', but a whole number from 0 was expected; a line is");
  expect(R"({"id": -1, "text": "a", "features": {}})", "\"id\" is -1, but a whole number from 0");
  expect(R"({"id": 1.5, "text": "a", "features": {}})", "\"id\" is 1.5, but a whole number from 0");
  expect(R"({"id": 1e30, "text": "a", "features": {}})", "\"id\" is 1e30, but");
  expect(R"({"id": 36893488147419103232, "text": "a", "features": {}})",
         "\"id\" is 36893488147419103232, but");
  expect(R"({"id": 0, "text": 7, "features": {}})", "\"text\" is 7, but a text was expected");
  expect(R"({"id": 0, "text": ["a"], "features": {}})", "\"text\" is an array, but a text was expected");
  expect(R"({"id": 0, "text": "a", "features": [1, 2]})",
         "\"features\" is an array, but an object of names and numbers was expected");
  expect(R"({"id": 0, "text": "a", "features": 1})", "\"features\" is 1, but an object");
  expect(R"({"id": 0, "text": "a", "features": {"x": "1"}})",
         "feature 'x' is the text '1', but a finite number (at most 3.4e38) was expected");
  expect(R"({"id": 0, "text": "a", "features": {"x": [1]}})", "feature 'x' is an array, but a finite number");
  expect(R"({"id": 0, "text": "a", "features": {"x": {"y": 1}}})", "feature 'x' is an object, but");
  expect(R"({"id": 0, "text": "a", "features": {"x": true}})", "feature 'x' is true, but");
  expect(R"({"id": 0, "text": "a", "features": {"x": null}})", "feature 'x' is null, but");
  expect(R"({"id": 0, "text": "a", "features": {"x": 1e39}})", "feature 'x' is 1e39, but");
  expect(R"({"id": 0, "text": "a", "features": {"x": 1e999}})", "has a number that is too large at byte ");
  expect(R"({"id": 0, "text": "a", "features": {"x": 1, "x": 1}})", "feature 'x' is given twice");
  expect(R"({"id": 0, "text": "a", "features": {"x y": 1}})",
         "the feature name 'x y' is empty or has a space; use other characters, such as _");
  expect(R"({"id": 0, "text": "a", "features": {"": 1}})", "the feature name '' is empty");
  expect(R"({"id": 0, "text": "a", "features": {"a\nb": 1}})", "the feature name 'a?b' is empty or");
  expect(R"({"id": 0, "text": "a\nb", "features": {}})", "the text has a line break or another control");
  expect(R"({"id": 0, "text": "a", "features": {}, "score": "x"})",
         "\"score\" is the text 'x', but a finite");
  expect(R"({"id": 0, "text": "a", "features": {}, "cost": {}})",
         "\"cost\" is an object, but a finite number");
  expect(R"({"id": 0, "id": 0, "text": "a", "features": {}})", "has \"id\" twice; a line is");
}

// ---- Errors of both

TEST_F(NBest, WithALineOfTooFewFieldsIsRefused) {
  expect_message("0 ||| a ||| x= 1\n0 ||| b\n",
                 "a.nbest:2: has 2 fields, but 'id ||| text ||| features ||| score' was expected; check the "
                 "separators and that the line was not cut short");
  expect_message("just text\n", "a.nbest:1: has 1 field, but 'id |||");
  expect_message("0|||a|||x= 1\n", "a.nbest:1: has 1 field, but 'id |||");
}

TEST_F(NBest, WhoseIdIsNoNumberIsRefused) {
  for (const std::string id : {"x", "", "-1", "1.5", "0x", "1 2", "99999999999999999999"}) {
    expect_message(id + " ||| a ||| x= 1\n",
                   "a.nbest:1: the sentence id is '" + id +
                       "', but a whole number from 0 was expected; number the sentences");
  }
}

TEST_F(NBest, WithAValueThatIsNoFiniteNumberIsRefused) {
  for (const std::string value : {"abc", "nan", "NaN", "-nan", "inf", "-inf", "1,5", "1e39", "-1e39", "1e999",
                                  "--1", "+-1", "0x10", "1e", ".", "-", "+"}) {
    expect_message(
        "0 ||| a ||| x= 1 y= " + value + " z= 2\n",
        "a.nbest:1: the value of feature 'y' is '" + value +
            "', but a finite number (at most 3.4e38) was expected; check the decoder that wrote it");
    expect_message("0 ||| a ||| x= 1 y= 7 " + value + "\n",
                   "a.nbest:1: the value of feature 'y' is '" + value);
    expect_message("0 ||| a ||| x= 1 y=" + value + "\n", "a.nbest:1: the value of feature 'y' is '" + value);
    expect_message(
        "0 ||| a ||| x= 1 ||| " + value + "\n",
        "a.nbest:1: the score is '" + value + "', but a finite number (at most 3.4e38) was expected");
  }
  expect_message("0 ||| a ||| x= 1 ||| \n", "a.nbest:1: the score is '', but");
  expect_message("0 ||| a ||| x= " + std::string(100, 'w') + "\n",
                 "a.nbest:1: the value of feature 'x' is '" + std::string(40, 'w') + "...', but");
}

TEST_F(NBest, WithAFeatureWithoutValueIsRefused) {
  expect_message("0 ||| a ||| x= y= 1\n",
                 "a.nbest:1: feature 'x' has no value; write 'name= value', or leave it out");
  expect_message("0 ||| a ||| x= 1 y=\n", "a.nbest:1: feature 'y' has no value");
  expect_message("0 ||| a ||| x= 1 y= ||| 3\n", "a.nbest:1: feature 'y' has no value");
}

TEST_F(NBest, WithAValueWithoutNameIsRefused) {
  expect_message("0 ||| a ||| 1 2 3 ||| 4\n",
                 "a.nbest:1: found '1' where a feature name and '=' were expected; write 'name= value'");
  expect_message("0 ||| a ||| lm: 1 ||| 4\n", "a.nbest:1: found 'lm:' where");
  expect_message("0 ||| a ||| = 1 ||| 4\n", "a.nbest:1: found '=' where");
}

TEST_F(NBest, WithAFeatureTwiceIsRefused) {
  expect_message("0 ||| a ||| x= 1 y= 2 x= 1\n",
                 "a.nbest:1: feature 'x' is given twice; give it once, with the sum if that was meant");
  expect_message("0 ||| a ||| x= 1 c= 2 c= 1\n",
                 "a.nbest:1: the cost, feature 'c', is given twice; give it once", {.cost_feature = "c"});
}

TEST_F(NBest, WhoseNumberOfValuesChangesIsRefused) {
  expect_message(
      "0 ||| a ||| x= 1 2 3\n0 ||| b ||| x= 1 2\n",
      "a.nbest:2: feature 'x' has 2 values, but 3 were expected; check that the line was not cut short");
  expect_message("0 ||| a ||| x= 1 2 3\n0 ||| b ||| x= 1\n",
                 "a.nbest:2: feature 'x' has 1 value, but 3 were");
  expect_message("0 ||| a ||| x= 1\n0 ||| b ||| x= 1 2\n", "a.nbest:2: feature 'x' has 2 values, but 1 was");
  expect_message("0 ||| a ||| x= 1 2\n", "a.nbest:1: feature 'x' has 2 values, but 1 was",
                 {.cost_feature = "x"});
}

TEST_F(NBest, WithScoresOrCostsForSomeHypothesesOnlyIsRefused) {
  expect_message(
      "0 ||| a ||| x= 1 ||| 2\n0 ||| b ||| x= 1\n",
      "a.nbest:2: has no score, but the hypotheses before it have one; check that the line was not cut "
      "short");
  expect_message("0 ||| a ||| x= 1\n0 ||| b ||| x= 1 ||| 2\n",
                 "a.nbest:2: has a score, but the hypotheses before it have none; give it to all or to none");
  expect_message(R"({"id": 0, "text": "a", "features": {}, "cost": 1})"
                 "\n"
                 R"({"id": 0, "text": "a", "features": {}})",
                 "a.nbest:2: has no cost, but");
  expect_message("0 ||| a ||| x= 1 cost= 2\n0 ||| b ||| x= 1\n",
                 "a.nbest:2: has no feature 'cost', which should hold the cost; add it to every hypothesis",
                 {.cost_feature = "cost"});
}

TEST_F(NBest, WhoseSentenceComesBackIsRefused) {
  expect_message("0 ||| a ||| x= 1\n1 ||| a ||| x= 1\n1 ||| b ||| x= 1\n0 ||| b ||| x= 1\n",
                 "a.nbest:4: sentence 0 appears again, but its list began at " + folder_.path("a.nbest") +
                     ":1 and ended before this; sort the lines by sentence, or merge the lists with hinge "
                     "cache --merge");
}

TEST_F(NBest, ThatIsEmptyIsRefused) {
  for (const std::string text : {"", "\n", " \n\r\n"}) {
    expect_message(text,
                   "a.nbest: is empty, but n-best lists were expected; check that the decoder wrote them");
  }
}

TEST_F(NBest, ThatIsMissingOrBinaryIsRefused) {
  EXPECT_THROW(read_nbest(folder_.path("missing")), InputError);
  expect_message(std::string("0 ||| a\0b ||| x= 1\n", 18), "a.nbest:1: has a NUL byte");
}

// ---- Several files, merging

TEST_F(NBest, OfSeveralFilesIsOneWithItsNamesInCommon) {
  const std::vector<std::string> paths = {
      folder_.write("1", "0 ||| a ||| x= 1 t= 1 2\n"),
      folder_.write("2", R"({"id": 1, "text": "b", "features": {"y": 2, "x": 3, "t_2": 4}})"),
      folder_.write("3", "2 ||| c ||| y= 4 t= 5 6\n")};
  const NBestLists lists = read_nbest(paths);
  EXPECT_EQ(vector_of(lists.ids), (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(names_of(lists), (std::vector<std::string>{"x", "t_1", "t_2", "y"}));
  EXPECT_EQ(row_of(lists, 1), (Row{{"x", 3}, {"y", 2}, {"t_2", 4}}));
  EXPECT_EQ(row_of(lists, 2), (Row{{"y", 4}, {"t_1", 5}, {"t_2", 6}}));
}

TEST_F(NBest, OfSeveralFilesWithOneSentenceNamesBoth) {
  const std::vector<std::string> paths = {folder_.write("1", "0 ||| a ||| x= 1\n1 ||| a ||| x= 1\n"),
                                          folder_.write("2", "0 ||| b ||| x= 1\n")};
  try {
    read_nbest(paths);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with(paths[1] + ":1: sentence 0 appears again, but its list began at " +
                                 paths[0] + ":1 and"))
        << error.what();
  }
}

TEST_F(NBest, MergedBringsSentencesTogetherInTheOrderOfTheirFirstLines) {
  const NBestLists lists = read(
      "5 ||| a ||| x= 1 ||| 1\n"
      "2 ||| b ||| x= 2 ||| 2\n"
      "5 ||| c ||| y= 3 ||| 3\n"
      "7 ||| d ||| x= 4 ||| 4\n"
      "2 ||| e ||| x= 5 y= 6 ||| 5\n"
      "5 ||| f ||| x= 7 ||| 6\n",
      {.merge = true});
  EXPECT_EQ(vector_of(lists.ids), (std::vector<std::uint64_t>{5, 2, 7}));
  EXPECT_EQ(vector_of(lists.list_begin), (std::vector<std::uint64_t>{0, 3, 5, 6}));
  EXPECT_EQ(texts_of(lists), (std::vector<std::string>{"a", "c", "f", "b", "e", "d"}));
  EXPECT_EQ(vector_of(lists.scores), (std::vector<float>{1, 3, 6, 2, 5, 4}));
  EXPECT_EQ(row_of(lists, 1), (Row{{"y", 3}}));
  EXPECT_EQ(row_of(lists, 4), (Row{{"x", 5}, {"y", 6}}));
}

TEST_F(NBest, MergedKeepsTheFirstOfEqualHypotheses) {
  const std::vector<std::string> paths = {
      folder_.write("1",
                    "0 ||| a ||| x= 1 y= 2 cost= 7 ||| 1\n"
                    "0 ||| a ||| x= 1 y= 3 cost= 7 ||| 2\n"
                    "1 ||| a ||| x= 1 y= 2 cost= 7 ||| 3\n"),
      folder_.write("2",
                    "0 ||| a ||| y= 2.0 x= 1e0 cost= 8 ||| 4\n"  // a duplicate of the first
                    "0 ||| b ||| x= 1 y= 2 cost= 7 ||| 5\n"
                    "0 ||| a ||| x= 1 cost= 7 ||| 6\n"
                    "0 ||| b ||| x= 1 y= 2 cost= 7 ||| 7\n"     // a duplicate
                    "1 ||| a ||| x= 1 y= 2 cost= 7 ||| 8\n")};  // a duplicate
  const NBestLists lists = read_nbest(paths, {.merge = true, .cost_feature = "cost"});
  EXPECT_EQ(vector_of(lists.ids), (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(vector_of(lists.list_begin), (std::vector<std::uint64_t>{0, 4, 5}));
  EXPECT_EQ(vector_of(lists.scores), (std::vector<float>{1, 2, 5, 6, 3}));
  EXPECT_EQ(vector_of(lists.costs), (std::vector<float>{7, 7, 7, 7, 7}));
  EXPECT_EQ(read_nbest(paths[0], {.cost_feature = "cost"}).hypotheses(), 3u);
}

TEST_F(NBest, NotMergedKeepsEqualHypotheses) {
  EXPECT_EQ(read("0 ||| a ||| x= 1\n0 ||| a ||| x= 1\n").hypotheses(), 2u);
}

// ---- The builder and real lists

TEST(NBestBuilder, NumbersFeaturesByFirstAppearance) {
  NBestBuilder builder;
  EXPECT_EQ(builder.find("a"), NBestBuilder::kNoFeature);
  for (std::uint32_t f = 0; f < 5000; ++f) EXPECT_EQ(builder.feature(fmt::format("f{}", f)), f);
  for (std::uint32_t f = 0; f < 5000; ++f) EXPECT_EQ(builder.find(fmt::format("f{}", f)), f);
  Hypothesis hypothesis{.id = 3, .text = "t", .entries = {{7, 1.0f}, {2, 2.0f}}};
  builder.add(hypothesis, {"here", 1});
  const NBestLists lists = builder.finish();
  EXPECT_EQ(lists.feature_count(), 5000u);
  EXPECT_EQ(vector_of(lists.row(0).features), (std::vector<std::uint32_t>{2, 7}));
  EXPECT_EQ(lists.name(4999), "f4999");
}

TEST(NBestLists, CanBeMoved) {
  NBestBuilder builder;
  Hypothesis hypothesis{.id = 3, .text = "t", .entries = {{builder.feature("x"), 1.0f}}};
  builder.add(hypothesis, {"here", 1});
  NBestLists lists = builder.finish();
  const NBestLists moved = std::move(lists);
  EXPECT_EQ(moved.text(0), "t");
  EXPECT_EQ(moved.name(0), "x");
}

TEST(NBestLists, OfMulti30kAreReadWhole) {
  HINGE_DATA_FILE(path, "mt/multi30k_nbest/val.nbest.gz");
  const NBestLists lists = read_nbest(path);
  EXPECT_EQ(lists.lists(), 1014u);
  EXPECT_EQ(lists.hypotheses(), 94920u);
  EXPECT_EQ(lists.feature_count(), 12u);
  EXPECT_EQ(lists.values.size(), 12u * 94920u);
  EXPECT_EQ(lists.name(11), "WordPenalty");
  for (std::size_t list = 0; list < lists.lists(); ++list) ASSERT_EQ(lists.ids[list], list);
  EXPECT_EQ(lists.text(0), "a group of men loading baumwolle on a truck");
  EXPECT_EQ(lists.scores[0], -3.43508f);
}

}  // namespace
}  // namespace hinge
