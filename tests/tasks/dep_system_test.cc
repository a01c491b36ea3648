// The `dep` task from a treebank to a model file and on to trees in a file.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/corpus/dependencies.h"
#include "hinge/tasks/registry.h"
#include "tests/support/conllu.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

double score_in(const std::string& misc) { return std::stod(misc.substr(misc.rfind("Score=") + 6)); }

// ---- Every kind of parser

struct ParserKind {
  std::string name;
  Options options;
  std::string learner = "perceptron";
};

void PrintTo(const ParserKind& kind, std::ostream* out) { *out << kind.name; }

const Options kSmall{{"features", "dep-plain"}, {"hash_bits", "13"}, {"label_bits", "11"}};

struct Trained {
  std::unique_ptr<TrainingSet> set;
  Weights w;
  ModelFile model;
};

Trained train_parser(const std::string& path, const ParserKind& kind) {
  Options options = kSmall;
  options.insert(options.end(), kind.options.begin(), kind.options.end());
  auto set = load_system("dep", options, path);
  Options epochs{{"epochs", "3"}};
  Weights w = train_quietly(set->task(), {.learner = kind.learner, .options = epochs}).weights;
  const std::string bytes = model_of(*set, w, "dep", kind.learner == "crf");
  return {std::move(set), std::move(w), ModelFile::from_bytes(bytes, kind.name)};
}

class EveryParser : public testing::TestWithParam<ParserKind> {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    folder_->write("train.conllu", sample_text("dep", 30, 1));
    folder_->write("test.conllu", sample_text("dep", kSentences, 2));
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static constexpr std::int64_t kSentences = 10;
  static std::string test_path() { return folder_->path("test.conllu"); }
  static std::string test_text() { return TemporaryFolder::read(test_path()); }
  static Trained trained() { return train_parser(folder_->path("train.conllu"), GetParam()); }

  bool has(const std::string& name, const std::string& value) const {
    return std::ranges::find(GetParam().options, std::pair(name, value)) != GetParam().options.end();
  }

  static TemporaryFolder* folder_;
};

TemporaryFolder* EveryParser::folder_ = nullptr;

INSTANTIATE_TEST_SUITE_P(
    All, EveryParser,
    testing::Values(ParserKind{"Projective", {}}, ParserKind{"AnyTree", {{"decoder", "chu-liu-edmonds"}}},
                    ParserKind{"Unlabelled", {{"labelled", "false"}}},
                    ParserKind{"Dictionary", {{"hash_bits", "0"}}},
                    ParserKind{"ManyRoots", {{"single_root", "false"}, {"cost", "head"}}},
                    ParserKind{"SecondOrder", {{"order", "2"}, {"punctuation", "0"}}},
                    ParserKind{"SecondOrderByDictionary", {{"order", "2"}, {"hash_bits", "0"}}},
                    ParserKind{"Likelihood", {{"features", "dep"}}, "crf"}),
    [](const auto& info) { return info.param.name; });

TEST_P(EveryParser, ParsesFromAFileAsItDidInTraining) {
  const Trained parser = trained();
  const Scores in_training = dev_scores(*parser.set, test_path(), parser.w);
  ASSERT_EQ(in_training[0].first, "uas");
  EXPECT_GT(in_training[0].second, 50.0);
  EXPECT_EQ(evaluate(parser.model, test_path()).scores, in_training);

  const std::string path = folder_->write("predicted.conllu", predict(parser.model, test_text()));
  const Scores of_file = find_task("dep").choose()->evaluate(test_path(), path).scores;
  EXPECT_EQ(of_file[0], in_training[0]);
  EXPECT_TRUE(of_file == in_training || has("labelled", "false"));  // labels are gold's then
}

TEST_P(EveryParser, WritesTreesOfItsKind) {
  const Trained parser = trained();
  DependencyReader reader(folder_->write("trees.conllu", predict(parser.model, test_text())),
                          /*annotated=*/true);
  std::size_t sentences = 0;
  while (reader.next()) {
    ++sentences;
    EXPECT_TRUE(is_projective(reader.heads()) || has("decoder", "chu-liu-edmonds"));
    EXPECT_TRUE(reader.roots() == 1 || has("single_root", "false"));
  }
  EXPECT_EQ(sentences, std::size_t{kSentences});
}

