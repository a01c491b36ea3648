// A file that is either written whole or not at all: bytes go to a temporary
// file beside it, commit() renames. Without commit() nothing is left behind
// and an older file of that name is untouched.
//
// The temporary file PATH.partial-XXXXXX is locked while its writer lives. One
// that a killed writer left behind is removed by the next OutputFile of PATH.
#pragma once

#include <string>
#include <string_view>

namespace hinge {

class OutputFile {
 public:
  // "-" is standard output, to which bytes go as they come; so do those of pipes,
  // devices and descriptors (/dev/stdout, /dev/fd/N).
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);  // buffered
  void flush();
  // Brings all bytes to the disk: if this succeeds, commit() has no reason to fail.
  // For files that are to be replaced together.
  void prepare();
  void commit();

 private:
  void open_temporary();
  void put(std::string_view bytes);
  [[noreturn]] void refuse(int error);

  std::string path_;
  std::string temporary_;  // "": written in place
  std::string buffer_;
  int fd_ = -1;
  bool standard_;
};

}  // namespace hinge
