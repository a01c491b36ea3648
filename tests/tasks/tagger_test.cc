// A Tagger predicts the same in memory as the predictor does with files.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <thread>

#include "hinge/core/error.h"
#include "hinge/tasks/registry.h"
#include "hinge/tasks/tag/model.h"
#include "tests/support/memory.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

using tag::Sentences;
using tag::Tagger;

std::vector<LabelId> copy(std::span<const LabelId> path) { return {path.begin(), path.end()}; }

// The cells of lines that are not empty.
std::vector<std::vector<std::string>> lines_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; cells >> cell;) row.push_back(cell);
    if (!row.empty()) lines.push_back(row);
  }
  return lines;
}

struct TaggerKind {
  std::string name;
  bool attributes = false;
  Options options;
};

void PrintTo(const TaggerKind& kind, std::ostream* out) { *out << kind.name; }

class EveryTagger : public testing::TestWithParam<TaggerKind> {
 protected:
  EveryTagger() : model_(ModelFile::from_bytes(trained(), "model")), tagger_(model_) {}

  static constexpr std::int64_t kSentences = 12;

  std::string trained() const {
    Options options = GetParam().options;
    for (auto& [name, value] : options) {
      if (name == "features") value = folder_.write("templates", value);
    }
    const Source source = GetParam().attributes
                              ? folder_.write("train", attribute_text(attribute_sentences(30, 1)))
                              : folder_.write("train", sample_text("tag", 30, 1));
    const auto set = load_system("tag", options, source);
    const Weights w =
        train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "3"}}}).weights;
    return model_of(*set, w, "tag");
  }
  std::string test_text() const {
    return GetParam().attributes ? attribute_text(attribute_sentences(kSentences, 2))
                                 : sample_text("tag", kSentences, 2);
  }
  Sentences test_sentences() const {
    return GetParam().attributes ? attributes_of(attribute_sentences(kSentences, 2), false)
                                 : cells_of(test_text(), false);
  }
  // The score of one sequence, found as the best if nothing else is allowed;
  // -infinity if it is forbidden.
  double score_of(const Sentences& sentences, std::size_t i, const std::vector<LabelId>& path) const {
    Tagger::Workspace workspace(tagger_);
    tagger_.score(sentences, i, workspace);
    for (std::size_t t = 0; t < path.size(); ++t)
      tagger_.allow_only(t, std::span(path).subspan(t, 1), workspace);
    const auto paths = tagger_.n_best(1, workspace);
    return paths.empty() ? -std::numeric_limits<double>::infinity() : paths[0].score;
  }

  // Of all sequences without this label, none has a smaller margin, and each differs elsewhere, too.
  void expect_best_other(const Sentences& sentences, std::size_t i, std::vector<LabelId> path, std::size_t t,
                         double margin) const {
    const double best = score_of(sentences, i, path);
    const LabelId chosen = path[t];
    std::vector<LabelId> others;
    for (LabelId y = 0; y < tagger_.labels().size(); ++y) {
      if (y == chosen) continue;
      others.push_back(y);
      path[t] = y;
      EXPECT_LT(score_of(sentences, i, path), kForbidden / 2);
    }
    Tagger::Workspace workspace(tagger_);
    tagger_.score(sentences, i, workspace);
    tagger_.allow_only(t, others, workspace);
    EXPECT_NEAR(best - tagger_.n_best(1, workspace).at(0).score, margin, 1e-3);
  }

  TemporaryFolder folder_;
  ModelFile model_;
  Tagger tagger_;
};

INSTANTIATE_TEST_SUITE_P(
    All, EveryTagger,
    testing::Values(TaggerKind{"Cells"}, TaggerKind{"HashedCells", false, {{"hash_bits", "9"}}},
                    TaggerKind{"Pairs", false, {{"features", "U:%x[0,0]\nB\nB1:%x[0,1]\n*2:%x[-1,1]\n"}}},
                    TaggerKind{"Unconstrained", false, {{"constraints", "none"}}},
                    TaggerKind{"Attributes", true, {{"format", "attributes"}}},
                    TaggerKind{"HashedAttributes", true, {{"format", "attributes"}, {"hash_bits", "9"}}},
                    TaggerKind{"Kernel", false, {{"kernel", "poly"}, {"s", "0.01"}}},
                    TaggerKind{"HashedKernel",
                               false,
                               {{"features", "Uw:%x[0,0]\nUp:%x[0,1]\nUq:%x[-1,1]\nUr:%x[1,1]\nB\n"},
                                {"kernel", "poly"},
                                {"degree", "3"},
                                {"hash_bits", "12"}}},
                    TaggerKind{"KernelOfAttributes", true, {{"format", "attributes"}, {"kernel", "poly"}}}),
    [](const auto& info) { return info.param.name; });

