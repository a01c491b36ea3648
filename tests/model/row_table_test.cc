// The table of rows against a std::map.
#include "hinge/model/row_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "hinge/core/error.h"
#include "hinge/core/random.h"

namespace hinge {
namespace {

using Rows = std::map<Key, std::vector<float>>;

struct Built {
  ModelFile file;
  std::vector<std::uint32_t> ids;
};

// The id of a key is its rank in the map.
Built build(const Rows& rows, std::size_t width, float threshold = 0.0f) {
  RowTableBuilder builder;
  std::uint32_t id = 0;
  for (const auto& [key, row] : rows) builder.add(key, id++, row, threshold);
  ModelWriter writer;
  std::vector<std::uint32_t> ids = builder.write("t", width, writer);
  return {ModelFile::from_bytes(writer.bytes(), "test"), std::move(ids)};
}

constexpr float kGuard = 12345.0f;

// A caller must provide space for every column that one byte can address.
std::size_t room_for(std::size_t width) { return std::max<std::size_t>(width, 256); }

// The result of adding a row; checks that nothing is written outside.
std::vector<float> added(const RowTable& table, Key key, std::size_t width, float scale) {
  std::vector<float> out(room_for(width) + 8, 0.0f);
  std::fill(out.end() - 8, out.end(), kGuard);
  table.add_to(table.find(key), scale, out.data());
  for (std::size_t i = out.size() - 8; i < out.size(); ++i) EXPECT_EQ(out[i], kGuard) << "written outside";
  return out;
}

std::vector<float> look_up(const RowTable& table, Key key, std::size_t width, float scale = 1.0f) {
  std::vector<float> out = added(table, key, width, scale);
  for (std::size_t i = width; i < room_for(width); ++i) EXPECT_EQ(out[i], 0.0f) << "beyond the row";
  out.resize(width);
  return out;
}

std::vector<float> random_row(Random& random, std::size_t width, std::size_t entries) {
  std::vector<float> row(width, 0.0f);
  for (std::size_t i = 0; i < entries; ++i)
    row[random.below(width)] = static_cast<float>(static_cast<int>(random.below(201)) - 100) / 8;
  return row;
}

bool is_zero(const std::vector<float>& row) {
  return std::all_of(row.begin(), row.end(), [](float value) { return value == 0.0f; });
}

std::size_t nonzero_rows(const Rows& rows) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return !is_zero(row.second); }));
}

void expect_lookups(const Rows& rows, std::size_t width) {
  const Built built = build(rows, width);
  const RowTable table(built.file, "t", width);
  EXPECT_EQ(table.rows(), nonzero_rows(rows));
  std::size_t entries = 0;
  for (const auto& [key, row] : rows) {
    ASSERT_EQ(look_up(table, key, width), row) << "key " << key;
    entries +=
        static_cast<std::size_t>(std::count_if(row.begin(), row.end(), [](float v) { return v != 0.0f; }));
  }
  EXPECT_EQ(table.entries(), entries);
}

TEST(RowTable, FindsTheRowOfEveryKeyAndNothingForOthers) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    constexpr std::size_t kWidth = 9;
    Rows rows;
    for (std::size_t n = random.below(500); rows.size() < n;)
      rows[random.bits()] = random_row(random, kWidth, random.below(5));
    ASSERT_NO_FATAL_FAILURE(expect_lookups(rows, kWidth));
    const Built built = build(rows, kWidth);
    const RowTable table(built.file, "t", kWidth);
    for (int i = 0; i < 2000; ++i) {
      const Key key = random.bits();
      if (!rows.contains(key)) {
        ASSERT_TRUE(is_zero(look_up(table, key, kWidth))) << key;
      }
    }
  }
}

TEST(RowTable, AddsAMultipleToWhatIsThere) {
  const Rows rows = {{7, {1.0f, 0.0f, -2.0f}}};
  const Built built = build(rows, 3);
  const RowTable table(built.file, "t", 3);
  std::vector<float> out(256, 10.0f);
  table.add_to(table.find(7), 0.5f, out.data());
  table.add_to(table.find(8), 0.5f, out.data());
  EXPECT_EQ(out[0], 10.5f);
  EXPECT_EQ(out[1], 10.0f);
  EXPECT_EQ(out[2], 9.0f);
  EXPECT_TRUE(table.find(8).empty());
}

// The highest bits of a key determine its home slot, so these keys share a few slots.
TEST(RowTable, FindsKeysThatCrowdIntoTheSameHomes) {
  for (const Key base : {Key{0}, Key{1} << 40, Key{1} << 63, ~Key{0} - 5000}) {
    SCOPED_TRACE(testing::Message() << "base " << base);
    Random random(3);
    Rows rows;
    for (Key i = 1; i <= 300; ++i) rows[base + i * 7] = random_row(random, 5, 3);
    ASSERT_NO_FATAL_FAILURE(expect_lookups(rows, 5));
    const Built built = build(rows, 5);
    const RowTable table(built.file, "t", 5);
    for (Key i = 1; i <= 2100; ++i) {
      if (!rows.contains(base + i)) {
        ASSERT_TRUE(is_zero(look_up(table, base + i, 5))) << base + i;
      }
    }
  }
}

