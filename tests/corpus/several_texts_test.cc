// Several files or texts read one after another.
#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/corpus/text_source.h"
#include "tests/support/gzip.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using test::write_gzip;

TEST(SeveralTexts, AreReadOneAfterTheOtherEachWithItsNameAndLines) {
  const TemporaryFolder folder;
  TextInput input(write_gzip(folder, "a.gz", "1\n2"));
  input.more = {folder.write("empty", ""),
                folder.write("b",
                             "\xEF\xBB\xBF"
                             "3\n"),
                TextInput("4\n5\n", "memory", 7)};
  LineReader lines(input);
  std::string all;
  for (std::string_view line; lines.next(line);)
    all += fmt::format("{}:{} {}|", lines.name().substr(lines.name().find_last_of('/') + 1), lines.number(),
                       line);
  EXPECT_EQ(all, "a.gz:1 1|a.gz:2 2|b:1 3|memory:7 4|memory:8 5|");
  TextSource source(input);
  std::vector<std::size_t> parts;
  for (std::string_view chunk; source.next(chunk);) parts.push_back(source.part());
  EXPECT_EQ(parts, (std::vector<std::size_t>{0, 2, 3})) << "no chunk is of two files";
}

TEST(SeveralTexts, NameTheFileThatIsWrong) {
  const TemporaryFolder folder;
  const std::string good = folder.write("good", "a\n\n"), bad = folder.write("bad", "b\n\nc\xFF\n");
  const auto told = [](TextInput input) -> std::string {
    try {
      TextSource source(input);
      for (std::string_view chunk; source.next(chunk);) {
      }
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  TextInput input(good);
  input.more = {bad, good};
  EXPECT_EQ(told(input).find(bad + ":3: byte 0xff"), 0u);
  input.more = {bad, folder.path("none")};
  EXPECT_EQ(told(input),
            folder.path("none") + ": cannot be opened (No such file or directory); check the path")
      << "before anything is read";
}

}  // namespace
}  // namespace hinge
