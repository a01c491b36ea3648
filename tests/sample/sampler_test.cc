#include "hinge/sample/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hinge {
namespace {

std::vector<SampleSentence> draw(std::uint64_t seed, int count) {
  Sampler sampler(seed);
  std::vector<SampleSentence> sentences(static_cast<std::size_t>(count));
  for (SampleSentence& sentence : sentences) sentence = sampler.next();
  return sentences;
}

std::string write(const SampleSentence& sentence) {
  std::ostringstream text;
  text << sentence.tree << '\n';
  for (const SampleToken& t : sentence.tokens) {
    text << t.form << ' ' << t.lemma << ' ' << t.upos << ' ' << t.xpos << ' ' << t.chunk << ' ' << t.entity
         << ' ' << t.head << ' ' << t.deprel << '\n';
  }
  return text.str();
}

// The (tag, word) pairs of a bracketed tree; empty if its brackets do not balance.
std::vector<std::pair<std::string, std::string>> read_leaves(const std::string& tree) {
  std::vector<std::pair<std::string, std::string>> leaves;
  int depth = 0;
  for (std::size_t i = 0; i < tree.size();) {
    if (tree[i] == '(') ++depth;
    if (tree[i] == ')') --depth;
    if (depth < 0 || (depth == 0 && i + 1 < tree.size())) return {};
    if (tree[i++] != '(') continue;
    const std::size_t space = tree.find(' ', i);
    if (space == std::string::npos) return {};
    if (tree[space + 1] == '(') continue;
    const std::size_t end = tree.find(')', space);
    leaves.emplace_back(tree.substr(i, space - i), tree.substr(space + 1, end - space - 1));
  }
  if (depth != 0) leaves.clear();
  return leaves;
}

bool reaches_root(const std::vector<SampleToken>& tokens, std::size_t word) {
  std::size_t steps = 0;
  while (word != 0 && steps++ <= tokens.size()) word = static_cast<std::size_t>(tokens[word - 1].head);
  return word == 0;
}

bool governs(const std::vector<SampleToken>& tokens, int ancestor, int word) {
  while (word != 0 && word != ancestor) word = tokens[static_cast<std::size_t>(word - 1)].head;
  return word == ancestor;
}

// Every word between a word and its head must be a descendant of that head.
bool is_projective(const std::vector<SampleToken>& tokens) {
  for (int word = 1; word <= static_cast<int>(tokens.size()); ++word) {
    const int head = tokens[static_cast<std::size_t>(word - 1)].head;
    for (int between = std::min(word, head) + 1; between < std::max(word, head); ++between) {
      if (!governs(tokens, head, between)) return false;
    }
  }
  return true;
}

bool is_valid_iob2(std::string_view label, std::string_view previous) {
  if (label == "O") return true;
  if (label.size() < 3 || label[1] != '-') return false;
  if (label[0] == 'B') return true;
  return label[0] == 'I' && previous.size() > 2 && previous.substr(2) == label.substr(2);
}

std::set<std::string> vocabulary(const std::vector<SampleSentence>& sentences, std::size_t count) {
  std::set<std::string> forms;
  for (std::size_t i = 0; i < count; ++i) {
    for (const SampleToken& token : sentences[i].tokens) forms.insert(token.form);
  }
  return forms;
}

TEST(Sample, TheSameSeedGivesTheSameSentences) {
  const auto first = draw(7, 200), second = draw(7, 200);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(write(first[i]), write(second[i]));
}

TEST(Sample, AnotherSeedGivesOtherSentences) {
  const auto first = draw(7, 100), second = draw(8, 100);
  int same = 0;
  for (std::size_t i = 0; i < first.size(); ++i) same += first[i].tree == second[i].tree;
  EXPECT_LE(same, 1);
}

TEST(Sample, HeadsFormATreeWithOneRoot) {
  for (const SampleSentence& sentence : draw(1, 2000)) {
    const std::vector<SampleToken>& tokens = sentence.tokens;
    int roots = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      ASSERT_GE(tokens[i].head, 0) << write(sentence);
      ASSERT_LE(tokens[i].head, static_cast<int>(tokens.size())) << write(sentence);
      ASSERT_TRUE(reaches_root(tokens, i + 1)) << write(sentence);
      ASSERT_EQ(tokens[i].head == 0, tokens[i].deprel == "root") << write(sentence);
      roots += tokens[i].head == 0;
    }
    ASSERT_EQ(roots, 1) << write(sentence);
  }
}

TEST(Sample, NoLayerIsLeftEmpty) {
  for (const SampleSentence& sentence : draw(1, 2000)) {
    for (const SampleToken& t : sentence.tokens) {
      const bool is_full = !t.form.empty() && !t.lemma.empty() && !t.upos.empty() && !t.xpos.empty() &&
                           !t.chunk.empty() && !t.entity.empty() && !t.deprel.empty();
      ASSERT_TRUE(is_full) << write(sentence);
    }
  }
}

TEST(Sample, AFewTreesAreNonProjective) {
  const auto sentences = draw(2, 5000);
  const auto crossing = std::count_if(sentences.begin(), sentences.end(),
                                      [](const auto& s) { return !is_projective(s.tokens); });
  EXPECT_GT(crossing, 50);
  EXPECT_LT(crossing, 200);
}

