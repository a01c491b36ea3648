// `hinge check` finds what was planted in sampled corpora, and little else.
#include <set>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

class CheckCommand : public testing::Test {
 protected:
  // The findings of a run with --json, by name.
  std::map<std::string, nlohmann::json> check(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "check");
    arguments.emplace_back("--json");
    const CommandResult result = hinge(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    report_ = nlohmann::json::parse(result.out);
    std::map<std::string, nlohmann::json> findings;
    for (const auto& finding : report_["findings"]) findings[finding["name"]] = finding;
    return findings;
  }
  static std::set<std::string> names(const std::map<std::string, nlohmann::json>& findings) {
    std::set<std::string> names;
    for (const auto& [name, finding] : findings) names.insert(name);
    return names;
  }
  std::string sample(const std::string& task, int sentences, int seed) const {
    const std::string path = folder_.path(task + std::to_string(seed) + ".txt");
    EXPECT_EQ(hinge({"sample", task, "--sentences", std::to_string(sentences), "--seed", std::to_string(seed),
                     "-o", path})
                  .code,
              0);
    return path;
  }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }

  TemporaryFolder folder_;
  nlohmann::json report_;
};

using Names = std::set<std::string>;

TEST_F(CheckCommand, WritesTheCountsTheMostSeriousFirstAndAPlaceForEach) {
  const std::string file = write("a.txt", "the DT B-NP\ndog NN I-NP\n\nit PRP I-NP\nran VBD\n\nso RB O\n");
  const CommandResult result = hinge({"check", "tag", file});
  EXPECT_EQ(result.code, 0) << result.err;
  const std::vector<std::string> lines = lines_of(result.out);
  EXPECT_EQ(lines[0], file + ": 2 sentences, 3 tokens, 3 labels, longest 2");
  EXPECT_TRUE(lines[2].starts_with("error refused: 1: ")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("  " + file + ":5: has 2 columns")) << lines[3];
  EXPECT_EQ(lines.back(), "1 kind of error, 0 kinds of warning, 1 kind of note");
}

TEST_F(CheckCommand, SaysSoIfNothingIsOdd) {
  const CommandResult result = hinge({"check", "tag", write("a.txt", "a X\nb Y\n\na X\nb Y\n\n")});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find("nothing odd was found"), std::string::npos) << result.out;
}

TEST_F(CheckCommand, FindsOddCharactersAndLineEnds) {
  const auto found = check({"tag", write("a.txt",
                                         "\xEF\xBB\xBFok X\r\n"
                                         "caf\xE9 X\n"
                                         "a\xC2\xA0"
                                         "b X\n"
                                         "caf\xC3\x83\xC2\xA9 X\n"
                                         "it\xC3\xA2\xE2\x82\xAC\xE2\x84\xA2s X\n"
                                         "e\xCC\x81t\xC3\xA9 X\n"
                                         "\xC3\xA9t\xC3\xA9 Y\n"
                                         "lost\xEF\xBF\xBD Y\n"
                                         "bell\x07 Y\n"
                                         "a\rb Y\n"
                                         "\xC3\x89\xE2\x80\x99 Y\n")});
  EXPECT_EQ(names(found),
            (Names{"byte-order-mark", "mixed-line-ends", "not-utf-8", "odd-space", "encoded-twice",
                   "normal-forms", "lost-character", "control-character", "stray-cr"}));
  EXPECT_EQ(found.at("not-utf-8")["examples"][0]["line"], 2);
  EXPECT_EQ(found.at("not-utf-8")["severity"], "error");
  EXPECT_EQ(found.at("odd-space")["examples"][0]["line"], 3);
  EXPECT_EQ(found.at("encoded-twice")["count"], 2);
  EXPECT_EQ(found.at("normal-forms")["examples"][0]["line"], 6);
  EXPECT_EQ(found.at("lost-character")["examples"][0]["line"], 8);
  EXPECT_EQ(found.at("stray-cr")["examples"][0]["line"], 10);
}

