// `predict --html`: pages with drawings.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class Html : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_EQ(hinge({"sample", GetParam(), "--sentences", "30", "-o", data()}).code, 0);
    const CommandResult trained = hinge({"train", GetParam(), data(), "-q", "--epochs", "2", "-o", model()});
    ASSERT_EQ(trained.code, 0) << trained.err;
  }
  std::string page(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"predict", model(), data(), "--html"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = hinge(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(result.out.starts_with("<!DOCTYPE html>") && result.out.ends_with("</body></html>\n"));
    EXPECT_EQ(result.out.find("<script"), std::string::npos);
    return result.out;
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  std::string drawing() const { return GetParam() == "tag" ? "<p>" : "<svg "; }
  std::string data() const { return folder_.path("data"); }
  std::string model() const { return folder_.path("model"); }

 private:
  TemporaryFolder folder_;
};

TEST_P(Html, OneDrawingForEverySentence) { EXPECT_EQ(count(page(), drawing()), 30u); }

TEST_P(Html, NBestDrawingsBelowTheirRanks) {
  const std::string text = page({"--nbest", "2"});
  EXPECT_EQ(count(text, "<p class=\"rank\">rank 1, score "), 30u);
  EXPECT_EQ(count(text, drawing()), count(text, "<p class=\"rank\">"));
}

TEST_P(Html, TheSameAtAnyNumberOfThreads) {
  EXPECT_EQ(page({"--scores", "--threads", "1"}), page({"--scores", "--threads", "3"}));
  EXPECT_NE(page({"--scores"}), page());
  EXPECT_EQ(page({"--scores"}).find(" inf<"), std::string::npos) << "there is no rival";
}

INSTANTIATE_TEST_SUITE_P(All, Html, testing::Values("tag", "dep", "const"), [](const auto& info) { return info.param; });

class HtmlCommand : public SampleCorpus {};

TEST_F(HtmlCommand, DrawsWhatATaggerFilledIn) {
  ASSERT_EQ(hinge({"sample", "dep", "--sentences", "20", "-o", path("trees")}).code, 0);
  ASSERT_EQ(hinge({"train", "dep", path("trees"), "-q", "--epochs", "1", "-o", path("parser")}).code, 0);
  ASSERT_EQ(hinge({"train", "tag", path("trees"), "--column", "upos", "-q", "--epochs", "1", "-o", path("tagger")}).code, 0);
  const std::string words = write("words", "1\tit\t_\t_\t_\t_\t_\t_\t_\t_\n2\t<b>\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
  const CommandResult page = hinge({"predict", path("parser"), words, "--tagger", path("tagger"), "--html"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_TRUE(page.out.starts_with("<!DOCTYPE html>") && page.out.ends_with("</body></html>\n"));
  EXPECT_NE(page.out.find(">&lt;b&gt;</text>"), std::string::npos);
  EXPECT_NE(page.out.find("class=\"tag\""), std::string::npos);
}

TEST_F(HtmlCommand, RefusedIfTheTaskHasNoPage) {
  ASSERT_EQ(hinge({"sample", "classify", "--sentences", "20", "-o", path("texts")}).code, 0);
  ASSERT_EQ(hinge({"train", "classify", path("texts"), "-q", "--epochs", "1", "-o", path("m")}).code, 0);
  expect_refused(hinge({"predict", path("m"), path("texts"), "--html"}), {"--html", "no web page"});
}

}  // namespace
}  // namespace hinge::test
