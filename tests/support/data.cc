#include "tests/support/data.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/paths.h"

namespace hinge::test {

namespace fs = std::filesystem;

std::string data_file(const std::string& relative) {
  const char* given = std::getenv("HINGE_DATA");
  const fs::path folder = given != nullptr ? fs::path(given) : fs::path(source_folder()) / "../shared/data";
  if (given == nullptr && !fs::exists(folder)) return {};
  if (!fs::exists(folder / relative)) throw std::runtime_error("missing: " + (folder / relative).string());
  return (folder / relative).string();
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "hinge-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() { fs::remove_all(path_); }

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::string TemporaryFolder::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace hinge::test
