// `--json` of predict, inspect, compare and evaluate.
#include <cmath>
#include <map>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

using nlohmann::json;

std::vector<json> objects_of(const std::string& text) {
  std::vector<json> objects;
  for (const std::string& line : lines_of(text)) objects.push_back(json::parse(line));
  return objects;
}

class JsonOutput : public testing::Test {
 protected:
  // Samples a corpus and trains a model on it.
  void prepare(const std::string& task, const std::vector<std::string>& more = {}) {
    std::vector<std::string> sample{"sample", task, "--sentences", task == "coref" ? "60" : "20", "-o", data()};
    std::vector<std::string> train{"train", task, data(), "-q", "--epochs", "2", "-o", model()};
    if (task == "rerank") {
      sample.insert(sample.end(), {"--refs", path("refs")});
      train.insert(train.end(), {"--refs", path("refs")});
    }
    train.insert(train.end(), more.begin(), more.end());
    ASSERT_EQ(hinge(sample).code, 0);
    const CommandResult trained = hinge(train);
    ASSERT_EQ(trained.code, 0) << trained.err;
  }
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string data() const { return path("data"); }
  std::string model() const { return path("model"); }
  std::string predict(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"predict", model(), data()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = hinge(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
  std::vector<json> objects(std::vector<std::string> more = {}) const {
    more.emplace_back("--json");
    return objects_of(predict(more));
  }

  TemporaryFolder folder_;
};

std::vector<std::string> words_of(const std::string& line, char separator) {
  std::vector<std::string> words;
  std::stringstream stream(line);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

TEST_F(JsonOutput, OfTagHasTokensLabelsAndScores) {
  prepare("tag");
  std::string plain;
  for (const json& sentence : objects()) {
    for (std::size_t t = 0; t < sentence["tokens"].size(); ++t)
      plain += sentence["tokens"][t].get<std::string>() + " " + sentence["labels"][t].get<std::string>() + "\n";
    plain += "\n";
  }
  std::string expected;
  for (const std::string& line : lines_of(predict({}))) {
    const auto cells = words_of(line, ' ');
    expected += cells.empty() ? "\n" : cells.front() + " " + cells.back() + "\n";
  }
  EXPECT_EQ(plain, expected);
  const auto scored = objects({"--scores"});
  EXPECT_EQ(scored[0]["scores"].size(), scored[0]["labels"].size());
  const auto lists = objects({"--nbest", "3"});
  EXPECT_EQ(lists[0]["nbest"].size(), 3u);
  EXPECT_EQ(lists[0]["nbest"][0]["labels"], scored[0]["labels"]);
  EXPECT_GE(lists[0]["nbest"][0]["score"], lists[0]["nbest"][1]["score"]);
  EXPECT_FALSE(lists[0]["nbest"][0].contains("probability"));
}

TEST_F(JsonOutput, OfDepHasWordsHeadsAndLabels) {
  prepare("dep", {"-p", "hash_bits=12", "label_bits=10"});
  const auto all = objects({"--scores"});
  std::size_t sentence = 0, word = 0;
  for (const std::string& line : lines_of(predict({}))) {
    if (line.empty()) {
      EXPECT_EQ(all[sentence++]["words"].size(), word);
      word = 0;
    } else if (!line.starts_with('#')) {
      const auto cells = words_of(line, '\t');
      const json& one = all[sentence];
      EXPECT_EQ(one["words"][word], cells[1]);
      EXPECT_EQ(std::to_string(one["heads"][word].get<int>()), cells[6]);
      EXPECT_EQ(one["labels"][word], cells[7]);
      EXPECT_TRUE(one["scores"][word].is_number() || one["scores"][word].is_null());  // no other tree
      ++word;
    }
  }
  EXPECT_EQ(sentence, all.size());
}

TEST_F(JsonOutput, OfClassifyHasTextLabelAndScore) {
  prepare("classify");
  const auto plain = lines_of(predict({}));
  const auto all = objects({"--scores"});
  const auto lists = objects({"--nbest", "2"});
  ASSERT_EQ(all.size(), plain.size());
  for (std::size_t k = 0; k < plain.size(); ++k) {
    EXPECT_EQ(all[k]["label"], plain[k]);
    EXPECT_GE(all[k]["score"].get<double>(), 0.0);
    EXPECT_FALSE(all[k]["text"].get<std::string>().empty());
    EXPECT_EQ(lists[k]["nbest"][0]["label"], plain[k]);
  }
}

TEST_F(JsonOutput, OfConstHasTheTree) {
  prepare("const");
  const auto plain = lines_of(predict({}));
  const auto all = objects();
  const auto lists = objects({"--nbest", "2"});
  ASSERT_EQ(all.size(), plain.size());
  for (std::size_t k = 0; k < plain.size(); ++k) {
    EXPECT_EQ(all[k]["tree"], plain[k]);
    EXPECT_EQ(lists[k].contains("nbest") ? lists[k]["nbest"][0]["tree"] : lists[k]["tree"], plain[k]);
  }
}

TEST_F(JsonOutput, OfRerankHasTheTextAndItsScore) {
  prepare("rerank");
  const auto plain = lines_of(predict({}));
  const auto all = objects();
  ASSERT_EQ(all.size(), plain.size());
  for (std::size_t k = 0; k < plain.size(); ++k) {
    EXPECT_EQ(all[k]["id"], k);
    EXPECT_EQ(all[k]["text"], plain[k]);
  }
  EXPECT_EQ(objects({"--nbest", "2"})[0]["nbest"].size(), 2u);
}

TEST_F(JsonOutput, OfCorefHasTheMentionsOfEachCluster) {
  prepare("coref", {"-p", "hash_bits=14"});
  std::size_t mentions = 0, documents = 0;
  for (const json& document : objects()) {
    ++documents;
    EXPECT_FALSE(document["document"].get<std::string>().empty());
    for (const json& cluster : document["clusters"]) {
      for (const json& mention : cluster["mentions"]) {
        const auto words = words_of(mention["text"].get<std::string>(), ' ');
        EXPECT_EQ(words.size(), mention["end"].get<std::size_t>() - mention["begin"].get<std::size_t>());
        EXPECT_GT(mention["line"].get<int>(), 0);
        ++mentions;
      }
    }
  }
  EXPECT_GT(documents, 1u);
  EXPECT_GT(mentions, documents);
  expect_refused(hinge({"predict", model(), data(), "--json", "--html"}), {"--html and --json"});
}

TEST_F(JsonOutput, OfSummarizeIsItsUsualOutput) {
  prepare("summarize");
  EXPECT_EQ(predict({"--json"}), predict({}));
}

TEST_F(JsonOutput, OfInspectHasOptionsLabelsAndWeights) {
  prepare("tag", {"-p", "C=0.25"});
  const CommandResult result = hinge({"inspect", model(), "--json", "--top", "3"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json model = json::parse(result.out);
  EXPECT_EQ(model["task"], "tag");
  EXPECT_EQ(model["learner"], "dcd");
  EXPECT_EQ(model["learner_options"]["C"], "0.25");
  EXPECT_EQ(model["seed"], 1);
  EXPECT_GT(model["labels"].size(), 5u);
  EXPECT_TRUE(model["summary"].contains("features"));
  EXPECT_GT(model["sections"]["meta"].get<int>(), 0);
  ASSERT_EQ(model["heaviest"].size(), 3u);
  EXPECT_GE(std::abs(model["heaviest"][0]["weight"].get<double>()),
            std::abs(model["heaviest"][2]["weight"].get<double>()));
}

TEST_F(JsonOutput, OfCompareHasALearnerPerRow) {
  prepare("tag");
  const CommandResult result = hinge({"compare", "tag", data(), data(), "--learners", "perceptron,dcd", "--epochs", "2",
                                      "-q", "-o", path("out"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json compared = json::parse(result.out);
  ASSERT_EQ(compared["learners"].size(), 2u);
  EXPECT_EQ(compared["learners"][0]["learner"], "perceptron");
  EXPECT_EQ(compared["learners"][1]["epoch"], 2);
  EXPECT_GT(compared["learners"][1]["dev_f1"].get<double>(), 50.0);
  EXPECT_TRUE(compared["learners"][1].contains("gap"));
}

// The rows of the confusion table add up to the gold labels, the diagonal to the accuracy.
void expect_consistent(const json& scores, double accuracy) {
  const json& table = scores["detail"]["confusion"];
  double all = 0.0, right = 0.0;
  for (const auto& [gold, row] : table.items()) {
    for (const auto& [predicted, count] : row.items()) {
      all += count.get<double>();
      right += gold == predicted ? count.get<double>() : 0.0;
    }
  }
  ASSERT_GT(all, 0.0);
  EXPECT_NEAR(100.0 * right / all, accuracy, 1e-9);
}

TEST_F(JsonOutput, OfEvaluateHasTheWholeConfusionTable) {
  for (const auto& [task, score] : std::map<std::string, std::string>{
           {"tag", "accuracy"}, {"classify", "accuracy"}, {"dep", "label"}}) {
    SCOPED_TRACE(task);
    prepare(task, task == "dep" ? std::vector<std::string>{"-p", "hash_bits=10", "label_bits=10"}
                                : std::vector<std::string>{"-p", "min_count=9"});
    const json scores = json::parse(hinge({"evaluate", model(), data(), "--json"}).out);
    expect_consistent(scores, scores[score].get<double>());
  }
}

TEST_F(JsonOutput, TheTextOfEvaluateNamesTheMostFrequentErrors) {
  const std::string file = folder_.write("out", "a X X\nb X Y\nc X Y\nd Z X\n\n");
  const std::string text = hinge({"evaluate", "tag", "--system", file}).out;
  const std::size_t at = text.find("most frequent of 2 kinds of errors (gold -> predicted):\n");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("       2  X -> Y\n       1  Z -> X\n")) << text;
  const json table = json::parse(hinge({"evaluate", "tag", "--system", file, "--json"}).out)["detail"]["confusion"];
  EXPECT_EQ(table, json::parse(R"({"X": {"X": 1, "Y": 2}, "Z": {"X": 1}})"));
}

}  // namespace
}  // namespace hinge::test
