// Classifiers from texts to models and back: lines, features, predictions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"
#include "hinge/tasks/classify/decoder.h"
#include "hinge/tasks/classify/evaluate.h"
#include "hinge/tasks/classify/model.h"
#include "hinge/tasks/registry.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

using classify::Classifier;
using classify::FeatureFinder;
using classify::FeatureKinds;
using classify::LineFormat;
using classify::TextReader;
using classify::Texts;

const std::string kPets =
    "__label__cat the cat purrs\n__label__dog the dog barks\n__label__cat cat and cat\n__label__dog a dog\n";

template <typename Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// With zero epochs: the weights of `before` with the features of the new data.
std::string learn(TaskChoice& choice, const Source& source, const ModelFile* before = nullptr,
                  std::int64_t epochs = 20) {
  if (before != nullptr) choice.continue_from(*before);
  const auto set = choice.load(source);
  if (epochs == 0) return model_of(*set, set->weights_of(*before), "classify");
  Workers workers(1);
  Quiet observer;
  const auto learner = configured("perceptron", {})->start(set->task(), workers);
  if (before != nullptr) learner->start_from(set->weights_of(*before));
  const TrainSettings settings{.epochs = epochs, .objective = ObjectiveWhen::kNever};
  return model_of(*set, train(set->task(), *learner, settings, workers, observer).weights, "classify");
}

std::unique_ptr<TaskChoice> choice_of(const Options& options) {
  auto choice = find_task("classify").choose();
  for (const auto& [name, value] : options) choice->options().set(name, value);
  return choice;
}

ModelFile learned(const std::string& text, const Options& options = {}) {
  return ModelFile::from_bytes(learn(*choice_of(options), Source::of_text(text, "train.txt")), "pets");
}

// What a reader says about a text, or the labels and texts it finds.
std::string read(const std::string& bytes, bool labelled, const std::string& format = "auto") {
  std::string found;
  try {
    const Source source = Source::of_text(bytes, "a.txt");
    TextReader reader(source, {classify::parse_format(format), "__label__"}, labelled);
    while (reader.next()) found += "[" + std::string(reader.label()) + "|" + std::string(reader.text()) + "]";
  } catch (const InputError& error) {
    return error.what();
  }
  return found;
}

TEST(ClassifyReader, ReadsBothFormats) {
  EXPECT_EQ(read("__label__x a b\r\n \t__label__y\n", true), "[x| a b][y|]");
  EXPECT_EQ(read("x\ta\tb\n y \t\n", true), "[x|a\tb][y|]");
  EXPECT_EQ(read("x\t__label__y\n", true, "tab"), "[x|__label__y]");
  EXPECT_EQ(read("\xEF\xBB\xBF__label__x a", false), "[|\xEF\xBB\xBF__label__x a]");  // only files have marks
  EXPECT_EQ(read("a b\n__label__x c\n\nd\n", false, "fasttext"), "[|a b][x| c][|][|d]");
  EXPECT_EQ(read("a b\nx\tc\n\n", false, "tab"), "[|a b][x|c][|]");
}

