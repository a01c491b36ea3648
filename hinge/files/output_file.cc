#include "hinge/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "hinge/core/error.h"

namespace hinge {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

// Devices and pipes (/dev/null, /dev/stdout) cannot be replaced by a rename.
bool is_special(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), standard_(path == "-") {
  if (standard_) {
    fd_ = STDOUT_FILENO;
    return;
  }
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    fail<OutputError>("{}: is a folder, not a file; give a name inside it", path);
  }
  // Replace the target of a link, not the link.
  if (fs::is_symlink(path, ignored)) path_ = fs::weakly_canonical(path, ignored).string();
  if (is_special(path_)) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = fmt::format("{}.partial-{}", path_, getpid());
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (fd_ < 0) {
    temporary_.clear();
    fail<OutputError>("{}: cannot be written ({}); check the folder and its permissions", path,
                      std::strerror(errno));
  }
}

OutputFile::~OutputFile() {
  if (fd_ >= 0 && !standard_) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  if (bytes.size() >= kBufferBytes) {  // do not copy gigabytes of a mapped array
    flush();
    put(bytes);
    return;
  }
  buffer_.append(bytes);
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  put(buffer_);
  buffer_.clear();
}

void OutputFile::put(std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t wrote = ::write(fd_, rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) refuse(errno);
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void OutputFile::commit() {
  flush();
  if (standard_) return;
  // Renaming before the bytes are on disk could leave an empty file after a crash.
  if (!temporary_.empty() && fsync(fd_) != 0) refuse(errno);
  if (close(fd_) != 0) {
    fd_ = -1;
    refuse(errno);
  }
  fd_ = -1;
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse(errno);
  temporary_.clear();
}

void OutputFile::refuse(int error) {
  buffer_.clear();
  fail<OutputError>(
      "{}: cannot be written ({}); nothing was changed, free some space or choose another place",
      standard_ ? "standard output" : path_, std::strerror(error));
}

}  // namespace hinge
