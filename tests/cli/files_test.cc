// Several files as training and development data on the command line.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class SeveralFiles : public SampleCorpus {
 protected:
  void SetUp() override {
    SampleCorpus::SetUp();
    for (const std::string k : {"1", "2"})
      ASSERT_EQ(hinge({"sample", "tag", "--sentences", "30", "--seed", k, "-o", path("part-" + k)}).code, 0);
    write("whole", read("part-1") + read("part-2"));
  }
  CommandResult train_tag(const std::string& files, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command{"train", "tag", files, "-q", "--epochs", "2", "-o", path("model")};
    command.insert(command.end(), more.begin(), more.end());
    return hinge(command);
  }
};

TEST_F(SeveralFiles, AreNamedByAPatternAListOrAConfigFile) {
  ASSERT_EQ(train_tag(path("whole"), {"--dev", path("whole")}).code, 0);
  const std::string model = read("model");
  for (const std::string& files : {path("part-*"), path("part-1") + "," + path("part-2")}) {
    const CommandResult result = train_tag(files, {"--dev", files, "--checkpoint", path("run")});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(read("model"), model);
  }
  const std::string config = write("c.toml", "task = \"tag\"\ntrain = \"" + path("part-?") + "\"\n");
  EXPECT_EQ(hinge({"train", "--config", config, "-q", "--epochs", "2", "-o", path("model")}).code, 0);
  EXPECT_EQ(read("model"), model);
  EXPECT_EQ(hinge({"train", "--resume", path("run"), "-q", "--epochs", "2"}).code, 0);
  EXPECT_EQ(read("model"), model);
  const CommandResult folds = train_tag(path("part-*"), {"--folds", "3"});
  EXPECT_EQ(folds.code, 0) << folds.err;
}

TEST_F(SeveralFiles, AreAllProtectedAndMissingOnesNamedInOneLine) {
  expect_refused(train_tag(path("part-*"), {"--log", path("part-2")}), {"--log", "would overwrite TRAIN"});
  expect_refused(train_tag(path("none-*")), {path("none-*") + ": no file matches this pattern"});
  expect_refused(train_tag(path("part-1") + "," + path("none")), {path("none") + ": cannot be opened"});
  expect_refused(hinge({"check", "tag", path("none-*")}), {"no file matches this pattern"});
}

TEST_F(SeveralFiles, AreCheckedTogether) {
  const auto report = nlohmann::json::parse(hinge({"check", "tag", path("part-*"), "--json"}).out);
  ASSERT_EQ(report.at("files").size(), 2u);
  EXPECT_EQ(report.at("files")[1].at("file"), path("part-2"));
}

}  // namespace
}  // namespace hinge::test
