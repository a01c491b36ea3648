#include "hinge/files/bytes.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "hinge/core/random.h"

namespace hinge {
namespace {

const std::vector<std::uint64_t> kNumbers = {
    0, 1, 127, 128, 129, 255, 16383, 16384, 0xFFFFFFFFu, 0x100000000u, (1ull << 63) - 1, 1ull << 63, ~0ull};

TEST(Bytes, ReadBackWhatWasWritten) {
  ByteWriter out;
  out.put<std::uint8_t>(200);
  out.put<std::int32_t>(-5);
  out.put<float>(0.1f);
  out.put<double>(std::numeric_limits<double>::denorm_min());
  out.put(std::string_view("text with \0 inside", 18));
  out.put(std::string_view());
  const std::vector<std::uint16_t> numbers = {1, 65535, 0};
  out.put_array<std::uint16_t>(numbers);
  out.put_array<float>({});

  ByteReader in(out.bytes(), "record");
  EXPECT_EQ(in.get<std::uint8_t>(), 200);
  EXPECT_EQ(in.get<std::int32_t>(), -5);
  EXPECT_EQ(in.get<float>(), 0.1f);
  EXPECT_EQ(in.get<double>(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(in.get_text(), std::string_view("text with \0 inside", 18));
  EXPECT_EQ(in.get_text(), "");
  EXPECT_FALSE(in.at_end());
  EXPECT_EQ(in.get_array<std::uint16_t>(), numbers);
  EXPECT_TRUE(in.get_array<float>().empty());
  EXPECT_TRUE(in.at_end());
}

TEST(Bytes, AreLittleEndian) {
  ByteWriter out;
  out.put<std::uint32_t>(0x01020304);
  EXPECT_EQ(out.bytes(), "\x04\x03\x02\x01");
}

TEST(Bytes, VarintsReadBack) {
  ByteWriter out;
  for (const std::uint64_t number : kNumbers) out.put_varint(number);
  ByteReader in(out.bytes(), "record");
  for (const std::uint64_t number : kNumbers) EXPECT_EQ(in.get_varint(), number);
  EXPECT_TRUE(in.at_end());
}

TEST(Bytes, VarintsOfRandomNumbersReadBack) {
  Random random(12);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t number = random.bits() >> random.below(64);
    ByteWriter out;
    out.put_varint(number);
    ByteReader in(out.bytes(), "record");
    ASSERT_EQ(in.get_varint(), number) << "seed 12";
    ASSERT_TRUE(in.at_end());
  }
}

TEST(Bytes, VarintsTakeAByteForSevenBits) {
  for (int bits = 1; bits <= 64; ++bits) {
    ByteWriter out;
    out.put_varint(~0ull >> (64 - bits));
    EXPECT_EQ(out.bytes().size(), static_cast<std::size_t>((bits + 6) / 7)) << bits << " bits";
  }
}

TEST(Bytes, AVarintThatNeverEndsIsRefused) {
  const std::string endless(20, '\xFF');
  ByteReader in(endless, "record");
  EXPECT_THROW(in.get_varint(), ModelError);
}

TEST(Bytes, ARecordCutShortAnywhereIsRefusedWithItsName) {
  const std::vector<std::pair<std::string, std::function<void(ByteReader&)>>> readers = {
      {[] {
         ByteWriter out;
         out.put<double>(1.0);
         return out.take();
       }(),
       [](ByteReader& in) { in.get<double>(); }},
      {[] {
         ByteWriter out;
         out.put(std::string_view("seven b"));
         return out.take();
       }(),
       [](ByteReader& in) { in.get_text(); }},
      {[] {
         ByteWriter out;
         const std::vector<std::uint32_t> numbers = {1, 2, 3};
         out.put_array<std::uint32_t>(numbers);
         return out.take();
       }(),
       [](ByteReader& in) { in.get_array<std::uint32_t>(); }},
      {[] {
         ByteWriter out;
         out.put_varint(~0ull);
         return out.take();
       }(),
       [](ByteReader& in) { in.get_varint(); }},
  };
  for (const auto& [bytes, read] : readers) {
    ByteReader whole(bytes, "list of labels");
    EXPECT_NO_THROW(read(whole));
    EXPECT_TRUE(whole.at_end());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ByteReader in(std::string_view(bytes).substr(0, size), "list of labels");
      try {
        read(in);
        ADD_FAILURE() << size << " of " << bytes.size() << " bytes were accepted";
      } catch (const ModelError& error) {
        EXPECT_NE(std::string(error.what()).find("list of labels"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(Bytes, ALengthBeyondTheRecordIsRefusedBeforeMemoryIsTaken) {
  for (const std::uint64_t length : {9ull, 1ull << 40, 1ull << 61, 1ull << 62, ~0ull}) {
    ByteWriter out;
    out.put<std::uint64_t>(length);
    out.put<std::uint64_t>(0);
    ByteReader text(out.bytes(), "record"), array(out.bytes(), "record");
    EXPECT_THROW(text.get_text(), ModelError) << length;
    EXPECT_THROW(array.get_array<double>(), ModelError) << length;
  }
}

}  // namespace
}  // namespace hinge
