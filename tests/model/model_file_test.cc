#include "hinge/model/model_file.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <optional>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using Sections = std::vector<std::pair<std::string, std::string>>;

// The layout documented at the top of model_file.h.
constexpr std::size_t kFormatAt = 8, kCountAt = 12, kSizeAt = 16, kTableAt = 24, kEntryBytes = 40;
constexpr std::size_t kOffsetInEntry = 16, kBytesInEntry = 24;

const Sections kSmall = {{"meta", R"({"task":"tag","labels":["A","B"]})"},
                         {"empty", ""},
                         {"weights", std::string("\0\1\2\3\4\5\6\7", 8)},
                         {"sixteen_letters_", "x"}};

std::string file_of(const Sections& sections) {
  ModelWriter writer;
  for (const auto& [name, bytes] : sections) writer.add(name, bytes);
  return writer.bytes();
}

void expect_sections(const ModelFile& file, const Sections& expected) {
  ASSERT_EQ(file.sizes().size(), expected.size());
  for (const auto& [name, bytes] : expected) {
    ASSERT_TRUE(file.has(name)) << name;
    ASSERT_EQ(file.section(name), bytes) << name;
  }
}

template <typename T>
void patch(std::string& bytes, std::size_t at, T value) {
  ASSERT_LE(at + sizeof value, bytes.size());
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Corrects the header's checksum, like an attacker.
void sign(std::string& bytes) {
  std::uint32_t count;
  std::memcpy(&count, bytes.data() + kCountAt, sizeof count);
  const std::size_t end = kTableAt + count * kEntryBytes;
  patch<std::uint64_t>(bytes, end, XXH3_64bits(bytes.data(), end));
}

std::string message_of(const std::string& bytes) {
  try {
    const ModelFile file = ModelFile::from_bytes(bytes, "the.model");
    file.verify();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(ModelFile, GivesBackItsSectionsFromMemoryAndFromDisk) {
  const TemporaryFolder folder;
  const std::string bytes = file_of(kSmall);
  const ModelFile memory = ModelFile::from_bytes(bytes, "in memory");
  const ModelFile disk = ModelFile::open(folder.write("a.model", bytes));
  for (const ModelFile* file : {&memory, &disk}) {
    ASSERT_NO_FATAL_FAILURE(expect_sections(*file, kSmall));
    EXPECT_EQ(file->size(), bytes.size());
    EXPECT_FALSE(file->has("absent"));
    EXPECT_NO_THROW(file->verify());
  }
  EXPECT_EQ(memory.name(), "in memory");
  EXPECT_EQ(disk.name(), folder.path("a.model"));
}

TEST(ModelFile, MayHaveNoSections) {
  const ModelFile file = ModelFile::from_bytes(file_of({}), "empty");
  EXPECT_TRUE(file.sizes().empty());
}

TEST(ModelFile, ListsItsSectionsWithTheirSizes) {
  const ModelFile file = ModelFile::from_bytes(file_of(kSmall), "x");
  auto sizes = file.sizes();
  std::vector<std::pair<std::string, std::uint64_t>> expected;
  for (const auto& [name, bytes] : kSmall) expected.emplace_back(name, bytes.size());
  std::sort(sizes.begin(), sizes.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sizes, expected);
}

TEST(ModelFile, OfTheSameSectionsIsTheSameBytes) { EXPECT_EQ(file_of(kSmall), file_of(kSmall)); }

TEST(ModelFile, HasTheLayoutItPromises) {
  const std::string bytes = file_of(kSmall);
  EXPECT_EQ(bytes.substr(0, 8), "HINGE\r\n\x1a");
  std::uint32_t format, count;
  std::uint64_t size;
  std::memcpy(&format, bytes.data() + kFormatAt, 4);
  std::memcpy(&count, bytes.data() + kCountAt, 4);
  std::memcpy(&size, bytes.data() + kSizeAt, 8);
  EXPECT_EQ(format, kModelFormat);
  EXPECT_EQ(count, kSmall.size());
  EXPECT_EQ(size, bytes.size());
  for (std::size_t i = 0; i < kSmall.size(); ++i) {
    const char* entry = bytes.data() + kTableAt + i * kEntryBytes;
    std::uint64_t offset, length, checksum;
    std::memcpy(&offset, entry + kOffsetInEntry, 8);
    std::memcpy(&length, entry + kBytesInEntry, 8);
    std::memcpy(&checksum, entry + 32, 8);
    EXPECT_EQ(std::string(entry, strnlen(entry, 16)), kSmall[i].first);
    EXPECT_EQ(offset % 64, 0u);
    EXPECT_EQ(bytes.substr(offset, length), kSmall[i].second);
    EXPECT_EQ(checksum, XXH3_64bits(kSmall[i].second.data(), kSmall[i].second.size()));
  }
  const std::size_t end = kTableAt + kSmall.size() * kEntryBytes;
  std::uint64_t checksum;
  std::memcpy(&checksum, bytes.data() + end, 8);
  EXPECT_EQ(checksum, XXH3_64bits(bytes.data(), end));
}

TEST(ModelFile, GivesArraysWhereTheyLie) {
  const TemporaryFolder folder;
  std::vector<double> numbers(1000);
  Random random(1);
  for (double& number : numbers) number = random.uniform();
  const std::string bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  const ModelFile file = ModelFile::open(folder.write("m", file_of({{"odd", "x"}, {"numbers", bytes}})));
  const std::span<const double> array = file.array<double>("numbers");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0u);
  EXPECT_EQ(std::vector<double>(array.begin(), array.end()), numbers);
}

TEST(ModelFile, SurvivesBeingMoved) {
  const TemporaryFolder folder;
  ModelFile memory = ModelFile::from_bytes(file_of(kSmall), "x");
  ModelFile disk = ModelFile::open(folder.write("m", file_of(kSmall)));
  const ModelFile moved_memory = std::move(memory);
  const ModelFile moved_disk = std::move(disk);
  expect_sections(moved_memory, kSmall);
  expect_sections(moved_disk, kSmall);
}

TEST(ModelFile, HasADescription) {
  EXPECT_EQ(ModelFile::from_bytes(file_of(kSmall), "x").description().texts("labels").at(1), "B");
  for (const std::string damaged : {"", "{", "[1]", "7", "{\"a\":1"})
    EXPECT_THROW(ModelFile::from_bytes(file_of({{"meta", damaged}}), "x").description(), ModelError)
        << damaged;
  EXPECT_THROW(ModelFile::from_bytes(file_of({}), "x").description(), ModelError);
  const std::string right = R"({"task": "tag", "seed": 5000000000, "task_options": {"C": "1"}, "new": [1]})";
  const ModelFile file = ModelFile::from_bytes(file_of({{"meta", right}}), "x");
  EXPECT_EQ(file.description().whole("seed"), 5000000000);
  EXPECT_EQ(file.description().options("task_options").at(0).second, "1");
}

TEST(ModelFile, NamesADamagedFieldOfItsDescription) {
  const auto refused = [](const std::string& meta, const auto& get) {
    const ModelFile file = ModelFile::from_bytes(file_of({{"meta", meta}}), "the.model");
    try {
      get(file.description());
    } catch (const ModelError& error) {
      return std::string(error.what()).starts_with("the.model: ") &&
             std::string(error.what()).find("'x'") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused(R"({"x": 1})", [](const Description& d) { d.text("x"); }));
  EXPECT_TRUE(refused(R"({"x": 2.5})", [](const Description& d) { d.whole("x"); }));
  EXPECT_TRUE(refused(R"({"x": ["A", 2]})", [](const Description& d) { d.texts("x"); }));
  EXPECT_TRUE(refused(R"({"x": 1})", [](const Description& d) { d.flag("x"); }));
  EXPECT_TRUE(refused(R"({"x": {"C": 1}})", [](const Description& d) { d.options("x"); }));
  EXPECT_TRUE(refused(R"({"x": ["C"]})", [](const Description& d) { d.options("x"); }));
}

TEST(ModelFile, WithoutASectionSaysSoWithItsName) {
  try {
    ModelFile::from_bytes(file_of(kSmall), "the.model").section("absent");
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_TRUE(contains(error.what(), "the.model")) << error.what();
    EXPECT_TRUE(contains(error.what(), "absent")) << error.what();
  }
}

// ---- A model inside a model

TEST(ModelFile, ViewsAModelInASectionWhereItLies) {
  const TemporaryFolder folder;
  const std::string outer = file_of({{"odd", "x"}, {"inner", file_of(kSmall)}, {"meta", "{}"}});
  const ModelFile memory = ModelFile::from_bytes(outer, "outer");
  const ModelFile disk = ModelFile::open(folder.write("m", outer));
  for (const ModelFile* file : {&memory, &disk}) {
    const ModelFile inner = file->nested("inner");
    ASSERT_NO_FATAL_FAILURE(expect_sections(inner, kSmall));
    EXPECT_EQ(inner.name(), file->name());
    EXPECT_EQ(inner.description().task(), "tag");
    EXPECT_NO_THROW(inner.verify());
    const std::string_view whole = file->section("inner");
    EXPECT_GE(inner.section("weights").data(), whole.data());
    EXPECT_LT(inner.section("weights").data(), whole.data() + whole.size());
  }
  const auto disk_array = disk.nested("inner").array<char>("weights");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(disk_array.data()) % 64, 0u);
}

TEST(ModelFile, InsideAnotherSurvivesBeingMoved) {
  const ModelFile outer = ModelFile::from_bytes(file_of({{"inner", file_of(kSmall)}}), "outer");
  ModelFile inner = outer.nested("inner");
  const ModelFile moved = std::move(inner);
  expect_sections(moved, kSmall);
}

TEST(ModelFile, InsideAnotherIsCheckedLikeAnyOther) {
  const std::string inner = file_of(kSmall);
  for (std::size_t size = 0; size < inner.size(); size += 7) {
    const ModelFile outer = ModelFile::from_bytes(file_of({{"inner", inner.substr(0, size)}}), "the.model");
    EXPECT_THROW(outer.nested("inner"), ModelError) << size;
  }
  std::string damaged = inner;
  damaged[damaged.find("labels")] ^= 1;
  const ModelFile outer = ModelFile::from_bytes(file_of({{"inner", damaged}, {"text", "text"}}), "the.model");
  for (const char* section : {"inner", "text", "absent"}) {
    try {
      outer.nested(section);
      ADD_FAILURE() << "accepted " << section;
    } catch (const ModelError& error) {
      EXPECT_TRUE(contains(error.what(), "the.model")) << error.what();
    }
  }
}

// ---- Damage

TEST(ModelFile, CutShortAnywhereIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = file_of(kSmall);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(ModelFile::from_bytes(bytes.substr(0, size), "x"), ModelError) << size << " bytes";
    EXPECT_THROW(ModelFile::open(folder.write("cut", bytes.substr(0, size))), ModelError)
        << size << " of " << bytes.size() << " bytes";
  }
}

TEST(ModelFile, CutShortAnywhereIsNamedInTheMessage) {
  const std::string bytes = file_of(kSmall);
  std::vector<std::size_t> nameless;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (!contains(message_of(bytes.substr(0, size)), "the.model")) nameless.push_back(size);
  }
  EXPECT_EQ(nameless, std::vector<std::size_t>{});
}

