// Column files and templates as users of CRF++ have them.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class ColumnFiles : public SampleCorpus {};

// Lines that begin with # are kept in their places, but are no tokens.
TEST_F(ColumnFiles, CommentsInColumnsAreKeptWhereAsked) {
  std::string commented = "# a licence\n\n";
  for (const std::string& line : lines_of(read("train.txt")))
    commented += (line.empty() ? line + "\n# next" : line) + "\n";
  const std::string file = write("commented.txt", commented);
  must_train({"--epochs", "2", "-o", path("plain")});
  ASSERT_EQ(hinge({"train", "tag", file, "-p", "format=commented", "-q", "--threads", "1", "--epochs", "2", "-o",
                   path("m")})
                .code,
            0);
  const std::string text = "# one\n\n# two\nthe DT\n# three\nreport NN\n\n# four\n";
  const CommandResult result = hinge({"predict", path("m"), "-"}, text);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "# one\n\n# two\nthe DT B-NP\n# three\nreport NN I-NP\n\n# four\n\n");
  EXPECT_EQ(lines_of(hinge({"predict", path("m"), "-", "--json"}, text).out).size(), 1u);
  const CommandResult scored = hinge({"evaluate", path("m"), file, "--json"});
  EXPECT_EQ(scored.out, hinge({"evaluate", path("plain"), train(), "--json"}).out) << scored.err;
  const std::string system = write("out", "# x\nthe DT B-NP B-NP\n\n");
  const auto accuracy = [&](const CommandResult& of) { return nlohmann::json::parse(of.out)["accuracy"]; };
  EXPECT_EQ(accuracy(hinge({"evaluate", "tag", "--system", system, "-p", "format=commented", "--json"})), 100.0);
  expect_refused(hinge({"train", "tag", file, "-q", "-o", path("n")}), {"commented.txt", "-p format=commented"});
}

TEST_F(ColumnFiles, ATemplateThatReadsAMissingColumnIsNamedWithItsFileAndLine) {
  const std::string templates = write("my.templates", "U00:%x[0,0]\nU01:%x[0,9]\nB\n");
  expect_refused(train_with({"--features", templates, "-o", path("m")}),
                 {"my.templates:2: 'U01:%x[0,9]' reads column 9", "train.txt"});
  const std::string lexicon = write("lexicon", "U00:%x[0,0]\nU01:%lexicon[0,0,9,1]\nB\n");
  expect_refused(train_with({"--features", lexicon, "-o", path("m")}),
                 {"lexicon:2: 'U01:%lexicon[0,0,9,1]' reads column 9", "train.txt"});
}

TEST_F(ColumnFiles, ClustersThatNoTemplateReadsAreRefused) {
  const std::string clusters = write("paths", "0110\tthe\t10\n");
  expect_refused(train_with({"--features", "chunk", "-p", "clusters=" + clusters, "-o", path("m")}),
                 {"clusters is", "'chunk' read no clusters", "features=ner"});
}

}  // namespace
}  // namespace hinge::test
