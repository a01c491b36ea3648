// Columns in memory, in files and in a cache, and the window of blocks in memory.
#include "hinge/files/block_cache.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

struct Rows {
  Column<std::size_t> begin{0};
  Column<std::uint32_t> values;
  Column<float> none;

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    body("begin", d.begin, [](const Rows&, std::size_t i) { return i; });
    body("values", d.values, [](const Rows& r, std::size_t i) { return r.begin[i]; });
    body("none", d.none, [](const Rows& r, std::size_t i) { return r.begin[i]; });
  }
};

struct Small {
  std::string text = "vocabulary";
  void visit(State& state) { state(text); }
};

constexpr std::size_t kRows = 5000;

void fill(Rows& rows) {
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < i % 400; ++k) rows.values.push_back(static_cast<std::uint32_t>(i * k));
    rows.begin.push_back(rows.values.size());
  }
}

std::shared_ptr<BlockCache> cache_of(const TemporaryFolder& folder, std::uint64_t window) {
  SpillSpace space(folder.path("cache"), 1 << 20);
  Rows rows;
  spill_columns(rows, space);
  fill(rows);
  Small small;
  BlockCacheWriter writer(folder.path("cache"), Json().set("task", "rows"));
  writer.add_state(small);
  writer.add_columns(rows, kRows);
  writer.write();
  return BlockCache::open(folder.path("cache"), window);
}

TEST(Column, IsTheSameInMemoryAndInAFile) {
  const TemporaryFolder folder;
  SpillSpace space(folder.path("space"), 1 << 20);
  Rows memory, file;
  fill(memory);
  file.values.append(std::vector<std::uint32_t>{});
  spill_columns(file, space);
  fill(file);
  EXPECT_EQ(memory.begin, file.begin);
  EXPECT_EQ(memory.values, file.values);
  const Column<std::uint32_t> copy = file.values;
  EXPECT_EQ(copy.file(), nullptr);
  EXPECT_EQ(copy, memory.values);
  file.values.resize(3);
  file.values.push_back(7);
  EXPECT_EQ(file.values, (Column<std::uint32_t>{memory.values[0], memory.values[1], memory.values[2], 7}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path(""))) << "its files have no names";
}

TEST(BlockCache, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const auto cache = cache_of(folder, 100 << 20);
  EXPECT_EQ(cache->key().text("task"), "rows");
  Small small{.text = ""};
  cache->read_state(small);
  EXPECT_EQ(small.text, "vocabulary");
  Rows expected, rows;
  fill(expected);
  cache->read_columns(rows, cache);
  EXPECT_EQ(cache->examples(), kRows);
  for (std::size_t i = 0; i < kRows; ++i) cache->use(i);
  EXPECT_EQ(rows.begin, expected.begin);
  EXPECT_EQ(rows.values, expected.values);
  EXPECT_TRUE(rows.none.empty());
  EXPECT_TRUE(cache->blocks().empty()) << "all fits the window, so any order will do";
}

TEST(BlockCache, ChecksEachBlockOnceAndEveryExampleIsInOne) {
  const TemporaryFolder folder;
  const auto cache = cache_of(folder, 1 << 20);
  std::vector<int> checked(kRows);
  cache->set_check([&checked](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++checked[i];
    return true;
  });
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < kRows; ++i) cache->use(i);
  }
  EXPECT_EQ(checked, std::vector<int>(kRows, 1));
  EXPECT_EQ(cache->blocks().begin.size(), cache->block_count() + 1);
  EXPECT_EQ(cache->blocks().begin.back(), kRows);
  for (const std::uint64_t bytes : cache->blocks().bytes) EXPECT_LT(bytes, (1u << 20) + 10000);
}

TEST(BlockCache, RefusesABlockWhoseIndicesAreNotSound) {
  const TemporaryFolder folder;
  const auto cache = cache_of(folder, 1 << 20);
  cache->set_check([](std::size_t first, std::size_t) { return first == 0; });
  EXPECT_NO_THROW(cache->use(0));
  EXPECT_THROW(cache->use(kRows - 1), InputError);
}