TEST(RowTable, FindsKeysAtBothEndsOfTheRange) {
  Rows rows;
  for (Key i = 1; i <= 40; ++i) {
    rows[i] = {static_cast<float>(i)};
    rows[~Key{0} - i] = {-static_cast<float>(i)};
  }
  rows[~Key{0}] = {0.5f};
  ASSERT_NO_FATAL_FAILURE(expect_lookups(rows, 1));
}

TEST(RowTable, OfNoRowsFindsNothing) {
  const Built built = build({}, 4);
  const RowTable table(built.file, "t", 4);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.rows(), 0u);
  EXPECT_EQ(table.entries(), 0u);
  for (const Key key : {Key{0}, Key{1}, Key{1} << 63, ~Key{0}}) EXPECT_TRUE(is_zero(look_up(table, key, 4)));
  table.each([](std::size_t, std::size_t, float) { FAIL() << "an entry"; });
  EXPECT_TRUE(built.ids.empty());
}

class RowTableWidth : public testing::TestWithParam<std::size_t> {};

TEST_P(RowTableWidth, KeepsEveryColumn) {
  const std::size_t width = GetParam();
  Random random(width);
  Rows rows;
  for (int i = 0; i < 6; ++i) {
    std::vector<float> row = random_row(random, width, 20);
    row.front() = 1.5f;
    row.back() = -2.5f;
    rows[random.bits()] = row;
  }
  SCOPED_TRACE(testing::Message() << "seed " << width);
  ASSERT_NO_FATAL_FAILURE(expect_lookups(rows, width));
}

// One byte per column, then two, then four, on both sides of each limit.
INSTANTIATE_TEST_SUITE_P(Columns, RowTableWidth,
                         testing::Values(1, 2, 255, 256, 257, 258, 1000, 65535, 65536, 65537, 65538, 70000),
                         testing::PrintToStringParamName());

// Rows with few used columns are stored with column numbers, others are dense.
TEST(RowTable, KeepsRowsFromNearlyEmptyToFull) {
  for (const std::size_t width : {1, 2, 3, 4, 5, 8, 9, 31, 256, 257, 300}) {
    SCOPED_TRACE(testing::Message() << "width " << width << ", seed 8");
    Random random(8);
    Rows rows;
    std::vector<std::size_t> columns(width);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    for (std::size_t n = 1; n <= width; n += width > 100 ? 13 : 1) {
      random.shuffle(std::span(columns));
      std::vector<float> row(width, 0.0f);
      for (std::size_t k = 0; k < n; ++k) row[columns[k]] = static_cast<float>(1 + random.below(50)) / 4;
      rows[random.bits()] = row;
    }
    ASSERT_NO_FATAL_FAILURE(expect_lookups(rows, width));
  }
}

TEST(RowTable, LeavesOutWhatLiesWithinTheThreshold) {
  const Rows rows = {{5, {0.5f, -0.5f, 0.0625f, -0.25f, 0.25f}}, {6, {0.0625f, 0.0f, 0.25f, -0.0625f, 0.0f}}};
  const Built built = build(rows, 5, 0.25f);
  const RowTable table(built.file, "t", 5);
  EXPECT_EQ(look_up(table, 5, 5), (std::vector<float>{0.5f, -0.5f, 0.0f, 0.0f, 0.0f}));
  EXPECT_TRUE(is_zero(look_up(table, 6, 5)));
  EXPECT_EQ(table.rows(), 1u);
  EXPECT_EQ(table.entries(), 2u);
  EXPECT_EQ(built.ids, std::vector<std::uint32_t>{0});
}

TEST(RowTable, ListsEveryEntryUnderTheNumberOfItsRow) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Rows rows;
    for (int i = 0; i < 200; ++i) rows[random.bits()] = random_row(random, 6, random.below(4));
    const Built built = build(rows, 6);
    const RowTable table(built.file, "t", 6);
    ASSERT_EQ(built.ids.size(), nonzero_rows(rows));
    EXPECT_EQ(std::set<std::uint32_t>(built.ids.begin(), built.ids.end()).size(), built.ids.size());

    std::vector<std::vector<float>> by_id(rows.size(), std::vector<float>(6, 0.0f));
    table.each([&](std::size_t row, std::size_t column, float value) {
      ASSERT_LT(row, built.ids.size());
      ASSERT_LT(column, 6u);
      by_id[built.ids[row]][column] += value;
    });
    std::size_t id = 0;
    for (const auto& [key, row] : rows) EXPECT_EQ(by_id[id++], row);
  }
}

TEST(RowTable, WritesTheSameBytesForTheSameRowsInAnyOrder) {
  Random random(4);
  std::vector<Key> keys;
  Rows rows;
  for (int i = 0; i < 100; ++i) {
    keys.push_back(random.bits());
    rows[keys.back()] = random_row(random, 4, 3);
  }
  std::string first;
  for (int round = 0; round < 3; ++round) {
    RowTableBuilder builder;
    for (const Key key : keys) builder.add(key, 0, rows[key], 0.0f);
    ModelWriter writer;
    builder.write("t", 4, writer);
    if (round == 0) first = writer.bytes();
    const ModelFile a = ModelFile::from_bytes(first, "a"), b = ModelFile::from_bytes(writer.bytes(), "b");
    const RowTable one(a, "t", 4), other(b, "t", 4);
    for (const Key key : keys) ASSERT_EQ(look_up(one, key, 4), look_up(other, key, 4)) << "seed 4";
    random.shuffle(std::span(keys));
  }
}

