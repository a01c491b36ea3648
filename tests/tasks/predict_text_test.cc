// Prediction, evaluation and development scores at any number of threads.
#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/tasks/registry.h"
#include "tests/support/conllu.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

constexpr int kThreads[] = {2, 7};

// Models of both tasks, trained once.
class PredictText : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    columns_ = new ModelFile(trained("tag", sample_text("tag", 40, 1), {}));
    upos_ = new ModelFile(trained("tag", sample_text("dep", 40, 1), {{"format", "conllu"}}));
    parser_ = new ModelFile(trained("dep", sample_text("dep", 40, 1),
                                    {{"features", "dep-plain"}, {"hash_bits", "12"}, {"label_bits", "10"}}));
  }
  static void TearDownTestSuite() {
    delete columns_;
    delete upos_;
    delete parser_;
  }
  static ModelFile trained(const std::string& task, const std::string& text, const Options& options) {
    const auto set = load_system(task, options, Source::of_text(text, "train"));
    const Weights w =
        train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "3"}}}).weights;
    return ModelFile::from_bytes(model_of(*set, w, task), "small");
  }

  static ModelFile* columns_;  // of plain columns
  static ModelFile* upos_;
  static ModelFile* parser_;
};

ModelFile* PredictText::columns_ = nullptr;
ModelFile* PredictText::upos_ = nullptr;
ModelFile* PredictText::parser_ = nullptr;

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

std::string with_crlf(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return result;
}

// Only words at the root keep their heads.
std::string with_open_heads(const std::string& text) {
  std::string result;
  for (const std::string& line : split(text, '\n')) {
    Lines cells = split(line, '\t');
    if (cells.size() == 10 && cells[6] != "0") cells[6] = "_";
    result += join(cells, "\t") + "\n";
  }
  return result;
}

// Everything that CoNLL-U allows, including repeated empty lines.
std::string rich_conllu() {
  const std::string odd =
      "# text = du\n\n\n# sent_id = 2\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\tADP\t_\t_\t_\t_\t_\t_\n"
      "2\tle\t_\tDET\t_\t_\t_\t_\t_\tSpaceAfter=No\n2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n \t\n";
  return repeated(odd + sample_text("dep", 10, 3) + with_crlf(odd), 20) + odd;
}

void expect_same_bytes(const ModelFile& model, const std::string& text, const PredictSettings& settings) {
  const std::string one = predict(model, text, settings);
  for (const int threads : kThreads)
    EXPECT_TRUE(predict(model, text, settings, threads) == one) << threads << " threads";
}

const PredictSettings kSettings[] = {
    {}, {.n_best = 3}, {.scores = true}, {.marginals = true}, {.n_best = 2, .scores = true}};

TEST_F(PredictText, TagsPlainColumnsTheSameAtAnyNumberOfThreads) {
  const std::string text = sample_text("tag", 300, 2);
  for (const PredictSettings& settings : kSettings) expect_same_bytes(*columns_, text, settings);
  expect_same_bytes(*columns_, repeated(sample_text("tag", 40, 1), 8), {.constrain = true});
  expect_same_bytes(*columns_, with_crlf(text), {});
}

TEST_F(PredictText, TagsAndParsesConlluTheSameAtAnyNumberOfThreads) {
  const std::string text = rich_conllu();
  for (const PredictSettings& settings : kSettings) {
    expect_same_bytes(*upos_, text, settings);
    expect_same_bytes(*parser_, text, settings);
  }
  expect_same_bytes(*upos_, text, {.constrain = true});
  expect_same_bytes(*parser_, with_open_heads(sample_text("dep", 200, 3)), {.constrain = true});
}

// The words and chunks of the sample, the chunks renamed to look like entities, with documents.
std::string entity_text(int sentences, std::uint64_t seed) {
  std::string text;
  int tokens = 0;
  for (const std::string& line : split(sample_text("tag", sentences, seed), '\n')) {
    const auto cells = split(line, ' ');
    if (cells.size() == 3) text += cells[0] + " " + cells[2] + (cells[2] == "O" ? "" : "X") + "\n";
    if (cells.size() != 3) text += ++tokens % 97 == 0 ? "\n-DOCSTART- O\n\n" : "\n";
  }
  return text;
}

TEST_F(PredictText, ReadsEarlierSentencesTheSameAtAnyNumberOfThreads) {
  const ModelFile model = trained("tag", entity_text(300, 1), {{"features", "ner"}});
  const std::string text = entity_text(700, 2);
  for (const PredictSettings& settings : kSettings) expect_same_bytes(model, text, settings);
  expect_same_bytes(model, with_crlf(text), {});
  // The earlier sentences matter: alone, some sentences get other labels.
  std::string one_by_one;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = first_block_end(text, begin);
    one_by_one += predict(model, text.substr(begin, end - begin), {.scores = true});
  }
  EXPECT_NE(predict(model, text, {.scores = true}), one_by_one);
  const Evaluation one = evaluate(model, Source::of_text(text, "test"), 1);
  for (const int threads : kThreads)
    EXPECT_EQ(evaluate(model, Source::of_text(text, "test"), threads).scores, one.scores);
}

