// Tree scores against values computed by hand and against sets of arcs; scores of
// files.
#include "hinge/evaluate/attachment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

struct Word {
  std::uint32_t gold_head;
  std::string gold_label;
  std::uint32_t system_head;
  std::string system_label;
  bool punctuation = false;
};
using Sentence = std::vector<Word>;

void add(AttachmentScorer& scorer, const Sentence& sentence, bool labelled = true) {
  std::vector<std::uint32_t> gold = {0}, system = {0};
  std::vector<std::string_view> gold_labels = {""}, system_labels = {""};
  std::vector<char> punctuation = {0};
  for (const Word& word : sentence) {
    gold.push_back(word.gold_head);
    system.push_back(word.system_head);
    gold_labels.push_back(word.gold_label);
    system_labels.push_back(word.system_label);
    punctuation.push_back(word.punctuation);
  }
  if (!labelled) system_labels.clear();
  scorer.add({gold, system, gold_labels, system_labels, punctuation});
}

Evaluation evaluate(const std::vector<Sentence>& sentences, bool labelled = true) {
  AttachmentScorer scorer;
  for (const Sentence& sentence : sentences) add(scorer, sentence, labelled);
  return scorer.evaluate();
}

double score(const Scores& scores, const std::string& name) {
  for (const auto& [key, value] : scores) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no score '" << name << "'";
  return std::nan("");
}

std::vector<std::string> names_of(const Scores& scores) {
  std::vector<std::string> names;
  for (const auto& [name, value] : scores) names.push_back(name);
  return names;
}

const Scores& of_relation(const Evaluation& evaluation, const std::string& relation) {
  static const Scores kNone;
  for (const auto& [key, scores] : evaluation.detail) {
    if (key == relation) return scores;
  }
  ADD_FAILURE() << "no relation '" << relation << "'";
  return kNone;
}

// ---- By hand

// "The dog 's tail wags ." and "Dogs bark ."
const std::vector<Sentence> kTails = {{{2, "det", 2, "det"},
                                       {4, "nmod:poss", 4, "nmod"},
                                       {2, "case", 4, "case"},
                                       {5, "nsubj", 5, "obj"},
                                       {0, "root", 0, "root"},
                                       {5, "punct", 4, "punct", true}},
                                      {{2, "nsubj", 2, "nsubj:pass"},  //
                                       {0, "root", 0, "root"},
                                       {2, "punct", 2, "punct", true}}};

TEST(Attachment, OfASmallExampleIsThatCountedByHand) {
  const Evaluation evaluation = evaluate(kTails);
  const Scores& scores = evaluation.scores;
  EXPECT_NEAR(score(scores, "uas"), 100.0 * 7 / 9, 1e-9);       // wrong: case, the first punct
  EXPECT_NEAR(score(scores, "las"), 100.0 * 6 / 9, 1e-9);       // also obj
  EXPECT_NEAR(score(scores, "las_full"), 100.0 * 4 / 9, 1e-9);  // also nmod, nsubj:pass
  EXPECT_NEAR(score(scores, "label"), 100.0 * 8 / 9, 1e-9);
  EXPECT_NEAR(score(scores, "uas_nopunct"), 100.0 * 6 / 7, 1e-9);
  EXPECT_NEAR(score(scores, "las_nopunct"), 100.0 * 5 / 7, 1e-9);
  EXPECT_NEAR(score(scores, "exact"), 50.0, 1e-9);
  EXPECT_NEAR(score(scores, "exact_labelled"), 50.0, 1e-9);
  // Content words: nmod nsubj root nsubj root; all but the first nsubj right.
  EXPECT_NEAR(score(scores, "clas"), 80.0, 1e-9);
}

TEST(Attachment, HasItsScoresInTheOrderTheyAreRead) {
  EXPECT_EQ(names_of(evaluate(kTails).scores),
            (std::vector<std::string>{"uas", "las", "clas", "exact", "exact_labelled", "label", "uas_nopunct",
                                      "las_nopunct", "las_full"}));
}