TEST_F(CheckCommand, ReadsStandardInputAndRefusesWhatIsNotText) {
  EXPECT_NE(hinge({"check", "tag", "-"}, "a X\n").out.find("standard input: 1 sentences"), std::string::npos);
  expect_refused(hinge({"check", "tag", write("a.txt", std::string("a\0X\n", 4))}), {"a.txt:1", "NUL"});
  expect_refused(hinge({"check", "tag", folder_.path("absent.txt")}), {"absent.txt", "check the path"});
  expect_refused(hinge({"check", "tga", write("b.txt", "a X\n")}), {"tga", "tag"});
}

TEST_F(CheckCommand, FindsFilesWithoutExamples) {
  const std::string file = write("empty", "");
  for (const std::string task : {"tag", "dep", "classify", "const", "coref", "summarize"})
    EXPECT_EQ(names(check({task, file})), Names{"empty"}) << task;
  EXPECT_EQ(names(check({"rerank", file})), Names{"refused"});
}

TEST_F(CheckCommand, FailsOnWarningsIfAsked) {
  const std::string file = write("a.txt", "a O\nb I-X\nc B-X\n\nd B-X\n");
  EXPECT_EQ(hinge({"check", "tag", file}).code, 0);
  EXPECT_EQ(hinge({"check", "tag", file, "--fail-on", "error"}).code, 0);
  expect_refused(hinge({"check", "tag", file, "--fail-on", "warning"}), {"1 kind of warning"});
}

TEST_F(CheckCommand, FindsPhrasesThatDoNotBegin) {
  const std::string good = "a B-X\nb I-X\nc O\n\na B-Y\nb B-X\n\n";
  const auto found = check({"tag", write("a.txt", good + good + "a O\nb I-X\nc B-X\nd I-Y\n\n")});
  EXPECT_EQ(names(found), (Names{"broken-phrase", "label-seen-once"}));
  EXPECT_EQ(found.at("broken-phrase")["count"], 2);
  EXPECT_EQ(found.at("broken-phrase")["examples"][1]["text"], "I-Y after B-X, the last of its sentence");
}

TEST_F(CheckCommand, KnowsIob1AndIobes) {
  const std::string iob1 = "a I-X\nb I-X\nc B-X\nd O\n\na I-Y\nb I-Y\n\n";
  EXPECT_EQ(names(check({"tag", write("a.txt", iob1 + iob1 + iob1)})).count("iob1"), 1u);
  const std::string iobes = "a B-X\nb E-X\nc S-X\nd O\n\n";
  const auto found = check({"tag", write("b.txt", iobes + iobes + "a B-X\nb I-X\n\nb I-X\nd O\nc O\n\n")});
  EXPECT_EQ(found.at("broken-phrase")["count"], 3) << "not ended, not begun, and O inside";
}

// One cell that slipped makes training take the corpus for tags.
TEST_F(CheckCommand, FindsLabelsOutsideTheSchemeAndStillPhrasesThatDoNotBegin) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "a B-X\nb I-X\nc O\n\na B-Y\nb B-X\nc O\n\n";
  const std::string broken = "a O\nb I-X\nc O\n\n";
  for (const std::string stray : {"o", ",", "X-Y", "B-"}) {
    SCOPED_TRACE(stray);
    const std::string slipped = "a B-X\nb " + stray + "\nc I-X\nd O\n\n";
    const auto found = check({"tag", write("a.txt", text + broken + slipped)});
    ASSERT_EQ(found.count("broken-phrase"), 1u);
    EXPECT_EQ(found.at("broken-phrase")["count"], 1) << "what follows the stray label is not judged";
    EXPECT_EQ(found.at("stray-label")["count"], 1);
    EXPECT_EQ(found.at("stray-label")["total"], 127);
    EXPECT_EQ(found.at("stray-label")["examples"][0]["line"], 166);
    EXPECT_EQ(found.at("stray-label")["examples"][0]["text"], stray);
    EXPECT_EQ(found.at("stray-label")["severity"], "warning");
  }
  const auto late = check({"tag", write("a.txt", text + broken + "a E-X\nb O\n\n")});
  EXPECT_EQ(late.at("stray-label")["examples"][0]["text"], "E-X") << "one E- makes no IOBES";
  EXPECT_EQ(late.at("broken-phrase")["count"], 1);
  EXPECT_EQ(check({"tag", write("b.txt", "a NN\nb B-X\nc DT\n\n")}).count("stray-label"), 0u);
}