// Two labels a token, so that all sequences can be listed.
TEST_P(EveryTagger, TheProbabilitiesOfAllSequencesSumToOne) {
  const Sentences sentences = test_sentences();
  Tagger::Workspace workspace(tagger_);
  int checked = 0;
  for (std::size_t i = 0; i < sentences.sentences(); ++i) {
    if (sentences.tokens(i) > 9) continue;
    tagger_.score(sentences, i, workspace);
    const std::vector<LabelId> best = copy(tagger_.best(workspace));
    for (std::size_t t = 0; t < best.size(); ++t) {
      const LabelId two[] = {best[t], best[t] == 0 ? LabelId{1} : LabelId{0}};
      tagger_.allow_only(t, two, workspace);
    }
    const double log_sum = tagger_.log_sum(workspace);
    double sum = 0.0;
    for (const ScoredPath& path : tagger_.n_best(1024, workspace)) sum += std::exp(path.score - log_sum);
    EXPECT_NEAR(sum, 1.0, 1e-3) << "sentence " << i;
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

TEST_P(EveryTagger, PredictsWhatTheFilesGet) {
  const Sentences sentences = test_sentences();
  Tagger::Workspace workspace(tagger_);
  const auto lines = lines_of(predict(model_, test_text(), {.marginals = true}));
  const auto ranked = lines_of(predict(model_, test_text(), {.n_best = 3}));
  std::size_t line = 0;
  std::size_t in_ranked = 0;
  for (std::size_t i = 0; i < sentences.sentences(); ++i) {
    tagger_.score(sentences, i, workspace);
    const std::vector<LabelId> best = copy(tagger_.best(workspace));
    ASSERT_EQ(best.size(), sentences.tokens(i));
    const auto marginals = tagger_.marginals(workspace);
    for (std::size_t t = 0; t < best.size(); ++t, ++line) {
      const auto& row = lines[line];
      EXPECT_EQ(tagger_.labels().names()[best[t]], row[row.size() - 2]);
      double sum = 0.0;
      for (std::size_t y = 0; y < tagger_.labels().size(); ++y) sum += marginals[t * tagger_.stride() + y];
      EXPECT_NEAR(sum, 1.0, 1e-4);
      EXPECT_EQ(fmt::format("{:.4f}", marginals[t * tagger_.stride() + best[t]]), row.back());
    }
    const auto paths = tagger_.n_best(3, workspace);
    ASSERT_EQ(paths.size(), 3u);
    EXPECT_EQ(paths[0].labels, best);
    for (const ScoredPath& path : paths) {
      EXPECT_EQ(ranked[in_ranked].at(2), fmt::format("{:.6f}", path.score));
      ++in_ranked;
      for (const LabelId label : path.labels)
        EXPECT_EQ(ranked[in_ranked++].back(), tagger_.labels().names()[label]);
    }
  }
  EXPECT_EQ(line, lines.size());
  EXPECT_EQ(in_ranked, ranked.size());
}

TEST_P(EveryTagger, ExplainsTheWholeDifferenceToTheNearestOtherSequence) {
  const Sentences sentences = test_sentences();
  Tagger::Workspace workspace(tagger_);
  std::size_t explained = 0, jumps = 0;
  for (std::size_t i = 0; i < sentences.sentences(); ++i) {
    tagger_.score(sentences, i, workspace);
    const std::vector<LabelId> path = copy(tagger_.best(workspace));
    const double best = score_of(sentences, i, path);
    const auto explanations = tagger_.explain(path, {}, workspace);
    ASSERT_EQ(explanations.size(), path.size());
    for (std::size_t t = 0; t < path.size(); ++t) {
      const auto& of = explanations[t];
      EXPECT_EQ(of.label, path[t]);
      ASSERT_NE(of.rival, of.label) << "sentence " << i << ", token " << t;
      EXPECT_EQ(of.rivals[t], of.rival);
      std::vector<LabelId> changed = of.rivals;
      EXPECT_NEAR(of.margin, best - score_of(sentences, i, changed), 1e-3);
      double sum = 0.0;
      double last = std::numeric_limits<double>::infinity();
      for (const auto& one : of.contributions) {
        EXPECT_LE(std::abs(one.amount), last);
        last = std::abs(one.amount);
        sum += one.amount;
      }
      EXPECT_NEAR(sum, of.margin, 1e-6);
      changed = path;
      changed[t] = of.rival;
      if (changed != of.rivals) {
        ++jumps;
        expect_best_other(sentences, i, path, t, of.margin);
        continue;
      }
      ++explained;
      // No other change of this label has a smaller margin.
      for (std::size_t y = 0; y < tagger_.labels().size(); ++y) {
        if (y == path[t]) continue;
        changed[t] = static_cast<LabelId>(y);
        EXPECT_GE(best - score_of(sentences, i, changed), of.margin - 1e-3);
      }
    }
  }
  EXPECT_GT(explained, 20u);
  if (GetParam().name == "Cells") EXPECT_GT(jumps, 0u);
}

TEST_P(EveryTagger, ExplainsAgainstTheRivalsItIsGiven) {
  const Sentences sentences = test_sentences();
  Tagger::Workspace workspace(tagger_);
  tagger_.score(sentences, 0, workspace);
  const std::vector<LabelId> path = copy(tagger_.best(workspace));
  std::vector<LabelId> rivals = path;
  rivals[1] = static_cast<LabelId>((path[1] + 1) % tagger_.labels().size());
  const auto explanations = tagger_.explain(path, rivals, workspace);
  EXPECT_EQ(explanations[1].rival, rivals[1]);
  EXPECT_EQ(explanations[0].rival, tagger_.explain(path, {}, workspace)[0].rival);
  std::map<std::string, double> weights;
  for (const auto& weight : tagger_.state_weights())
    weights[weight.feature + "\n" + tagger_.labels().names()[weight.label]] = weight.weight;
  if (tagger_.hash_bits() > 0) return;
  for (const auto& one : explanations[1].contributions) {
    if (one.label.find(" -> ") != std::string::npos) continue;
    EXPECT_NEAR(
        one.amount,
        one.value * (weights[one.feature + "\n" + one.label] - weights[one.feature + "\n" + one.rival]), 1e-5)
        << one.feature;
  }
}

TEST_P(EveryTagger, ThreadsShareOneTagger) {
  const Sentences sentences = test_sentences();
  const auto tag_all = [&] {
    Tagger::Workspace workspace(tagger_);
    std::vector<LabelId> all;
    for (std::size_t i = 0; i < sentences.sentences(); ++i) {
      tagger_.score(sentences, i, workspace);
      const auto best = tagger_.best(workspace);
      all.insert(all.end(), best.begin(), best.end());
    }
    return all;
  };
  const std::vector<LabelId> alone = tag_all();
  std::vector<std::vector<LabelId>> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : found) threads.emplace_back([&] { own = tag_all(); });
  }
  for (const auto& own : found) EXPECT_EQ(own, alone);
}