TEST(Attachment, ByRelationIsThatCountedByHand) {
  const Evaluation evaluation = evaluate(kTails);
  const Scores& nsubj = of_relation(evaluation, "nsubj");
  EXPECT_EQ(names_of(nsubj), (std::vector<std::string>{"f1", "precision", "recall", "gold", "found"}));
  EXPECT_NEAR(score(nsubj, "recall"), 50.0, 1e-9);
  EXPECT_NEAR(score(nsubj, "precision"), 100.0, 1e-9);
  EXPECT_NEAR(score(nsubj, "f1"), 200.0 / 3, 1e-9);
  EXPECT_EQ(score(nsubj, "gold"), 2.0);
  EXPECT_EQ(score(nsubj, "found"), 1.0);
  const Scores& obj = of_relation(evaluation, "obj");
  EXPECT_EQ(score(obj, "gold"), 0.0);
  EXPECT_EQ(score(obj, "f1"), 0.0);
  EXPECT_EQ(score(of_relation(evaluation, "nmod"), "f1"), 100.0);
  EXPECT_EQ(evaluation.detail.size(), 7u);
}

TEST(Attachment, OfContentWordsIsTheF1OfBothSides) {
  // Gold content: obj, obj, root. System content: obj, root. Both: obj, root.
  const Evaluation evaluation =
      evaluate({{{3, "obj", 3, "case"}, {3, "obj:x", 3, "obj"}, {0, "root", 0, "root"}, {3, "cc", 3, "cc"}}});
  EXPECT_NEAR(score(evaluation.scores, "clas"), 100.0 * 2 * 2 / (3 + 2), 1e-9);
}

TEST(Attachment, OfContentWordsSeesTheRelationsThatTheSharedTaskCallsContent) {
  // The last three are not relations of UD 2.
  for (const std::string relation :
       {"aux", "cop", "mark", "det", "clf", "case", "cc", "punct", "aux:pass", "SBJ", "auxpass", "_"}) {
    const Evaluation evaluation = evaluate({{{0, "root", 0, "root"}, {1, relation, 0, relation}}});
    EXPECT_EQ(score(evaluation.scores, "clas"), 100.0) << relation;
  }
  for (const std::string relation :
       {"nsubj",  "obj",   "iobj",      "csubj",  "ccomp",      "xcomp",    "obl",      "vocative",
        "expl",   "advcl", "discourse", "advmod", "dislocated", "nmod",     "appos",    "nummod",
        "acl",    "amod",  "conj",      "fixed",  "flat",       "compound", "list",     "parataxis",
        "orphan", "dep",   "goeswith",  "root",   "reparandum", "expl:pv",  "acl:relcl"}) {
    const Evaluation evaluation = evaluate({{{0, "root", 0, "root"}, {1, relation, 0, relation}}});
    EXPECT_EQ(score(evaluation.scores, "clas"), 50.0) << relation;
  }
}

TEST(Attachment, HasNoScoreOfContentWordsWhereThereAreNone) {
  const Evaluation evaluation = evaluate({{{0, "ROOT", 0, "ROOT"}, {1, "SBJ", 1, "obj"}}});
  EXPECT_EQ(names_of(evaluation.scores),
            (std::vector<std::string>{"uas", "las", "exact", "exact_labelled", "label", "uas_nopunct",
                                      "las_nopunct", "las_full"}));
  EXPECT_EQ(evaluation.text.find("CLAS"), std::string::npos) << evaluation.text;
}

TEST(Attachment, OfAllRightTreesIsAHundred) {
  const Sentence right = {{2, "det", 2, "det"}, {0, "root", 0, "root"}, {2, "punct", 2, "punct", true}};
  for (const auto& [name, value] : evaluate({right, right}).scores) EXPECT_EQ(value, 100.0) << name;
}