TEST_P(EveryParser, DoesNotLookAtTheTreesItIsGiven) {
  const Trained parser = trained();
  const std::string usual = predict(parser.model, test_text());
  const std::string blank = predict(parser.model, with_trees(test_text(), "_", "_"));
  EXPECT_EQ(with_trees(usual, "0", "x"), with_trees(blank, "0", "x"));
  for (const std::size_t column : {6u, has("labelled", "false") ? 6u : 7u}) {
    const auto a = words_of(usual);
    const auto b = words_of(blank);
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_EQ(a[k][column], b[k][column]) << k;
  }
}

TEST_P(EveryParser, LeavesLabelsAloneOnlyWhereItHasNone) {
  const Trained parser = trained();
  std::set<std::string> labels;
  for (const Lines& word : words_of(predict(parser.model, with_trees(test_text(), "_", "mine"))))
    labels.insert(word[7]);
  if (has("labelled", "false")) {
    EXPECT_EQ(labels, std::set<std::string>{"mine"});
  } else {
    EXPECT_FALSE(labels.contains("mine"));
    EXPECT_GT(labels.size(), 5u);
  }
}

TEST_P(EveryParser, KeepsTheHeadsItIsGivenWhereAskedTo) {
  const Trained parser = trained();
  const std::string own = predict(parser.model, with_trees(test_text(), "_", "_"));
  EXPECT_EQ(predict(parser.model, own, {.constrain = true}), own);
  EXPECT_EQ(predict(parser.model, with_trees(own, "_", "_"), {.constrain = true}), own);
  std::string some;
  for (const std::string& line : split(test_text(), '\n')) {
    Lines cells = split(line, '\t');
    // One head per sentence, that of its second word, which allows any kind of tree.
    if (is_token(line) && cells[0] != "2") cells[6] = "_";
    some += fmt::format("{}\n", join(cells, "\t"));
  }
  const auto given = words_of(some);
  const auto kept = words_of(predict(parser.model, some, {.constrain = true}));
  ASSERT_EQ(given.size(), kept.size());
  std::size_t differ = 0;
  const auto free = words_of(own);
  for (std::size_t word = 0; word < given.size(); ++word) {
    if (given[word][6] == "_") continue;
    EXPECT_EQ(kept[word][6], given[word][6]) << word;
    differ += free[word][6] != given[word][6];
  }
  EXPECT_GT(differ, 0u);
}

TEST_P(EveryParser, WritesHowSureItIsIntoMisc) {
  const Trained parser = trained();
  const std::string text = with_trees(test_text(), "_", "_");
  const auto plain = words_of(predict(parser.model, text));
  for (const bool marginals : {false, true}) {
    if (marginals && has("order", "2")) {
      EXPECT_THROW(predict(parser.model, text, {.marginals = true}), OptionError);
      continue;
    }
    const auto scored = words_of(predict(parser.model, text, {.scores = !marginals, .marginals = marginals}));
    ASSERT_EQ(scored.size(), plain.size());
    const bool probabilities = marginals || GetParam().learner == "crf";
    for (std::size_t k = 0; k < scored.size(); ++k) {
      EXPECT_EQ(scored[k][6], plain[k][6]);
      if (scored[k][9] == "_") {
        EXPECT_TRUE(has("order", "2")) << "pruning may leave no other head there";
        continue;
      }
      ASSERT_TRUE(scored[k][9].starts_with("Score=")) << scored[k][9];
      const double score = score_in(scored[k][9]);
      EXPECT_GE(score, 0.0);
      EXPECT_TRUE(score <= 1.0 || !probabilities) << score;
    }
  }
}

