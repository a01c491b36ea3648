#include "hinge/corpus/text_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <thread>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "tests/support/gzip.h"

namespace hinge {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::write_gzip;

struct Chunk {
  std::size_t first_line;
  std::string text;
};

std::vector<Chunk> chunks_of(const std::string& path) {
  TextSource source(path);
  std::vector<Chunk> chunks;
  std::string_view view;
  while (source.next(view)) {
    chunks.push_back({source.first_line(), std::string(view)});
    if (chunks.size() > 1000000) throw std::runtime_error("no end of chunks");
  }
  EXPECT_FALSE(source.next(view)) << "a chunk after the end";
  return chunks;
}

std::string joined(const std::vector<Chunk>& chunks) {
  std::string text;
  for (const Chunk& chunk : chunks) text += chunk.text;
  return text;
}

// Whole blocks in order, nothing lost, with correct line numbers.
void expect_whole_blocks(const std::vector<Chunk>& chunks, const std::string& text) {
  ASSERT_EQ(joined(chunks).size(), text.size());
  ASSERT_TRUE(joined(chunks) == text);
  std::size_t line = 1;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::string& chunk = chunks[i].text;
    ASSERT_FALSE(chunk.empty());
    ASSERT_EQ(chunks[i].first_line, line) << "chunk " << i;
    line += static_cast<std::size_t>(std::count(chunk.begin(), chunk.end(), '\n'));
    if (i + 1 == chunks.size()) break;
    ASSERT_TRUE(chunk.ends_with("\n\n") || chunk.ends_with("\n\r\n") || chunk == "\n" || chunk == "\r\n")
        << "chunk " << i << " ends inside a block";
  }
}

std::string message_of(const std::string& path) {
  try {
    chunks_of(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Sentences of random length, about `bytes` in total.
std::string random_text(std::uint64_t seed, std::size_t bytes, const std::string& line_end = "\n") {
  Random random(seed);
  std::string text;
  while (text.size() < bytes) {
    for (std::size_t tokens = 1 + random.below(40); tokens > 0; --tokens) {
      static const std::vector<std::string> kWords = {"a", "word", "Straße", "日本語", "𝕏", "naïve"};
      text += kWords[random.below(kWords.size())] + " " + std::string(random.below(100), 'x') + line_end;
    }
    text += line_end;
  }
  return text;
}

TEST(TextSource, HandsOutASmallFileWhole) {
  const TemporaryFolder folder;
  for (const std::string text :
       {"a\n", "a\n\n", "a\nb\n\nc\n\n", "a\n\nb", "\n", "\n\n\na\n", "a\r\n\r\nb\r\n"}) {
    SCOPED_TRACE(testing::PrintToString(text));
    ASSERT_NO_FATAL_FAILURE(expect_whole_blocks(chunks_of(folder.write("text", text)), text));
  }
}

TEST(TextSource, OfAnEmptyFileHasNoChunk) {
  const TemporaryFolder folder;
  EXPECT_TRUE(chunks_of(folder.write("empty", "")).empty());
  EXPECT_EQ(read_text(folder.path("empty")), "");
}

TEST(TextSource, CutsALargeTextBetweenBlocksOnly) {
  const TemporaryFolder folder;
  for (const std::string line_end : {"\n", "\r\n"}) {
    const std::string text = random_text(1, std::size_t{4} << 20, line_end);
    const std::vector<Chunk> chunks = chunks_of(folder.write("large", text));
    EXPECT_GT(chunks.size(), 1u) << "a test of cutting needs more than one chunk";
    ASSERT_NO_FATAL_FAILURE(expect_whole_blocks(chunks, text)) << "seed 1";
  }
}

TEST(TextSource, KeepsABlockLargerThanAnyChunkInOnePiece) {
  const TemporaryFolder folder;
  std::string block;
  while (block.size() < std::size_t{4} << 20) block += "日本語 " + std::string(60, 'x') + "\n";
  const std::string text = "before\n\n" + block + "\nafter\n";
  const std::vector<Chunk> chunks = chunks_of(folder.write("large", text));
  ASSERT_NO_FATAL_FAILURE(expect_whole_blocks(chunks, text));
  const auto holds_block = [&](const Chunk& chunk) { return contains(chunk.text, block); };
  EXPECT_EQ(std::count_if(chunks.begin(), chunks.end(), holds_block), 1);
}

TEST(TextSource, ReadsALargeTextWithoutFinalNewline) {
  const TemporaryFolder folder;
  const std::string text = random_text(2, std::size_t{3} << 20) + "the last 日";
  ASSERT_NO_FATAL_FAILURE(expect_whole_blocks(chunks_of(folder.write("large", text)), text)) << "seed 2";
}

TEST(TextSource, ReadsGzip) {
  const TemporaryFolder folder;
  for (const std::string& text : {std::string(), std::string("a b\n\nc d\n\n"), random_text(3, 3 << 20)}) {
    const std::string path = write_gzip(folder, "text.gz", text);
    ASSERT_NO_FATAL_FAILURE(expect_whole_blocks(chunks_of(path), text)) << "seed 3";
    EXPECT_TRUE(read_text(path) == text);
  }
}

TEST(TextSource, KnowsGzipByItsBytesAndNotByItsName) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_text(write_gzip(folder, "packed.txt", "a b\n\n")), "a b\n\n");
  EXPECT_EQ(read_text(folder.write("plain.gz", "a b\n\n")), "a b\n\n");
}

TEST(TextSource, ReadsAllMembersOfAGzipFile) {
  const TemporaryFolder folder;
  write_gzip(folder, "text.gz", "one\n\n");
  const std::string path = write_gzip(folder, "text.gz", "two\n", "ab");
  EXPECT_EQ(read_text(path), "one\n\ntwo\n");
}

TEST(TextSource, RefusesAGzipFileCutShortAnywhere) {
  const TemporaryFolder folder;
  const std::string packed = TemporaryFolder::read(write_gzip(folder, "whole.gz", "some text\n\nand more\n"));
  for (std::size_t size = 2; size < packed.size(); ++size) {
    const std::string path = folder.write("cut.gz", packed.substr(0, size));
    const std::string message = message_of(path);
    EXPECT_TRUE(contains(message, path)) << size << " of " << packed.size() << " bytes: '" << message << "'";
  }
}

TEST(TextSource, RefusesALargeGzipFileCutShort) {
  const TemporaryFolder folder;
  const std::string packed = TemporaryFolder::read(write_gzip(folder, "whole.gz", random_text(4, 3 << 20)));
  for (const std::size_t size : {packed.size() / 2, packed.size() - 9, packed.size() - 1}) {
    const std::string path = folder.write("cut.gz", packed.substr(0, size));
    EXPECT_TRUE(contains(message_of(path), path)) << size << " of " << packed.size() << " bytes, seed 4";
    EXPECT_THROW(read_text(path), InputError);
  }
}

TEST(TextSource, RefusesAGzipFileWithAWrongChecksum) {
  const TemporaryFolder folder;
  std::string packed = TemporaryFolder::read(write_gzip(folder, "whole.gz", "some text\n\nand more\n"));
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  const std::string path = folder.write("damaged.gz", packed);
  EXPECT_TRUE(contains(message_of(path), path)) << message_of(path);
}

TEST(TextSource, RefusesANulByteNamingFileAndLine) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", std::string("a\n\nb\nc\0d\n", 9));
  EXPECT_TRUE(contains(message_of(path), path + ":4:")) << message_of(path);
  EXPECT_THROW(read_text(path), InputError);
}