TEST(Attachment, TellsWholeTreesFromWholeTreesWithLabels) {
  const Evaluation evaluation =
      evaluate({{{0, "root", 0, "root"}, {1, "obj", 1, "iobj"}}, {{0, "root", 0, "root"}}});
  EXPECT_EQ(score(evaluation.scores, "exact"), 100.0);
  EXPECT_EQ(score(evaluation.scores, "exact_labelled"), 50.0);
}

TEST(Attachment, WithoutLabelsIsThatOfHeadsAlone) {
  const Evaluation evaluation = evaluate(kTails, /*labelled=*/false);
  EXPECT_EQ(names_of(evaluation.scores), (std::vector<std::string>{"uas", "exact", "uas_nopunct"}));
  EXPECT_NEAR(score(evaluation.scores, "uas"), 100.0 * 7 / 9, 1e-9);
  EXPECT_NEAR(score(evaluation.scores, "uas_nopunct"), 100.0 * 6 / 7, 1e-9);
  EXPECT_TRUE(evaluation.detail.empty());
  EXPECT_EQ(evaluation.text.find("LAS"), std::string::npos) << evaluation.text;
}

TEST(Attachment, IsThatOfHeadsAloneWhereOneSentenceLacksLabels) {
  for (const bool first : {true, false}) {
    AttachmentScorer scorer;
    add(scorer, kTails[0], first);
    add(scorer, kTails[1], !first);
    EXPECT_EQ(scorer.evaluate().scores, evaluate(kTails, /*labelled=*/false).scores);
  }
}

TEST(Attachment, IsNotChangedByASentenceWithoutWords) {
  AttachmentScorer scorer;
  for (const Sentence& sentence : kTails) add(scorer, sentence);
  add(scorer, {});
  scorer.add(AttachmentSentence{});
  EXPECT_EQ(scorer.evaluate().scores, evaluate(kTails).scores);
}

TEST(Attachment, OfNothingAtAllIsFinite) {
  for (const Evaluation& evaluation :
       {AttachmentScorer().evaluate(), evaluate({{{0, "punct", 0, "punct", true}}})}) {
    for (const auto& [name, value] : evaluation.scores) EXPECT_TRUE(std::isfinite(value)) << name;
    EXPECT_EQ(evaluation.text.find("nan"), std::string::npos) << evaluation.text;
  }
}

TEST(Attachment, IsReportedForPeople) {
  EXPECT_EQ(evaluate(kTails).text,
            "9 words in 2 sentences, 2 of them punctuation\n"
            "              UAS:  77.78%  7 of 9\n"
            "              LAS:  66.67%  6 of 9\n"
            "LAS with subtypes:  44.44%  4 of 9\n"
            "             CLAS:  80.00%  precision:  80.00%; recall:  80.00%\n"
            "           labels:  88.89%  8 of 9\n"
            "   UAS, no punct.:  85.71%  6 of 7\n"
            "   LAS, no punct.:  71.43%  5 of 7\n"
            "      whole trees:  50.00%  1 of 2\n"
            "      with labels:  50.00%  1 of 2\n"
            "labelled attachment by relation:\n"
            "             case: precision:   0.00%; recall:   0.00%; F1:   0.00  1\n"
            "              det: precision: 100.00%; recall: 100.00%; F1: 100.00  1\n"
            "             nmod: precision: 100.00%; recall: 100.00%; F1: 100.00  1\n"
            "            nsubj: precision: 100.00%; recall:  50.00%; F1:  66.67  2\n"
            "              obj: precision:   0.00%; recall:   0.00%; F1:   0.00  0\n"
            "            punct: precision:  50.00%; recall:  50.00%; F1:  50.00  2\n"
            "             root: precision: 100.00%; recall: 100.00%; F1: 100.00  2\n");
}

// ---- As sets of arcs

using Arc = std::tuple<std::size_t, std::size_t, std::uint32_t, std::string>;  // sentence, word, head, label

std::string without_subtype(const std::string& label) {
  std::string plain;
  for (const char c : label) {
    if (c == ':') break;
    plain += c;
  }
  return plain;
}