TEST(Sample, TheBracketedTreeCarriesTheWordsAndTheirTags) {
  for (const SampleSentence& sentence : draw(3, 2000)) {
    const auto leaves = read_leaves(sentence.tree);
    ASSERT_EQ(leaves.size(), sentence.tokens.size()) << sentence.tree;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      ASSERT_EQ(leaves[i].first, sentence.tokens[i].xpos) << sentence.tree;
      ASSERT_EQ(leaves[i].second, sentence.tokens[i].form) << sentence.tree;
    }
  }
}

TEST(Sample, ChunksAndEntitiesAreValidIob2) {
  for (const SampleSentence& sentence : draw(4, 2000)) {
    std::string_view chunk = "O", entity = "O";
    for (const SampleToken& token : sentence.tokens) {
      ASSERT_TRUE(is_valid_iob2(token.chunk, chunk)) << write(sentence);
      ASSERT_TRUE(is_valid_iob2(token.entity, entity)) << write(sentence);
      chunk = token.chunk;
      entity = token.entity;
    }
  }
}

TEST(Sample, APossessiveEndingOpensTheChunkOfWhatIsPossessed) {
  for (const SampleSentence& sentence : draw(5, 2000)) {
    for (const SampleToken& token : sentence.tokens) {
      ASSERT_TRUE(token.xpos != "POS" || token.chunk == "B-NP") << write(sentence);
    }
  }
}

TEST(Sample, AnAuxiliaryNextToItsVerbSharesItsChunk) {
  for (const SampleSentence& sentence : draw(5, 2000)) {
    for (std::size_t i = 0; i + 1 < sentence.tokens.size(); ++i) {
      const SampleToken& token = sentence.tokens[i];
      if (token.deprel != "aux" || token.head != static_cast<int>(i) + 2) continue;
      ASSERT_TRUE(sentence.tokens[i + 1].upos != "VERB" || sentence.tokens[i + 1].chunk == "I-VP")
          << write(sentence);
    }
  }
}

TEST(Sample, VerbsInThePresentAgreeWithTheirSubjects) {
  static const std::set<std::string> kSingular = {"he", "she", "it"}, kPlural = {"I", "you", "we", "they"};
  int checked = 0;
  for (const SampleSentence& sentence : draw(6, 5000)) {
    for (const SampleToken& subject : sentence.tokens) {
      if (subject.deprel != "nsubj") continue;
      const SampleToken& verb = sentence.tokens[static_cast<std::size_t>(subject.head - 1)];
      const bool is_pronoun = subject.xpos == "PRP";
      const bool is_plural = subject.xpos == "NNS" || (is_pronoun && kPlural.contains(subject.lemma));
      const bool is_singular = is_pronoun && kSingular.contains(subject.lemma);
      ASSERT_FALSE(is_plural && verb.xpos == "VBZ") << write(sentence);
      ASSERT_FALSE(is_singular && verb.xpos == "VBP") << write(sentence);
      checked += (is_plural || is_singular) && (verb.xpos == "VBZ" || verb.xpos == "VBP");
    }
  }
  EXPECT_GT(checked, 500);
}

TEST(Sample, SentencesHaveFifteenToTwentyFiveWordsOnAverageAndNeverMoreThanTheLimit) {
  double words = 0;
  const auto sentences = draw(9, 10000);
  for (const SampleSentence& sentence : sentences) {
    ASSERT_LE(sentence.tokens.size(), static_cast<std::size_t>(Sampler::kMaxWords)) << write(sentence);
    words += static_cast<double>(sentence.tokens.size());
  }
  EXPECT_GT(words / static_cast<double>(sentences.size()), 15.0);
  EXPECT_LT(words / static_cast<double>(sentences.size()), 25.0);
}

TEST(Sample, ABiggerCorpusKeepsShowingNewWords) {
  const auto sentences = draw(10, 10000);
  EXPECT_GT(vocabulary(sentences, 10000).size(), 3 * vocabulary(sentences, 1000).size());
}

TEST(Sample, ManyWordFormsHaveMoreThanOnePartOfSpeech) {
  std::map<std::string, std::set<std::string>> tags;
  for (const SampleSentence& sentence : draw(11, 5000)) {
    for (const SampleToken& token : sentence.tokens) tags[token.form].insert(token.xpos);
  }
  EXPECT_GE(
      std::count_if(tags.begin(), tags.end(), [](const auto& entry) { return entry.second.size() > 1; }), 20);
  for (const char* form : {"saw", "report", "plans", "that", "early", "in", "her", "'s"}) {
    EXPECT_GE(tags[form].size(), 2u) << form;
  }
}

TEST(Sample, SomeNamesArePeopleInOneSentenceAndCompaniesOrPlacesInAnother) {
  std::map<std::string, std::set<std::string>> kinds;
  for (const SampleSentence& sentence : draw(12, 5000)) {
    for (const SampleToken& token : sentence.tokens) {
      if (token.entity.starts_with("B-")) kinds[token.form].insert(token.entity);
    }
  }
  EXPECT_GE(
      std::count_if(kinds.begin(), kinds.end(), [](const auto& entry) { return entry.second.size() > 1; }),
      20);
  EXPECT_GE(kinds["Jordan"].size(), 3u);
}

}  // namespace
}  // namespace hinge
