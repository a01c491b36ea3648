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

  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::string read(const std::string& name) const { return TemporaryFolder::read(path(name)); }

  CommandResult train(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train", "coref", path("train"), "-q", "-p", "hash_bits=16"};
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
  ASSERT_EQ(train({"--epochs", "4", "--threads", "1", "-o", path("one")}).code, 0);
  ASSERT_EQ(train({"--epochs", "4", "--threads", "2", "-o", path("two")}).code, 0);
  EXPECT_TRUE(read("one") == read("two"));
  ASSERT_EQ(train({"--epochs", "2", "--checkpoint", path("k"), "-o", path("half")}).code, 0);
  ASSERT_EQ(hinge({"train", "--resume", path("k"), "--epochs", "4", "-q", "-o", path("resumed")}).code, 0);
  EXPECT_TRUE(read("one") == read("resumed"));
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
  ASSERT_EQ(hinge({"sample", "tag", "--sentences", "20", "-o", path("t.tag")}).code, 0);
  ASSERT_EQ(hinge({"train", "tag", path("t.tag"), "--epochs", "1", "-q", "-o", path("tag")}).code, 0);
  expect_refused(hinge({"predict", path("tag"), path("t.tag"), "--html"}), {"--html", "coref"});
}

TEST_F(CorefCommand, WritesAPageAndComparesLearners) {
  ASSERT_EQ(train({"--epochs", "1", "-o", path("m")}).code, 0);
  const CommandResult page = hinge({"predict", path("m"), path("dev"), "--html"});
  EXPECT_TRUE(page.out.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.out.ends_with("</body></html>\n"));
  EXPECT_NE(page.out.find("<span style="), std::string::npos);
  EXPECT_EQ(hinge({"compare", "coref", path("train"), path("dev"), "--learners", "perceptron,softmax-margin",
                   "--epochs", "1", "-o", path("compared")})
                .code,
            0);
}

}  // namespace
}  // namespace hinge::test