// Scores computed from sets: keep(word, label) selects the arcs to count,
// name(label) the part of a label to compare.
template <typename Keep, typename Name>
double f1_of_sets(const std::vector<Sentence>& sentences, const Keep& keep, const Name& name) {
  std::set<Arc> gold, system;
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    for (std::size_t w = 0; w < sentences[s].size(); ++w) {
      const Word& word = sentences[s][w];
      if (keep(word, word.gold_label)) gold.insert({s, w, word.gold_head, name(word.gold_label)});
      if (keep(word, word.system_label)) system.insert({s, w, word.system_head, name(word.system_label)});
    }
  }
  double shared = 0;
  for (const Arc& arc : gold) shared += static_cast<double>(system.count(arc));
  const auto both = static_cast<double>(gold.size() + system.size());
  return both == 0 ? 0.0 : 200.0 * shared / both;
}

std::vector<Sentence> random_sentences(Random& random) {
  const std::vector<std::string> labels = {"nsubj",    "nsubj:pass", "obj",   "aux",
                                           "aux:pass", "case",       "punct", "root"};
  std::vector<Sentence> sentences(1 + random.below(5));
  for (Sentence& sentence : sentences) {
    const std::size_t words = 1 + random.below(6);
    for (std::size_t w = 0; w < words; ++w) {
      Word word{static_cast<std::uint32_t>(random.below(words + 1)), labels[random.below(labels.size())], 0,
                "", random.below(4) == 0};
      const bool keep_head = random.below(3) > 0, keep_label = random.below(3) > 0;
      word.system_head = keep_head ? word.gold_head : static_cast<std::uint32_t>(random.below(words + 1));
      word.system_label = keep_label ? word.gold_label : labels[random.below(labels.size())];
      sentence.push_back(word);
    }
  }
  return sentences;
}

double whole_sentences(const std::vector<Sentence>& sentences, bool labels) {
  double right = 0;
  for (const Sentence& sentence : sentences) {
    right += std::all_of(sentence.begin(), sentence.end(), [&](const Word& w) {
      return w.gold_head == w.system_head &&
             (!labels || without_subtype(w.gold_label) == without_subtype(w.system_label));
    });
  }
  return 100.0 * right / static_cast<double>(sentences.size());
}

TEST(Attachment, IsWhatTwoSetsOfArcsShare) {
  const auto all = [](const Word&, const std::string&) { return true; };
  const auto words = [](const Word& word, const std::string&) { return !word.punctuation; };
  const auto nothing = [](const std::string&) { return std::string(); };
  const auto whole = [](const std::string& label) { return label; };
  const std::set<std::string> function_words = {"aux", "cop", "mark", "det", "clf", "case", "cc", "punct"};
  const auto content = [&](const Word&, const std::string& label) {
    return !function_words.contains(without_subtype(label));
  };
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::vector<Sentence> sentences = random_sentences(random);
    const Evaluation evaluation = evaluate(sentences);
    const auto expect = [&](const std::string& name, double expected) {
      EXPECT_NEAR(score(evaluation.scores, name), expected, 1e-9) << name;
    };
    expect("uas", f1_of_sets(sentences, all, nothing));
    expect("las", f1_of_sets(sentences, all, without_subtype));
    expect("las_full", f1_of_sets(sentences, all, whole));
    bool any = false;
    for (const Sentence& sentence : sentences)
      for (const Word& word : sentence) any = any || content(word, word.gold_label);
    if (any) expect("clas", f1_of_sets(sentences, content, without_subtype));
    expect("uas_nopunct", f1_of_sets(sentences, words, nothing));
    expect("las_nopunct", f1_of_sets(sentences, words, without_subtype));
    expect("exact", whole_sentences(sentences, /*labels=*/false));
    expect("exact_labelled", whole_sentences(sentences, /*labels=*/true));
    std::vector<Sentence> headless = sentences;
    for (Sentence& sentence : headless)
      for (Word& word : sentence) word.gold_head = word.system_head = 0;
    expect("label", f1_of_sets(headless, all, without_subtype));
    for (const auto& detail : evaluation.detail) {
      const auto same = [&](const Word&, const std::string& label) {
        return without_subtype(label) == detail.first;
      };
      EXPECT_NEAR(score(detail.second, "f1"), f1_of_sets(sentences, same, without_subtype), 1e-9)
          << detail.first;
    }
  }
}

