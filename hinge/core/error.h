// Errors that are not bugs in Hinge. The library throws these and never prints,
// exits or aborts; its own bugs trip asserts.
//
// A message is one line: what happened, where, what was expected, what to do.
#pragma once

#include <fmt/core.h>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hinge {

// With '?' for the control characters of Unicode: C0, DEL and C1 (0xC2 0x80 to 0xC2 0x9F).
std::string without_controls(std::string_view text);

class Error : public std::runtime_error {
 public:
  explicit Error(std::string_view message) : std::runtime_error(one_line(message)) {}

 private:
  // Messages quote input, which may be anything: control characters become '?', and
  // the middle of what is very long is left out.
  static std::string one_line(std::string_view message);
};

// Data that cannot be used: files, streams, examples.
class InputError : public Error {
 public:
  using Error::Error;
};

// A setting that is unknown, out of range, or does not fit the others.
class OptionError : public Error {
 public:
  using Error::Error;
};

// A model file that is damaged, foreign, or of another version.
class ModelError : public Error {
 public:
  using Error::Error;
};

// A file that cannot be written; any previous file is intact.
class OutputError : public Error {
 public:
  using Error::Error;
};

// Output to a pipe that no one reads any more.
class BrokenPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

template <typename E, typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw E(fmt::format(format, std::forward<Args>(args)...));
}

// The candidate closest to `word` by edit distance, or "" if none is close. For
// "did you mean" in messages.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace hinge
