#include "hinge/features/embeddings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

std::vector<float> vector_of(const Embeddings& embeddings, std::string_view word) {
  std::vector<float> out(embeddings.size());
  embeddings.find(word, out);
  return out;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Embeddings, ReadsText) {
  const TemporaryFolder folder;
  const std::string with_header = folder.write("a", "2 3\nthe 1 0.5 -2\ncat\t0 1 0.25\n");
  const std::string without = folder.write("b", "the 1 0.5 -2\n\ncat 0 1 0.25\n");
  for (const std::string& path : {with_header, without}) {
    const Embeddings embeddings = Embeddings::read(path);
    EXPECT_EQ(embeddings.words(), 2u);
    EXPECT_EQ(vector_of(embeddings, "the"), (std::vector<float>{1, 0.5, -2}));
    EXPECT_EQ(vector_of(embeddings, "Cat"), (std::vector<float>{0, 1, 0.25}));
    EXPECT_EQ(vector_of(embeddings, "dog"), (std::vector<float>{0, 0, 0}));
    EXPECT_FLOAT_EQ(embeddings.scale(), std::sqrt((1 + 0.25f + 4 + 1 + 0.0625f) / 6));
  }
}

TEST(Embeddings, ReadsBinary) {
  const TemporaryFolder folder;
  const float values[] = {1.0f, 0.5f, -2.0f, 4.0f};
  std::string bytes = "2 2\n";
  bytes += "the " + std::string(reinterpret_cast<const char*>(values), 8) + "\n";
  bytes += "cat " + std::string(reinterpret_cast<const char*>(values + 2), 8) + "\n";
  const Embeddings embeddings = Embeddings::read(folder.write("v.bin", bytes));
  EXPECT_EQ(vector_of(embeddings, "the"), (std::vector<float>{1, 0.5}));
  EXPECT_EQ(vector_of(embeddings, "cat"), (std::vector<float>{-2, 4}));
  const std::string cut = folder.write("cut.bin", bytes.substr(0, bytes.size() - 6));
  EXPECT_NE(message_of([&] { Embeddings::read(cut); }).find("'cat' is cut short"), std::string::npos);
  const std::string few = folder.write("few.bin", "3" + bytes.substr(1));
  EXPECT_NE(message_of([&] { Embeddings::read(few); }).find("ends 1 words too early"), std::string::npos);
}

TEST(Embeddings, RefusesOtherFilesWithTheLine) {
  const TemporaryFolder folder;
  const auto refused = [&](std::string_view text) {
    const std::string path = folder.write("v", std::string(text));
    return message_of([&] { Embeddings::read(path); });
  };
  EXPECT_NE(refused("the 1 2\ncat 1\n").find(":2: has 1 numbers; expected 2"), std::string::npos);
  EXPECT_NE(refused("the 1 x\n").find(":1: 'x' is not a number"), std::string::npos);
  EXPECT_NE(refused("the 1 nan\n").find(":1: 'nan' is not a number"), std::string::npos);
  EXPECT_NE(refused("").find("has no word vectors"), std::string::npos);
}

TEST(Embeddings, WordsWithoutAVectorMayGetARandomOne) {
  const TemporaryFolder folder;
  Embeddings embeddings = Embeddings::read(folder.write("v", "the 1 0.5 -2\n"));
  embeddings.add_random("a");
  embeddings.add_random("The");  // has one, in lower case
  EXPECT_EQ(embeddings.words(), 2u);
  EXPECT_EQ(vector_of(embeddings, "The"), (std::vector<float>{1, 0.5, -2}));
  EXPECT_NE(vector_of(embeddings, "a"), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(vector_of(embeddings, "b"), (std::vector<float>{0, 0, 0}));
}

TEST(Embeddings, RandomNumbersHaveTheVarianceAskedFor) {
  std::vector<float> values(100000);
  fill_random(17, 2.0f, values);
  double sum = 0.0, squares = 0.0;
  for (const float value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 1e5, 0.0, 0.03);
  EXPECT_NEAR(squares / 1e5, 4.0, 0.06);
  std::vector<float> again(100000);
  fill_random(17, 2.0f, again);
  EXPECT_EQ(values, again);
  fill_random(18, 2.0f, again);
  EXPECT_NE(values, again);
}

TEST(Embeddings, AreTheSameAfterLoading) {
  const TemporaryFolder folder;
  Embeddings embeddings = Embeddings::read(folder.write("v", "the 1 0.5 -2\ncat 0.1 0.2 0.3\n"));
  embeddings.add_random("dog");
  ByteWriter out;
  embeddings.write(out);
  const std::string bytes = out.take();
  ByteReader in(bytes, "vectors");
  const Embeddings loaded = Embeddings::load(in);
  for (const char* word : {"the", "cat", "dog", "Cat", "mouse"})
    EXPECT_EQ(vector_of(loaded, word), vector_of(embeddings, word)) << word;
  EXPECT_EQ(loaded.scale(), embeddings.scale()) << "that of the file, without random vectors";
  const std::size_t without_scale = bytes.size() - sizeof(float);
  ByteReader earlier(std::string_view(bytes).substr(0, without_scale), "vectors");
  EXPECT_GT(Embeddings::load(earlier).scale(), 0.0f);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (size == without_scale) continue;
    ByteReader part(std::string_view(bytes).substr(0, size), "vectors");
    EXPECT_THROW(Embeddings::load(part), ModelError) << size;
  }
}

}  // namespace
}  // namespace hinge