TEST(ModelFile, WithMoreBytesThanItHadIsRefused) {
  EXPECT_NE(message_of(file_of(kSmall) + "x"), "");
  EXPECT_NE(message_of(file_of(kSmall) + std::string(4096, '\0')), "");
}

TEST(ModelFile, WithAnyBitFlippedIsRefusedOrHasItsSectionsIntact) {
  const std::string bytes = file_of(kSmall);
  std::vector<bool> covered(bytes.size(), false);  // header, table, checksum, sections: all but padding
  const std::size_t header = kTableAt + kSmall.size() * kEntryBytes + 8;
  std::fill_n(covered.begin(), header, true);
  for (std::size_t i = 0; i < kSmall.size(); ++i) {
    std::uint64_t offset;
    std::memcpy(&offset, bytes.data() + kTableAt + i * kEntryBytes + kOffsetInEntry, 8);
    std::fill_n(covered.begin() + static_cast<std::ptrdiff_t>(offset), kSmall[i].second.size(), true);
  }
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      std::optional<ModelFile> file;
      try {
        file.emplace(ModelFile::from_bytes(damaged, "damaged"));
        file->verify();
      } catch (const ModelError&) {
        continue;
      }
      ASSERT_FALSE(covered[at]) << "byte " << at << " bit " << bit << " was accepted";
      ASSERT_NO_FATAL_FAILURE(expect_sections(*file, kSmall)) << "byte " << at << " bit " << bit;
    }
}

