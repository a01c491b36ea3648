// The folder of a tuning loop: its files, and the state that tells how far it is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hinge/pipeline/tune.h"

namespace hinge {

class TuneFolder {
 public:
  // Creates it where it is missing. Throws OutputError where it cannot be used
  // or another process uses it.
  explicit TuneFolder(const std::string& path);
  ~TuneFolder();
  TuneFolder(const TuneFolder&) = delete;
  TuneFolder& operator=(const TuneFolder&) = delete;

  std::string file(std::size_t iteration, std::string_view kind) const;  // runK.KIND

  // Removes all files of a loop.
  void clear() const;
  // The iterations done; removes what is left of one that was cut off. Throws
  // OptionError where the loop was begun with another identity, InputError
  // where the state is damaged.
  std::vector<Iteration> resume(const std::vector<std::pair<std::string, std::string>>& identity) const;
  void save(const std::vector<std::pair<std::string, std::string>>& identity,
            const std::vector<Iteration>& history) const;

 private:
  std::string state() const;

  std::string path_;
  int lock_ = -1;
};

// How a file enters the identity of a loop: what it holds, not its name.
std::string content_hash(const std::vector<std::string>& paths);

}  // namespace hinge