TEST_F(CheckCommand, TrainingNamesTheLabelThatMakesTagsOfPhrases) {
  std::string text;
  for (int i = 0; i < 150; ++i) text += "a DT B-NP\nb NN I-NP\nc VB O\n\n";
  const auto said = [&](const std::string& name, const std::string& data) {
    return hinge({"train", "tag", write(name, data), "--epochs", "1", "-o", folder_.path("m")}).err;
  };
  const std::string early = said("early.txt", "a DT B-NP\nb NN ,\n\n" + text);
  EXPECT_NE(early.find("as the labels are tags (phrases but for ',', " + folder_.path("early.txt") +
                       ":2; 'hinge check tag' finds such labels)"),
            std::string::npos)
      << early;
  EXPECT_NE(early.find("no constraints because of label ','"), std::string::npos) << early;
  const std::string late = said("late.txt", text + text + "a DT B-NP\nb NN o\n\n");
  EXPECT_NE(late.find("as the labels are phrases;"), std::string::npos) << late;
  EXPECT_NE(late.find("no constraints because of label 'o'"), std::string::npos) << late;
  EXPECT_EQ(said("good.txt", text).find("no constraints"), std::string::npos);
}

TEST_F(CheckCommand, FindsShiftedCells) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "the DT O\nman NN B-X\n\n";
  const auto found = check({"tag", write("a.txt", text + "the O DT\nman NN B-X\n\n")});
  EXPECT_EQ(found.at("shifted-cells")["count"], 2);
  EXPECT_EQ(found.at("shifted-cells")["examples"][0]["line"], 601);
}

TEST_F(CheckCommand, ComparesTrainAndDevelopmentData) {
  const std::string one = "a X\nb X\nc X\nd Y\ne Y\n\n";
  const std::string two = "a X\nb X\nc X\nd Y\ne X\n\n";
  const std::string train = write("train.txt", one + one + two + "x Y\n\n");
  const std::string dev = write("dev.txt", one + "x Z\n\nz z\n\n");
  const auto found = check({"tag", train, "--dev", dev});
  EXPECT_EQ(found.at("duplicate")["count"], 1);
  EXPECT_EQ(found.at("other-labels")["count"], 2);
  EXPECT_NE(found.at("other-labels")["examples"][0]["text"].get<std::string>().find(train + ":1"),
            std::string::npos);
  EXPECT_EQ(found.at("in-train-too")["count"], 1);
  EXPECT_EQ(found.at("in-train-too")["total"], 3);
  EXPECT_EQ(found.at("in-train-too")["examples"][0]["file"], dev);
  EXPECT_EQ(found.at("label-not-in-train")["count"], 2);
  EXPECT_EQ(found.at("similar-labels")["count"], 1);
}

TEST_F(CheckCommand, FindsASentenceWithoutItsEnd) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "w" + std::to_string(i) + " X\nb Y\n\n";
  for (int i = 0; i < 200; ++i) text += "a X\n";
  const auto found = check({"tag", write("a.txt", text + "\n")});
  EXPECT_EQ(names(found), Names{"long"});
  EXPECT_EQ(found.at("long")["examples"][0]["line"], 901);
}

