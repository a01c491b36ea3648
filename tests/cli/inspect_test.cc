// `hinge inspect` shows what was chosen where an option was left open.
#include <nlohmann/json.hpp>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class ChosenOptions : public SampleCorpus {
 protected:
  void SetUp() override { write("entities", std::string(kEntities)); }
  std::string inspected(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"train", "tag", path("entities"), "--epochs", "1", "-o", path("m")});
    EXPECT_EQ(hinge(flags).code, 0);
    return hinge({"inspect", path("m"), "--top", "0"}).out;
  }
  static constexpr std::string_view kEntities =
      "Anna NNP B-PER\nran VBD O\n\nHe PRP O\nsaw VBD O\nBo NNP B-PER\n\n";
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(ChosenOptions, OfFeaturesAuto) {
  const std::string shown = inspected({});
  EXPECT_TRUE(has(shown, " features=ner (words and column 1) ")) << shown;
  EXPECT_TRUE(has(shown, " miss=1.5 ")) << shown;
  const auto json = nlohmann::json::parse(hinge({"inspect", path("m"), "--json"}).out);
  EXPECT_EQ(json["chosen"]["features"], "ner (words and column 1)");
  EXPECT_EQ(json["chosen"]["miss"], "1.5");
  EXPECT_EQ(json["task_options"]["features"], "auto");
}

TEST_F(ChosenOptions, AreNotThoseOfTheUser) {
  EXPECT_TRUE(has(inspected({"-p", "miss=1"}), " miss=1 "));
  EXPECT_TRUE(has(inspected({"--features", "pos"}), " features=pos "));
}

TEST_F(ChosenOptions, StayWhenTrainingContinues) {
  const std::string first = inspected({});
  ASSERT_EQ(
      hinge({"train", "tag", path("entities"), "--init", path("m"), "--epochs", "1", "-o", path("n")}).code,
      0);
  EXPECT_TRUE(has(hinge({"inspect", path("n")}).out, " features=ner (words and column 1) "));
}

TEST_F(ChosenOptions, AreTheSameFromACache) {
  inspected({"--cache", path("cache")});
  const std::string before = read("m");
  inspected({});
  EXPECT_EQ(read("m"), before);
  inspected({"--cache", path("cache")});
  EXPECT_EQ(read("m"), before);
}

}  // namespace
}  // namespace hinge::test
