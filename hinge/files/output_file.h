// A file that is written completely or not at all: bytes go to a temporary file
// beside it, which commit() renames. Without commit() nothing is left behind and an
// older file of that name is untouched.
#pragma once

#include <string>
#include <string_view>

namespace hinge {

class OutputFile {
 public:
  // "-" is standard output, written to directly.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);  // buffered
  void flush();
  void commit();

 private:
  void put(std::string_view bytes);
  [[noreturn]] void refuse(int error);

  std::string path_;
  std::string temporary_;
  std::string buffer_;
  int fd_ = -1;
  bool standard_;
};

}  // namespace hinge
