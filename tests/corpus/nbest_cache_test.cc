#include "hinge/corpus/nbest/cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/corpus/nbest/writer.h"
#include "hinge/files/section_file.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

constexpr char kText[] =
    "4 ||| a ü ||| lm= -1.5 tm= 0.25 3 cost= 1 ||| -3\n"
    "4 |||  ||| tm= 1 2 late= 5 cost= 0 ||| 4\n"
    "0 ||| b ||| lm= 7 cost= 0.5 ||| 1e-20\n";

template <typename T>
void expect_same(std::span<const T> a, std::span<const T> b) {
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

void expect_same(const NBestLists& a, const NBestLists& b) {
  expect_same(a.ids, b.ids);
  expect_same(a.list_begin, b.list_begin);
  expect_same(a.text_begin, b.text_begin);
  expect_same(a.texts, b.texts);
  expect_same(a.row_begin, b.row_begin);
  expect_same(a.features, b.features);
  expect_same(a.values, b.values);
  expect_same(a.scores, b.scores);
  expect_same(a.costs, b.costs);
  expect_same(a.name_begin, b.name_begin);
  expect_same(a.names, b.names);
  expect_same(a.value_index, b.value_index);
}

// Reads everything.
double sum_of(const NBestLists& lists) {
  double sum = 0.0;
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    for (std::size_t h = lists.begin(list); h < lists.end(list); ++h) {
      for (const char c : lists.text(h)) sum += c;
      const FeatureRow row = lists.row(h);
      for (std::size_t i = 0; i < row.features.size(); ++i)
        sum += static_cast<double>(row.values[i]) + static_cast<double>(lists.name(row.features[i]).size());
      if (!lists.scores.empty()) sum += static_cast<double>(lists.scores[h]);
      if (!lists.costs.empty()) sum += static_cast<double>(lists.costs[h]);
    }
  }
  return sum;
}

constexpr SectionKind kForged = {
    .magic = std::string_view("HNBST\r\n\x1a", 8),
    .format = kNBestCacheFormat,
    .refuse = [](const std::string& message) { throw InputError(message); },
};

using Sections = std::vector<std::pair<std::string, std::string>>;

Sections sections_of(const std::string& path) {
  const SectionFile file = SectionFile::open(path, kForged);
  Sections sections;
  for (const auto& [name, size] : file.sizes()) sections.emplace_back(name, file.section(name));
  return sections;
}

std::string forged(const Sections& sections) {
  SectionWriter writer(kForged);
  for (const auto& [name, bytes] : sections) writer.add(name, bytes);
  return writer.bytes();
}

class NBestCache : public testing::Test {
 protected:
  NBestLists small() { return read_nbest(folder_.write("text", kText), {.cost_feature = "cost"}); }
  std::string bytes_of(const NBestLists& lists) {
    write_nbest_cache(lists, folder_.path("cache"));
    return TemporaryFolder::read(folder_.path("cache"));
  }
  std::string message_of(const std::string& bytes, const NBestOptions& options = {}) {
    const std::string path = folder_.write("given", bytes);
    try {
      read_nbest(path, options);
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path)) << error.what();
      return std::string(error.what()).substr(path.size());
    }
    return "accepted";
  }

  TemporaryFolder folder_;
};

TEST_F(NBestCache, GivesBackTheListsItWasMadeOf) {
  const NBestLists lists = small();
  write_nbest_cache(lists, folder_.path("cache"));
  EXPECT_TRUE(is_nbest_cache(folder_.path("cache")));
  expect_same(open_nbest_cache(folder_.path("cache")), lists);
  expect_same(read_nbest(folder_.path("cache")), lists);
  expect_same(read_nbest(folder_.path("cache"), {.cost_feature = "cost"}), lists);
}

TEST_F(NBestCache, OfTheSameListsIsTheSameBytes) {
  EXPECT_EQ(bytes_of(small()), bytes_of(open_nbest_cache((bytes_of(small()), folder_.path("cache")))));
}