TEST(ModelFile, WithADamagedLargeSectionIsRefused) {
  const TemporaryFolder folder;
  const std::string large((std::size_t{16} << 20) + 1, 'w');
  std::string bytes = file_of({{"meta", "{}"}, {"weights", large}});
  EXPECT_NO_THROW(ModelFile::from_bytes(bytes, "x").verify());
  bytes[bytes.rfind('w')] = 'v';
  EXPECT_THROW(ModelFile::open(folder.write("m", bytes)), ModelError);
}

TEST(ModelFile, OverwrittenOrCutShortWhileInUseStaysAsItWas) {
  const TemporaryFolder folder;
  const std::string weights((std::size_t{1} << 20) + 1, 'w');
  const std::string path = folder.write("m", file_of({{"meta", "{}"}, {"weights", weights}}));
  const ModelFile file = ModelFile::open(path);
  folder.write("m", file_of({{"meta", "{}"}, {"weights", std::string(weights.size(), 'v')}}));
  EXPECT_EQ(file.section("weights"), weights);
  std::filesystem::resize_file(path, 10);
  EXPECT_EQ(file.section("weights"), weights);
}

TEST(ModelFile, OfANewerFormatIsRefusedNamingBothFormats) {
  std::string bytes = file_of(kSmall);
  patch<std::uint32_t>(bytes, kFormatAt, kModelFormat + 41);
  // A newer format may have another header, so the checksum must not matter.
  for (int round = 0; round < 2; ++round) {
    const std::string message = message_of(bytes);
    EXPECT_TRUE(contains(message, "the.model")) << message;
    EXPECT_TRUE(contains(message, "format " + std::to_string(kModelFormat + 41))) << message;
    EXPECT_TRUE(contains(message, std::to_string(kModelFormat))) << message;
    sign(bytes);
  }
}