TEST(RowTable, MayShareAFileWithAnother) {
  RowTableBuilder a, b;
  const std::vector<float> one = {1.0f}, two = {0.0f, 2.0f};
  a.add(1, 0, one, 0.0f);
  b.add(1, 0, two, 0.0f);
  ModelWriter writer;
  a.write("node", 1, writer);
  b.write("edge", 2, writer);
  const ModelFile file = ModelFile::from_bytes(writer.bytes(), "x");
  EXPECT_EQ(look_up(RowTable(file, "node", 1), 1, 1), one);
  EXPECT_EQ(look_up(RowTable(file, "edge", 2), 1, 2), two);
}

// ---- Damage. Large sections are not checked on opening, so whatever they hold, a
// table must not access memory outside its own and its caller's arrays.

using Sections = std::map<std::string, std::string>;

Sections sections_of(const ModelFile& file) {
  Sections sections;
  for (const auto& [name, size] : file.sizes()) sections[name] = file.section(name);
  return sections;
}

void use_damaged(const Sections& sections, const Rows& rows, std::size_t width) {
  ModelWriter writer;
  for (const auto& [name, bytes] : sections) writer.add(name, bytes);
  const ModelFile file = ModelFile::from_bytes(writer.bytes(), "damaged");
  try {
    const RowTable table(file, "t", width);
    for (const auto& [key, row] : rows) added(table, key, width, 1.0f);
    for (const Key key : {Key{0}, Key{1}, Key{1} << 63, ~Key{0}}) added(table, key, width, 1.0f);
    table.each([&](std::size_t, std::size_t column, float) { ASSERT_LT(column, width); });
    EXPECT_LE(table.rows(), sections.at("t.slots").size());
  } catch (const ModelError&) {
  }
}

TEST(RowTable, StaysInsideWhateverItsSectionsHold) {
  for (const std::size_t width : {3, 300, 70000}) {
    Random random(5);
    Rows rows;
    for (int i = 0; i < 30; ++i) rows[random.bits()] = random_row(random, width, 4);
    const Sections whole = sections_of(build(rows, width).file);
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      SCOPED_TRACE(testing::Message() << "width " << width << ", seed " << seed);
      Random noise(seed);
      for (const auto& [name, content] : whole) {
        Sections damaged = whole;
        std::string& bytes = damaged.at(name);
        for (std::size_t i = 1 + noise.below(bytes.size()); i > 0; --i)
          bytes[noise.below(bytes.size())] = static_cast<char>(noise.below(4) == 0 ? 0xFF : noise.below(256));
        ASSERT_NO_FATAL_FAILURE(use_damaged(damaged, rows, width)) << name;
      }
    }
  }
}

TEST(RowTable, IsRefusedOrStaysInsideWhereASectionIsCutShort) {
  for (const std::size_t width : {3, 300, 70000}) {
    SCOPED_TRACE(testing::Message() << "width " << width << ", seed 6");
    Random random(6);
    Rows rows;
    for (int i = 0; i < 12; ++i) rows[random.bits()] = random_row(random, width, 3);
    const Sections whole = sections_of(build(rows, width).file);
    for (const auto& [name, bytes] : whole)
      for (std::size_t size = 0; size<bytes.size(); size += width> 1000 ? 7 : 1) {
        Sections damaged = whole;
        damaged[name] = bytes.substr(0, size);
        ASSERT_NO_FATAL_FAILURE(use_damaged(damaged, rows, width)) << name << " of " << size << " bytes";
      }
  }
}

TEST(RowTable, OfAnotherWidthThanItWasWrittenForIsRefusedOrStaysInside) {
  Random random(7);
  for (const std::size_t width : {3, 300, 70000}) {
    Rows rows;
    for (int i = 0; i < 12; ++i) rows[random.bits()] = random_row(random, width, 3);
    const Sections whole = sections_of(build(rows, width).file);
    for (const std::size_t other : {1, 2, 256, 257, 65536, 65537, 70001}) {
      SCOPED_TRACE(testing::Message() << "seed 7, width " << width << " read as " << other);
      ASSERT_NO_FATAL_FAILURE(use_damaged(whole, rows, other));
    }
  }
}

TEST(RowTable, WithoutASectionIsRefused) {
  const Sections whole = sections_of(build({{1, {1.0f}}}, 1).file);
  for (const auto& [missing, bytes] : whole) {
    ModelWriter writer;
    for (const auto& [name, content] : whole) {
      if (name != missing) writer.add(name, content);
    }
    const ModelFile file = ModelFile::from_bytes(writer.bytes(), "x");
    EXPECT_THROW(RowTable(file, "t", 1), ModelError) << missing;
  }
}

}  // namespace
}  // namespace hinge