TEST(TextSource, RefusesInvalidUtf8NamingFileAndLine) {
  const TemporaryFolder folder;
  const std::vector<std::string> invalid = {
      "\x80",              // a continuation byte alone
      "\xC3",              // cut short by the end of the line
      "\xC0\x80",          // overlong
      "\xC1\xBF",          // overlong
      "\xE0\x80\x80",      // overlong
      "\xE0\x9F\xBF",      // overlong
      "\xF0\x8F\xBF\xBF",  // overlong
      "\xE6\x97",          // cut short
      "\xF0\x9D\x95",      // cut short
      "\xED\xA0\x80",      // a surrogate
      "\xED\xBF\xBF",      // a surrogate
      "\xF4\x90\x80\x80",  // beyond U+10FFFF
      "\xF5\x80\x80\x80",
      "\xFE",  // invalid lead bytes
      "\xFF",
      "\xC3\x28",
      "stra\xDF"
      "e",  // Latin-1
  };
  for (const std::string& bytes : invalid) {
    SCOPED_TRACE(testing::PrintToString(bytes));
    for (const std::string& padding : {std::string(), std::string(100, 'x')}) {
      const std::string inside = folder.write("inside", "a\n\n" + padding + bytes + padding + "\nb\n");
      EXPECT_TRUE(contains(message_of(inside), inside + ":3:")) << message_of(inside);
      const std::string last = folder.write("last", "a\n\nb\n" + padding + bytes);
      EXPECT_TRUE(contains(message_of(last), last + ":4:")) << message_of(last);
      EXPECT_THROW(read_text(last), InputError);
    }
  }
}

TEST(TextSource, AcceptsAllOfUtf8) {
  const TemporaryFolder folder;
  // First and last of each length, and the neighbours of the surrogates.
  const std::string text =
      "\x01\x7F \xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF \xF0\x90\x80\x80 "
      "\xF4\x8F\xBF\xBF\n";
  EXPECT_EQ(read_text(folder.write("text", text)), text);
}