TEST_F(NBestCache, MayLackScoresAndCosts) {
  const NBestLists lists = read_nbest(folder_.write("text", "0 ||| a ||| \n"));
  bytes_of(lists);
  const NBestLists cached = read_nbest(folder_.path("cache"));
  expect_same(cached, lists);
  EXPECT_TRUE(cached.scores.empty());
  EXPECT_TRUE(cached.costs.empty());
  EXPECT_EQ(cached.feature_count(), 0u);
}

TEST_F(NBestCache, GoesToTextAndBackUnchanged) {
  const NBestLists lists = small();
  bytes_of(lists);
  const NBestLists cached = open_nbest_cache(folder_.path("cache"));
  write_nbest(folder_.path("again"), cached, {.cost_feature = "cost"});
  expect_same(read_nbest(folder_.path("again"), {.cost_feature = "cost"}), lists);
}

TEST_F(NBestCache, IsMergedWithTextLikeText) {
  const std::string more = folder_.write(
      "more", "4 ||| new ||| lm= 1 cost= 3 ||| 9\n4 ||| a ü ||| lm= -1.5 tm= 0.25 3 cost= 1 ||| 5\n");
  bytes_of(small());
  const NBestOptions options{.merge = true, .cost_feature = "cost"};
  const std::vector<std::string> with_text = {folder_.path("text"), more},
                                 with_cache = {folder_.path("cache"), more};
  const NBestLists merged = read_nbest(with_cache, options);
  EXPECT_EQ(merged.hypotheses(), 4u);
  expect_same(merged, read_nbest(with_text, options));
}

TEST_F(NBestCache, WithoutCostsIsRefusedWhereTheyAreWanted) {
  const std::string bytes = bytes_of(read_nbest(folder_.write("text", "0 ||| a ||| x= 1\n")));
  EXPECT_EQ(message_of(bytes, {.cost_feature = "ter"}),
            ": has no costs; make the cache again from the lists, with --cost ter");
}

TEST_F(NBestCache, IsKnownByItsFirstBytes) {
  EXPECT_FALSE(is_nbest_cache("-"));
  EXPECT_FALSE(is_nbest_cache(folder_.path("missing")));
  EXPECT_FALSE(is_nbest_cache(folder_.path("")));
  EXPECT_FALSE(is_nbest_cache(folder_.write("short", "HNBST")));
  EXPECT_FALSE(is_nbest_cache(folder_.write("text", kText)));
  EXPECT_THROW(open_nbest_cache(folder_.path("text")), InputError);
}

// ---- Damage

TEST_F(NBestCache, CutShortAnywhereIsRefused) {
  const std::string bytes = bytes_of(small());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(message_of(bytes.substr(0, size)), "accepted") << size << " of " << bytes.size() << " bytes";
  }
  EXPECT_EQ(message_of(bytes.substr(0, 20)),
            ": has only 20 bytes, it was cut short; copy or make it again from the lists");
  EXPECT_NE(message_of(bytes + "x"), "accepted");
}

TEST_F(NBestCache, WithAnyByteChangedIsRefusedOrGivesTheSameLists) {
  const NBestLists lists = small();
  const std::string bytes = bytes_of(lists);
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {1, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      const std::string path = folder_.write("damaged", damaged);
      try {
        expect_same(read_nbest(path), lists);
        ++accepted;
      } catch (const InputError&) {
      }
    }
  }
  // Only changes of padding are accepted: not of the header, its table and checksum, or a section.
  std::size_t covered = 24 + 8;
  for (const auto& [name, content] : sections_of(folder_.path("cache"))) covered += 40 + content.size();
  EXPECT_EQ(accepted, 3 * (bytes.size() - covered));
}

TEST_F(NBestCache, OfANewerFormatIsRefused) {
  std::string bytes = bytes_of(small());
  bytes[8] = 9;
  EXPECT_EQ(message_of(bytes),
            ": has format 9, this build reads formats 1-1; upgrade hinge or make it again from the lists");
}

// ---- Malice: wrong sections with correct checksums