// Sections up to 16 MB are checked when a file is opened, longer ones block by block.
TEST(BlockCache, RefusesADamagedBlockOfAColumnThatIsNotReadOnOpening) {
  const TemporaryFolder folder;
  constexpr std::size_t kValues = 5000000;
  {
    Rows rows;
    rows.values.resize(kValues, 3);
    for (std::size_t i = 1; i <= kRows; ++i) rows.begin.push_back(i * kValues / kRows);
    Small small;
    BlockCacheWriter writer(folder.path("cache"), Json());
    writer.add_state(small);
    writer.add_columns(rows, kRows);
    writer.write();
  }
  std::string bytes = TemporaryFolder::read(folder.path("cache"));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  const auto cache = BlockCache::open(folder.write("cache", bytes), 1 << 20);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < kRows; i += 10) {
    try {
      cache->use(i);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find("is damaged (checksum); delete it"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, kRows / 10 / 5) << "other blocks are of use";
}

#ifdef __linux__
std::uint64_t resident_bytes(const void* begin, std::uint64_t bytes) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(begin);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long first = 0, last = 0, kilobytes = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &last) == 2) inside = first <= wanted && wanted < last;
    if (inside && std::sscanf(line.c_str(), "Rss: %lu kB", &kilobytes) == 1)
      return std::min<std::uint64_t>(bytes, kilobytes << 10);
  }
  return 0;
}

TEST(BlockCache, KeepsNoMoreInMemoryThanItsWindow) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kWindow = 1 << 20;
  const auto cache = cache_of(folder, kWindow);
  Rows rows;
  cache->read_columns(rows, cache);
  ASSERT_GT(cache->column_bytes(), 3 * kWindow);
  std::uint64_t sum = 0, most = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    cache->use(i);
    for (std::size_t k = rows.begin[i]; k < rows.begin[i + 1]; ++k) sum += rows.values[k];
    if (i % 100 == 0)
      most = std::max(most, resident_bytes(cache->file().bytes().data(), cache->file().size()));
  }
  EXPECT_GT(sum, 0u);
  EXPECT_LT(most, 3 * kWindow) << "the window, the next block, and what the kernel reads around them";
}
#endif

// A cache of four blocks, two of which fit half its window; the first example of each.
struct FourBlocks {
  FourBlocks() {
    for (std::uint32_t b = 0; b < cache->block_count(); ++b) first.push_back(cache->blocks().begin[b]);
  }
  void use(std::initializer_list<std::uint32_t> blocks) const {
    for (const std::uint32_t b : blocks) cache->use(first[b]);
  }
  void expect(std::vector<std::uint32_t> order) const { cache->blocks().expect(order); }

  TemporaryFolder folder;
  std::shared_ptr<BlockCache> cache = cache_of(folder, 2'300'000);
  std::vector<std::uint32_t> first;
};

TEST(BlockCache, ReadsAheadInTheExpectedOrder) {
  const FourBlocks four;
  ASSERT_EQ(four.cache->block_count(), 4u);
  four.expect({2, 0, 3, 1});
  four.use({2});
  EXPECT_TRUE(four.cache->is_asked(0));
  EXPECT_FALSE(four.cache->is_asked(3)) << "no more than half the window";
  four.use({0});
  EXPECT_TRUE(four.cache->is_asked(3));
  four.use({3});
  EXPECT_TRUE(four.cache->is_asked(1));
  four.use({1});
}

TEST(BlockCache, ReadsAheadWhenBlocksAreUsedOneAfterTheOther) {
  const FourBlocks four;
  four.expect({3, 1, 2, 0});
  four.use({0});
  EXPECT_FALSE(four.cache->is_asked(1));
  four.use({1});
  EXPECT_TRUE(four.cache->is_asked(2));
  EXPECT_FALSE(four.cache->is_asked(3));
}

TEST(BlockCache, DoesNotReadAheadIntoTheShardsOfOthers) {
  const FourBlocks four;
  four.expect({1, 0});
  four.use({0, 1});
  EXPECT_FALSE(four.cache->is_asked(2));
}

TEST(BlockCache, DoesNotReadAheadInAnUnexpectedOrder) {
  const FourBlocks four;
  four.expect({3, 1, 2, 0});
  four.use({2});
  for (const std::uint32_t b : {0u, 1u, 3u}) EXPECT_FALSE(four.cache->is_asked(b)) << b;
}

}  // namespace
}  // namespace hinge