// ---- Punctuation

TEST(Punctuation, IsWhatItsTagSays) {
  EXPECT_TRUE(is_punctuation("PUNCT", "."));
  EXPECT_TRUE(is_punctuation("PUNCT", "x"));
  EXPECT_FALSE(is_punctuation("SYM", "-"));
  EXPECT_FALSE(is_punctuation("NOUN", "."));
}

TEST(Punctuation, IsWhatUnicodeSaysWhereThereIsNoUniversalTag) {
  for (const std::string form : {".", "...", "—", "«", "。", "\"", "--", "¿?", "_", "#"}) {
    EXPECT_TRUE(is_punctuation("_", form)) << form;
    EXPECT_TRUE(is_punctuation("Punc", form)) << form;
  }
  for (const std::string form : {"", "a", "$", "+", "U.S.", "5", "ß", ". ", "€", "\xFF"}) {
    EXPECT_FALSE(is_punctuation("_", form)) << form;
    EXPECT_FALSE(is_punctuation("Punc", form)) << form;
  }
}

// ---- Files

std::string line(const std::string& id, const std::string& form, const std::string& head,
                 const std::string& label, const std::string& upos = "X") {
  return id + "\t" + form + "\t_\t" + upos + "\t_\t_\t" + head + "\t" + label + "\t_\t_\n";
}

const std::string kGold = "# a comment\n" + line("1", "Dogs", "2", "nsubj") + line("2", "bark", "0", "root") +
                          line("3", ".", "2", "punct", "PUNCT") + "\n" + line("1", "Yes", "0", "root") +
                          line("2", "!", "1", "punct", "_") + "\n";
const std::string kSystem = line("1", "Dogs", "2", "obj") + line("2", "bark", "0", "root") +
                            line("3", ".", "1", "punct") + "\n\n" + line("1", "Yes", "0", "root") +
                            line("2", "!", "1", "punct") + "\n";

Evaluation evaluate_texts(const std::string& gold, const std::string& system) {
  const TemporaryFolder folder;
  return evaluate_dependency_files(folder.write("gold", gold), folder.write("system", system));
}

