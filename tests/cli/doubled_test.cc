// Options that a command line or a config file gives twice.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class DoubledOptions : public SampleCorpus {
 protected:
  CommandResult train_tag(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"--learner", "mira", "--epochs", "1", "-o", path("m")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return train_with(arguments);
  }
  // The value of C in the model that these flags give.
  std::string C_with(const std::vector<std::string>& more) const {
    const CommandResult result = train_tag(more);
    EXPECT_EQ(result.code, 0) << result.err;
    const auto shown = nlohmann::json::parse(hinge({"inspect", path("m"), "--json", "--top", "0"}).out);
    return shown["learner_options"]["C"];
  }
};

TEST_F(DoubledOptions, AreRefusedWithBothValues) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& message) {
    expect_refused(train_tag(more), {message});
    EXPECT_FALSE(exists("m"));
  };
  refused({"--C", "0.1", "-p", "C=0.2"}, "C is given twice, as --C 0.1 and as -p C=0.2; leave one out");
  refused({"-p", "C=0.2", "--C", "0.1"}, "C is given twice, as --C 0.1 and as -p C=0.2; leave one out");
  refused({"-p", "C=0.1", "-p", "C=0.2"}, "C is given twice, as -p C=0.1 and as -p C=0.2; leave one out");
  refused({"-p", "C=0.1", "C=0.2"}, "C is given twice, as -p C=0.1 and as -p C=0.2; leave one out");
  refused({"--features", "chunk", "-p", "features=pos"},
          "features is given twice, as --features chunk and as -p features=pos; leave one out");
  refused({"--C", "0.1", "--C", "0.2"}, "--C is given 2 times (0.1, 0.2), but takes one value");
  refused({"--C", "0.1", "--dev", dev(), "--search", "C=1,2"},
          "C is given twice, as --C 0.1 and as --search C=1,2; leave one out");
  refused({"--dev", dev(), "--search", "learner=mira,dcd"},
          "learner is given twice, as --learner mira and as --search learner=mira,dcd; leave one out");
}

TEST_F(DoubledOptions, AreRefusedByOtherCommands) {
  const std::string gold = write("gold.txt", "a DT B-NP\nb NN I-NP\n\n");
  const std::vector<std::string> twice{"-p", "C=0.1", "-p", "C=0.2"};
  const auto with = [&twice](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), twice.begin(), twice.end());
    return hinge(arguments);
  };
  expect_refused(with({"compare", "tag", train(), dev(), "--learners", "mira", "-o", path("c")}),
                 {"C is given twice, as -p C=0.1 and as -p C=0.2; leave one out"});
  expect_refused(with({"evaluate", "tag", "--system", gold}), {"C is given twice"});
  expect_refused(with({"check", "tag", gold}), {"C is given twice"});
  expect_refused(with({"mt", "decode", path("none")}), {"C is given twice"});
  must_train({"--epochs", "1", "--checkpoint", path("state"), "-o", path("m")});
  expect_refused(with({"train", "--resume", path("state")}), {"C is given twice"});
}

TEST_F(DoubledOptions, MayRepeatTheSameValue) {
  EXPECT_EQ(C_with({"--C", "0.1", "-p", "C=0.1", "-p", "C=0.1"}), "0.1");
}

TEST_F(DoubledOptions, OfAConfigFileGiveWayToTheCommandLine) {
  const std::string top = write("top.toml", "C = 0.5\n");
  const std::string below = write("below.toml", "[options]\nC = 0.5\n");
  for (const std::string& config : {top, below}) {
    SCOPED_TRACE(config);
    EXPECT_EQ(C_with({"--config", config}), "0.5");
    EXPECT_EQ(C_with({"--config", config, "--C", "0.25"}), "0.25");
    EXPECT_EQ(C_with({"--config", config, "-p", "C=0.25"}), "0.25");
    EXPECT_EQ(C_with({"--config", config, "--search", "C=0.125", "--dev", dev()}), "0.125");
  }
}

// A setting and an option of `summarize` are both called jackknife.
TEST_F(DoubledOptions, MayBeASettingAndAnOptionOfOneName) {
  const std::string topics = path("topics.jsonl");
  ASSERT_EQ(hinge({"sample", "summarize", "--sentences", "5", "--seed", "1", "-o", topics}).code, 0);
  const std::string config = write("same.toml", "jackknife = 5\n\n[options]\njackknife = true\n");
  const CommandResult result = hinge({"train", "summarize", topics, "--config", config, "--epochs", "1", "-o", path("s")});
  EXPECT_EQ(result.err.find("given twice"), std::string::npos) << result.err;
}

TEST_F(DoubledOptions, InOneConfigFileAreRefused) {
  const std::string config = write("both.toml", "C = 0.5\n\n[options]\nC = 0.25\n");
  expect_refused(train_tag({"--config", config}), {"C is given twice, as 0.5 (" + config + ":1) and as 0.25 (" + config + ":4); leave one out"});
}

}  // namespace
}  // namespace hinge::test