TEST_F(CheckCommand, FindsFewFaultsInSampledCorpora) {
  for (const std::string task : {"tag", "dep", "classify", "const", "coref", "summarize"}) {
    SCOPED_TRACE(task);
    for (const auto& [name, finding] : check({task, sample(task, 300, 1), "--dev", sample(task, 100, 2)})) {
      EXPECT_NE(finding["severity"], "error") << finding;
      EXPECT_TRUE(finding["severity"] == "note" || name == "in-train-too" || name == "other-labels" ||
                  name == "label-not-in-train")
          << finding;
    }
    EXPECT_GE(report_["files"][0]["examples"], 10);
    EXPECT_EQ(report_["files"][1]["part"], "dev");
  }
}

std::string word(int id, const std::string& form, int head, const std::string& relation,
                 const std::string& upos = "X") {
  return std::to_string(id) + "\t" + form + "\t_\t" + upos + "\tX\t_\t" + std::to_string(head) + "\t" +
         relation + "\t_\t_\n";
}

TEST_F(CheckCommand, FindsOddTrees) {
  std::string text;
  const auto tree = [](int k) {
    return word(1, "w" + std::to_string(k), 2, "nsubj") + word(2, "b", 0, "root") + "\n";
  };
  for (int k = 0; k < 20; ++k) text += tree(k);
  text += word(1, "two", 0, "root") + word(2, "roots", 0, "root") + "\n";
  text += word(1, "no", 2, "root") + word(2, "name", 0, "nsubj", "_") + "\n";
  text += word(1, "ring", 2, "nsubj") + word(2, "ring", 1, "nsubj") + "\n";
  text += word(1, "far", 9, "nsubj") + word(2, "far", 0, "root") + "\n";
  text += word(1, "a", 3, "nsubj") + word(2, "b", 4, "nsubj") + word(3, "c", 0, "root") +
          word(4, "d", 3, "nsubj:x") + "\n";
  const auto found = check({"dep", write("a.conllu", text)});
  EXPECT_EQ(names(found), (Names{"refused", "several-roots", "root-relation", "missing-tag", "non-projective",
                                 "label-seen-once"}));
  EXPECT_EQ(found.at("refused")["count"], 2);
  EXPECT_EQ(found.at("root-relation")["count"], 2);
  EXPECT_EQ(found.at("several-roots")["examples"][0]["line"], 61);
  EXPECT_EQ(found.at("non-projective")["total"], 23);
}

TEST_F(CheckCommand, FindsOddTexts) {
  const auto found = check({"classify", write("a.txt",
                                              "__label__a one two\n"
                                              "__label__b one  two\n"
                                              "__label__a\n"
                                              "no label\n"
                                              "\n"
                                              "__label__b other\n")});
  EXPECT_EQ(names(found), (Names{"refused", "empty-text", "other-labels"}));
  EXPECT_EQ(found.at("refused")["count"], 2);
  EXPECT_EQ(found.at("refused")["examples"][1]["line"], 5);
  EXPECT_EQ(found.at("other-labels")["examples"][0]["line"], 2);
  EXPECT_EQ(names(check({"classify", write("b.txt", "a\tx\na\ty\n")})), Names{"one-label"});
  std::string many = "b\tz\nb\tq\n";
  for (int k = 0; k < 50; ++k) many += "a\tx" + std::to_string(k) + "\n";
  EXPECT_EQ(names(check({"classify", write("c.txt", many)})), Names{"imbalance"});
}

TEST_F(CheckCommand, FindsOddPhrases) {
  std::string text = "(S (NP (D the) (N dog)) (VP (V ran)))\n";
  text += "(S (NP (NP (D the) (N cat))) (VP (V ran)))\n";
  text += "(S (NP (D the) (N cow)\n";
  text += "(S (X (Y (Z (W (D a)))))\n   (VP (V ran)))\n";
  const auto found = check({"const", write("a.mrg", text)});
  EXPECT_EQ(found.at("same-label-twice")["examples"][0]["line"], 2);
  EXPECT_EQ(found.at("refused")["examples"][0]["line"], 3);
  EXPECT_EQ(found.at("long-unary-chain")["examples"][0]["line"], 4);
  EXPECT_EQ(report_["files"][0]["examples"], 3);
}