TEST_F(PredictText, TakesEverySentenceByItself) {
  const std::string text = sample_text("tag", 50, 2);
  std::string one_by_one;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = first_block_end(text, begin);
    one_by_one += predict(*columns_, text.substr(begin, end - begin));
  }
  EXPECT_EQ(predict(*columns_, text, {}, 2), one_by_one);
}

TEST_F(PredictText, OfNothingIsNothing) {
  for (const int threads : {1, 2, 7}) {
    for (const std::string text : {"", "\n", "\n \n\n\n"}) {
      EXPECT_EQ(predict(*columns_, text, {}, threads), "");
      EXPECT_EQ(predict(*parser_, text, {}, threads), "");
    }
  }
}

TEST_F(PredictText, ReadsALastSentenceWithoutAnEnd) {
  std::string text = sample_text("tag", 100, 2);
  const std::string whole = predict(*columns_, text);
  text.resize(text.find_last_not_of('\n') + 1);
  for (const int threads : {1, 2, 7}) EXPECT_EQ(predict(*columns_, text, {}, threads), whole);
}

struct Outcome {
  std::string written;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(const ModelFile& model, const std::string& text, int threads) {
  Workers workers(threads);
  const auto predictor = open_predictor(model);
  Outcome result;
  try {
    predict_text(
        Source::of_text(text, "given.txt"), predictor->format(), workers,
        [&] { return predictor->slice_predictor({}); }, append_to(result.written));
  } catch (const InputError& error) {
    result.error = error.what();
  }
  return result;
}

TEST_F(PredictText, ThrowsTheFirstErrorAfterAllThatIsBeforeIt) {
  const std::string good = sample_text("tag", 150, 2);
  const auto line = std::to_string(count_lines(good) + 2);
  const std::pair<std::string, std::string> wrong[] = {
      {"a b c\nragged\n\n", "given.txt:" + line + ": has 1 column"},
      {"a b c\n\xff b c\n\n", "given.txt:" + line + ": byte 0xff"}};
  for (const auto& [sentence, message] : wrong) {
    const std::string text = good + sentence + good + sentence;
    const Outcome one = outcome(*columns_, text, 1);
    EXPECT_TRUE(one.written == predict(*columns_, good));
    EXPECT_TRUE(one.error.starts_with(message)) << one.error;
    for (const int threads : kThreads) EXPECT_TRUE(outcome(*columns_, text, threads) == one);
  }
}

TEST_F(PredictText, RefusesColumnsThatAreNotThoseOfTheFirstLine) {
  const std::string text = repeated("\n", 9000) + "a b c\n\n" + repeated("d e\n\n", 300);
  const Outcome one = outcome(*columns_, text, 1);
  EXPECT_TRUE(one.error.starts_with("given.txt:9003: has 2 columns but the lines before it have 3"))
      << one.error;
  for (const int threads : kThreads) EXPECT_TRUE(outcome(*columns_, text, threads) == one);
}

TEST_F(PredictText, EvaluatesTheSameAtAnyNumberOfThreads) {
  const Source tags = Source::of_text(sample_text("tag", 200, 2), "tags");
  const Source trees = Source::of_text(sample_text("dep", 200, 2), "trees");
  const std::pair<const ModelFile*, const Source*> all[] = {
      {columns_, &tags}, {upos_, &trees}, {parser_, &trees}};
  for (const auto& [model, source] : all) {
    const Evaluation one = evaluate(*model, *source);
    for (const int threads : kThreads) {
      const Evaluation several = evaluate(*model, *source, threads);
      EXPECT_EQ(several.scores, one.scores);
      EXPECT_EQ(several.detail, one.detail);
      EXPECT_EQ(several.text, one.text);
    }
  }
}

TEST_F(PredictText, ScoresDevelopmentDataTheSameAtAnyNumberOfThreads) {
  for (const std::string task : {"tag", "dep"}) {
    const auto set = load_system(task, {}, Source::of_text(sample_text(task, 40, 1), "train"));
    const Source dev = Source::of_text(sample_text(task, 100, 2), "dev");
    const Weights w =
        train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "1"}}}).weights;
    const Scores one = dev_scores(*set, dev, w);
    for (const int threads : kThreads) EXPECT_EQ(dev_scores(*set, dev, w, threads), one);
  }
}

TEST_F(PredictText, RerankersWriteTheSameAtAnyNumberOfThreads) {
  const std::string lists = sample_text("rerank", 60, 1);
  const auto set = load_system("rerank", {{"cost", "words"}}, Source::of_text(lists, "lists"));
  const Weights w =
      train_quietly(set->task(), {.learner = "perceptron", .options = {{"epochs", "1"}}}).weights;
  const ModelFile model = ModelFile::from_bytes(model_of(*set, w, "rerank"), "small");
  expect_same_bytes(model, lists, {});
  expect_same_bytes(model, lists, {.n_best = 5});
}

}  // namespace
}  // namespace hinge::test
