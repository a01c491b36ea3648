// Summaries from text to models and back, and odd input.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/tasks/registry.h"
#include "hinge/tasks/summarize/explain.h"
#include "hinge/tasks/summarize/model.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

using nlohmann::json;

struct Trained {
  std::unique_ptr<TrainingSet> set;
  Weights w;
  ModelFile model;
};

Trained train_on(const Source& source, Options options = {}) {
  options.emplace_back("words", "50");
  auto set = load_system("summarize", options, source);
  Weights w = train_quietly(set->task(), {.learner = "ops", .options = {{"epochs", "5"}}}).weights;
  std::string bytes = model_of(*set, w, "summarize");
  return {std::move(set), std::move(w), ModelFile::from_bytes(std::move(bytes), "model")};
}

const std::string& sample() {
  static const std::string text = sample_text("summarize", 500, 1);
  return text;
}

const Trained& trained() {
  static const Trained made = train_on(Source::of_text(sample(), "topics"));
  return made;
}

std::vector<json> lines_as_json(const std::string& text) {
  std::vector<json> all;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
  return all;
}

json summary_of(const std::string& topic) {
  return lines_as_json(predict(trained().model, topic + "\n")).at(0);
}

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

TEST(Summarize, LearnsAndScoresAgreeAtAnyNumberOfThreads) {
  const Source fresh = Source::of_text(sample_text("summarize", 200, 2), "gold");
  const Evaluation evaluation = evaluate(trained().model, fresh);
  EXPECT_EQ(evaluation.scores[0].first, "rouge2");
  EXPECT_GT(evaluation.scores[0].second, 50.0);
  EXPECT_EQ(evaluation.scores, evaluate(trained().model, fresh, 2).scores);
  EXPECT_EQ(evaluation.scores, dev_scores(*trained().set, fresh, trained().w, 2));
}

TEST(Summarize, KeepsTheLimitAndSaysWhereSentencesComeFrom) {
  const std::string text = sample_text("summarize", 200, 3);
  const std::string out = predict(trained().model, text);
  EXPECT_EQ(out, predict(trained().model, text, {}, 2));
  const std::vector<json> topics = lines_as_json(text), summaries = lines_as_json(out);
  ASSERT_EQ(topics.size(), summaries.size());
  for (std::size_t t = 0; t < topics.size(); ++t) {
    EXPECT_EQ(topics[t]["id"], summaries[t]["id"]);
    EXPECT_LE(summaries[t]["words"].get<int>(), 50);
    ASSERT_FALSE(summaries[t]["sentences"].empty());
    for (const json& sentence : summaries[t]["sentences"]) {
      const auto document = topics[t]["docs"][sentence["document"].get<std::size_t>() - 1].get<std::string>();
      EXPECT_NE(document.find(sentence["text"].get<std::string>()), std::string::npos);
    }
  }
}

TEST(Summarize, AModelGivesItsWeightsBack) {
  const Weights again = trained().set->weights_of(trained().model);
  EXPECT_TRUE(std::ranges::equal(trained().w.span(), again.span()));
}

TEST(Summarize, LearningMayStartFromARegressionThatIsBetterThanNothing) {
  const Source gold = Source::of_text(sample(), "topics"),
               fresh = Source::of_text(sample_text("summarize", 200, 2), "gold");
  Random random(1);
  const auto zero = load_system("summarize", {{"words", "50"}}, gold);
  Weights w(zero->task().dimension());
  EXPECT_FALSE(zero->task().initialize(random, w));
  const double nothing = dev_scores(*zero, fresh, w, 1)[0].second;
  const auto started = load_system("summarize", {{"words", "50"}, {"start", "regression"}}, gold);
  EXPECT_TRUE(started->task().initialize(random, w));
  EXPECT_GT(dev_scores(*started, fresh, w, 1)[0].second, nothing + 10.0);
  EXPECT_NE(started->fingerprint(), zero->fingerprint());
}

TEST(Summarize, TrainingThatContinuesKeepsThePhrasesOfTheModel) {
  const auto topics = [](const std::string& phrase) {
    const json topic{{"docs", {"It has " + phrase + " here.", "We like nothing."}},
                     {"refs", {"has " + phrase}}};
    return Source::of_text(topic.dump() + "\n" + topic.dump() + "\n" + topic.dump() + "\n", "topics");
  };
  const auto affinity = [](const ModelFile& model, std::string phrase) {
    summarize::TopicSplitter splitter({}, nullptr);
    const auto text =
        splitter.split({.id = "t", .documents = {{"", std::move(phrase), {}}}, .references = {}});
    const std::vector<std::uint64_t>& words = text.sentences.at(0).words;
    return summarize::Phrases::read(model).affinity(bigram_key(words.at(0), words.at(1)), nullptr);
  };
  const Trained first = train_on(topics("fresh bread")), alone = train_on(topics("cold tea"));
  EXPECT_GT(affinity(first.model, "fresh bread"), 0.0);
  EXPECT_EQ(affinity(alone.model, "fresh bread"), 0.0);
  const auto choice = find_task("summarize").choose();
  choice->continue_from(first.model);
  const auto both = choice->load(topics("cold tea"));
  const ModelFile model = ModelFile::from_bytes(model_of(*both, first.w, "summarize"), "model");
  EXPECT_NEAR(affinity(model, "fresh bread"), affinity(first.model, "fresh bread"), 0.1);
  EXPECT_NEAR(affinity(model, "cold tea"), affinity(alone.model, "cold tea"), 0.1);
}

