#include "hinge/mt/alignment.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "tests/mt/made_bitext.h"
#include "tests/support/data.h"

namespace hinge::mt {
namespace {

using test::TemporaryFolder;

class AlignmentFile : public testing::Test {
 protected:
  Alignment read(const std::string& lines) { return read_alignment(folder_.write("links", lines), text_); }
  std::string message_of(const std::string& lines) {
    try {
      read(lines);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder_.path("").size());
    }
    return "accepted";
  }
  std::string written(const Alignment& alignment) {
    write_alignment(folder_.path("out"), alignment, text_);
    return TemporaryFolder::read(folder_.path("out"));
  }

  Bitext text_ = bitext_of({{"a b c", "x y"}, {"a", "x y z"}, {"b", "y"}});
  TemporaryFolder folder_;
};

TEST_F(AlignmentFile, IsReadInOrderWithoutRepeatedLinks) {
  const Alignment alignment = read("2-0 0-1\t0-0 2-0\r\n\n0-0\n");
  EXPECT_EQ(alignment.links, (std::vector<Link>{{0, 0}, {0, 1}, {2, 0}, {0, 0}}));
  EXPECT_EQ(alignment.begin, (std::vector<std::uint64_t>{0, 3, 3, 4}));
}

TEST_F(AlignmentFile, IsWrittenAndReadBack) {
  const Alignment alignment = alignment_of({{{2, 0}, {0, 1}}, {}, {{0, 0}}});
  EXPECT_EQ(written(alignment), "0-1 2-0\n\n0-0\n");
  const Alignment again = read(written(alignment));
  EXPECT_EQ(again.links, alignment.links);
  EXPECT_EQ(again.begin, alignment.begin);
}

TEST_F(AlignmentFile, HasLinesForPairsThatTheTextLeavesOut) {
  text_.left_out = {0, 2, 4};  // the file has six lines
  text_.skipped = 3;
  const Alignment alignment = read("9-9 junk\n0-1\n\n0-2\n7-7\n0-0\n");
  EXPECT_EQ(alignment.links, (std::vector<Link>{{0, 1}, {0, 2}, {0, 0}}));
  EXPECT_EQ(written(alignment), "\n0-1\n\n0-2\n\n0-0\n");
  EXPECT_EQ(message_of("\n\n\n"),
            "links: has 3 lines, but the text has 6; line i must align line i of the text");
}

TEST_F(AlignmentFile, TakesTheLinesLeftOutFromTheReaderOfTheText) {
  const std::string source = folder_.write("source", "a b\n\nc\nd e f\n");
  const std::string target = folder_.write("target", "x\ny\nz\nu v w x\n");
  text_ = read_bitext(source, target, {.longest = 3});
  EXPECT_EQ(text_.left_out, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(written(read("1-0\n\n0-0\n2-3\n")), "1-0\n\n0-0\n\n");
}

TEST_F(AlignmentFile, IsRefusedNamingFileAndLine) {
  EXPECT_EQ(message_of("0-0\n0-3\n\n"),
            "links:2: link '0-3' is outside of the target sentence, which has 3 words (positions begin at "
            "0); check that the alignment is of this text and not of the other direction");
  EXPECT_EQ(message_of("3-0\n\n\n").substr(0, 52), "links:1: link '3-0' is outside of the source sentenc");
  for (const std::string bad : {"0", "0-", "-0", "0-1-2", "0-x", "+0-0", "0--1", "99999999999999999999-0"})
    EXPECT_EQ(message_of("\n\n" + bad + "\n"),
              "links:3: '" + bad + "' is not a link; expected source-target, such as 0-2");
}

TEST_F(AlignmentFile, WithMoreOrFewerLinesIsRefused) {
  EXPECT_EQ(message_of("0-0\n\n"),
            "links: has 2 lines, but the text has 3; line i must align line i of the text");
  EXPECT_EQ(message_of("0-0\n\n\nx\n"),
            "links: has 4 lines, but the text has 3; line i must align line i of the text");
}

TEST(AlignmentErrorRate, IsTheOneWorkedOutByHand) {
  // 3 sure links, 2 more possible; of 4 links 2 are sure, 1 possible, 1 wrong.
  const Alignment sure = alignment_of({{{0, 0}, {1, 1}}, {{0, 0}}});
  const Alignment possible = alignment_of({{{0, 0}, {1, 1}, {1, 2}, {2, 2}}, {{0, 0}}});
  const Alignment found = alignment_of({{{0, 0}, {1, 2}, {0, 2}}, {{0, 0}}});
  const AlignmentError error = alignment_error(sure, possible, found);
  EXPECT_DOUBLE_EQ(error.precision, 75.0);
  EXPECT_DOUBLE_EQ(error.recall, 100.0 * 2 / 3);
  EXPECT_DOUBLE_EQ(error.error, 100.0 - 100.0 * 5 / 7);
}

TEST(AlignmentErrorRate, CountsSureLinksAsPossible) {
  const Alignment sure = alignment_of({{{0, 0}}}), none = alignment_of({{}});
  EXPECT_DOUBLE_EQ(alignment_error(sure, none, sure).error, 0.0);
  EXPECT_DOUBLE_EQ(alignment_error(sure, none, none).error, 100.0);
  EXPECT_DOUBLE_EQ(alignment_error(none, none, none).error, 0.0);
}

}  // namespace
}  // namespace hinge::mt