TEST(ClassifyReader, NamesTheLineThatIsWrong) {
  EXPECT_EQ(read("__label__x a\nb\n", true),
            "a.txt:2: has no label; expected '__label__NAME' before the text");
  EXPECT_EQ(read("__label__x a\n \n", true),
            "a.txt:2: is empty, but a label and a text were expected; remove the line");
  EXPECT_EQ(read("__label__x __label__y a\n", true),
            "a.txt:1: has two labels; give one label per line, before the text");
  EXPECT_EQ(read("a __label__y\n", false, "fasttext"),
            "a.txt:1: has a label after other words; give one label per line, before the text");
  EXPECT_EQ(read("__label__ a\n", true), "a.txt:1: the label is empty; write its name after '__label__'");
  EXPECT_EQ(read("x\ta\nb\n", true), "a.txt:2: has no tab; expected the label, a tab and the text");
  EXPECT_EQ(read("\ta\n", true), "a.txt:1: the label before the tab is empty; write its name there");
  EXPECT_TRUE(read("a b\n", true).starts_with("a.txt:1: has no label; expected '__label__NAME text'"));
  EXPECT_TRUE(read("__label__x a\n__label__x \xff\n", true).starts_with("a.txt:2: byte 0xff is not UTF-8"));
  EXPECT_TRUE(read(std::string("__label__x a\n\0b\n", 16), true).starts_with("a.txt:2: has a NUL byte"));
  EXPECT_EQ(refusal([] {
              choice_of({{"label_prefix", ""}})->load(Source::of_text("x y\n", "a"));
            }),
            "label_prefix is empty, but labels in fastText's format need one; use format=tab");
  EXPECT_EQ(refusal([] { choice_of({})->load(Source::of_text("", "a.txt")); }),
            "a.txt: has no texts; expected one per line, with its label");
}

std::vector<std::string> names_of(const FeatureKinds& kinds, const std::string& text) {
  FeatureFinder finder(kinds);
  std::vector<std::string> names;
  finder.each(text, [&](Key key, const FeatureFinder::Place& place) {
    names.push_back(finder.name(place));
    EXPECT_EQ(classify::key_of(names.back()), key);
  });
  return names;
}

TEST(ClassifyFeatures, AreWordsNGramsAndCharacters) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of({.ngrams = 1}, " A\t b\n\vA "), (Names{"", "A", "b", "A"}));
  EXPECT_EQ(names_of({.lowercase = true, .ngrams = 3}, "A \xC3\x89 c"),
            (Names{"", "a", "a \xC3\xA9", "a \xC3\xA9 c", "\xC3\xA9", "\xC3\xA9 c", "c"}));
  EXPECT_EQ(names_of({.ngrams = 0, .least_chars = 2, .most_chars = 3}, "\xC3\xA9t"),
            (Names{"", " <\xC3\xA9", " <\xC3\xA9t", " \xC3\xA9t", " \xC3\xA9t>", " t>"}));
  EXPECT_EQ(names_of({.ngrams = 2}, "  "), Names{""});
}

TEST(ClassifyFeatures, OfATextAreDistinct) {
  FeatureFinder finder({.ngrams = 1});
  EXPECT_EQ(finder.find("a b a a").size(), 3u);
  FeatureFinder hashed({.ngrams = 1, .hash_bits = 1});
  EXPECT_LE(hashed.find("a b c d e f").size(), 3u);
  EXPECT_EQ(finder.find("").size(), 1u);
}

TEST(ClassifyFeatures, LengthsOfCharactersAreChecked) {
  for (const std::string wrong : {"x", "", "3-", "-3", "5-3", "0-3", "3-99", "3-5-7"}) {
    const std::string message = refusal([&] { choice_of({{"chars", wrong}})->load(Source("none")); });
    EXPECT_TRUE(message.starts_with("classify: chars is '" + wrong + "', but lengths up to 20")) << message;
  }
}

class ClassifierOptions : public testing::TestWithParam<Options> {};

INSTANTIATE_TEST_SUITE_P(All, ClassifierOptions,
                         testing::Values(Options{}, Options{{"hash_bits", "0"}}, Options{{"hash_bits", "10"}},
                                         Options{{"hash_bits", "0"}, {"min_count", "2"}},
                                         Options{{"chars", "2-4"}, {"lowercase", "true"}},
                                         Options{{"ngrams", "3"}, {"format", "fasttext"}}));

TEST_P(ClassifierOptions, LearnsItsTexts) {
  const ModelFile model = learned(kPets, GetParam());
  EXPECT_EQ(predict(model, kPets), "cat\ndog\ncat\ndog\n");
  EXPECT_EQ(predict(model, "a cat\nthe dog\n"), "cat\ndog\n");
}

