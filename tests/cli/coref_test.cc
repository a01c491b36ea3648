// `hinge train coref` and what follows, on sampled documents.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class CorefCommand : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [name, sentences, seed] :
         {std::tuple("train", "300", "1"), std::tuple("dev", "80", "2")})
      ASSERT_EQ(hinge({"sample", "coref", "--sentences", sentences, "--seed", seed, "-o", path(name)}).code,
                0);
  }

  // With models that fill in tags and trees, a document is answered once the next one begins.
  void expect_answers_on_a_pipe(const std::string& models) const {
    for (const std::string threads : {"1", "2"}) {
      Conversation command({hinge_binary(), "predict", path("m"), "-", "--tagger", models, "--threads", threads});
      const auto document = [](const std::string& name) {
        return "# newdoc id = " + name + "\n1\tAnna\t_\t_\t_\t_\t_\t_\t_\t_\n2\tsleeps\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
      };
      command.say(document("a"));
      for (const std::string name : {"a", "b", "c"}) {
        command.say(document(name + "2"));
        const std::string answer = command.hear("\n\n");
        EXPECT_EQ(lines_of(answer).size(), 4u) << answer;
      }
      EXPECT_TRUE(command.finish().starts_with("# newdoc id = c2\n"));
    }
  }
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::string read(const std::string& name) const { return TemporaryFolder::read(path(name)); }

  CommandResult train(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", "coref", path("train"), "-q"};
    if (!names(more, "hash_bits=")) arguments.insert(arguments.end(), {"-p", "hash_bits=16"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return hinge(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(CorefCommand, ResolvesDocumentsAndEvaluatesItsOutput) {
  ASSERT_EQ(train({"--epochs", "3", "--dev", path("dev"), "-o", path("m")}).code, 0);
  const CommandResult out = hinge({"predict", path("m"), path("dev")});
  ASSERT_EQ(out.code, 0) << out.err;
  const CommandResult of_files =
      hinge({"evaluate", "coref", "--gold", path("dev"), "--system", write("out", out.out), "--json"});
  ASSERT_EQ(of_files.code, 0) << of_files.err;
  const CommandResult of_model = hinge({"evaluate", path("m"), path("dev"), "--json"});
  EXPECT_EQ(of_files.out, of_model.out);
  EXPECT_GT(nlohmann::json::parse(of_model.out)["conll"].get<double>(), 50.0);
  EXPECT_NE(hinge({"inspect", path("m")}).out.find("predicted"), std::string::npos);
}

TEST_F(CorefCommand, IsTheSameAtAnyNumberOfThreadsAndWhenResumed) {
  for (const std::string bits : {"hash_bits=16", "hash_bits=0"}) {
    SCOPED_TRACE(bits);
    ASSERT_EQ(train({"-p", bits, "--epochs", "4", "--threads", "1", "-o", path("one")}).code, 0);
    ASSERT_EQ(train({"-p", bits, "--epochs", "4", "--threads", "2", "-o", path("two")}).code, 0);
    EXPECT_TRUE(read("one") == read("two"));
    ASSERT_EQ(train({"-p", bits, "--epochs", "2", "--checkpoint", path("k"), "-o", path("half")}).code, 0);
    ASSERT_EQ(hinge({"train", "--resume", path("k"), "--epochs", "4", "-q", "-o", path("resumed")}).code, 0);
    EXPECT_TRUE(read("one") == read("resumed"));
  }
}

TEST_F(CorefCommand, NamesTheFeaturesOfADictionaryAndContinuesWithThem) {
  ASSERT_EQ(train({"-p", "hash_bits=0", "--epochs", "2", "-o", path("m")}).code, 0);
  const CommandResult shown = hinge({"inspect", path("m"), "--top", "40"});
  EXPECT_EQ(shown.out.find("hashed weight"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("m.type="), std::string::npos) << shown.out;
  EXPECT_EQ(train({"-p", "hash_bits=0", "--init", path("m"), "--epochs", "1", "-o", path("more")}).code, 0);
  expect_refused(train({"--init", path("m"), "--epochs", "1", "-o", path("no")}), {"hash_bits"});
}

// Documents of a pipe, each answered before the next is sent.
TEST_F(CorefCommand, AnswersAfterEveryDocumentOfAPipe) {
  ASSERT_EQ(train({"--epochs", "1", "-o", path("m")}).code, 0);
  for (const std::string threads : {"1", "2"}) {
    Conversation command({hinge_binary(), "predict", path("m"), "-", "--threads", threads});
    for (const std::string name : {"a", "b", "c"}) {
      const std::string document = "#begin document (" + name + "); part 000\n" + name +
                                   " 0 0 Anna NNP * - - - - * -\n\n#end document\n";
      command.say(document);
      EXPECT_EQ(command.hear("#end document\n"), document) << threads;
    }
    // In CoNLL-U only the next document tells that one has ended.
    Conversation trees({hinge_binary(), "predict", path("m"), "-", "--threads", threads});
    const auto document = [](const std::string& name) {
      return "# newdoc id = " + name + "\n1\tAnna\t_\tPROPN\tNNP\t_\t0\troot\t_\t_\n\n";
    };
    trees.say(document("a"));
    trees.say(document("b"));
    EXPECT_EQ(trees.hear("\n\n"), document("a")) << threads;
    EXPECT_EQ(trees.finish(), document("b")) << threads;
  }
}

TEST_F(CorefCommand, WritesAllDocumentsBeforeABadOne) {
  ASSERT_EQ(train({"--epochs", "1", "-o", path("m")}).code, 0);
  const std::string good = "#begin document (a); part 000\na 0 0 Anna NNP * - - - - * -\n\n#end document\n";
  const std::string bad = write("bad", good + good + "#begin document (b); part 000\nb 0 0 \xFF NNP\n");
  for (const std::string threads : {"1", "2"}) {
    const CommandResult result = hinge({"predict", path("m"), bad, "--threads", threads});
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, good + good) << threads;
  }
}

TEST_F(CorefCommand, WorksWithTagsAndTreesOfOtherModelsInPlaceOfThoseInTheFile) {
  ASSERT_EQ(
      hinge({"train", "tag", path("train"), "--column", "upos", "--epochs", "2", "-q", "-o", path("upos")})
          .code,
      0);
  ASSERT_EQ(hinge({"train", "dep", path("train"), "--tagger", path("upos"), "--epochs", "2", "-p",
                   "hash_bits=14", "-q", "-o", path("dep")})
                .code,
            0);
  const std::string models = path("upos") + "," + path("dep");
  const CommandResult trained =
      train({"--epochs", "3", "--dev", path("dev"), "--tagger", models, "--jackknife", "2", "-o", path("m")});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const CommandResult with = hinge({"evaluate", path("m"), path("dev"), "--tagger", models, "--json"});
  ASSERT_EQ(with.code, 0) << with.err;
  EXPECT_GT(nlohmann::json::parse(with.out)["conll"].get<double>(), 40.0);
  // What the file says of tags and trees no longer matters.
  std::string bare;
  for (const std::string& line : lines_of(read("dev"))) {
    std::vector<std::string> cells;
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, '\t');) cells.push_back(cell);
    if (cells.size() == 10) {
      for (const std::size_t column : {2, 3, 4, 5, 6, 7, 8}) cells[column] = "_";
      bare += cells[0];
      for (std::size_t k = 1; k < 10; ++k) bare += "\t" + cells[k];
    } else {
      bare += line;
    }
    bare += "\n";
  }
  const CommandResult raw = hinge({"evaluate", path("m"), write("raw", bare), "--tagger", path("upos"),
                                   "--parser", path("dep"), "--json"});
  EXPECT_EQ(raw.out, with.out) << raw.err;
  expect_answers_on_a_pipe(models);
}

// A bad line ends it, but documents before it are there.
TEST_F(CorefCommand, WithATaggerWritesAllDocumentsBeforeABadOne) {
  ASSERT_EQ(
      hinge({"train", "tag", path("train"), "--column", "upos", "--epochs", "1", "-q", "-o", path("upos")}).code, 0);
  ASSERT_EQ(train({"--epochs", "1", "--tagger", path("upos"), "-o", path("m")}).code, 0);
  const std::string good = "# newdoc id = a\n1\tAnna\t_\t_\t_\t_\t0\troot\t_\t_\n\n";
  const std::string bad = write("bad", good + good + "# newdoc id = b\n1\tAnna\t_\n\n");
  for (const std::string threads : {"1", "2"}) {
    const CommandResult result =
        hinge({"predict", path("m"), bad, "--tagger", path("upos"), "--threads", threads});
    EXPECT_EQ(result.code, 1);
    EXPECT_NE(result.err.find("bad:8: has 3 columns"), std::string::npos) << result.err;
    EXPECT_EQ(lines_of(result.out).size(), 6u) << result.out;
  }
}

TEST_F(CorefCommand, RefusesInOneLineWhatItCannotDo) {
  ASSERT_EQ(train({"--epochs", "1", "-o", path("m")}).code, 0);
  expect_refused(hinge({"predict", path("m"), path("dev"), "--nbest", "2"}), {"one set of clusters"});
  expect_refused(hinge({"predict", path("m"), path("dev"), "--scores"}), {"one set of clusters"});
  expect_refused(train({"--learner", "smo"}), {"smo needs", "learners that suit it"});
  expect_refused(train({"--learner", "dcd", "--stop-gap", "0.1"}), {"only an estimate"});
  expect_refused(train({"--features", write("t", "link m.head\n")}), {"'link' is no kind of template"});
  expect_refused(hinge({"evaluate", "coref", "--gold", path("dev"), "--system", path("train")}),
                 {"same documents"});
  expect_refused(hinge({"evaluate", "coref", "--system", path("train")}), {"need two files"});
}

TEST_F(CorefCommand, WritesAPageAndComparesLearners) {
  ASSERT_EQ(train({"--epochs", "1", "-o", path("m")}).code, 0);
  const CommandResult page = hinge({"predict", path("m"), path("dev"), "--html"});
  EXPECT_TRUE(page.out.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.out.ends_with("</body></html>\n"));
  EXPECT_NE(page.out.find("<span class=\"phrase\" style="), std::string::npos);
  EXPECT_EQ(hinge({"compare", "coref", path("train"), path("dev"), "--learners", "perceptron,softmax-margin",
                   "--epochs", "1", "-o", path("compared")})
                .code,
            0);
}

}  // namespace
}  // namespace hinge::test
