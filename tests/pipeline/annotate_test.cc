#include "hinge/pipeline/annotate.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/corpus/columns.h"
#include "tests/support/conllu.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

Json values_of(const Options& options) {
  Json values;
  for (const auto& [name, value] : options) values.set(name, value);
  return values;
}

// A model with all metadata needed to retrain it.
std::string learned(const std::string& task, const Options& options, const Source& source) {
  const Options learner = {{"epochs", "2"}};
  const auto set = load_system(task, options, source);
  const Weights w = train_quietly(set->task(), {.learner = "perceptron", .options = learner}).weights;
  return write_model(*set, w,
                     Json()
                         .set("task", task)
                         .set("learner", "perceptron")
                         .set("seed", std::int64_t{1})
                         .set("task_options", values_of(options))
                         .set("learner_options", values_of(learner)));
}

Annotators annotators(std::vector<std::string> models) {
  std::vector<ModelFile> files;
  for (std::string& bytes : models) files.push_back(ModelFile::from_bytes(std::move(bytes), "small"));
  return Annotators(std::move(files));
}

const Options kUpos = {{"format", "conllu"}, {"column", "upos"}};
const Options kXpos = {{"format", "conllu"}, {"column", "xpos"}};

TEST(Annotate, FillsInColumnsOneAfterTheOther) {
  const Source train = Source::of_text(sample_text("dep", 30, 1), "train.conllu");
  const std::string upos = learned("tag", kUpos, train), xpos = learned("tag", kXpos, train);
  Workers workers(2);
  const std::string text = sample_text("dep", 20, 2);
  const Source both = annotators({upos, xpos}).annotate(Source::of_text(text, "x"), workers);
  const std::string by_hand =
      predict(ModelFile::from_bytes(xpos, "xpos"), predict(ModelFile::from_bytes(upos, "upos"), text));
  EXPECT_EQ(*both.text, by_hand);
  EXPECT_EQ(both.name(), "x");
}

TEST(Annotate, KeepsEveryLineInItsPlace) {
  const Source train = Source::of_text(sample_text("dep", 30, 1), "train.conllu");
  const Annotators upos = annotators({learned("tag", kUpos, train)});
  const std::string text = "\n\n" + conllu({"a X", "b Y"}) + " \n\n\n# c\n\n" + conllu({"d Z"}) + "\n\n\n";
  for (const int threads : {1, 2, 7}) {
    Workers workers(threads);
    const Source annotated = upos.annotate(Source::of_text(text, "x", 100), workers);
    EXPECT_EQ(annotated.first_line, 100u);
    const Lines before = split(text, '\n'), after = split(*annotated.text, '\n');
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t k = 0; k < before.size(); ++k)
      EXPECT_EQ(split(after[k], '\t').size() > 1, split(before[k], '\t').size() > 1) << k;
  }
}

TEST(Annotate, WithoutModelsIsTheSourceItself) {
  Workers workers(1);
  EXPECT_EQ(annotators({}).annotate("some.conllu", workers).path, "some.conllu");
}

TEST(Annotate, RefusesAModelThatFillsNoColumn) {
  const Source train = Source::of_text(sample_text("tag", 20, 1), "train");
  EXPECT_THROW(annotators({learned("tag", {}, train)}), ModelError);
}

TEST(Annotate, TakesModelsOfAnyTask) {
  const std::string text = sample_text("dep", 20, 1);
  const std::string parser =
      learned("dep", {{"hash_bits", "10"}, {"label_bits", "8"}}, Source::of_text(text, "train.conllu"));
  Workers workers(2);
  EXPECT_EQ(*annotators({parser}).annotate(Source::of_text(text, "x"), workers).text,
            predict(ModelFile::from_bytes(parser, "parser"), text));
}

// Compared with cutting the text, learning from the rest and annotating the part.
TEST(Jackknife, AnnotatesEachPartByModelsOfTheRest) {
  const std::string text = sample_text("dep", 31, 1);
  const Source source = Source::of_text(text, "train.conllu");
  std::vector<std::string> sentences;
  BlockReader blocks(text, 1);
  for (std::string_view block; blocks.next(block);) sentences.push_back(std::string(block) + "\n");
  for (const std::string task : {"tag", "dep"}) {
    const Options options = task == "tag" ? kUpos : Options{{"hash_bits", "10"}, {"label_bits", "8"}};
    std::string expected;
    for (std::size_t fold = 0; fold < 4; ++fold) {
      std::string rest, part;
      for (std::size_t s = 0; s < sentences.size(); ++s) {
        const bool inside = s >= sentences.size() * fold / 4 && s < sentences.size() * (fold + 1) / 4;
        (inside ? part : rest) += sentences[s];
      }
      const std::string model = learned(task, options, Source::of_text(rest, "rest"));
      expected += predict(ModelFile::from_bytes(model, "rest"), part);
    }
    Workers workers(2);
    Quiet observer;
    std::vector<std::string> said;
    const Source result = jackknife(annotators({learned(task, options, source)}), 4, source, workers,
                                    observer, [&](const std::string& line) { said.push_back(line); });
    EXPECT_TRUE(*result.text == expected) << task;
    EXPECT_EQ(result.name(), "train.conllu");
    EXPECT_EQ(said.size(), 4u);
  }
}

TEST(Jackknife, NamesTheLineOfTheUserInAnyPart) {
  const std::string good = sample_text("dep", 10, 1);
  const Annotators upos = annotators({learned("tag", kUpos, Source::of_text(good, "train.conllu"))});
  Workers workers(1);
  Quiet observer;
  for (const std::string& text : {good + "\n\n1\tshort\n\n" + good, "\n\n1\tshort\n\n" + good}) {
    const auto line = std::to_string(1 + count_lines(text.substr(0, text.find("1\tshort\n"))));
    try {
      jackknife(upos, 3, Source::of_text(text, "mine.conllu"), workers, observer, [](const std::string&) {});
      FAIL() << "was taken";
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("mine.conllu:" + line + ": ")) << error.what();
    }
  }
}

TEST(Jackknife, RefusesMorePartsThanSentences) {
  const std::string text = sample_text("dep", 3, 1);
  const Annotators upos = annotators({learned("tag", kUpos, Source::of_text(text, "train.conllu"))});
  Workers workers(1);
  Quiet observer;
  EXPECT_THROW(jackknife(upos, 4, Source::of_text(text, "x"), workers, observer, [](const std::string&) {}),
               InputError);
}

}  // namespace
}  // namespace hinge::test
