// Whether two names are one file, and refusing to overwrite what is read.
#pragma once

#include <span>
#include <string>

namespace hinge {

// A file as the user gave it.
struct NamedFile {
  std::string name;  // "--log", "TRAIN"
  std::string path;  // "" and "-": none
};

// By device and number of the file, so links and other spellings of a path count.
// For a file that does not exist yet, by its folder and name.
bool is_same_file(const std::string& a, const std::string& b);

// Throws OptionError if an output is one of the inputs or another output. Devices
// and pipes may be shared.
void check_outputs(std::span<const NamedFile> inputs, std::span<const NamedFile> outputs);

}  // namespace hinge
