// Made-up documents: the same in both formats, and consistent in what they say.
#include "hinge/tasks/coref/sample.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/data.h"

namespace hinge::coref {
namespace {

constexpr int kDocuments = 150;

std::string draw(std::uint64_t seed, DocumentFormat format, int documents = kDocuments) {
  DocumentSampler sampler(seed, format);
  std::string text;
  for (int k = 0; k < documents; ++k) text += sampler.next();
  return text;
}

std::vector<Document> read_all(const std::string& text) {
  DocumentReader reader(TextInput(text, "sample"));
  std::vector<Document> documents(1);
  while (reader.next(documents.back())) documents.emplace_back();
  documents.pop_back();
  return documents;
}

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = static_cast<char>(std::tolower(c));
  return result;
}

TEST(CorefSample, TheSeedDecidesTheBytes) {
  for (const DocumentFormat format : {DocumentFormat::kConll2012, DocumentFormat::kConllu}) {
    EXPECT_EQ(draw(3, format, 5), draw(3, format, 5));
    EXPECT_NE(draw(3, format, 5), draw(4, format, 5));
  }
}

TEST(CorefSample, BothFormatsHaveTheSameWordsAndMentions) {
  const std::vector<Document> columns = read_all(draw(1, DocumentFormat::kConll2012));
  const std::vector<Document> conllu = read_all(draw(1, DocumentFormat::kConllu));
  ASSERT_EQ(columns.size(), static_cast<std::size_t>(kDocuments));
  ASSERT_EQ(conllu.size(), columns.size());
  std::size_t constituents = 0, entities = 0;
  for (std::size_t d = 0; d < columns.size(); ++d) {
    const Document& one = columns[d];
    const Document& other = conllu[d];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.sentences, other.sentences);
    ASSERT_EQ(one.tokens.size(), other.tokens.size());
    for (std::size_t t = 0; t < one.tokens.size(); ++t) {
      EXPECT_EQ(one.tokens[t].word, other.tokens[t].word);
      EXPECT_EQ(one.tokens[t].xpos, other.tokens[t].xpos);
      EXPECT_EQ(one.tokens[t].speaker, other.tokens[t].speaker);
    }
    ASSERT_EQ(one.mentions.size(), other.mentions.size());
    for (std::size_t m = 0; m < one.mentions.size(); ++m) {
      EXPECT_EQ(one.mentions[m].range(), other.mentions[m].range());
      EXPECT_EQ(one.mentions[m].cluster, other.mentions[m].cluster);
      EXPECT_NE(other.mentions[m].head, kNoToken);
    }
    constituents += one.constituents.size();
    entities += one.entities.size();
  }
  EXPECT_GT(constituents, 10000u);
  EXPECT_GT(entities, 1000u);
}

TEST(CorefSample, EveryClusterHasTwoMentionsAndDocumentsAreFull) {
  std::size_t mentions = 0, talks = 0;
  for (const Document& document : read_all(draw(2, DocumentFormat::kConllu))) {
    std::map<std::uint32_t, int> sizes;
    for (const Mention& mention : document.mentions) ++sizes[mention.cluster];
    for (const auto& [cluster, size] : sizes) EXPECT_GE(size, 2);
    mentions += document.mentions.size();
    talks += !document.tokens[0].speaker.empty();
    EXPECT_GE(document.sentences.size(), static_cast<std::size_t>(DocumentSampler::kFewestSentences));
    EXPECT_LE(document.sentences.size(), static_cast<std::size_t>(DocumentSampler::kMostSentences));
  }
  EXPECT_GT(mentions, 20u * kDocuments);
  EXPECT_GT(talks, 15u);
  EXPECT_LT(talks, 75u);
}

// Of each cluster: the last words of names, the pronouns.
TEST(CorefSample, ClustersAreConsistent) {
  std::size_t women = 0, men = 0, selves = 0;
  for (const Document& document : read_all(draw(5, DocumentFormat::kConllu))) {
    std::map<std::uint32_t, std::set<std::string>> nouns, pronouns;
    for (const Mention& mention : document.mentions) {
      const DocumentToken& head = document.tokens[mention.head];
      if (head.xpos.starts_with("PRP")) {
        pronouns[mention.cluster].insert(lower(head.word));
      } else {
        std::uint32_t last = mention.end - 1;
        while (document.tokens[last].xpos == "POS") --last;
        nouns[mention.cluster].insert(lower(document.tokens[last].word));
      }
    }
    for (const auto& [cluster, forms] : pronouns) {
      const bool woman = forms.count("she") + forms.count("her") > 0;
      const bool man = forms.count("he") + forms.count("him") + forms.count("his") > 0;
      const bool thing = forms.count("it") + forms.count("its") > 0;
      const bool things = forms.count("they") + forms.count("them") + forms.count("their") > 0;
      EXPECT_LE(woman + man + thing + things, 1) << document.name;
      women += woman;
      men += man;
      selves += forms.count("i");
    }
    for (const auto& [cluster, forms] : nouns)
      EXPECT_EQ(forms.size(), 1u) << document.name << " " << *forms.begin();
  }
  EXPECT_GT(women, 50u);
  EXPECT_GT(men, 50u);
  EXPECT_GT(selves, 20u);
}

TEST(CorefSample, SentencesAreCountedOverAllDocuments) {
  const test::TemporaryFolder folder;
  OutputFile out(folder.path("a.conll"));
  sample_documents(100, 1, DocumentFormat::kConll2012, out);
  out.commit();
  std::size_t sentences = 0;
  for (const Document& document : read_all(folder.read(folder.path("a.conll"))))
    sentences += document.sentences.size();
  EXPECT_EQ(sentences, 100u);
}

}  // namespace
}  // namespace hinge::coref