TEST_P(EveryParser, ListsTreesBestFirstOrSaysThatItCannot) {
  const Trained parser = trained();
  const std::string text = with_trees(test_text(), "_", "_");
  if (has("decoder", "chu-liu-edmonds") || has("order", "2")) {
    EXPECT_THROW(predict(parser.model, text, {.n_best = 2}), OptionError);
    return;
  }
  const std::string lists = predict(parser.model, text, {.n_best = 4});
  std::string firsts;
  double last = 0.0;
  std::set<std::string> seen;
  std::string tree;
  std::size_t rank = 0;
  for (const std::string& line : split(lists, '\n')) {
    if (line.starts_with("# ")) {
      const double score = std::stod(line.substr(line.rfind(' ')));
      const auto number = static_cast<std::size_t>(std::stoi(line.substr(2)));
      if (number == 1) {
        seen.clear();
        rank = 0;
      } else {
        EXPECT_LE(score, last);
      }
      EXPECT_EQ(number, ++rank);
      last = score;
      tree.clear();
      continue;
    }
    if (rank == 1) firsts += line + "\n";
    if (is_token(line)) tree += split(line, '\t')[6] + " ";
    EXPECT_TRUE(!line.empty() || seen.insert(tree).second) << "twice: " << tree;
  }
  EXPECT_EQ(firsts, predict(parser.model, text));
}

TEST_P(EveryParser, ShowsItsHeaviestWeights) {
  const Trained parser = trained();
  std::vector<float> expected(parser.w.data(), parser.w.data() + parser.w.size());
  std::ranges::sort(expected, std::greater(), [](float x) { return std::abs(x); });
  const std::vector<WeightLine> lines = open_predictor(parser.model)->heaviest(20);
  ASSERT_EQ(lines.size(), 20u);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(std::abs(lines[k].weight), std::abs(expected[k])) << k;
    EXPECT_TRUE(lines[k].feature.starts_with("part row ") || lines[k].feature.starts_with("label row "));
  }
  EXPECT_LT(open_predictor(parser.model)->heaviest(100000000).size(), parser.w.size());
}

// ---- Margins and probabilities against lists of all trees

TEST_P(EveryParser, MarginsAndProbabilitiesAreThoseOfAllTrees) {
  if (has("decoder", "chu-liu-edmonds") || has("order", "2")) return;
  const Trained parser = trained();
  const std::string text = conllu({"the DET", "old ADJ", "bank NOUN", "sold VERB", "shares NOUN"});
  struct Tree {
    double score;
    std::string probability;  // of likelihood models
    Lines heads;
  };
  std::vector<Tree> trees;
  for (const std::string& line : split(predict(parser.model, text, {.n_best = 100000}), '\n')) {
    if (line.starts_with("# ")) {
      const Lines words = split(line, ' ');
      trees.push_back({std::stod(words.at(2)), words.size() > 3 ? words[3] : "", {}});
    }
    if (is_token(line)) trees.back().heads.push_back(split(line, '\t')[6]);
  }
  EXPECT_EQ(trees.size(), has("single_root", "false") ? 273u : 143u);
  double total = 0.0;
  for (const Tree& tree : trees) total += std::exp(tree.score - trees[0].score);
  for (const Tree& tree : trees) {
    ASSERT_EQ(tree.probability.empty(), GetParam().learner != "crf");
    if (tree.probability.empty()) continue;
    EXPECT_NEAR(std::stod(tree.probability), std::exp(tree.score - trees[0].score) / total, 1e-3);
  }
  const auto marginals = words_of(predict(parser.model, text, {.marginals = true}));
  const auto margins = words_of(predict(parser.model, text, {.scores = true}));
  for (std::size_t m = 0; m < marginals.size(); ++m) {
    double with = 0.0;
    double other = -1e30;
    for (const Tree& tree : trees) {
      if (tree.heads[m] == marginals[m][6]) {
        with += std::exp(tree.score - trees[0].score);
      } else {
        other = std::max(other, tree.score);
      }
    }
    EXPECT_NEAR(score_in(marginals[m][9]), with / total, 1e-3);
    const double margin = GetParam().learner == "crf" ? with / total : trees[0].score - other;
    EXPECT_NEAR(score_in(margins[m][9]), margin, 1e-3 + 1e-5 * margin);
  }
}

}  // namespace
}  // namespace hinge::test
