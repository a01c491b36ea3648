// --cache on the command line and in a config file, and what is told of it.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

using CacheCommand = SampleCorpus;

TEST_F(CacheCommand, IsMadeOnceAndGivesTheSameModel) {
  const auto train = [this](const std::vector<std::string>& more) {
    std::vector<std::string> command{"train", "tag", path("train.txt"), "--epochs", "2"};
    command.insert(command.end(), more.begin(), more.end());
    const CommandResult result = hinge(command);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err;
  };
  train({"-o", path("plain")});
  EXPECT_NE(train({"--cache", path("c"), "-o", path("first")}).find(path("c") + ": compiled, "),
            std::string::npos);
  const std::string config = write("config.toml", "cache = \"" + path("c") + "\"\n");
  EXPECT_EQ(train({"--config", config, "-o", path("second")}).find("compiled"), std::string::npos);
  EXPECT_EQ(read("first"), read("plain"));
  EXPECT_EQ(read("second"), read("plain"));
  EXPECT_NE(train({"--cache", path("c"), "-o", path("dual")})
                .find("dcd keeps constraints of every example: about "),
            std::string::npos);
}

TEST_F(CacheCommand, InspectTellsWhatItHoldsAndFindsDamage) {
  must_train({"--cache", path("c"), "--epochs", "1", "-o", path("model")});
  const CommandResult shown = hinge({"inspect", path("c"), "--verify"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const std::string& part :
       {std::string("every checksum is right"), std::string("task         tag "),
        "made from    " + path("train.txt"), std::string("examples     "), std::string("node_ids")})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part;
  const auto json = nlohmann::json::parse(hinge({"inspect", path("c"), "--json"}).out);
  EXPECT_EQ(json.at("task"), "tag");
  EXPECT_EQ(json.at("made_from").at("TRAIN").at("path"), path("train.txt"));
  EXPECT_GT(json.at("sections").at("node_ids"), 0);
  std::string bytes = read("c");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  write("c", bytes);
  const CommandResult damaged = hinge({"inspect", path("c"), "--verify"});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_NE(damaged.err.find("damaged"), std::string::npos) << damaged.err;
}

TEST_F(CacheCommand, NeverOverwritesItsTextOrAModel) {
  const CommandResult result = hinge({"train", "tag", path("train.txt"), "--cache", path("train.txt")});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("--cache"), std::string::npos) << result.err;
  must_train({"--epochs", "1", "-o", path("model")});
  const std::string model = read("model");
  EXPECT_NE(hinge({"train", "tag", path("train.txt"), "--cache", path("model"), "-o", path("other")})
                .err.find("is not a cache of training data"),
            std::string::npos);
  EXPECT_EQ(read("model"), model);
}

}  // namespace
}  // namespace hinge::test
