#include "cli/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "hinge/files/output_file.h"

namespace hinge::cli {
namespace {

void on_bus_error(int) {
  constexpr std::string_view kMessage =
      "hinge: a file was cut short while it was in use; replace files by renaming, as hinge does\n";
  if (::write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0) _exit(1);
  _exit(1);
}

}  // namespace

void secure_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free descriptor is this one. Not open for writing: output is then
    // an error, as it should be.
    if (open("/dev/null", O_RDONLY) < 0) _exit(1);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, on_bus_error);
}

void note(std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(STDERR_FILENO, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

bool is_standard_output(std::string_view path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

void print(std::string_view text) {
  OutputFile out("-");
  out.write(text);
  out.commit();
}

}  // namespace hinge::cli