// Without the folder's name.
std::string message_of(const std::string& gold, const std::string& system) {
  const TemporaryFolder folder;
  const std::string gold_path = folder.write("gold", gold);
  try {
    evaluate_dependency_files(gold_path, folder.write("system", system));
  } catch (const InputError& error) {
    std::string message = error.what();
    for (std::size_t at = 0; (at = message.find(folder.path(""))) != std::string::npos;)
      message.erase(at, folder.path("").size());
    return message;
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST(AttachmentFiles, AreScoredWordByWord) {
  const Scores scores = evaluate_texts(kGold, kSystem).scores;
  EXPECT_NEAR(score(scores, "uas"), 80.0, 1e-9);
  EXPECT_NEAR(score(scores, "las"), 60.0, 1e-9);
  EXPECT_NEAR(score(scores, "clas"), 200.0 / 3, 1e-9);
  EXPECT_NEAR(score(scores, "uas_nopunct"), 100.0, 1e-9);
  EXPECT_NEAR(score(scores, "exact"), 50.0, 1e-9);
}

TEST(AttachmentFiles, OfConllXAreScoredWithoutPunctuationToo) {
  const std::string gold = replaced(replaced(kGold, "PUNCT", "."), "# a comment\n", "");
  EXPECT_EQ(evaluate_texts(gold, kSystem).scores, evaluate_texts(kGold, kSystem).scores);
}

TEST(AttachmentFiles, WithoutLabelsAreScoredByHeadsAlone) {
  std::string unlabelled = kSystem;
  for (const std::string label : {"obj", "root", "punct"})
    unlabelled = replaced(unlabelled, "\t" + label, "\t_");
  for (const auto& [gold, system] : {std::pair(kGold, unlabelled), std::pair(unlabelled, kSystem)}) {
    EXPECT_EQ(names_of(evaluate_texts(gold, system).scores),
              (std::vector<std::string>{"uas", "exact", "uas_nopunct"}));
  }
  EXPECT_NEAR(score(evaluate_texts(kGold, unlabelled).scores, "uas"), 80.0, 1e-9);
}

TEST(AttachmentFiles, AreRefusedWhereSomeLabelsAreMissing) {
  const std::string advice = "; give a relation to all words of the file, or _ to all";
  EXPECT_EQ(message_of(kGold, replaced(kSystem, "\tpunct", "\t_")),
            "system:3: the DEPREL of word 3 is '_', but the words before it have relations" + advice);
  EXPECT_EQ(message_of(replaced(kGold, "\tnsubj", "\t_"), kSystem),
            "gold:3: the DEPREL of word 2 is 'root', but the words before it have none" + advice);
}

TEST(AttachmentFiles, AreRefusedWhereAWordDiffers) {
  EXPECT_EQ(message_of(kGold, replaced(kSystem, "bark", "Bark")),
            "system:2: the FORM is 'Bark', but 'bark' at gold:3; both files must have the same words");
  // A missing word is noticed at the words after it.
  EXPECT_EQ(message_of(kGold, line("1", "bark", "0", "root") + "\n"),
            "system:1: the FORM is 'bark', but 'Dogs' at gold:2; both files must have the same words");
}

TEST(AttachmentFiles, AreRefusedWhereASentenceIsLonger) {
  std::string longer = kSystem;
  longer.insert(longer.find("\n\n") + 1, line("4", "x", "2", "dep"));
  EXPECT_EQ(message_of(kGold, longer),
            "system:1: the sentence has 4 words, but 3 at gold:2; both files must have the same words");
  EXPECT_EQ(message_of(longer, kGold),
            "system:2: the sentence has 3 words, but 4 at gold:1; both files must have the same words");
}

TEST(AttachmentFiles, AreRefusedWhereOneHasMoreSentences) {
  const std::string more = line("1", "Yes", "0", "root") + "\n";
  EXPECT_EQ(
      message_of(kGold + more, kSystem),
      "system: ends after 2 sentences, but gold:9 begins another; both files must have the same sentences");
  EXPECT_EQ(
      message_of(more, more + kSystem),
      "gold: ends after 1 sentence, but system:3 begins another; both files must have the same sentences");
  EXPECT_EQ(
      message_of(kGold, ""),
      "system: ends after 0 sentences, but gold:2 begins another; both files must have the same sentences");
}

TEST(AttachmentFiles, AreRefusedWithoutSentences) {
  for (const std::string& system : {std::string(), kSystem}) {
    EXPECT_EQ(message_of("# only a comment\n", system),
              "gold: has no sentences to evaluate; one word per line was expected, an empty line after each "
              "sentence");
  }
}

TEST(AttachmentFiles, AreRefusedWhereTheyHoldNoTree) {
  EXPECT_TRUE(
      message_of(kGold, replaced(kSystem, "\t1\tpunct", "\t_\tpunct")).starts_with("system:3: the HEAD "));
  EXPECT_TRUE(message_of(replaced(kGold, "\t0\troot", "\t1\troot"), kSystem)
                  .starts_with("gold:2: the sentence has no"));
}

TEST(AttachmentFiles, OfARealCorpusAreAllRightAgainstThemselves) {
  HINGE_DATA_FILE(path, "dep/en_ewt-dev.conllu");
  const Evaluation evaluation = evaluate_dependency_files(path, path);
  for (const auto& [name, value] : evaluation.scores) EXPECT_EQ(value, 100.0) << name;
  double words = 0;
  for (const auto& [relation, scores] : evaluation.detail) words += score(scores, "gold");
  EXPECT_EQ(words, 25147.0);
}

}  // namespace
}  // namespace hinge
