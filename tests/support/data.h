// Real corpora for tests that need them: in HINGE_DATA, or in ../shared/data
// next to the project if that exists.
#pragma once

#include <string>

namespace hinge::test {

// The path of a file in the data folder; "" if there is no such folder.
// A folder without the file is an error, not a reason to skip.
std::string data_file(const std::string& relative);

// A new empty folder, removed with everything in it at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const;  // returns its path
  static std::string read(const std::string& path);

 private:
  std::string path_;
};

}  // namespace hinge::test

// Skips with a message, only if there is no data folder at all.
#define HINGE_DATA_FILE(variable, relative)                      \
  const std::string variable = hinge::test::data_file(relative); \
  if (variable.empty()) GTEST_SKIP() << "needs real data: set HINGE_DATA to a folder with " << relative
