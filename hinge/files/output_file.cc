#include "hinge/files/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/files/discard.h"

namespace hinge {
namespace {

namespace fs = std::filesystem;

bool discards = false;

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
constexpr std::string_view kPartial = ".partial-";

// Devices and pipes (/dev/null, a FIFO) cannot be replaced by a rename.
bool is_special(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// The descriptor that a path such as /dev/stdout or /dev/fd/3 stands for.
std::optional<int> descriptor_of(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) return number;
  }
  return std::nullopt;
}

// The mode of a file that is replaced stays; a new one gets what the umask leaves.
mode_t mode_for(const std::string& path) {
  constexpr mode_t kPermissions = 07777;
  struct stat info;
  if (stat(path.c_str(), &info) == 0) return info.st_mode & kPermissions;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// Removes what killed writers of `path` left behind. A living one holds a lock.
void remove_abandoned(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string prefix = path.filename().string() + std::string(kPartial);
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored)) {
    if (!it->path().filename().string().starts_with(prefix)) continue;
    const int fd = open(it->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlink(it->path().c_str());
    close(fd);
  }
}

// A rename is only on disk once its folder is. Not all file systems can do this.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

void discard_output_files() { discards = true; }

OutputFile::OutputFile(const std::string& path) : path_(path), standard_(path == "-" && !discards) {
  if (discards) {
    fd_ = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return;
  }
  if (standard_) {
    fd_ = STDOUT_FILENO;
    return;
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    fail<OutputError>("{}: is a folder, but a file was to be written; give a name inside it", path);
  }
  if (const auto descriptor = descriptor_of(path)) {
    fd_ = fcntl(*descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  } else if (is_special(path)) {
    fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    // What a link points to is replaced, not the link.
    if (fs::is_symlink(path, ignored)) path_ = fs::weakly_canonical(path, ignored).string();
    open_temporary();
  }
  if (fd_ < 0) {
    temporary_.clear();
    fail<OutputError>("{}: cannot be written ({}); check the folder and its permissions", path,
                      std::strerror(errno));
  }
}

void OutputFile::open_temporary() {
  remove_abandoned(path_);
  const mode_t mode = mode_for(path_);
  struct stat info;
  do {  // until no one has taken it for an abandoned one before it was locked
    if (fd_ >= 0) close(fd_);
    temporary_ = path_ + std::string(kPartial) + "XXXXXX";
    fd_ = mkostemp(temporary_.data(), O_CLOEXEC);
    if (fd_ < 0) return;
  } while (flock(fd_, LOCK_EX | LOCK_NB) == 0 && fstat(fd_, &info) == 0 && info.st_nlink == 0);
  fchmod(fd_, mode);
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  if (fd_ >= 0 && !standard_) close(fd_);
}

void OutputFile::write(std::string_view bytes) {
  if (bytes.size() >= kBufferBytes) {  // gigabytes of a mapped array need no copy
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

void OutputFile::prepare() {
  flush();
  // Renaming before the bytes are on disk could leave an empty file after a crash.
  if (!temporary_.empty() && fsync(fd_) != 0) refuse(errno);
}

void OutputFile::commit() {
  prepare();
  if (standard_) return;
  if (!temporary_.empty()) {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse(errno);
    temporary_.clear();
    sync_folder_of(path_);
  }
  if (close(std::exchange(fd_, -1)) != 0) refuse(errno);
}

void OutputFile::refuse(int error) {
  buffer_.clear();
  const std::string name = standard_ ? "standard output" : path_;
  if (error == EPIPE) throw BrokenPipe(fmt::format("{}: was closed by its reader", name));
  fail<OutputError>("{}: cannot be written ({}); {}free some space or choose another place", name,
                    std::strerror(error), temporary_.empty() ? "" : "the file is as it was, ");
}

}  // namespace hinge
