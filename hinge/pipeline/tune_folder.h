// The folder of a tuning loop: its files and its progress.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hinge/pipeline/tune.h"

namespace hinge {

class TuneFolder {
 public:
  // Creates it if missing. Throws OutputError if it cannot be used or another
  // process uses it.
  explicit TuneFolder(const std::string& path);
  ~TuneFolder();
  TuneFolder(const TuneFolder&) = delete;
  TuneFolder& operator=(const TuneFolder&) = delete;

  std::string file(std::size_t iteration, std::string_view kind) const;  // runK.KIND

  // Removes all files of a loop.
  void clear() const;
  // Removes those of pieces (decoding.h).
  void remove_pieces() const;
  // Returns the completed iterations; removes leftovers of an interrupted one.
  // Throws OptionError if the loop was started with another identity, InputError if
  // the state is damaged.
  std::vector<Iteration> resume(const std::vector<std::pair<std::string, std::string>>& identity) const;
  void save(const std::vector<std::pair<std::string, std::string>>& identity,
            const std::vector<Iteration>& history) const;

 private:
  std::string state() const;

  std::string path_;
  int lock_ = -1;
};

// All of a file. Throws InputError if it cannot be read.
std::string read_bytes(const std::string& path);

// A file's part in the identity of a loop: its contents, not its name.
std::string content_hash(const std::vector<std::string>& paths);

}  // namespace hinge