TEST_P(EveryTagger, RefusesWhatItWasNotTrainedOn) {
  Tagger::Workspace workspace(tagger_);
  Sentences cells = Sentences::of_cells(1, false);
  cells.add_cell("dog");
  cells.end_token();
  cells.end_sentence();
  EXPECT_THROW(tagger_.score(cells, 0, workspace), InputError);
  Sentences other =
      GetParam().attributes ? cells_of("a b c\n\n", false) : attributes_of({{{"x", {}}}}, false);
  EXPECT_THROW(tagger_.score(other, 0, workspace), InputError);
}

TEST_P(EveryTagger, ASentenceWithoutTokensHasNoLabels) {
  Tagger::Workspace workspace(tagger_);
  Sentences none = GetParam().attributes ? Sentences::of_attributes(false) : Sentences::of_cells(2, false);
  none.end_sentence();
  tagger_.score(none, 0, workspace);
  EXPECT_TRUE(tagger_.best(workspace).empty());
  EXPECT_TRUE(tagger_.n_best(3, workspace).empty());
  EXPECT_TRUE(tagger_.marginals(workspace).empty());
  EXPECT_TRUE(tagger_.explain({}, {}, workspace).empty());
}

// ---- Attributes in files

ModelFile attribute_model(const std::string& text) {
  const TemporaryFolder folder;
  const auto set = load_system("tag", {{"format", "attributes"}}, folder.write("train", text));
  const Weights w = train_quietly(set->task(), {.learner = "crf", .options = {}}).weights;
  return ModelFile::from_bytes(model_of(*set, w, "tag"), "model");
}

