// A parser changes only HEAD, DEPREL and, for scores, MISC of a file.
#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "tests/support/conllu.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

// Two small models, trained once.
class DepPredict : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    projective_ = new ModelFile(trained("eisner"));
    any_ = new ModelFile(trained("chu-liu-edmonds"));
  }
  static void TearDownTestSuite() {
    delete projective_;
    delete any_;
  }
  static ModelFile trained(const std::string& decoder) {
    const TemporaryFolder folder;
    const std::string path = folder.write("train.conllu", sample_text("dep", 25, 1));
    const auto set = load_system("dep",
                                 {{"features", "dep-plain"},
                                  {"hash_bits", "12"},
                                  {"label_bits", "10"},
                                  {"single_root", "true"},
                                  {"decoder", decoder}},
                                 path);
    const Weights w =
        train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "3"}}}).weights;
    return ModelFile::from_bytes(model_of(*set, w, "dep"), "small");
  }

  static const ModelFile& projective() { return *projective_; }
  static const ModelFile& any() { return *any_; }

  static std::string refusal(const ModelFile& model, const std::string& text, PredictSettings settings) {
    try {
      predict(model, text, settings);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

 private:
  static ModelFile* projective_;
  static ModelFile* any_;
};

ModelFile* DepPredict::projective_ = nullptr;
ModelFile* DepPredict::any_ = nullptr;

// Lines differ only in columns that a parser may write, and at least one does.
void expect_only_trees_differ(const std::string& given, const std::string& written) {
  const Lines before = split(given, '\n');
  const Lines after = split(written, '\n');
  ASSERT_EQ(before.size(), after.size()) << written;
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (!is_token(before[k])) {
      EXPECT_EQ(before[k], after[k]);
      continue;
    }
    const Lines was = split(before[k], '\t');
    const Lines is = split(after[k], '\t');
    ASSERT_EQ(is.size(), 10u);
    for (const std::size_t column : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 9u}) EXPECT_EQ(was[column], is[column]) << k;
    EXPECT_EQ(is[6].find_first_not_of("0123456789"), std::string::npos) << is[6];
    EXPECT_NE(is[7], "_");
  }
  EXPECT_EQ(written.size() - written.find_last_not_of("\r\n"), given.size() - given.find_last_not_of("\r\n"));
}

const std::string kText =
    "# newdoc id = a\n"
    "# text = Don't panic.\n"
    "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\t_\n"
    "2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod\t_\n"
    "3\tpanic\tpanic\tVERB\tVB\t_\t0\troot\t0:root\tSpaceAfter=No\n"
    "3.1\tnow\tnow\tADV\tRB\t_\t_\t_\t3:advmod\t_\n"
    "4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_\n"
    "\n"
    "# only a comment\n"
    "\n"
    "1\tÖl\tÖl\tNOUN\tNN\t_\t_\t_\t_\tA=1|B=2\n"
    "\n";

TEST_F(DepPredict, WritesNothingButHeadsAndLabels) {
  expect_only_trees_differ(kText, predict(projective(), kText));
  expect_only_trees_differ(kText, predict(any(), kText));
  const std::string sampled = sample_text("dep", 20, 5);
  expect_only_trees_differ(sampled, predict(projective(), sampled));
}

TEST_F(DepPredict, KeepsTheLineEndsOfWindows) {
  std::string text;
  for (const std::string& line : split(kText, '\n')) text += line + "\r\n";
  const std::string written = predict(projective(), text);
  expect_only_trees_differ(text, written);
  std::string with_unix_ends = written;
  std::erase(with_unix_ends, '\r');
  EXPECT_EQ(with_unix_ends, predict(projective(), kText));
}

TEST_F(DepPredict, UnderstandsConllX) {
  const std::string text =
      "1\tCathy\tCathy\tN\tN\teigen|ev|neut\t2\tsu\t_\t_\n"
      "2\tzag\tzie\tV\tV\ttrans|ovt|1of2of3|ev\t0\tROOT\t_\t_\n"
      "3\then\then\tPron\tPron\tper|3|mv|datofacc\t2\tobj1\t_\t_\n"
      "\n";
  expect_only_trees_differ(text, predict(projective(), text));
  expect_only_trees_differ(text, predict(any(), text));
}

TEST_F(DepPredict, OfNothingIsNothing) {
  EXPECT_EQ(predict(projective(), ""), "");
  EXPECT_EQ(predict(projective(), "# a\n\n"), "# a\n\n");
}

