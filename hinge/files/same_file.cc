#include "hinge/files/same_file.h"

#include <sys/stat.h>

#include <filesystem>

#include "hinge/core/error.h"

namespace hinge {
namespace {

bool is_file(const std::string& path) {
  if (path.empty() || path == "-") return false;
  struct stat info;
  return stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat x, y;
  const bool has_a = stat(a.c_str(), &x) == 0;
  const bool has_b = stat(b.c_str(), &y) == 0;
  if (has_a != has_b) return false;
  if (has_a) return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
  std::error_code ignored;
  return std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored);
}

void check_outputs(std::span<const NamedFile> inputs, std::span<const NamedFile> outputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const NamedFile& output = outputs[k];
    if (!is_file(output.path)) continue;
    for (const NamedFile& input : inputs) {
      if (is_file(input.path) && is_same_file(input.path, output.path))
        fail<OptionError>("{} {} would overwrite {} {}, which is read; give another name", output.name,
                          output.path, input.name, input.path);
    }
    for (const NamedFile& other : outputs.first(k)) {
      if (is_file(other.path) && is_same_file(other.path, output.path))
        fail<OptionError>("{} and {} are both {}, but must be different files; give two names", other.name,
                          output.name, other.path);
    }
  }
}

}  // namespace hinge
