// The command line on attributes, the text format of CRFsuite.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/hinge_command.h"
#include "tests/support/memory.h"

namespace hinge::test {
namespace {

class AttributeCommand : public testing::Test {
 protected:
  void SetUp() override {
    train_ = folder_.write("train.txt", attribute_text(attribute_sentences(60, 1)));
    test_ = folder_.write("test.txt", attribute_text(attribute_sentences(30, 2)));
  }
  CommandResult train_with(const std::string& model, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", "tag", train_,      "-p",    "format=attributes",
                                       "-q",    "-o",  path(model), "--dev", test_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }
  std::string path(const std::string& name) const { return folder_.path(name); }

  TemporaryFolder folder_;
  std::string train_, test_;
};

TEST_F(AttributeCommand, TrainsPredictsAndEvaluates) {
  for (const std::string learner : {"perceptron", "dcd", "crf"}) {
    SCOPED_TRACE(learner);
    const CommandResult trained = train_with("m", {"--learner", learner});
    ASSERT_EQ(trained.code, 0) << trained.err;
    const std::string direct = hinge({"evaluate", path("m"), test_, "--json"}).out;
    EXPECT_GT(nlohmann::json::parse(direct)["f1"].get<double>(), 60.0);
    ASSERT_EQ(hinge({"predict", path("m"), test_, "-o", path("predicted")}).code, 0);
    EXPECT_EQ(hinge({"evaluate", "tag", "--system", path("predicted"), "--json"}).out, direct);
    EXPECT_NE(hinge({"inspect", path("m")}).out.find("before:DT"), std::string::npos);
  }
}

TEST_F(AttributeCommand, GoesOnFromCheckpointsAndModels) {
  ASSERT_EQ(train_with("whole", {"--learner", "mira", "--epochs", "4"}).code, 0);
  ASSERT_EQ(train_with("half", {"--learner", "mira", "--epochs", "2", "--checkpoint", path("c")}).code, 0);
  const CommandResult resumed =
      hinge({"train", "--resume", path("c"), "--epochs", "4", "-q", "-o", path("resumed")});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(hinge({"predict", path("resumed"), test_}).out, hinge({"predict", path("whole"), test_}).out);
  EXPECT_EQ(train_with("more", {"--learner", "perceptron", "--init", path("whole")}).code, 0);
}

}  // namespace
}  // namespace hinge::test