// Editors on Windows write a byte order mark; it would become part of the first word.
TEST(TextSource, LeavesOutAByteOrderMarkAtTheBeginningOnly) {
  const TemporaryFolder folder;
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(read_text(folder.write("text", mark + "a b\n\n" + mark + "c\n")), "a b\n\n" + mark + "c\n");
  EXPECT_EQ(read_text(write_gzip(folder, "text.gz", mark + "a b\n")), "a b\n");
}

TEST(TextSource, CountsLinesAcrossChunks) {
  const TemporaryFolder folder;
  std::string text = random_text(5, std::size_t{3} << 20);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const std::string expected = ":" + std::to_string(lines + 2) + ":";
  for (const std::string& bad : {std::string("\xFF"), std::string(1, '\0')}) {
    const std::string path = folder.write("large", text + "fine\nnot " + bad + "\n");
    EXPECT_TRUE(contains(message_of(path), path + expected)) << message_of(path) << ", seed 5";
    const std::string packed = write_gzip(folder, "large.gz", text + "fine\nnot " + bad + "\n");
    EXPECT_TRUE(contains(message_of(packed), packed + expected)) << message_of(packed) << ", seed 5";
    EXPECT_THROW(read_text(path), InputError);
  }
}

TEST(TextSource, OfMemoryIsOneChunkThatIsNotCopied) {
  const std::string text = "a\n\nb\n\nc";
  TextSource source(TextInput(text, "given.txt", 7));
  std::string_view chunk;
  ASSERT_TRUE(source.next(chunk));
  EXPECT_EQ(chunk.data(), text.data());
  EXPECT_EQ(chunk, text);
  EXPECT_EQ(source.first_line(), 7u);
  EXPECT_EQ(source.name(), "given.txt");
  EXPECT_FALSE(source.next(chunk));
  source.restart(std::string_view(text).substr(3), 9);
  ASSERT_TRUE(source.next(chunk));
  EXPECT_EQ(chunk, "b\n\nc");
  EXPECT_EQ(source.first_line(), 9u);
}

TEST(TextSource, OfMemoryChecksUtf8NamingTheLineOfTheWholeText) {
  TextSource source(TextInput(std::string_view("a\nb\xff\n"), "given.txt", 10));
  std::string_view chunk;
  try {
    source.next(chunk);
    FAIL() << "was taken";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("given.txt:11: ")) << error.what();
  }
}

TEST(TextSource, HandsOutTheBlocksBeforeABadOne) {
  const TemporaryFolder folder;
  TextSource source(folder.write("text", "a\n\nb\nc\n\nd\n\xff\n\ne\n\n"));
  std::string_view chunk;
  ASSERT_TRUE(source.next(chunk));
  EXPECT_EQ(chunk, "a\n\nb\nc\n\n");
  EXPECT_THROW(source.next(chunk), InputError);
  EXPECT_THROW(source.next(chunk), InputError);
}

TEST(BlockEnds, AreBehindEmptyLines) {
  const std::string_view text = "a\n\nb\nc\r\n\r\nd\n";
  EXPECT_EQ(first_block_end(text), 3u);
  EXPECT_EQ(first_block_end(text, 2), 10u);
  EXPECT_EQ(first_block_end(text, 9), text.size());
  EXPECT_EQ(last_block_end(text), 10u);
  EXPECT_EQ(last_block_end(text.substr(0, 9)), 3u);
  EXPECT_EQ(last_block_end("a\n"), 0u);
  EXPECT_EQ(count_lines(text), 6u);
  EXPECT_EQ(count_lines(std::string(1000, '\n') + "a"), 1000u);
}

TEST(TextSource, OfAMissingFileIsRefusedNamingIt) {
  const TemporaryFolder folder;
  const std::string path = folder.path("missing");
  EXPECT_TRUE(contains(message_of(path), path)) << message_of(path);
  EXPECT_THROW(TextSource source(path), InputError);
  EXPECT_THROW(read_text(path), InputError);
}

TEST(TextSource, OfAFolderIsRefusedNamingIt) {
  const TemporaryFolder folder;
  const std::string path = folder.path("folder");
  fs::create_directory(path);
  EXPECT_TRUE(contains(message_of(path), path)) << message_of(path);
  EXPECT_THROW(read_text(path), InputError);
}

