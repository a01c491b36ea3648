// Files that do not exist. Python programs catch them as FileNotFoundError.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "hinge/core/error.h"

namespace hinge {

class MissingInput : public InputError {
 public:
  using InputError::InputError;
};
class MissingModel : public ModelError {
 public:
  using ModelError::ModelError;
};

// The path, of a file that exists; "-" is standard input.
template <typename Missing>
const std::string& existing(const std::string& path) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
    fail<Missing>("{}: cannot be opened (No such file or directory); check the path", path);
  return path;
}

}  // namespace hinge
