// Texts cut into shards: every block is read once, in order, whoever reads it.
#include "hinge/corpus/text_shards.h"

#include <gtest/gtest.h>

#include <mutex>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "tests/support/gzip.h"
#include "tests/support/thread_communicator.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using test::write_gzip;

// What is read of each shard: every line with its file and number.
using Read = std::vector<std::string>;

TextInput joined(const std::vector<TextInput>& texts) {
  TextInput input = texts[0];
  input.more.assign(texts.begin() + 1, texts.end());
  return input;
}

void add_lines(TextSource& source, std::string_view chunk, std::string& read) {
  const std::string file = source.name().substr(source.name().find_last_of('/') + 1);
  for (std::size_t line = source.first_line(); !chunk.empty(); ++line) {
    const std::size_t end = first_line_end(chunk);
    read += fmt::format("{}:{} {}|", file, line, chunk.substr(0, end));
    chunk.remove_prefix(end);
  }
}

// The whole text at once.
std::string read_all(const std::vector<TextInput>& texts, ChunkEnd end) {
  TextSource source(joined(texts), end);
  std::string read;
  for (std::string_view chunk; source.next(chunk);) add_lines(source, chunk, read);
  return read;
}

Read read_shards(const std::vector<TextInput>& texts, ChunkEnd end, std::size_t shards, int ranks) {
  Read read(shards);
  std::mutex mutex;
  as_ranks(
      ranks,
      [&](Communicator& communicator) {
        const ShardText own = cut_text(texts, shards, communicator);
        Read mine(shards);
        agree_on(communicator, [&] {
          TextSource source(own.input, end);
          for (std::string_view chunk; source.next(chunk);)
            add_lines(source, chunk, mine[own.shards[source.part()]]);
        });
        const std::lock_guard lock(mutex);
        for (std::size_t s = 0; s < shards; ++s) read[s] += mine[s];
      },
      shards);
  return read;
}

void expect_cut_alike(const std::vector<TextInput>& texts, ChunkEnd end) {
  const std::string whole = read_all(texts, end);
  for (const std::size_t shards : {1, 2, 3, 5, 8, 40}) {
    const Read alone = read_shards(texts, end, shards, 1);
    std::string all;
    for (const std::string& shard : alone) all += shard;
    ASSERT_EQ(all, whole) << shards << " shards";
    for (const int ranks : {2, 3, 8}) {
      if (static_cast<std::size_t>(ranks) > shards) continue;
      ASSERT_EQ(read_shards(texts, end, shards, ranks), alone) << shards << " shards, " << ranks << " ranks";
    }
  }
}

// Short blocks and long ones, perhaps none at all, with several empty lines and line ends of both kinds.
std::string random_text(Random& random) {
  const std::string end = random.below(2) == 0 ? "\n" : "\r\n";
  std::string text = random.below(4) == 0 ? "\xEF\xBB\xBF" : "";
  for (std::uint64_t k = random.below(60); k > 0; --k) {
    if (random.below(3) > 0) text += std::string(random.below(12), 'a') + std::to_string(k);
    text += random.below(20) == 0 ? "\n" : end;
  }
  if (random.below(3) == 0) text += "the end";
  return text;
}

TEST(TextShards, HoldEveryBlockOnceInOrderAtAnyNumberOfRanks) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const TemporaryFolder folder;
    Random random(seed);
    std::vector<TextInput> texts;
    std::vector<std::string> memory;
    memory.reserve(3);
    for (std::uint64_t k = 0; k < 1 + seed % 3; ++k) {
      const std::string text = random_text(random), name = "text" + std::to_string(k);
      const std::uint64_t kind = random.below(3);
      if (kind == 0) texts.emplace_back(folder.write(name, text));
      if (kind == 1) texts.emplace_back(write_gzip(folder, name, text));
      if (kind == 2) texts.emplace_back(memory.emplace_back(text), name, 7);
    }
    expect_cut_alike(texts, ChunkEnd::kBlock);
    expect_cut_alike(texts, ChunkEnd::kLine);
  }
}

TEST(TextShards, OfFilesLongerThanABufferHoldEveryBlockOnce) {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 40000; ++k)
    text += "a line of sentence " + std::to_string(k) + (k % 3 == 0 ? "\n\n" : "\nb\n\n");
  text += std::string(2 << 20, 'x') + "\n\nthe end\n";  // a block longer than several shards
  ASSERT_GT(text.size(), 3u << 20);
  expect_cut_alike({folder.write("plain", text)}, ChunkEnd::kBlock);
  expect_cut_alike({write_gzip(folder, "compressed", text), folder.write("plain", text)}, ChunkEnd::kBlock);
}

TEST(TextShards, AreTheSameOfACompressedFile) {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 300; ++k) text += "sentence " + std::to_string(k * k) + "\n\n";
  const Read plain = read_shards({folder.write("text", text)}, ChunkEnd::kBlock, 8, 1);
  EXPECT_EQ(read_shards({write_gzip(folder, "text", text)}, ChunkEnd::kBlock, 8, 3), plain);
}

TEST(TextShards, NameFileAndLineOfABadByteOnAllRanks) {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 200; ++k) text += "sentence\n\n";
  const std::string first = folder.write("first", text);
  for (const std::size_t line : {1u, 101u, 399u}) {
    std::string bad = text;
    bad[10 * (line - 1) / 2] = '\xFF';
    for (const std::string& second : {folder.write("bad", bad), write_gzip(folder, "bad.gz", bad)}) {
      for (const int ranks : {1, 2, 4, 8}) {
        try {
          read_shards({first, second}, ChunkEnd::kBlock, 8, ranks);
          ADD_FAILURE() << "read";
        } catch (const InputError& error) {
          EXPECT_EQ(std::string(error.what()).find(second + ":" + std::to_string(line) + ": byte 0xff"), 0u)
              << error.what();
        }
      }
    }
  }
}

TEST(TextShards, AreNotCutOfMissingOrDamagedFiles) {
  const TemporaryFolder folder;
  const std::string good = folder.write("good", "a\n\nb\n\n");
  const std::string whole = TemporaryFolder::read(write_gzip(folder, "whole.gz", std::string(1000, 'a')));
  const std::string cut = folder.write("cut.gz", whole.substr(0, whole.size() - 4));
  for (const int ranks : {1, 3}) {
    const auto told = [&](const std::vector<TextInput>& texts) -> std::string {
      try {
        read_shards(texts, ChunkEnd::kBlock, 4, ranks);
      } catch (const InputError& error) {
        return error.what();
      }
      return "";
    };
    EXPECT_EQ(told({good, folder.path("none")}),
              folder.path("none") + ": cannot be opened (No such file or directory); check the path");
    EXPECT_EQ(told({good, cut}), cut + ": the gzip data ends too early; fetch or compress the file again");
  }
}

}  // namespace
}  // namespace hinge