TEST(Summarize, ReferencesAreNotNeededToPredictAndDoNotMatter) {
  const json with =
      summary_of(R"({"id": "a", "docs": ["The room was clean. The staff was kind."], "refs": ["x y"]})");
  EXPECT_EQ(with, summary_of(R"({"id": "a", "docs": ["The room was clean. The staff was kind."]})"));
}

TEST(Summarize, GivenSentencesAreNotSplit) {
  const Trained counts = train_on(Source::of_text(sample(), "topics"), {{"features", "documents"}});
  const std::string document = R"({"sentences": ["", " The room was clean. So was the bath.\n"]})";
  const std::string topic = R"({"documents": [)" + document + ", " + document + "]}\n";
  const json summary = lines_as_json(predict(counts.model, topic)).at(0);
  ASSERT_EQ(summary["sentences"].size(), 1U) << summary;
  EXPECT_EQ(summary["summary"], "The room was clean. So was the bath.");
  EXPECT_EQ(summary["sentences"][0]["sentence"], 2);
}

TEST(Summarize, EmptyDocumentsGiveAnEmptySummary) {
  for (const char* topic : {R"({"id": "a", "docs": []})", R"({"id": "a", "docs": ["", " \n "]})",
                            R"({"id": "a", "docs": ["... !"]})"}) {
    const json summary = summary_of(topic);
    EXPECT_EQ(summary["summary"], "") << topic;
    EXPECT_EQ(summary["words"], 0);
  }
}

TEST(Summarize, ATopicWithoutAGoodSentenceGetsTheBestOne) {
  Weights w = trained().w;
  for (std::size_t k = 0; k < w.size(); ++k) w[k] = -1.0f;
  const ModelFile model = ModelFile::from_bytes(model_of(*trained().set, w, "summarize"), "model");
  const std::string topic = R"({"docs": ["We saw a room and a long dark hall there.", "We ate. "]})";
  const json summary = lines_as_json(predict(model, topic + "\n", {.scores = true})).at(0);
  EXPECT_EQ(summary["summary"], "We ate.");
  EXPECT_LT(summary["score"].get<double>(), 0.0);
  EXPECT_EQ(summary["score"], summary["bound"]);
  const Source fresh = Source::of_text(sample(), "gold");
  EXPECT_EQ(evaluate(model, fresh).scores, dev_scores(*trained().set, fresh, w, 1));
  EXPECT_GT(evaluate(model, fresh).scores.back().second, 1.0) << "words per summary";
}

TEST(Summarize, OneSentenceIsItsOwnSummary) {
  const Trained counts = train_on(Source::of_text(sample(), "topics"), {{"features", "documents"}});
  const std::string twice = R"({"docs": ["The room was very clean.", "The room was very clean."]})";
  EXPECT_EQ(lines_as_json(predict(counts.model, twice + "\n"))[0]["summary"], "The room was very clean.");
}

TEST(Summarize, ALimitBelowTheShortestSentenceGivesAnEmptySummary) {
  std::string longest = "word0";
  for (int k = 1; k < 60; ++k) longest += " word" + std::to_string(k);
  EXPECT_EQ(summary_of(json{{"id", "a"}, {"docs", {longest, longest}}}.dump())["summary"], "");
  const std::string message = message_of([] {
    load_system("summarize", {{"words", "1"}}, Source::of_text(sample(), "topics"));
  });
  EXPECT_NE(message.find("raise the word limit"), std::string::npos) << message;
}

TEST(Summarize, DuplicatesAreChosenOnce) {
  const std::string fact = "The harbor has a very large white lighthouse.";
  const json summary = summary_of(json{{"id", "a"}, {"docs", {fact, fact, fact + " " + fact}}}.dump());
  EXPECT_EQ(summary["summary"], fact);
}

TEST(Summarize, RefusesTopicsWithoutReferencesInTraining) {
  const std::string message = message_of([] {
    load_system("summarize", {},
                Source::of_text("{\"docs\": [\"a b\"], \"refs\": [\"a b\"]}\n{\"docs\": []}\n", "t"));
  });
  EXPECT_NE(message.find("t:2: has no references"), std::string::npos) << message;
}

