#include "hinge/features/lexicon.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <functional>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

std::vector<Key> keys_of(const std::vector<std::string>& words) {
  std::vector<Key> keys;
  for (const std::string& word : words) keys.push_back(hash_text(word));
  return keys;
}

template <typename T>
std::string bytes_of(const T& lexicon) {
  ByteWriter out;
  lexicon.write(out);
  return out.take();
}

template <typename T>
T loaded(const std::string& bytes) {
  ByteReader in(bytes, "lexicon");
  T lexicon = T::load(in);
  EXPECT_TRUE(in.at_end());
  return lexicon;
}

template <typename T>
void expect_truncations_refused(const std::string& bytes) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(std::string_view(bytes).substr(0, size), "lexicon");
    EXPECT_THROW(T::load(in), ModelError) << size << " of " << bytes.size() << " bytes";
  }
}

TEST(BrownClusters, GiveTheBitsOfAWord) {
  const TemporaryFolder folder;
  const BrownClusters clusters =
      BrownClusters::read(folder.write("paths", "0010\tthe\t100\n0010\ta\t90\n1101\tstraße\t3\n111\tx\t1"));
  for (const BrownClusters& each : {clusters, loaded<BrownClusters>(bytes_of(clusters))}) {
    EXPECT_FALSE(each.empty());
    EXPECT_EQ(each.path_of(hash_text("the")), "0010");
    EXPECT_EQ(each.path_of(hash_text("a")), "0010");
    EXPECT_EQ(each.path_of(hash_text("straße")), "1101");
    EXPECT_EQ(each.path_of(hash_text("x")), "111");
    EXPECT_EQ(each.path_of(hash_text("unknown")), "");
  }
  EXPECT_TRUE(BrownClusters().empty());
}

TEST(BrownClusters, UnderstandLinesThatEndAsOnWindows) {
  const TemporaryFolder folder;
  const BrownClusters clusters = BrownClusters::read(folder.write("paths", "01\tthe\r\n10\ta\t5\r\n"));
  EXPECT_EQ(clusters.path_of(hash_text("the")), "01");
  EXPECT_EQ(clusters.path_of(hash_text("a")), "10");
}