TEST_F(CheckCommand, FindsOddMentions) {
  const std::string text =
      "#begin document (a); part 0\n1 a (1\n2 b (2\n3 c 1)\n4 d 2)\n5 e (1)\n6 f (2)\n7 g (1)|(2)\n#end "
      "document\n"
      "#begin document (b); part 0\n1 a -\n#end document\n";
  const auto found = check({"coref", write("a.conll", text)});
  EXPECT_EQ(names(found), (Names{"in-two-clusters", "no-mentions", "crossing-mentions"}));
  EXPECT_EQ(found.at("in-two-clusters")["examples"][0]["line"], 8);
  EXPECT_EQ(found.at("no-mentions")["examples"][0]["line"], 10);
}

TEST_F(CheckCommand, FindsOddTopics) {
  const auto found =
      check({"summarize",
             write("a.jsonl",
                   "{\"id\": \"a\", \"docs\": [\"one two\", \" \"], \"refs\": [\"x\"]}\n"
                   "{\"id\": \"b\", \"docs\": [\"one\"], \"refs\": [\"x y z\", \"\"]}\n"
                   "{\"id\": \"c\", \"docs\": [\"four\"]}\n"
                   "{\"id\": \"d\"}\n"
                   "{\"documents\": [{\"trees\": [\"(S (NN a))\", \"(S (NN a)\"]}], \"refs\": [\"x\"]}\n")});
  EXPECT_EQ(names(found),
            (Names{"refused", "no-reference", "empty-document", "empty-reference", "long-reference"}));
  EXPECT_EQ(found.at("refused")["examples"][0]["line"], 4);
  EXPECT_EQ(found.at("refused")["examples"][1]["line"], 5);
  EXPECT_NE(std::string(found.at("refused")["examples"][1]["text"]).find("document 1, tree 2"),
            std::string::npos);
  EXPECT_EQ(found.at("no-reference")["examples"][0]["line"], 3);
}

TEST_F(CheckCommand, FindsOddLists) {
  const std::string lists =
      "0 ||| a b ||| x= 1 y= 5 z= 4000\n0 ||| a c ||| x= 1 y= 5.001 z= 9000\n"
      "1 ||| d ||| x= 1 y= 5 z= 4000\n"
      "2 ||| e ||| x= 1 y= 5 z= 1\n2 ||| e ||| x= 1 y= 5.001 z= 2\n2 ||| e ||| x= 1 y= 5 z= 3\n";
  const std::string file = write("lists", lists);
  const auto found = check({"rerank", file, "--refs", write("refs", "a b\nd\n")});
  EXPECT_EQ(names(found),
            (Names{"no-reference", "constant-feature", "different-scales", "one-hypothesis", "same-text"}));
  EXPECT_EQ(found.at("no-reference")["examples"][0]["line"], 4);
  EXPECT_EQ(found.at("one-hypothesis")["examples"][0]["line"], 3);
  EXPECT_EQ(check({"rerank", file}).count("no-costs"), 1u);
}

