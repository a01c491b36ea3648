#include "hinge/files/column.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

#include "hinge/core/error.h"

namespace hinge {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{1} << 20;  // files grow by whole steps

[[noreturn]] void refuse_space(const std::string& path, int error) {
  fail<OutputError>(
      "{}: cannot be compiled ({}); free some space there (a cache is several times as large as its text) or "
      "choose another place",
      path, std::strerror(error));
}

// Bytes of files that are in the memory of this process; all if unknown.
std::uint64_t resident_file_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0, shared = 0;
  if (!(file >> size >> resident >> shared)) return ~std::uint64_t{0};
  return shared * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Makes a file larger without gaps, so that a full disk is noticed here and not when
// its pages are written.
int extend(int fd, std::uint64_t from, std::uint64_t to) {
#ifdef __linux__
  if (fallocate(fd, 0, static_cast<off_t>(from), static_cast<off_t>(to - from)) == 0) return 0;
  if (errno != EOPNOTSUPP) return errno;
#endif
  return ftruncate(fd, static_cast<off_t>(to)) == 0 ? 0 : errno;
}

// Widens the part to the stretches that the kernel maps at once, inside the file.
void advise(std::string_view part, std::string_view file, int advice) {
  constexpr std::uintptr_t kStretch = std::uintptr_t{64} << 10;
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  const auto file_begin = reinterpret_cast<std::uintptr_t>(file.data());
  const std::uintptr_t first = std::max(begin / kStretch * kStretch, file_begin);
  const std::uintptr_t last =
      std::min((begin + part.size() + kStretch - 1) / kStretch * kStretch, file_begin + file.size());
  if (!part.empty()) madvise(reinterpret_cast<void*>(first), last - first, advice);
}

}  // namespace

void give_up_pages(std::string_view part, std::string_view file) { advise(part, file, MADV_DONTNEED); }

void ask_for_pages(std::string_view part, std::string_view file) { advise(part, file, MADV_WILLNEED); }

void read_only_what_is_used(std::string_view part, std::string_view file) { advise(part, file, MADV_RANDOM); }

SpillSpace::SpillSpace(std::string path, std::uint64_t window)
    : path_(std::move(path)), window_(window), sweeper_([this] { sweep(); }) {}

SpillSpace::~SpillSpace() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  sweeper_.join();
}

void SpillSpace::sweep() {
  constexpr auto kPause = std::chrono::milliseconds(20);
  for (;; std::this_thread::sleep_for(kPause)) {
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    if (resident_file_bytes() <= window_) continue;
    for (const SpillFile* file : files_) {
      if (file->bytes_ > 0) madvise(file->address_, file->bytes_, MADV_DONTNEED);
    }
  }
}

SpillFile::SpillFile(SpillSpace& space) : space_(space) {
  std::string name = space.path_ + ".partial-XXXXXX";
  fd_ = mkostemp(name.data(), O_CLOEXEC);
  if (fd_ < 0)
    fail<OutputError>("{}: cannot be written ({}); check the folder and its permissions", space.path_,
                      std::strerror(errno));
  unlink(name.c_str());
  const std::lock_guard lock(space_.mutex_);
  space_.files_.push_back(this);
}

SpillFile::~SpillFile() {
  const std::lock_guard lock(space_.mutex_);
  std::erase(space_.files_, this);
  if (bytes_ > 0) munmap(address_, bytes_);
  close(fd_);
}

void* SpillFile::grow(std::uint64_t bytes) {
  bytes = (bytes + kStep - 1) / kStep * kStep;
  const std::lock_guard lock(space_.mutex_);
  if (bytes <= bytes_) return address_;
  if (const int error = extend(fd_, bytes_, bytes); error != 0) refuse_space(space_.path_, error);
  void* larger = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (larger == MAP_FAILED) refuse_space(space_.path_, errno);
  if (bytes_ > 0) munmap(address_, bytes_);
  address_ = larger;
  bytes_ = bytes;
  return address_;
}

void SpillFile::discard(std::uint64_t bytes) {
#ifdef __linux__
  const std::uint64_t until = std::min(bytes, bytes_) / kStep * kStep;
  if (until <= discarded_) return;
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(discarded_),
            static_cast<off_t>(until - discarded_));  // an optimization: some file systems cannot
  discarded_ = until;
#else
  (void)bytes;
#endif
}

}  // namespace hinge
