#include "hinge/core/whole_number.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace hinge {
namespace {

TEST(WholeNumber, ComesBackAsWritten) {
  const auto json =
      nlohmann::json::parse(R"({"zero": 0, "less": -9223372036854775808, "most": 9223372036854775807})");
  EXPECT_EQ(whole_number(json.at("zero")), 0);
  EXPECT_EQ(whole_number(json.at("less")), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(whole_number(json.at("most")), std::numeric_limits<std::int64_t>::max());
}

TEST(WholeNumber, OfAnyOtherTypeIsRefused) {
  for (const char* text : {"1.0", "2.5", "1e300", "-1e19", "true", "null", "\"1\"", "[1]", "{}"})
    EXPECT_THROW(whole_number(nlohmann::json::parse(text)), nlohmann::json::type_error) << text;
}

}  // namespace
}  // namespace hinge