TEST_P(ClassifierOptions, DevelopmentScoresAreThoseOfTheModel) {
  const auto set = load_system("classify", GetParam(), Source::of_text(sample_text("classify", 300, 1), "a"));
  const Weights w =
      train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "3"}}}).weights;
  const Source dev = Source::of_text(sample_text("classify", 100, 2) + "__label__new what\n", "dev");
  const ModelFile model = ModelFile::from_bytes(model_of(*set, w, "classify"), "model");
  const Scores one = dev_scores(*set, dev, w);
  EXPECT_GT(one[0].second, 30.0);
  EXPECT_EQ(evaluate(model, dev).scores, one);
  for (const int threads : {2, 7}) {
    EXPECT_EQ(dev_scores(*set, dev, w, threads), one);
    EXPECT_EQ(evaluate(model, dev, threads).text, evaluate(model, dev).text);
  }
}

TEST_P(ClassifierOptions, WeightsOfAModelAreThoseItWasMadeOf) {
  const Source source = Source::of_text(kPets, "train");
  const auto set = load_system("classify", GetParam(), source);
  const Weights w = train_quietly(set->task(), {.learner = "perceptron", .options = {}}).weights;
  const std::string bytes = model_of(*set, w, "classify");
  EXPECT_EQ(model_of(*set, set->weights_of(ModelFile::from_bytes(bytes, "model")), "classify"), bytes);
  EXPECT_EQ(load_system("classify", GetParam(), source)->fingerprint(), set->fingerprint());
  EXPECT_NE(load_system("classify", GetParam(), Source::of_text(kPets + kPets, "twice"))->fingerprint(),
            set->fingerprint());
}

TEST_P(ClassifierOptions, TextsInMemoryGiveTheModelOfTheFile) {
  const std::string text = sample_text("classify", 40, 1);
  auto texts = std::make_shared<Texts>(/*labelled=*/true);
  auto unlabelled = std::make_shared<Texts>(/*labelled=*/false);
  const Source file = Source::of_text(text, "train");
  TextReader reader(file, {}, /*labelled=*/true);
  while (reader.next()) {
    texts->add(reader.text(), reader.label());
    unlabelled->add(reader.text());
  }
  const Source memory(texts, "the training data");
  EXPECT_EQ(learn(*choice_of(GetParam()), memory), learn(*choice_of(GetParam()), file));
  EXPECT_EQ(refusal([&] { choice_of({})->load(Source(unlabelled, "X")); }),
            "X: has no labels, but they are needed here; give one for every text");
  const ModelFile model = ModelFile::from_bytes(learn(*choice_of(GetParam()), file), "model");
  EXPECT_EQ(evaluate(model, memory, 2).scores, evaluate(model, file).scores);
}

// The two data sets share neither words nor labels.
TEST_P(ClassifierOptions, ContinuedTrainingKeepsLabelsAndFeatures) {
  const ModelFile before = learned(kPets, GetParam());
  const Source birds = Source::of_text("__label__bird robin sings\n__label__bird robin\n", "birds");
  const auto continued = [&](std::int64_t epochs) {
    return ModelFile::from_bytes(learn(*choice_of(GetParam()), birds, &before, epochs), "after");
  };
  const ModelFile kept = continued(0), after = continued(20);
  EXPECT_EQ(after.description().texts("labels"), (std::vector<std::string>{"cat", "dog", "bird"}));
  EXPECT_EQ(predict(kept, kPets), predict(before, kPets));
  EXPECT_EQ(predict(after, "robin\n"), "bird\n");
}

TEST(Classifier, OtherFeaturesAreRefusedByName) {
  const ModelFile before = learned(kPets, {{"ngrams", "3"}});
  const std::string message =
      refusal([&] { learn(*choice_of({}), Source::of_text(kPets, "train"), &before); });
  EXPECT_EQ(
      message,
      "pets: was trained with ngrams=3 chars=0 lowercase=false hash_bits=20, this training has ngrams=2 "
      "chars=0 lowercase=false hash_bits=20; use the same");
}

