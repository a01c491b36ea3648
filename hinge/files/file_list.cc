#include "hinge/files/file_list.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "hinge/core/error.h"
#include "hinge/core/missing.h"
#include "hinge/core/options.h"

namespace hinge {
namespace {

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_pattern(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

// The file of this name, or those that match the pattern; none if there are none.
std::vector<std::string> matches(const std::string& text) {
  if (is_there(text)) return {text};
  std::vector<std::string> found;
  if (!is_pattern(text)) return found;
  glob_t paths{};
  if (glob(text.c_str(), GLOB_NOSORT, nullptr, &paths) == 0)
    found.assign(paths.gl_pathv, paths.gl_pathv + paths.gl_pathc);
  globfree(&paths);
  std::ranges::sort(found);  // not as the locale would
  return found;
}

// Parts of a list that begin with part k and whose name has a comma: how many, and their files.
struct Joined {
  std::size_t parts;
  std::vector<std::string> files;
};
std::optional<Joined> join_parts(const std::vector<std::string>& parts, std::size_t k) {
  constexpr std::size_t kMost = 8;
  std::string name = parts[k];
  for (std::size_t end = k + 1; end < std::min(parts.size(), k + kMost); ++end) {
    name += "," + parts[end];
    std::vector<std::string> files = matches(name);
    if (!files.empty()) return Joined{end + 1 - k, std::move(files)};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> list_files(std::string_view text) {
  const std::string whole(text);
  const bool is_list = text.find(',') != std::string_view::npos;
  if ((!is_list && !is_pattern(text)) || is_there(whole)) return {whole};
  const std::vector<std::string> parts = split_list(text);
  std::vector<std::string> files;
  for (std::size_t k = 0; k < parts.size();) {
    Joined next{1, matches(parts[k])};
    if (next.files.empty()) next = join_parts(parts, k).value_or(next);
    if (next.files.empty() && is_pattern(parts[k]))
      fail<MissingInput>(
          "{}: no file matches this pattern; check the folder and the name ('*': any characters)", parts[k]);
    if (next.files.empty() && parts[k] == "-")
      fail<InputError>("{}: standard input cannot be one of several files; write it to a file", text);
    if (next.files.empty()) next.files = {parts[k]};  // its reader says what is wrong
    files.insert(files.end(), next.files.begin(), next.files.end());
    k += next.parts;
  }
  if (files.empty()) fail<InputError>("'{}' names no file; give one", text);
  return files;
}

}  // namespace hinge
