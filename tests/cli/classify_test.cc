// `hinge train classify` and what follows, on sampled texts.
#include <zlib.h>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class ClassifyCommand : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        hinge({"sample", "classify", "--sentences", "400", "--seed", "1", "-o", path("train.txt")}).code, 0);
    ASSERT_EQ(hinge({"sample", "classify", "--sentences", "200", "--seed", "2", "-o", path("dev.txt")}).code,
              0);
  }

  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }

  CommandResult train(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", "classify", path("train.txt"),  "-q", "--threads",
                                       "1",     "-o",       path("topic.model")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }
  double accuracy(const std::string& model) const {
    const CommandResult result = hinge({"evaluate", path(model), path("dev.txt"), "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out)["accuracy"].get<double>();
  }

  TemporaryFolder folder_;
};

TEST_F(ClassifyCommand, EveryLearnerLearnsTheSample) {
  for (const std::string& learner : learner_names()) {
    if (learner == "smo") continue;  // a text's label has no parts
    SCOPED_TRACE(learner);
    const CommandResult result = train({"--learner", learner, "-p", "hash_bits=14"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_GT(accuracy("topic.model"), 55.0);  // of four topics
  }
}

TEST_F(ClassifyCommand, PredictsOneLinePerTextAndEvaluatesItsOutput) {
  ASSERT_EQ(train({}).code, 0);
  const CommandResult labels =
      hinge({"predict", path("topic.model"), path("dev.txt"), "--nbest", "4", "--marginals"});
  ASSERT_EQ(labels.code, 0) << labels.err;
  EXPECT_EQ(lines_of(labels.out).size(), 200u);
  for (const std::string& line : lines_of(labels.out)) EXPECT_EQ(std::ranges::count(line, '\t'), 7);
  const CommandResult scores = hinge({"evaluate", "classify", "--gold", path("dev.txt"), "--system",
                                      write("system.txt", labels.out), "--json"});
  ASSERT_EQ(scores.code, 0) << scores.err;
  EXPECT_EQ(nlohmann::json::parse(scores.out)["accuracy"].get<double>(), accuracy("topic.model"));
}

TEST_F(ClassifyCommand, AnswersAPipeLineByLine) {
  ASSERT_EQ(train({}).code, 0);
  for (const std::string threads : {"1", "2"}) {
    Conversation command({hinge_binary(), "predict", path("topic.model"), "--threads", threads});
    for (const std::string text : {"the coach and the match\n", "\n", "a hotel\nthe island\n"}) {
      command.say(text);
      for (std::size_t line = 0; line < lines_of(text).size(); ++line) EXPECT_NE(command.hear("\n"), "");
    }
    EXPECT_EQ(command.finish(), "");
  }
}

TEST_F(ClassifyCommand, ReadsCompressedFilesAndTabs) {
  ASSERT_EQ(train({}).code, 0);
  const std::string text = TemporaryFolder::read(path("train.txt"));
  gzFile file = gzopen(path("train.gz").c_str(), "wb");
  ASSERT_NE(file, nullptr);
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  ASSERT_EQ(hinge({"train", "classify", path("train.gz"), "-q", "-o", path("gz.model")}).code, 0);
  EXPECT_EQ(accuracy("gz.model"), accuracy("topic.model"));
  std::string tabs;
  for (const std::string& line : lines_of(text)) {
    const std::size_t space = line.find(' ');
    tabs += line.substr(9, space - 9) + "\t" + line.substr(space + 1) + "\n";
  }
  ASSERT_EQ(hinge({"train", "classify", write("tabs.txt", tabs), "-q", "-o", path("tab.model")}).code, 0);
  const std::string unlabelled = write("new.txt", "the coach\nthe bank\n");
  EXPECT_EQ(hinge({"predict", path("tab.model"), unlabelled}).out,
            hinge({"predict", path("topic.model"), unlabelled}).out);
}

TEST_F(ClassifyCommand, ContinuesFromAModel) {
  ASSERT_EQ(train({"--learner", "perceptron", "--epochs", "2"}).code, 0);
  const std::string more = write("more.txt", "__label__weather rain and wind\n__label__weather rain\n");
  const CommandResult result = hinge({"train", "classify", more, "-q", "--init", path("topic.model"),
                                      "--learner", "perceptron", "-o", path("more.model")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(hinge({"predict", path("more.model")}, "rain\n").out, "weather\n");
  EXPECT_NE(hinge({"inspect", path("more.model")}).out.find("labels       5:"), std::string::npos);
}

TEST_F(ClassifyCommand, RefusesBadLinesInOneLine) {
  expect_refused(hinge({"train", "classify", write("bad.txt", "__label__a x\nno label\n"), "-q", "-o",
                        path("bad.model")}),
                 {"bad.txt:2: has no label", "__label__NAME"});
  expect_refused(train({"-p", "chars=9-2"}), {"classify: chars is '9-2'"});
  ASSERT_EQ(train({}).code, 0);
  expect_refused(hinge({"predict", path("topic.model"), path("dev.txt"), "--constrain"}), {"--constrain"});
}

}  // namespace
}  // namespace hinge::test