// Writes to a pipe like an interactive program: one sentence, then waits.
TEST(TextSource, HandsOutWhatHasArrivedFromAPipeWithoutWaiting) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::promise<void> first_read, second_read;
  std::atomic<int> waited_in_vain = 0;
  std::thread writer([&] {
    const int fd = open(path.c_str(), O_WRONLY);
    const auto send = [&](std::string_view text) {
      if (write(fd, text.data(), text.size()) < 0) ++waited_in_vain;
    };
    const auto await = [&](std::promise<void>& promise) {
      if (promise.get_future().wait_for(std::chrono::seconds(5)) != std::future_status::ready)
        ++waited_in_vain;
    };
    send("one\n\n");
    await(first_read);
    send("two\n\nthr");
    await(second_read);
    send("ee\n\n");
    close(fd);
  });

  TextSource source(path);
  std::string_view chunk;
  EXPECT_TRUE(source.next(chunk));
  EXPECT_EQ(chunk, "one\n\n");
  first_read.set_value();
  EXPECT_TRUE(source.next(chunk));
  EXPECT_EQ(chunk, "two\n\n");
  second_read.set_value();
  EXPECT_TRUE(source.next(chunk));
  EXPECT_EQ(chunk, "three\n\n");
  EXPECT_EQ(source.first_line(), 5u);
  EXPECT_FALSE(source.next(chunk));
  writer.join();
  EXPECT_EQ(waited_in_vain, 0);
}

// Provides `bytes` as standard input during its lifetime.
class StandardInputFrom {
 public:
  explicit StandardInputFrom(const std::string& path) : saved_(dup(STDIN_FILENO)) {
    const int fd = open(path.c_str(), O_RDONLY);
    dup2(fd, STDIN_FILENO);
    close(fd);
  }
  ~StandardInputFrom() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

TEST(TextSource, NamedMinusIsStandardInputPackedOrNot) {
  const TemporaryFolder folder;
  const std::string text = random_text(6, 100000);
  for (const std::string& path : {folder.write("plain", text), write_gzip(folder, "packed", text)}) {
    const StandardInputFrom input(path);
    EXPECT_TRUE(joined(chunks_of("-")) == text) << "seed 6";
  }
}

TEST(TextSource, DoesNotCloseStandardInput) {
  const TemporaryFolder folder;
  const StandardInputFrom input(folder.write("text", "a\n"));
  { TextSource source("-"); }
  EXPECT_NE(fcntl(STDIN_FILENO, F_GETFD), -1);
}

// ---- Lines

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.number(), lines.size());
  }
  return lines;
}

TEST(LineReader, GivesLinesWithoutTheirEnds) {
  const TemporaryFolder folder;
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(lines_of(folder.write("text", mark + "a b\n\r\n\nc\r\nd")),
            (std::vector<std::string>{"a b", "", "", "c", "d"}));
  EXPECT_EQ(lines_of(folder.write("text", "a\n")), std::vector<std::string>{"a"});
  EXPECT_TRUE(lines_of(folder.write("text", "")).empty());
  EXPECT_TRUE(lines_of(folder.write("text", mark)).empty());
}

TEST(LineReader, GivesAllLinesOfALargeTextPackedOrNot) {
  const TemporaryFolder folder;
  std::vector<std::string> expected;
  std::string text;
  Random random(7);
  while (text.size() < std::size_t{4} << 20) {  // no empty line: one block, but many chunks
    expected.push_back("日" + std::string(random.below(random.below(50) == 0 ? 200000 : 300), 'x'));
    text += expected.back() + "\n";
  }
  EXPECT_TRUE(lines_of(folder.write("large", text)) == expected) << "seed 7";
  EXPECT_TRUE(lines_of(write_gzip(folder, "large.gz", text)) == expected) << "seed 7";
  TextSource source(folder.path("large"), ChunkEnd::kLine);
  std::string_view chunk;
  ASSERT_TRUE(source.next(chunk));
  EXPECT_LT(chunk.size(), text.size() / 2) << "a text of lines need not be in memory whole";
}

TEST(LineReader, CountsLinesOfMemoryFromTheNumberGiven) {
  LineReader reader(TextInput(std::string_view("a\nb\n"), "given", 5));
  std::string_view line;
  ASSERT_TRUE(reader.next(line) && reader.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_EQ(reader.number(), 6u);
}

TEST(LineReader, CountsLinesInMessages) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", "a\nb\n\xFF\n");
  LineReader reader(path);
  std::string_view line;
  try {
    while (reader.next(line)) {
    }
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(contains(error.what(), path + ":3:")) << error.what();
  }
}

TEST(LineReader, ContinuesWithAnotherTextInMemory) {
  LineReader reader(TextInput(std::string_view("a\nb\nc"), "text", 1));
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  reader.restart("d\r\n\ne", 7);
  std::string all;
  while (reader.next(line)) all += std::to_string(reader.number()) + std::string(line) + " ";
  EXPECT_EQ(all, "7d 8 9e ");
}

TEST(LineEnds, AreFoundFromAnyPlace) {
  const std::string_view text = "ab\n\ncd";
  const std::size_t expected[] = {3, 3, 3, 4, 6, 6, 6};
  for (std::size_t from = 0; from <= text.size(); ++from)
    EXPECT_EQ(first_line_end(text, from), expected[from]) << from;
}

}  // namespace
}  // namespace hinge