TEST(Classifier, WritesOneLinePerText) {
  const ModelFile model = learned(kPets);
  for (const char* text : {"cat", "cat\n", "cat\r\n", "__label__dog cat\n"})
    EXPECT_EQ(predict(model, text), "cat\n");
  EXPECT_EQ(predict(model, ""), "");
  EXPECT_EQ(predict(model, "\n\ncat\n").size(), 3 * std::string("cat\n").size());
  EXPECT_EQ(predict(learned("cat\tcat\ndog\tdog\n"), "cat\tdog\ndog\n"), "dog\ndog\n");
  EXPECT_NE(refusal([&] { predict(model, "cat", {.constrain = true}); }), "");
}

TEST(Classifier, ScoresAreMarginsOrProbabilities) {
  const ModelFile model = learned(kPets);
  const Classifier classifier(model);
  Classifier::Workspace workspace(classifier);
  const auto scores = classifier.scores("the cat", workspace);
  const double margin = std::abs(scores[0] - scores[1]);
  EXPECT_EQ(predict(model, "the cat\n", {.scores = true}), fmt::format("cat\t{:.4f}\n", margin));
  EXPECT_EQ(predict(model, "the cat\n", {.n_best = 5}), "cat\tdog\n");
  EXPECT_EQ(predict(model, "the cat\n", {.n_best = 2, .scores = true}),
            fmt::format("cat\t{:.4f}\tdog\t{:.4f}\n", margin, -margin));
  const double p = 1.0 / (1.0 + std::exp(-margin));
  EXPECT_EQ(predict(model, "the cat\n", {.n_best = 2, .marginals = true}),
            fmt::format("cat\t{:.4f}\tdog\t{:.4f}\n", p, 1.0 - p));
}

TEST(Classifier, WritesTheSameAtAnyNumberOfThreads) {
  const ModelFile model = learned(sample_text("classify", 50, 1));
  const std::string text = sample_text("classify", 2000, 2);
  for (const PredictSettings& settings :
       {PredictSettings{}, PredictSettings{.n_best = 3, .marginals = true}}) {
    const std::string one = predict(model, text, settings);
    EXPECT_EQ(count_lines(one), 2000u);
    for (const int threads : {2, 7}) EXPECT_TRUE(predict(model, text, settings, threads) == one);
  }
  for (const int threads : {1, 2, 7}) {
    const std::string message =
        refusal([&] { evaluate(model, Source::of_text(text + "none\n" + text + "none\n", "a"), threads); });
    EXPECT_TRUE(message.starts_with("a:2001: has no label")) << message;
  }
}

TEST(Classifier, AnExplanationAddsUpToTheMargin) {
  const std::string text = "the cat and the cat";
  for (const Options& options :
       {Options{}, Options{{"hash_bits", "0"}, {"chars", "3"}}, Options{{"hash_bits", "3"}}}) {
    const ModelFile model = learned(kPets, options);
    const Classifier classifier(model);
    Classifier::Workspace workspace(classifier);
    const auto scores = classifier.scores(text, workspace);
    const double margin = static_cast<double>(scores[0]) - static_cast<double>(scores[1]);
    const classify::Explanation why = classifier.explain(text, 0, 1, workspace);
    double sum = 0.0;
    for (const auto& part : why.contributions) sum += part.amount;
    EXPECT_NEAR(why.margin, margin, 1e-5);
    EXPECT_NEAR(sum, margin, 1e-5);
    EXPECT_LE(std::ranges::count(why.contributions, "cat", &classify::Contribution::feature), 1);
    EXPECT_EQ(classifier.explain(text, 1, 1, workspace).contributions.size(), 0u);
  }
}

