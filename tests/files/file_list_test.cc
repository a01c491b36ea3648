// Names of several files: lists, patterns, and files whose names look like them.
#include "hinge/files/file_list.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;
using Names = std::vector<std::string>;

// Files in a folder by their names in it.
class FileList : public testing::Test {
 protected:
  void make(const Names& names) const {
    for (const std::string& name : names) folder_.write(name, "x\n");
  }
  Names list(const std::string& names) const {
    std::string named;
    for (const std::string& name : split(names)) named += (named.empty() ? "" : ",") + folder_.path(name);
    Names found = list_files(named);
    for (std::string& file : found) file = file.substr(folder_.path("").size());
    return found;
  }
  static Names split(const std::string& names) {
    Names parts;
    std::size_t begin = 0;
    for (std::size_t end; (end = names.find(' ', begin)) != std::string::npos; begin = end + 1)
      parts.push_back(names.substr(begin, end - begin));
    parts.push_back(names.substr(begin));
    return parts;
  }
  std::string message(const std::string& names) const {
    try {
      list_files(names);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(FileList, NamesOneFileWhateverItIs) {
  for (const std::string name : {"-", "", "a.txt", "missing", "a b"})
    EXPECT_EQ(list_files(name), Names{name});
}

TEST_F(FileList, KeepsTheOrderOfAListAndSortsAPatternByBytes) {
  make({"p-10", "p-2", "p-B", "p-a", "q-1"});
  EXPECT_EQ(list("p-*"), (Names{"p-10", "p-2", "p-B", "p-a"}));
  EXPECT_EQ(list("q-1 p-2"), (Names{"q-1", "p-2"}));
  EXPECT_EQ(list("q-? p-[ab]"), (Names{"q-1", "p-a"}));
  EXPECT_EQ(list("p-2 p-2"), (Names{"p-2", "p-2"})) << "as often as it is named";
  EXPECT_EQ(list_files(folder_.path("p-2") + ",,"), Names{folder_.path("p-2")});
}

TEST_F(FileList, PrefersFilesWithSuchNames) {
  make({"a*", "ab", "[x]", "u,v", "u", "w,z"});
  EXPECT_EQ(list("a*"), Names{"a*"});
  EXPECT_EQ(list("[x]"), Names{"[x]"});
  EXPECT_EQ(list_files(folder_.path("u,v")), Names{folder_.path("u,v")});
  EXPECT_EQ(list("ab w,z u"), (Names{"ab", "w,z", "u"})) << "a comma inside a list";
  EXPECT_EQ(list("[u,v]"), Names{"u"}) << "a comma inside a pattern";
}

TEST_F(FileList, SaysInALineWhatIsMissing) {
  make({"a"});
  const std::string pattern = folder_.path("b*");
  EXPECT_EQ(message(pattern),
            pattern + ": no file matches this pattern; check the folder and the name ('*': any characters)");
  EXPECT_EQ(message(folder_.path("a") + "," + pattern).find(pattern + ": no file matches"), 0u);
  EXPECT_NE(message("-," + folder_.path("a")).find("standard input cannot be one of several"),
            std::string::npos);
  EXPECT_EQ(message(","), "',' names no file; give one");
  EXPECT_EQ(list("a missing"), (Names{"a", "missing"})) << "its reader says so";
}

}  // namespace
}  // namespace hinge
