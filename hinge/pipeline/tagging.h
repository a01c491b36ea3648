// Parsers read tags that taggers wrote. In use the tags are a tagger's; in
// training they should have the same errors, so each part of the data is tagged
// by a tagger learned from the rest ("jackknifing").
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/learn/driver/train.h"

namespace hinge {

// A file that goes with this object, in a folder of its own, named as another:
// messages about it then say which file and line are meant.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& like);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// `input` (CoNLL-U; "-" is standard input) with the columns of these models of
// task `tag` filled in, one after the other.
TemporaryFile tag_file(const std::vector<std::string>& taggers, const std::string& input);

struct Jackknife {
  std::vector<std::string> taggers;  // models whose options and learners are used anew for each fold
  std::int64_t folds = 10;
};

// `path`, tagged in folds of consecutive sentences. `say` hears of each fold,
// `observer` watches the taggers learn.
TemporaryFile jackknife(const Jackknife& how, const std::string& path, Workers& workers, Observer& observer,
                        const std::function<void(const std::string&)>& say);

}  // namespace hinge