TEST(Classifier, NamesItsHeaviestWeights) {
  const ModelFile model = learned(kPets, {{"hash_bits", "0"}});
  const auto lines = open_predictor(model)->heaviest(1000);
  const auto has = [&](const std::string& feature, const std::string& label, bool positive) {
    return std::ranges::any_of(lines, [&](const WeightLine& line) {
      return line.feature == feature && line.label == label && (line.weight > 0.0f) == positive;
    });
  };
  EXPECT_TRUE(has("cat", "cat", true));
  EXPECT_TRUE(has("dog", "cat", false));
  EXPECT_EQ(open_predictor(model)->heaviest(2).size(), 2u);
  EXPECT_TRUE(open_predictor(learned(kPets))->heaviest(1)[0].feature.starts_with("hashed row "));
}

TEST(ClassifyScores, AreAccuracyAndMeansOverLabels) {
  classify::LabelScorer scorer;
  for (const auto& [gold, system] : std::vector<std::pair<std::string, std::string>>{
           {"a", "a"}, {"a", "a"}, {"a", "b"}, {"b", "b"}, {"c", "a"}})
    scorer.add(gold, system);
  const Evaluation evaluation = scorer.evaluate();
  EXPECT_EQ(evaluation.scores[0], (std::pair<std::string, double>("accuracy", 60.0)));
  // F1: a 2*2/(3+3), b 2*1/(1+2), c 0.
  EXPECT_EQ(evaluation.scores[1].first, "macro_f1");
  EXPECT_NEAR(evaluation.scores[1].second, 100.0 * (2.0 / 3.0 + 2.0 / 3.0) / 3.0, 1e-9);
  EXPECT_EQ(evaluation.scores[2], (std::pair<std::string, double>("micro_f1", 60.0)));
  EXPECT_EQ(evaluation.detail.size(), 3u);
  classify::LabelScorer twice = scorer;
  twice.add(scorer);
  EXPECT_EQ(twice.evaluate().scores, evaluation.scores);
}

TEST(ClassifyScores, OfFilesCompareLineByLine) {
  const TemporaryFolder folder;
  const std::string gold = folder.write("gold", "__label__a x\n__label__b y\n");
  const auto choice = choice_of({});
  const auto accuracy = [&](const std::string& gold_path, const std::string& system) {
    return choice->evaluate(gold_path, folder.write("system", system)).scores[0].second;
  };
  EXPECT_EQ(accuracy(gold, "a\nb\n"), 100.0);
  EXPECT_EQ(accuracy(gold, "__label__a\t0.9\tb\t0.1\na\t0.5\n"), 50.0);
  EXPECT_EQ(accuracy("", "a\ta\nb\ta\n"), 50.0);
  EXPECT_THROW(accuracy(gold, "a\n"), InputError);
  EXPECT_THROW(accuracy(gold, "a\nb\nb\n"), InputError);
}

TEST(ClassifyMemory, ATextIsNamedWhereItIsWrong) {
  Texts texts(/*labelled=*/true);
  texts.add("fine", "a");
  EXPECT_EQ(refusal([&] { texts.add("x"); }), "text 2: has no label; give every text one that is not empty");
  EXPECT_EQ(refusal([&] { texts.add("\xff", "a"); }),
            "text 2: is not UTF-8 or has a NUL byte; decode it first");
  EXPECT_NE(refusal([&] { Texts(/*labelled=*/false).add("x", "a"); }), "");
}

TEST(ClassifyModel, DamageIsFound) {
  const std::string bytes = learn(*choice_of({{"hash_bits", "0"}}), Source::of_text(kPets, "train"));
  for (std::size_t at = 64; at < bytes.size(); at += 13) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
    // Refused, or read without leaving the file's memory.
    refusal([&] {
      const ModelFile model = ModelFile::from_bytes(damaged, "damaged");
      predict(model, kPets, {.scores = true});
      open_predictor(model)->heaviest(10);
    });
  }
}

}  // namespace
}  // namespace hinge::test
