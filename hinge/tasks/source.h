// Where a task finds data: in a file, or already in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "hinge/core/error.h"

namespace hinge {

// Examples in memory. Each task has its own kind: tag::Sentences, dep::Trees,
// rerank::Lists.
class MemoryData {
 public:
  virtual ~MemoryData() = default;
};

struct Source {
  // A file; "-" is standard input.
  Source(std::string file) : path(std::move(file)) {}  // NOLINT: a path is a source
  Source(const char* file) : path(file) {}             // NOLINT
  // `what` is its name in messages: "the training data".
  Source(std::shared_ptr<const MemoryData> data, std::string what)
      : path(std::move(what)), memory(std::move(data)) {}

  std::string path;  // or the name of what is in memory
  std::shared_ptr<const MemoryData> memory;

  const std::string& name() const { return path; }
  bool read_once() const { return memory == nullptr && path == "-"; }
};

// What a source has in memory, null for a file. Throws OptionError where it is
// the data of another task.
template <typename Data>
std::shared_ptr<const Data> memory_of(const Source& source, std::string_view kind) {
  if (source.memory == nullptr) return nullptr;
  auto data = std::dynamic_pointer_cast<const Data>(source.memory);
  if (data == nullptr)
    fail<OptionError>("{}: is data of another task; {} were expected", source.name(), kind);
  return data;
}

}  // namespace hinge