TEST(ModelFile, OfFormatZeroIsRefused) {
  std::string bytes = file_of(kSmall);
  patch<std::uint32_t>(bytes, kFormatAt, 0);
  sign(bytes);
  EXPECT_NE(message_of(bytes), "");
}

TEST(ModelFile, ThatIsSomethingElseIsRefusedNamingIt) {
  const TemporaryFolder folder;
  const std::string text = "The DT B-NP\ndog NN I-NP\n\n";
  for (const std::string& foreign :
       {std::string(), std::string("H"), std::string("HINGE"),
        std::string("HINGE\n\n\x1a") + std::string(100, '\0'), text, text + text + text + text,
        std::string("\x1f\x8b\x08", 3) + std::string(200, '\0'), std::string(1000, '\0'),
        std::string(1000, '\xFF')}) {
    const std::string path = folder.write("foreign", foreign);
    try {
      ModelFile::open(path);
      ADD_FAILURE() << "accepted " << testing::PrintToString(foreign);
    } catch (const ModelError& error) {
      EXPECT_TRUE(contains(error.what(), path)) << error.what();
    }
  }
}

// For a model transferred as text between Windows and Unix; the magic reveals it.
TEST(ModelFile, WhoseLineEndsWereConvertedIsRefused) {
  const std::string bytes = file_of(kSmall);
  std::string unix_ends = bytes, dos_ends;
  unix_ends.erase(5, 1);
  for (const char c : bytes) dos_ends += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_NE(message_of(unix_ends), "");
  EXPECT_NE(message_of(dos_ends), "");
}

TEST(ModelFile, ThatIsMissingOrAFolderIsRefusedNamingIt) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("folder"));
  for (const std::string& path : {folder.path("missing"), folder.path("folder")}) {
    try {
      ModelFile::open(path);
      ADD_FAILURE() << "accepted " << path;
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.what(), path)) << error.what();
    }
  }
}

// ---- Malice: wrong headers with a correct checksum

TEST(ModelFile, WhoseTablePointsOutsideTheFileIsRefused) {
  const std::string bytes = file_of(kSmall);
  for (const std::size_t entry : {0u, 2u}) {
    const std::size_t at = kTableAt + entry * kEntryBytes;
    for (const std::uint64_t lie :
         {std::uint64_t{bytes.size()}, std::uint64_t{bytes.size() + 64}, std::uint64_t{1} << 40,
          ~std::uint64_t{0}, ~std::uint64_t{0} - 63, ~std::uint64_t{0} - bytes.size()}) {
      std::string offset = bytes, length = bytes;
      patch(offset, at + kOffsetInEntry, lie);
      patch(length, at + kBytesInEntry, lie);
      sign(offset);
      sign(length);
      EXPECT_NE(message_of(offset), "") << "entry " << entry << ", offset " << lie;
      EXPECT_NE(message_of(length), "") << "entry " << entry << ", length " << lie;
    }
  }
}

TEST(ModelFile, ThatClaimsMoreSectionsThanFitIsRefused) {
  const std::string bytes = file_of(kSmall);
  for (const std::uint32_t count : {5u, 100u, 0x7FFFFFFFu, 0xFFFFFFFFu, 0x66666667u}) {
    std::string lying = bytes;
    patch(lying, kCountAt, count);
    EXPECT_NE(message_of(lying), "") << count;
  }
}

TEST(ModelFile, WithRandomTablesUnderARightChecksumIsRefusedOrStaysInside) {
  const std::string bytes = file_of(kSmall);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    std::string damaged = bytes;
    const std::size_t table = kSmall.size() * kEntryBytes;
    for (int i = 0; i < 3; ++i)
      damaged[kTableAt + random.below(table)] =
          static_cast<char>(random.below(3) == 0 ? random.below(256) : random.below(2));
    sign(damaged);
    try {
      const ModelFile file = ModelFile::from_bytes(damaged, "damaged");
      std::uint64_t sum = 0;
      for (const auto& [name, size] : file.sizes())
        for (const char c : file.section(name)) sum += static_cast<unsigned char>(c);
      EXPECT_GT(sum + 1, 0u) << "seed " << seed;
    } catch (const ModelError&) {
    }
  }
}

}  // namespace
}  // namespace hinge