template <typename T>
void set(std::string& bytes, std::size_t index, T value) {
  ASSERT_LE((index + 1) * sizeof value, bytes.size());
  std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
}

TEST_F(NBestCache, WhoseSectionsDoNotFitIsRefused) {
  bytes_of(small());
  const Sections sections = sections_of(folder_.path("cache"));
  ASSERT_EQ(sections.size(), 13u);
  const auto expect_refused = [&](const std::string& section, const auto& change) {
    Sections changed = sections;
    for (auto& [name, bytes] : changed) {
      if (name == section) change(bytes);
    }
    const std::string message = message_of(forged(changed));
    EXPECT_TRUE(message.find("section '" + section + "'") != std::string::npos ||
                message.find("does not fit") != std::string::npos)
        << section << ": " << message;
  };
  const auto with = [&]<typename T>(const std::string& section, std::size_t index, T value) {
    expect_refused(section, [&](std::string& bytes) { set(bytes, index, value); });
  };
  for (const auto& [name, bytes] : sections) {
    if (name == "cost_name") continue;  // any text is valid
    expect_refused(name, [](std::string& b) { b += std::string(64, '\1'); });
    expect_refused(name, [&](std::string& b) { b.resize(b.size() - 1); });
    if (name != "scores" && name != "costs") expect_refused(name, [](std::string& b) { b.clear(); });
  }
  const std::uint64_t huge = ~std::uint64_t{0};
  for (const std::uint64_t lie : {huge, huge - 1, std::uint64_t{1} << 40, std::uint64_t{1000}}) {
    for (const std::string section : {"list_begin", "text_begin", "row_begin", "name_begin"}) {
      with(section, 0, lie);
      with(section, 1, lie);
      with(section, 2, lie);
    }
  }
  with("list_begin", 1, std::uint64_t{0});  // an empty list
  with("name_begin", 1, std::uint64_t{0});  // an empty name
  with("ids", 1, std::uint64_t{4});         // a duplicate
  with("features", 0, std::uint32_t{4});    // only 0 to 3 exist
  with("features", 1, std::uint32_t{0});    // not increasing
  with("features", 5, std::uint32_t{0xFFFFFFFF});
  with("values", 2, std::numeric_limits<float>::quiet_NaN());
  with("values", 0, std::numeric_limits<float>::infinity());
  with("scores", 0, std::numeric_limits<float>::quiet_NaN());
  with("costs", 2, -std::numeric_limits<float>::infinity());
}

TEST_F(NBestCache, WithoutASectionIsRefused) {
  bytes_of(small());
  const Sections sections = sections_of(folder_.path("cache"));
  for (std::size_t left_out = 0; left_out < sections.size(); ++left_out) {
    Sections others = sections;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_EQ(message_of(forged(others)),
              ": has no section '" + sections[left_out].first + "'; make it again from the lists");
  }
}

TEST_F(NBestCache, WithRandomSectionsUnderRightChecksumsIsRefusedOrUsable) {
  bytes_of(small());
  const Sections sections = sections_of(folder_.path("cache"));
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    Sections changed = sections;
    for (int i = 0; i < 2; ++i) {
      std::string& bytes = changed[random.below(changed.size())].second;
      if (bytes.empty()) continue;
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(random.below(2) == 0 ? 8 : 256));
    }
    try {
      const double sum = sum_of(read_nbest(folder_.write("forged", forged(changed))));
      EXPECT_EQ(sum, sum) << "seed " << seed;
    } catch (const InputError&) {
    }
  }
}

TEST_F(NBestCache, OfMulti30kIsTheSameAsItsText) {
  HINGE_DATA_FILE(path, "mt/multi30k_nbest/test.nbest.gz");
  const NBestLists lists = read_nbest(path);
  bytes_of(lists);
  const NBestLists cached = read_nbest(folder_.path("cache"));
  expect_same(cached, lists);
  write_nbest(folder_.path("again"), cached);
  expect_same(read_nbest(folder_.path("again")), lists);
}

}  // namespace
}  // namespace hinge
