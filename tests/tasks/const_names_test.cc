// What inspect calls the weights of constituency parsers trained with names=true.
#include "hinge/tasks/constituents/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "hinge/core/error.h"
#include "hinge/tasks/constituents/explain.h"
#include "hinge/tasks/constituents/feature_texts.h"
#include "hinge/tasks/constituents/model.h"
#include "tests/support/systems.h"

namespace hinge::constituents {
namespace {

constexpr std::size_t kAll = 10'000'000;

std::string learn(test::Options options, const std::string& text, const std::string& learner = "perceptron") {
  options.emplace_back("names", "true");
  const auto set = test::load_system("const", options, Source::of_text(text, "train"));
  const auto run = test::TrainingRun{.learner = learner, .options = {{"epochs", "3"}}, .threads = 1};
  return test::model_of(*set, test::train_quietly(set->task(), run).weights, "const");
}

std::map<std::pair<std::string, std::string>, float> weights_by_name(const ModelFile& file,
                                                                     const Parser& parser) {
  std::map<std::pair<std::string, std::string>, float> all;
  for (const WeightLine& line : heaviest_weights(file, parser, kAll))
    all[{line.feature, line.label}] = line.weight;
  return all;
}

const std::string kTrees =
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))\n"
    "(S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (DT a) (NN dog))))\n"
    "(S (NP (PRP she)) (VP (VBD saw) (NP (DT the) (NN cat))))\n";

class NamesOfGrammars : public testing::TestWithParam<std::string> {};

// Every feature of a sentence's forest has the weight that inspect shows under its name.
TEST_P(NamesOfGrammars, AreThoseOfTheWeightsThatScoreASentence) {
  const ModelFile file = ModelFile::from_bytes(
      learn({{"features", GetParam()}, {"hash_bits", "22"}}, test::sample_examples("const", 30, 1)), "model");
  const Parser parser(file);
  const auto named = weights_by_name(file, parser);
  Parser::Workspace workspace(parser);
  const std::vector<std::string_view> words{"the", "chairman", "sold", "the", "shares", "."};
  ASSERT_TRUE(parser.load({words, {}, {}}, workspace));
  TreeDecoder& decoder = parser.decoder(workspace);
  FeatureTexts texts(parser.plan());
  texts.start(decoder.scorer().text());
  std::set<std::string> seen;
  for (std::uint32_t edge = 0; edge < decoder.forest().forest.edges.size(); ++edge)
    decoder.scorer().each_named(decoder.forest(), decoder.head_of(edge), edge, texts,
                                [&](const FeatureName& name, FeatureId id, float) {
                                  const float weight = parser.weights()[id];
                                  const auto found = named.find({name.text(), ""});
                                  if (weight == 0.0f || found == named.end()) return;
                                  EXPECT_EQ(found->second, weight) << name.text();
                                  seen.insert(name.text());
                                });
  EXPECT_GT(seen.size(), GetParam() == "basic" ? 5u : 50u);
}

INSTANTIATE_TEST_SUITE_P(Of, NamesOfGrammars, testing::Values("span", "lexical", "lexical+aux", "basic"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '+');
                           return name;
                         });

bool has_name(const std::string& bytes, const std::string& feature, const std::string& label) {
  const ModelFile file = ModelFile::from_bytes(bytes, "model");
  return weights_by_name(file, Parser(file)).contains({feature, label});
}

TEST(NamesOfParsers, SayWhichWordsTheyLookAtAndForWhichLabel) {
  const std::string rows = learn({{"grammar", "none"}}, kTrees, "crf");
  EXPECT_TRUE(has_name(rows, "word=dog", "NN"));
  EXPECT_TRUE(has_name(rows, "last 2 letters=at", "NN"));
  EXPECT_TRUE(has_name(rows, "word and the one before=<start> she", "PRP"));
  EXPECT_TRUE(has_name(rows, "first word=the", "NP"));
  EXPECT_TRUE(has_name(rows, "words at the end=cat <end>", "NP"));
  const std::string trees = test::sample_examples("const", 30, 1);
  const std::string spans = learn({{"hash_bits", "22"}}, trees, "crf");
  EXPECT_TRUE(has_name(spans, "DT: word=the", ""));
  EXPECT_TRUE(has_name(spans, "NP: first word=the", ""));
  EXPECT_TRUE(has_name(spans, "NP -> DT NN: first word=the", ""));
  EXPECT_TRUE(has_name(spans, "rule NP -> DT NN", ""));
  const std::string ends = learn({{"features", "lexical"}, {"hash_bits", "22"}}, trees, "crf");
  EXPECT_TRUE(has_name(ends, "phrase: first word=the (2 words)", ""));
}

TEST(NamesOfParsers, OfWhatIsNotHashedAreAlwaysShown) {
  const std::string text = test::sample_examples("const", 20, 1);
  EXPECT_TRUE(has_name(learn({{"features", "lexical"}}, text), "log P(word | tag)", ""));
}

TEST(NamesOfParsers, StandInExplanations) {
  const ModelFile file =
      ModelFile::from_bytes(learn({{"hash_bits", "18"}}, test::sample_examples("const", 30, 1)), "model");
  const Parser parser(file);
  Parser::Workspace workspace(parser);
  const std::vector<std::string_view> words{"the", "chairman", "sold", "the", "shares", "."};
  ASSERT_TRUE(parser.load({words, {}, {}}, workspace));
  ASSERT_GT(parser.find_k_best(2, workspace), 1u);
  std::size_t with_words = 0, of_rules = 0;
  for (const Reason& reason : explain(parser, 1, workspace)) {
    with_words += reason.feature.find("word=") != std::string::npos;
    of_rules += reason.feature.starts_with("rule: ");
  }
  EXPECT_GT(with_words, 0u);
  EXPECT_GT(of_rules, 0u);
}

TEST(NamesOfParsers, AreRefusedWhereThereIsNothingToName) {
  try {
    learn({{"features", "generative"}}, kTrees);
    ADD_FAILURE();
  } catch (const OptionError& error) {
    EXPECT_STREQ(error.what(),
                 "const: names=true is for hashed features, but features=generative has none; leave it out");
  }
}

}  // namespace
}  // namespace hinge::constituents
