// `hinge predict` as part of a pipeline: threads, pipes, errors in the middle.
#include <sys/stat.h>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class PredictCommand : public SampleCorpus {
 protected:
  void SetUp() override {
    SampleCorpus::SetUp();
    must_train({"--learner", "perceptron", "--epochs", "2", "-o", path("tag.model")});
    ASSERT_EQ(hinge({"sample", "dep", "--sentences", "60", "--seed", "1", "-o", path("trees.conllu")}).code,
              0);
    const std::vector<std::vector<std::string>> models = {
        {"tag", path("trees.conllu"), "--column", "upos", "-o", path("upos.model")},
        {"dep", path("trees.conllu"), "-p", "hash_bits=12", "-p", "label_bits=10", "-o", path("dep.model")}};
    for (std::vector<std::string> arguments : models) {
      arguments.insert(arguments.begin(), "train");
      arguments.insert(arguments.end(), {"-q", "--learner", "perceptron", "--epochs", "2"});
      ASSERT_EQ(hinge(arguments).code, 0);
    }
  }

  std::vector<std::string> predict(const std::string& model, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"predict", path(model)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

// Sends a sentence, waits for the answer, sends the next.
void expect_answers(std::vector<std::string> arguments, const std::vector<std::string>& sentences) {
  arguments.insert(arguments.begin(), hinge_binary());
  Conversation command(arguments);
  for (const std::string& sentence : sentences) {
    command.say(sentence);
    const std::string answer = command.hear("\n\n");
    EXPECT_EQ(lines_of(answer).size(), lines_of(sentence).size()) << answer;
  }
  EXPECT_EQ(command.finish(), "");
}

std::string word(const std::string& id, const std::string& form) {
  return id + "\t" + form + "\t_\t_\t_\t_\t_\t_\t_\t_\n";
}

TEST_F(PredictCommand, WritesTheSameBytesAtAnyNumberOfThreads) {
  const std::vector<std::string> tag = predict("tag.model", {dev(), "--scores"});
  const std::vector<std::string> parse =
      predict("dep.model", {path("trees.conllu"), "--tagger", path("upos.model")});
  for (const auto& command : {tag, parse}) {
    std::vector<std::string> outputs;
    for (const std::string threads : {"1", "2", "7", "0"}) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--threads", threads});
      const CommandResult result = hinge(arguments);
      ASSERT_EQ(result.code, 0) << result.err;
      outputs.push_back(result.out);
    }
    EXPECT_EQ(outputs, std::vector<std::string>(4, outputs[0]));
  }
  expect_refused(hinge(predict("tag.model", {dev(), "--threads", "-1"})), {"threads is -1"});
}

TEST_F(PredictCommand, EvaluatesTheSameAtAnyNumberOfThreads) {
  const std::vector<std::string> arguments{"evaluate", path("dep.model"),  path("trees.conllu"),
                                           "--tagger", path("upos.model"), "--json",
                                           "--threads"};
  std::vector<std::string> one = arguments, seven = arguments;
  one.emplace_back("1");
  seven.emplace_back("7");
  EXPECT_EQ(hinge(one).out, hinge(seven).out);
}

TEST_F(PredictCommand, AnswersAfterEverySentenceOfAPipe) {
  const std::vector<std::string> sentences{"The DT\nplan NN\n\n", "It PRP\nfailed VBD\n. .\n\n"};
  expect_answers(predict("tag.model", {}), sentences);
  expect_answers(predict("tag.model", {"-", "--threads", "1"}), sentences);
  const std::vector<std::string> untagged{word("1", "The") + word("2", "plan") + "\n",
                                          "# again\n" + word("1", "It") + "\n"};
  expect_answers(predict("dep.model", {"-"}), untagged);
  expect_answers(predict("dep.model", {"-", "--tagger", path("upos.model")}), untagged);
  expect_answers(predict("dep.model", {"-", "--tagger", path("upos.model"), "--scores", "--threads", "1"}), untagged);
}

TEST_F(PredictCommand, WithATaggerTreesAreAnsweredLineByLine) {
  ASSERT_EQ(hinge({"sample", "const", "--sentences", "30", "-o", path("trees.mrg")}).code, 0);
  ASSERT_EQ(hinge({"train", "const", path("trees.mrg"), "--tagger", path("upos.model"), "-q", "--learner", "perceptron",
                   "--epochs", "1", "-o", path("const.model")})
                .code,
            0);
  for (const std::string threads : {"1", "2"}) {
    Conversation command(
        {hinge_binary(), "predict", path("const.model"), "--tagger", path("upos.model"), "--threads", threads});
    for (const std::string sentence : {"the dog sleeps .\n", "a cat\n"}) {
      command.say(sentence);
      EXPECT_TRUE(command.hear("\n").starts_with("("));
    }
    EXPECT_EQ(command.finish(), "");
  }
}

TEST_F(PredictCommand, AnswersAfterEverySentenceOfANamedPipe) {
  const std::string fifo = path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::vector<std::string> arguments = predict("tag.model", {fifo});
  arguments.insert(arguments.begin(), hinge_binary());
  Conversation command(arguments);
  Conversation speaker({"/bin/sh", "-c", "cat > '" + fifo + "'"});
  for (const std::string sentence : {"The DT\nplan NN\n\n", "It PRP\n\n"}) {
    speaker.say(sentence);
    EXPECT_EQ(lines_of(command.hear("\n\n")).size(), lines_of(sentence).size());
  }
}

TEST_F(PredictCommand, WritesAllThatIsBeforeAnError) {
  const std::string good = read("dev.txt");
  const std::string expected = hinge(predict("tag.model", {dev()})).out;
  const std::string bad = write("bad.txt", good + "a b c\nragged\n\n" + good);
  const auto line = std::to_string(std::count(good.begin(), good.end(), '\n') + 2);
  for (const std::string threads : {"1", "2", "7"}) {
    const CommandResult result = hinge(predict("tag.model", {bad, "--threads", threads}));
    expect_refused(result, {bad + ":" + line + ": has 1 column"});
    EXPECT_TRUE(result.out == expected) << threads;
  }
  const CommandResult to_file = hinge(predict("tag.model", {bad, "-o", path("out")}));
  EXPECT_EQ(to_file.code, 1);
  EXPECT_FALSE(exists("out"));
}

TEST_F(PredictCommand, ErrorsOfAnnotatedTextNameTheFileAndLineOfTheUser) {
  const std::string good = word("1", "The") + word("2", "plan") + "\n\n\n";
  const std::string tagger_sees = write("few.conllu", good + word("1", "It") + "2\tfailed\n\n");
  const std::string parser_sees = write("ids.conllu", good + word("1", "It") + word("7", "failed") + "\n");
  for (const std::string& file : {tagger_sees, parser_sees}) {
    for (const std::string threads : {"1", "2"}) {
      const CommandResult result =
          hinge(predict("dep.model", {file, "--tagger", path("upos.model"), "--threads", threads}));
      expect_refused(result, {file + ":7: "});
      EXPECT_EQ(lines_of(result.out).size(), 3u) << result.out;
    }
    expect_refused(hinge({"evaluate", path("dep.model"), file, "--tagger", path("upos.model")}),
                   {file + ":"});
    expect_refused(hinge({"train", "dep", path("trees.conllu"), "--dev", file, "-q", "--tagger",
                          path("upos.model"), "-o", path("x.model")}),
                   {file + ":"});
  }
}

}  // namespace
}  // namespace hinge::test