// One label is wrong in every twentieth sentence of 300: a model of that very data disagrees with
// most of them.
TEST_F(CheckCommand, AModelFindsPlantedLabelErrors) {
  const std::string wrong[] = {"B-VP", "O", "B-PP", "I-VP"};
  std::vector<std::string> lines = lines_of(TemporaryFolder::read(sample("tag", 300, 1)));
  std::set<std::size_t> planted;  // first lines of sentences
  std::size_t sentence = 0;
  std::size_t first = 1;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (lines[k].empty()) {
      ++sentence;
      first = k + 2;
    } else if (sentence % 20 == 7 && lines[k].ends_with("I-NP") && planted.count(first) == 0) {
      lines[k].replace(lines[k].size() - 4, 4, wrong[planted.size() % 4]);
      planted.insert(first);
    }
  }
  ASSERT_GE(planted.size(), 10u);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const std::string file = write("planted.txt", text);
  const std::string model = folder_.path("m");
  ASSERT_EQ(hinge({"train", "tag", file, "--learner", "dcd", "--C", "0.01", "-q", "-o", model}).code, 0);
  check({"tag", file, "--model", model, "--top", std::to_string(planted.size())});
  std::size_t hits = 0;
  for (const auto& one : report_["disagreements"]) {
    const bool hit = planted.count(one["line"].get<std::size_t>()) > 0;
    EXPECT_TRUE(hit || hits >= 5) << "the first five are planted: " << report_["disagreements"];
    hits += hit;
  }
  EXPECT_GE(hits, planted.size() * 6 / 10) << report_["disagreements"];
  EXPECT_NE(report_["disagreements"].dump().find("B-PP, the model says I-NP"), std::string::npos);
}

// Long sentences have much slack although every label is right.
TEST_F(CheckCommand, AModelNamesWhatItDisagreesWithBeforeWhatItHardlyFits) {
  const std::string file = sample("tag", 300, 1);
  const std::string model = folder_.path("m");
  ASSERT_EQ(hinge({"train", "tag", file, "--learner", "dcd", "--C", "0.001", "-q", "-o", model}).code, 0);
  check({"tag", file, "--model", model, "--top", "300"});
  std::size_t agreed = 0;
  std::size_t wrong = 0;
  double before = 1e9;
  double least_wrong = 1e9;
  for (const auto& one : report_["disagreements"]) {
    const bool agrees = one["agrees"].get<bool>();
    const double slack = one["slack"].get<double>();
    EXPECT_EQ(agrees, one["text"] == "") << one;
    EXPECT_TRUE(agrees || agreed == 0) << one;
    EXPECT_LE(slack, agrees && agreed == 0 ? 1e9 : before) << one;
    if (agrees && agreed == 0) {
      EXPECT_GT(slack, least_wrong) << "else this corpus shows nothing";
    }
    if (!agrees) least_wrong = slack;
    before = slack;
    ++(agrees ? agreed : wrong);
  }
  EXPECT_GT(wrong, 3u);
  EXPECT_GT(agreed, 3u);
  const auto all = report_["disagreements"];
  check({"tag", file, "--model", model, "--top", "3"});
  ASSERT_EQ(report_["disagreements"].size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(report_["disagreements"][k], all[k]);
  const CommandResult text = hinge({"check", "tag", file, "--model", model, "--top", "300"});
  const std::size_t begin = text.out.find("\nthe model disagrees most with these");
  EXPECT_LT(begin, text.out.find("\nthe model agrees with these")) << text.out;
  EXPECT_NE(begin, std::string::npos) << text.out;
}

TEST_F(CheckCommand, AModelOfAnyTaskSaysWhatItFitsWorst) {
  for (const std::string task : {"dep", "classify", "const", "coref", "summarize"}) {
    SCOPED_TRACE(task);
    const std::string file = sample(task, 20, 1);
    const std::string model = folder_.path(task + ".model");
    ASSERT_EQ(hinge({"train", task, file, "--epochs", "1", "-q", "-o", model}).code, 0);
    check({task, file, "--model", model, "--top", "3"});
    EXPECT_LE(report_["disagreements"].size(), 3u);
    for (const auto& one : report_["disagreements"]) EXPECT_GE(one["line"], 1);
  }
  expect_refused(hinge({"check", "tag", sample("tag", 5, 1), "--model", folder_.path("dep.model")}),
                 {"dep", "tag"});
}

}  // namespace
}  // namespace hinge::test
