#include "hinge/core/error.h"

#include <gtest/gtest.h>

#include <vector>

namespace hinge {
namespace {

using Names = std::vector<std::string_view>;

TEST(NearestName, IsTheCandidateWithFewestEdits) {
  const Names learners = {"perceptron", "mira", "ops", "dcd", "dcd-light", "bcfw", "cutting-plane"};
  EXPECT_EQ(nearest_name("perceptrn", learners), "perceptron");    // a letter missing
  EXPECT_EQ(nearest_name("perceptronn", learners), "perceptron");  // one too many
  EXPECT_EQ(nearest_name("mirx", learners), "mira");               // one wrong
  EXPECT_EQ(nearest_name("cuting-plain", learners), "cutting-plane");
  EXPECT_EQ(nearest_name("dcdlight", learners), "dcd-light");
}

TEST(NearestName, OfANameInTheListIsThatName) {
  const Names names = {"epoch", "epochs", "C"};
  for (const std::string_view name : names) EXPECT_EQ(nearest_name(name, names), name);
}

TEST(NearestName, IsEmptyWhereNothingIsNear) {
  const Names names = {"perceptron", "mira"};
  EXPECT_EQ(nearest_name("zzzzzzzzzz", names), "");
  EXPECT_EQ(nearest_name("anything", Names{}), "");
}

TEST(Fail, ThrowsTheErrorNamedWithItsMessage) {
  try {
    fail<InputError>("{}:{}: {} columns", "a.txt", 7, 3);
    FAIL() << "nothing thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a.txt:7: 3 columns");
  }
}

TEST(Fail, ThrowsWhatCanBeCaughtAsAnyErrorOfOurs) {
  EXPECT_THROW(fail<InputError>("x"), Error);
  EXPECT_THROW(fail<OptionError>("x"), Error);
  EXPECT_THROW(fail<ModelError>("x"), Error);
  EXPECT_THROW(fail<OutputError>("x"), Error);
}

}  // namespace
}  // namespace hinge
