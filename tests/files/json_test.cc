#include "hinge/files/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace hinge {
namespace {

TEST(Json, GivesBackWhatWasSet) {
  Json inner;
  inner.set("x", 1.5);
  Json json;
  json.set("text", "a\"b").set("flag", true).set("whole", std::int64_t{-3}).set("number", 0.1);
  json.set("texts", std::vector<std::string>{"A", "B"}).set("object", inner);
  json.set("objects", std::vector<Json>{inner, Json()});
  const Json again = Json::parse(json.dump());
  EXPECT_EQ(again.dump(), json.dump());
  EXPECT_EQ(again.text("text"), "a\"b");
  EXPECT_TRUE(again.flag("flag"));
  EXPECT_EQ(again.whole("whole"), -3);
  EXPECT_EQ(again.number("number"), 0.1);
  EXPECT_EQ(again.texts("texts"), (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(again.object("object").number("x"), 1.5);
  EXPECT_EQ(again.objects("objects").size(), 2u);
  EXPECT_EQ(again.shown("texts"), R"(["A","B"])");
}

TEST(Json, KeepsTheOrderOfFieldsOrSortsThem) {
  const Json json = Json().set("b", "1").set("a", "2");
  EXPECT_EQ(json.dump(), R"({"b":"1","a":"2"})");
  EXPECT_EQ(json.dump_sorted(), R"({"a":"2","b":"1"})");
  EXPECT_EQ(json.names(), (std::vector<std::string>{"b", "a"}));
}

TEST(Json, HasFallbacksForWhatIsNotThere) {
  const Json json;
  EXPECT_EQ(json.text("x", "none"), "none");
  EXPECT_EQ(json.whole("x", 7), 7);
  EXPECT_TRUE(json.flag("x", true));
  EXPECT_TRUE(json.texts("x").empty());
  EXPECT_EQ(json.object("x").size(), 0u);
  EXPECT_FALSE(json.has("x"));
}

TEST(Json, WholeNumbersComeBackAsWritten) {
  const Json json = Json::parse(R"({"less": -9223372036854775808, "most": 9223372036854775807})");
  EXPECT_EQ(json.whole("less"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(json.whole("most"), std::numeric_limits<std::int64_t>::max());
}

TEST(Json, RefusesFieldsOfAnotherType) {
  for (const char* value : {"1.0", "2.5", "1e300", "-1e19", "true", "null", "\"1\"", "[1]", "{}"})
    EXPECT_THROW(Json::parse(std::string("{\"x\":") + value + "}").whole("x"), JsonError) << value;
  const Json json = Json::parse(R"({"n": 1, "t": "x", "mixed": ["A", 2]})");
  EXPECT_THROW(json.text("n"), JsonError);
  EXPECT_THROW(json.flag("n"), JsonError);
  EXPECT_THROW(json.number("t"), JsonError);
  EXPECT_THROW(json.texts("mixed"), JsonError);
  EXPECT_THROW(json.object("t"), JsonError);
  EXPECT_THROW(json.objects("mixed"), JsonError);
}

TEST(Json, RefusesTextThatIsNoObject) {
  for (const char* text : {"", "{", "[1]", "7", "{\"a\":1", "nonsense"})
    EXPECT_THROW(Json::parse(text), JsonError) << text;
}

}  // namespace
}  // namespace hinge
