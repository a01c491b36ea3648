// Standard input, output and error, safe in all states: closed, full, or without
// a reader.
#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace hinge::cli {

// To be called before any file is opened. A closed descriptor would be reused for
// the next file, and messages would be written into it. Also turns the signals of a
// broken pipe and of a file size limit into errors, and that of a truncated mapping
// into a message.
void secure_streams();

// To standard error. Never fails: a message must not end a run.
void note(std::string_view text);
template <typename... Args>
requires(sizeof...(Args) > 0) void note(fmt::format_string<Args...> format, Args&&... args) {
  note(fmt::format(format, std::forward<Args>(args)...));
}

// Whether the output of this name goes there.
bool is_standard_output(std::string_view path);

// To standard output. Throws OutputError if it cannot be written.
void print(std::string_view text);
template <typename... Args>
requires(sizeof...(Args) > 0) void print(fmt::format_string<Args...> format, Args&&... args) {
  print(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hinge::cli