TEST(Summarize, RefusesLinesThatAreNoTopics) {
  for (const char* line : {"{", "[]", "{\"id\": 3}", "{\"docs\": 3}", "{\"docs\": [3]}",
                           "{\"documents\": [{\"text\": \"a\", \"trees\": [\"(S (NN a))\"]}]}",
                           "{\"documents\": [{\"text\": \"a\", \"sentences\": [\"a\"]}]}",
                           "{\"documents\": [{\"trees\": [\"(S (NN a)\"]}]}"}) {
    const std::string message =
        message_of([&] { predict(trained().model, std::string("\n") + line + "\n"); });
    EXPECT_NE(message.find(":2: "), std::string::npos) << line << ": " << message;
  }
}

TEST(Summarize, ExplanationsAddUp) {
  const summarize::Summarizer summarizer(trained().model);
  summarize::Summarizer::Workspace workspace(summarizer);
  std::stringstream lines(sample());
  for (std::string line; std::getline(lines, line);) {
    const summarize::Topic topic = summarize::parse_topic(line, "sample");
    const auto why = summarize::explain(summarizer, topic, workspace);
    ASSERT_FALSE(why.empty());
    for (const auto& of : why) {
      double sum = of.own;
      for (const auto& part : of.contributions) sum += part.shared ? 0.0 : part.amount;
      EXPECT_NEAR(sum, of.loss, 1e-6);
      EXPECT_GE(of.loss, -1e-9) << "the summary would be better without it";
    }
  }
}

class SummarizeFolder : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path full = folder_.path(path);
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
  }
  std::vector<summarize::Topic> read(summarize::Encoding encoding = summarize::Encoding::kUtf8) const {
    return summarize::read_topics(Source(folder_.path(".")), encoding, /*need_references=*/false);
  }
  TemporaryFolder folder_;
};

TEST_F(SummarizeFolder, ATopicIsAFolderOfDocumentsAndReferences) {
  put("b/docs/2.txt", "Second.");
  put("b/docs/1.txt", "First.");
  put("b/refs/r.txt", "Both.");
  put("a/docs/x.txt", "Alone.");
  const auto topics = read();
  ASSERT_EQ(topics.size(), 2u);
  EXPECT_EQ(topics[0].id, "a");
  EXPECT_TRUE(topics[0].references.empty());
  ASSERT_EQ(topics[1].documents.size(), 2u);
  EXPECT_EQ(topics[1].documents[0].name, "1.txt");
  EXPECT_EQ(topics[1].references, std::vector<std::string>{"Both."});
}

TEST_F(SummarizeFolder, OpinosisHasADocumentPerLine) {
  put("topics/food.txt.data", "Caf\xe9 one \r\n\r\n two\n");
  put("summaries-gold/food/food.1.txt", "one");
  const auto topics = read(summarize::Encoding::kLatin1);
  ASSERT_EQ(topics.size(), 1u);
  EXPECT_EQ(topics[0].id, "food");
  ASSERT_EQ(topics[0].documents.size(), 2u);
  EXPECT_EQ(topics[0].documents[0].text, "Caf\xc3\xa9 one");
  EXPECT_EQ(topics[0].references.size(), 1u);
  const std::string message = message_of([&] { read(); });
  EXPECT_NE(message.find("train with encoding=latin-1"), std::string::npos) << message;
}

TEST_F(SummarizeFolder, OthersAreRefused) {
  EXPECT_NE(message_of([&] { read(); }).find("has no topics"), std::string::npos);
  put("a/x.txt", "text");
  EXPECT_NE(message_of([&] { read(); }).find("has no folder docs"), std::string::npos);
}

TEST(Summarize, CompressionDropsPartsAndKeepsTheLimit) {
  std::string topics;
  for (int t = 0; t < 12; ++t) {
    const std::string noun = t % 2 == 0 ? "room" : "garden";
    const std::string tree =
        "(S (NP (DT the) (NN " + noun +
        ")) (VP (VBD was) (ADJP (JJ clean)) (PP (IN on) (NP (DT the) (JJ last) (NN day)))))";
    topics += json{{"documents", {{{"trees", {tree}}}, {{"trees", {tree}}}}},
                   {"refs", {"the " + noun + " was clean"}}}
                  .dump() +
              "\n";
  }
  const Trained made = train_on(Source::of_text(topics, "trees"), {{"compress", "true"}});
  const std::string plain = "{\"docs\": [\"the room was clean\"], \"refs\": [\"room was\"]}\n";
  const std::string message = message_of([&] {
    load_system("summarize", {{"compress", "true"}}, Source::of_text(plain, "plain"));
  });
  EXPECT_NE(message.find("plain: has no trees"), std::string::npos) << message;
  const auto summaries = lines_as_json(predict(made.model, topics));
  EXPECT_EQ(summaries[0]["summary"], "the room was clean");
  EXPECT_TRUE(summaries[0]["sentences"][0]["cut"].get<bool>());
}

}  // namespace
}  // namespace hinge::test