TEST(AttributeFile, NamesAreFeaturesInAModel) {
  const ModelFile model = attribute_model("X\ta\\:b\tc\\\\d:2\nY\te:-0.5\tf\\\n\n");
  std::map<std::string, int> names;
  for (const auto& weight : Tagger(model).state_weights()) ++names[weight.feature];
  EXPECT_EQ(names.size(), 4u);
  for (const std::string name : {"a:b", "c\\d", "e", "f\\"}) EXPECT_EQ(names.count(name), 1u) << name;
  bool named = false;
  for (const WeightLine& line : open_predictor(model)->heaviest(100)) named |= line.feature == "c\\d";
  EXPECT_TRUE(named);
}

TEST(AttributeFile, PredictionsStandBesideTheLabelGiven) {
  const ModelFile model = attribute_model("X\ta\nY\tb\n\nY\tb\nX\ta\n\n");
  EXPECT_EQ(predict(model, "?\ta\nQ\tb\n\n\tb\n"), "?\tX\nQ\tY\n\n\tY\n\n");
  EXPECT_EQ(predict(model, "Y\ta\n", {.constrain = true}), "Y\tY\n\n");
}

TEST(AttributeFile, MistakesAreNamedWithFileAndLine) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    const std::string path = folder.write("train", text);
    try {
      load_system("tag", {{"format", "attributes"}}, path);
    } catch (const Error& error) {
      return std::string(error.what()).substr(path.size());
    }
    return std::string();
  };
  EXPECT_EQ(
      refusal("X\ta\n\nX\ta:b\n"),
      ":3: the value of attribute 'a' is 'b', but a finite number (at most 3.4e38) was expected; write \\: "
      "for a colon in a name");
  EXPECT_EQ(refusal("X\ta\nX\ta\t\tb\n"),
            ":2: has an attribute without a name; separate attributes by one tab");
  EXPECT_EQ(refusal("X\t:1\n"), ":1: has an attribute without a name; separate attributes by one tab");
  EXPECT_EQ(refusal("X\ta:nan\n").substr(0, 5), ":1: t");
  EXPECT_EQ(refusal("X\ta:\n").substr(0, 5), ":1: t");
  EXPECT_EQ(refusal("X\ta\n\ta\n"), ":2: has no label before the first tab; give one");
  EXPECT_NE(refusal(""), "");
  EXPECT_EQ(refusal("X\nY\ta:2\n"), "");  // a token may have no attributes
}

TEST(AttributeFile, TemplatesAndOtherFormatsDoNotGoWithAttributes) {
  const TemporaryFolder folder;
  const std::string path = folder.write("train", "X\ta\n");
  EXPECT_THROW(load_system("tag", {{"format", "attributes"}, {"features", "pos"}}, path), OptionError);
  EXPECT_THROW(load_system("tag", {{"format", "columns"}, {"features", "attributes"}}, path), OptionError);
}

TEST(AttributeFile, CopiesOfTheSameTextAreComparedByLabels) {
  const TemporaryFolder folder;
  const auto task = [] {
    auto choice = find_task("tag").choose();
    choice->options().set("format", "attributes");
    return choice;
  }();
  const std::string gold = folder.write("gold", "X\ta\nY\tb\n");
  EXPECT_EQ(task->evaluate(gold, folder.write("same", "X\ta\nX\tb\n")).scores[0].second, 50.0);
  EXPECT_THROW(task->evaluate(gold, folder.write("other", "X\ta\nX\tc\n")), InputError);
}

}  // namespace
}  // namespace hinge::test