TEST(BrownClusters, RefuseWhatIsNoPathsFileNamingFileAndLine) {
  const TemporaryFolder folder;
  for (const std::string line : {"the 0010", "the\t0010\t5", "0012\tthe\t5", "no tabs at all"}) {
    const std::string path = folder.write("paths", "01\ta\t1\n" + line + "\n");
    try {
      BrownClusters::read(path);
      ADD_FAILURE() << "accepted " << line;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(path + ":2:"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(BrownClusters::read(folder.write("empty", "")), InputError);
  EXPECT_THROW(BrownClusters::read(folder.path("missing")), InputError);
}

TEST(BrownClusters, MayHaveTheWordBeforeTheBits) {
  const TemporaryFolder folder;
  for (const std::string text :
       {"the\t0010\nfox\t1101\n10\t0011\n", "the 0010\r\nfox 1101\r\n10 0011\r\n", "word cluster\nthe 0010\nfox 1101\n10 0011\n",
        "# 3 words\n0010 the 7\n1101 fox 2\n0011 10 1\n", "word\tbits\tcount\nthe\t0010\t3\nfox\t1101\t1\n10\t0011\t1\n"}) {
    SCOPED_TRACE(text);
    const BrownClusters clusters = BrownClusters::read(folder.write("words", text));
    EXPECT_EQ(clusters.path_of(hash_text("the")), "0010");
    EXPECT_EQ(clusters.path_of(hash_text("fox")), "1101");
    EXPECT_EQ(clusters.path_of(hash_text("10")), "0011");
    EXPECT_EQ(clusters.path_of(hash_text("cluster")), "");
  }
}

TEST(BrownClusters, OfAnyCaseAreFoundForWordsInCapitals) {
  const TemporaryFolder folder;
  const BrownClusters clusters = BrownClusters::read(folder.write("paths", "00\tget\t9\n01\tJapan\t9\n10\tGet\t1\n"));
  std::string buffer;
  const auto path = [&](std::string_view word) { return clusters.path_of_any_case(word, hash_text(word), buffer); };
  EXPECT_EQ(path("get"), "00");
  EXPECT_EQ(path("Get"), "10");
  EXPECT_EQ(path("GET"), "00");
  EXPECT_EQ(path("JAPAN"), "01");
  EXPECT_EQ(path("japan"), "");
  EXPECT_EQ(path("Élan"), "");
}

TEST(Gazetteer, FindsTheLongestPhraseThatBeginsHere) {
  const TemporaryFolder folder;
  const Gazetteer gazetteer =
      Gazetteer::read(folder.write("names", "New York\nNew York City\n\n  Paris \nLa   Paz\r\nSan Marino"));
  for (const Gazetteer& each : {gazetteer, loaded<Gazetteer>(bytes_of(gazetteer))}) {
    EXPECT_EQ(each.longest_match(keys_of({"New", "York", "City", "Hall"})).length, 3u);
    EXPECT_EQ(each.longest_match(keys_of({"New", "York", "Times"})).length, 2u);
    EXPECT_EQ(each.longest_match(keys_of({"New", "York"})).length, 2u);
    EXPECT_EQ(each.longest_match(keys_of({"New"})).length, 0u);
    EXPECT_EQ(each.longest_match(keys_of({"York"})).length, 0u);
    EXPECT_EQ(each.longest_match(keys_of({"Paris", "Paris"})).length, 1u);
    EXPECT_EQ(each.longest_match(keys_of({"La", "Paz"})).length, 2u);
    EXPECT_EQ(each.longest_match(keys_of({"San", "Marino"})).length, 2u);
    EXPECT_EQ(each.longest_match(keys_of({"paris"})).length, 0u);
    EXPECT_EQ(each.longest_match({}).length, 0u);
  }
}

TEST(Gazetteer, GivesTheTypeBeforeTheTab) {
  const TemporaryFolder folder;
  const Gazetteer gazetteer = Gazetteer::read(
      folder.write("names", "LOC\tNew York\nORG\tNew York Times\nPER\tParis Hilton\nLOC\tParis\nPER\tParis\nBonn\n"));
  const auto text = [](const Gazetteer& each, const std::vector<std::string>& words, bool begin = true) {
    const GazetteerMatch match = each.longest_match(keys_of(words));
    return match.length == 0 ? "" : each.text(begin ? each.begin_key(match.type) : each.inside_key(match.type));
  };
  for (const Gazetteer& each : {gazetteer, loaded<Gazetteer>(bytes_of(gazetteer))}) {
    EXPECT_EQ(text(each, {"New", "York"}), "B-LOC");
    EXPECT_EQ(text(each, {"New", "York", "Times"}), "B-ORG");
    EXPECT_EQ(text(each, {"New", "York", "Times"}, /*begin=*/false), "I-ORG");
    EXPECT_EQ(text(each, {"Paris", "is"}), "B-LOC+PER");
    EXPECT_EQ(text(each, {"Bonn"}), "B");
    EXPECT_EQ(text(each, {"York"}), "");
  }
  expect_truncations_refused<Gazetteer>(bytes_of(gazetteer));
}

TEST(Gazetteer, WithoutPhrasesIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(Gazetteer::read(folder.write("names", "\n\n")), InputError);
  EXPECT_THROW(Gazetteer::read(folder.path("missing")), InputError);
}

TEST(TagLexicon, RanksTheTagsOfAWordByFrequency) {
  TagLexicon counted;
  for (int i = 0; i < 3; ++i) counted.count("saw", "VBD");
  for (int i = 0; i < 5; ++i) counted.count("saw", "NN");
  counted.count("saw", "VB");
  counted.count("the", "DT");
  counted.finish();
  for (const TagLexicon& lexicon : {counted, loaded<TagLexicon>(bytes_of(counted))}) {
    EXPECT_EQ(lexicon.tag(hash_text("saw"), 0), "NN");
    EXPECT_EQ(lexicon.tag(hash_text("saw"), 1), "VBD");
    EXPECT_EQ(lexicon.tag(hash_text("saw"), 2), "VB");
    EXPECT_EQ(lexicon.tag(hash_text("saw"), 3), "");
    EXPECT_EQ(lexicon.tag(hash_text("the"), 0), "DT");
    EXPECT_EQ(lexicon.tag(hash_text("unknown"), 0), "");
  }
}

TEST(Lexicons, AreTheSameBytesAfterARoundTrip) {
  const TemporaryFolder folder;
  std::string paths, names;
  TagLexicon tags;
  for (int i = 0; i < 200; ++i) {
    const std::string word = fmt::format("word{}", i);
    paths += std::string(i % 5 + 1, i % 2 == 0 ? '0' : '1') + "\t" + word + "\t1\n";
    names += word + (i % 3 == 0 ? " and more" : "") + "\n";
    for (int k = 0; k <= i % 4; ++k) tags.count(word, fmt::format("T{}", k));
  }
  tags.finish();
  const std::string clusters = bytes_of(BrownClusters::read(folder.write("paths", paths)));
  const std::string gazetteer = bytes_of(Gazetteer::read(folder.write("names", names)));
  EXPECT_EQ(bytes_of(loaded<BrownClusters>(clusters)), clusters);
  EXPECT_EQ(bytes_of(loaded<Gazetteer>(gazetteer)), gazetteer);
  EXPECT_EQ(bytes_of(loaded<TagLexicon>(bytes_of(tags))), bytes_of(tags));
}

TEST(Lexicons, CutShortAnywhereAreRefused) {
  const TemporaryFolder folder;
  TagLexicon tags;
  tags.count("a", "X");
  tags.count("b", "Y");
  tags.finish();
  expect_truncations_refused<TagLexicon>(bytes_of(tags));
  expect_truncations_refused<Gazetteer>(bytes_of(Gazetteer::read(folder.write("names", "a b\nc\n"))));
  expect_truncations_refused<BrownClusters>(
      bytes_of(BrownClusters::read(folder.write("paths", "01\ta\t1\n10\tb\t1\n"))));
}

}  // namespace
}  // namespace hinge