TEST_F(DepPredict, AddsScoresBehindWhatMiscHolds) {
  for (const PredictSettings& settings :
       {PredictSettings{.scores = true}, PredictSettings{.marginals = true}}) {
    const auto given = words_of(kText);
    const auto written = words_of(predict(projective(), kText, settings));
    const auto plain = words_of(predict(projective(), kText));
    ASSERT_EQ(written.size(), given.size());
    std::size_t scores = 0;
    for (std::size_t k = 0; k < given.size(); ++k) {
      const std::string before = given[k][9] == "_" ? "Score=" : given[k][9] + "|Score=";
      const bool has_no_rival = settings.scores && written[k][9] == given[k][9];
      EXPECT_TRUE(has_no_rival || written[k][9].starts_with(before)) << written[k][9];
      scores += has_no_rival ? 0 : 1;
      for (std::size_t column = 0; column < 9; ++column) EXPECT_EQ(written[k][column], plain[k][column]);
    }
    EXPECT_GE(scores, given.size() / 2);
  }
}

TEST_F(DepPredict, OfTheOnlyTreeThereIsIsSure) {
  const std::string one = conllu({"Go VERB"});
  EXPECT_EQ(words_of(predict(projective(), one, {.scores = true}))[0][9], "_") << "there is no rival";
  EXPECT_EQ(words_of(predict(projective(), one, {.marginals = true}))[0][9], "Score=1.0000");
  EXPECT_EQ(words_of(predict(any(), one, {.marginals = true}))[0][9], "Score=1.0000");
}

TEST_F(DepPredict, HeadsThatAreKeptHaveTheProbabilityOne) {
  const std::string text = conllu({"a DET 3", "b NOUN", "c VERB", "d NOUN"});
  for (const ModelFile* model : {&projective(), &any()}) {
    const auto words = words_of(predict(*model, text, {.marginals = true, .constrain = true}));
    EXPECT_EQ(words[0][6], "3");
    EXPECT_EQ(words[0][9], "Score=1.0000");
  }
}

TEST_F(DepPredict, RefusesHeadsThatFormNoTree) {
  struct Wrong {
    Lines words;
    std::string part;
  };
  const std::vector<Wrong> wrong = {
      {{"a NOUN 2", "b NOUN 1", "c NOUN"}, "input:1: the heads given allow no"},  // a cycle
      {{"a NOUN 0", "b NOUN 0"}, "input:1: the heads given allow no"},            // two roots
      {{"a NOUN", "b NOUN 3"}, "input:2: HEAD '3' cannot be kept"},
      {{"a NOUN", "b NOUN 2"}, "input:2: HEAD '2' cannot be kept"},
      {{"a NOUN -1"}, "input:1: HEAD '-1' cannot be kept"},
      {{"a NOUN x"},
       "input:1: HEAD 'x' cannot be kept: it is _ (open) or the number of another word, 0 to 1"},
      {{"a NOUN 0x"}, "HEAD '0x' cannot be kept"},
      {{"a NOUN 99999999999999999999"}, "cannot be kept"},
  };
  for (const auto& [words, part] : wrong) {
    for (const ModelFile* model : {&projective(), &any()}) {
      for (const std::size_t n_best : {1u, 3u}) {
        if (n_best > 1 && model == &any()) continue;
        const std::string message = refusal(*model, conllu(words), {.n_best = n_best, .constrain = true});
        EXPECT_NE(message.find(part), std::string::npos) << conllu(words) << message;
      }
    }
  }
  // Arcs that cross: 1 -> 3 and 2 -> 4.
  const std::string crossing = conllu({"a NOUN 0", "b NOUN 1", "c NOUN 1", "d NOUN 2"});
  for (const std::size_t n_best : {1u, 3u}) {
    EXPECT_NE(
        refusal(projective(), crossing, {.n_best = n_best, .constrain = true}).find("no projective tree"),
        std::string::npos);
  }
  EXPECT_EQ(words_of(predict(any(), crossing, {.constrain = true}))[3][6], "2");
}

TEST_F(DepPredict, ListsOnlyTreesWithTheHeadsThatAreKept) {
  const std::string text = conllu({"a DET", "b NOUN 0", "c VERB", "d NOUN"});
  const auto words = words_of(predict(projective(), text, {.n_best = 1000, .constrain = true}));
  ASSERT_EQ(words.size() % 4, 0u);
  EXPECT_EQ(words.size() / 4, 3u);  // c and d under b, or one of them under the other
  for (std::size_t k = 1; k < words.size(); k += 4) EXPECT_EQ(words[k][6], "0");
}

TEST_F(DepPredict, RefusesWhatItCannotRead) {
  EXPECT_NE(refusal(projective(), "1\ta\t_\n\n", {}).find("input:1: has 3 columns"), std::string::npos);
  EXPECT_NE(refusal(projective(), "\n2\ta\t_\tX\t_\t_\t_\t_\t_\t_\n", {}).find("input:2: the ID is '2'"),
            std::string::npos);
}

}  // namespace
}  // namespace hinge::test
