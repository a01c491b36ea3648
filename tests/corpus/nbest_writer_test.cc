#include "hinge/corpus/nbest/writer.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

class NBestText : public testing::Test {
 protected:
  std::string rewritten(const std::string& text, const NBestOptions& options = {},
                        const NBestLayout& layout = {}) {
    write_nbest(folder_.path("out"), read_nbest(folder_.write("in", text), options), layout);
    return TemporaryFolder::read(folder_.path("out"));
  }

  TemporaryFolder folder_;
};

TEST_F(NBestText, IsWrittenAsItWasRead) {
  const std::string text =
      "0 ||| a b ||| d= -1 tm= 0.1 0.2 0.3 lm= -7.64192 ||| -3.25\n"
      "0 ||| x|||y |||| ||| d= 0 tm= 1 2 3 lm= 1e+20 ||| 4\n"
      "7 |||  ||| tm= 1 2 3 wt_a=b= 1 ||| 0\n";
  EXPECT_EQ(rewritten(text), text);
}

TEST_F(NBestText, HasNoScoreFieldWhereThereAreNone) {
  EXPECT_EQ(rewritten("0 ||| a ||| x= 1\n"), "0 ||| a ||| x= 1\n");
}

TEST_F(NBestText, IsWrittenWithNewScores) {
  const std::vector<float> scores = {0.5f, -2.0f};
  EXPECT_EQ(rewritten("0 ||| a ||| x= 1 ||| 9\n0 ||| b ||| x= 2 ||| 8\n", {}, {.scores = scores}),
            "0 ||| a ||| x= 1 ||| 0.5\n0 ||| b ||| x= 2 ||| -2\n");
}

TEST_F(NBestText, HasCostsAsTheFeatureThatIsNamed) {
  EXPECT_EQ(rewritten("0 ||| a ||| ter= 3 x= 1\n", {.cost_feature = "ter"}, {.cost_feature = "cost"}),
            "0 ||| a ||| x= 1 cost= 3\n");
}

TEST_F(NBestText, EscapesBarsThatWouldEndTheField) {
  const std::string line = R"({"id": 0, "text": "||| a ||| |||", "features": {"x": 1}})";
  const std::string bars = "&#124;&#124;&#124;";
  EXPECT_EQ(rewritten(line), "0 ||| " + bars + " a " + bars + " " + bars + " ||| x= 1\n");
}

// The names look like parts of one feature, but some are missing or out of order.
TEST_F(NBestText, KeepsTheNamesOfPartsThatDoNotStandTogether) {
  const std::string text = "0 ||| a ||| tm_2= 5\n0 ||| b ||| tm= 1 2 3\n";
  const std::string expected = "0 ||| a ||| tm_2= 5\n0 ||| b ||| tm_2= 2 tm_1= 1 tm_3= 3\n";
  EXPECT_EQ(rewritten(text), expected);
  EXPECT_EQ(rewritten(expected), expected);
  const std::string some =
      "0 ||| a ||| tm= 1 2 3\n0 ||| b ||| tm_1= 1 tm_2= 2\n0 ||| c ||| tm_2= 5 tm_3= 6\n";
  EXPECT_EQ(rewritten(some), some);
}

TEST(MosesValues, JoinOnlyPartsOfOneNameFromTheFirstOn) {
  const auto joined = [](std::vector<NamedValue> values) {
    std::string out;
    append_moses_values(out, values, ' ');
    return out;
  };
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({{"a_1", 1, 1}, {"a_2", 2, 2}}), "a= 1 2");
  EXPECT_EQ(joined({{"a_1", 1, 1}, {"b_2", 2, 2}}), "a_1= 1 b_2= 2");
  EXPECT_EQ(joined({{"a_2", 2, 1}, {"a_3", 3, 2}}), "a_2= 1 a_3= 2");
  EXPECT_EQ(joined({{"a_1", 0, 1}, {"a_2", 0, 2}}), "a_1= 1 a_2= 2") << "two features of such names";
  EXPECT_EQ(joined({{"a_1", 1, 1}, {"a_2", 2, 2}, {"a_1", 1, 3}}), "a= 1 2 a_1= 3");
  EXPECT_EQ(joined({{"a_1", 1, 1, 2}, {"a_2", 2, 2, 2}}), "a= 1 2");
  EXPECT_EQ(joined({{"a_1", 1, 1, 3}, {"a_2", 2, 2, 3}}), "a_1= 1 a_2= 2");
  EXPECT_EQ(joined({{"_1", 1, 1}, {"_2", 2, 2}}), "_1= 1 _2= 2") << "a name cannot be empty";
  EXPECT_EQ(joined({{"x", 1, 1}, {"y", 2, 2}}), "x= 1 y= 2");
}

}  // namespace
}  // namespace hinge
