// Where a task reads data: files, text in memory, or the task's own data
// structure in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/core/error.h"
#include "hinge/corpus/text_source.h"

namespace hinge {

// Examples in memory. Each task has its own class: tag::Sentences, dep::Trees,
// rerank::Lists.
class MemoryData {
 public:
  virtual ~MemoryData() = default;
  virtual std::size_t examples() const = 0;
};

struct Source {
  // One of several files, or its text.
  struct Part {
    std::string file;
    std::size_t begin = 0;  // in the text
    std::size_t first_line = 1;
  };

  // A file; "-" is standard input.
  Source(std::string file) : path(std::move(file)) {}  // NOLINT: a path is a source
  Source(const char* file) : path(file) {}             // NOLINT
  // `what` names it in messages: "the training data".
  Source(std::shared_ptr<const MemoryData> data, std::string what)
      : path(std::move(what)), memory(std::move(data)) {}
  // One file or several, read one after another: "a.txt,b.txt", "part-*.gz" (files/file_list.h).
  static Source of_files(std::string_view named);
  static Source of_files(const std::vector<std::string>& files);
  // Text as if read from a file `path`; messages name it and count lines from `line`.
  static Source of_text(std::string bytes, std::string path, std::size_t line = 1) {
    Source source(std::move(path));
    source.text = std::make_shared<const std::string>(std::move(bytes));
    source.first_line = line;
    return source;
  }
  // The text of several files, where all parts are.
  static Source of_text(std::string bytes, std::string path, std::vector<Part> parts);

  std::string path;                          // or the name of the data in memory
  std::shared_ptr<const MemoryData> memory;  // or null
  std::shared_ptr<const std::string> text;   // or null
  std::size_t first_line = 1;                // of text
  std::vector<Part> parts;                   // empty: one file or text

  bool in_memory() const { return memory != nullptr || text != nullptr; }
  bool read_once() const { return !in_memory() && path == "-"; }
  bool has_pipe() const;  // among its files
  std::string name() const { return read_once() ? "standard input" : path; }
  std::vector<std::string> files() const;
  // For files or text; readers must not outlive the source.
  TextInput input() const;
  // The same, each file by itself; one input if there is one file.
  std::vector<TextInput> inputs() const;
};

// All text of a source in memory, its parts one after another.
Source read_source(const Source& source);

// A source's data in memory; null for a file or text. Throws OptionError if it
// belongs to another task.
template <typename Data>
std::shared_ptr<const Data> memory_of(const Source& source, std::string_view kind) {
  if (source.memory == nullptr) return nullptr;
  auto data = std::dynamic_pointer_cast<const Data>(source.memory);
  if (data == nullptr)
    fail<OptionError>("{}: is data of another task; {} were expected", source.name(), kind);
  return data;
}

}  // namespace hinge
