// A JSON object with a small interface, so that the library behind it is compiled
// only once. Fields keep the order in which they were set.
//
// Getters are strict: a field of another type throws JsonError, since a number
// read as text, or 1e300 as a whole number, is never what was meant.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/error.h"

namespace hinge {

// The text is not a JSON object, or a field has another type than requested.
class JsonError : public InputError {
 public:
  using InputError::InputError;
};

class Json {
 public:
  Json();
  ~Json();
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;

  static Json parse(std::string_view text);

  std::string dump() const;         // one line
  std::string dump_sorted() const;  // the same, fields sorted by name
  std::string dump_indented() const;

  std::size_t size() const;
  bool has(std::string_view name) const;
  std::vector<std::string> names() const;

  // The field, or the fallback if it is absent.
  std::string text(std::string_view name, std::string_view fallback = "") const;
  std::int64_t whole(std::string_view name, std::int64_t fallback = 0) const;
  double number(std::string_view name, double fallback = 0.0) const;
  bool flag(std::string_view name, bool fallback = false) const;
  // The same for lists and objects; empty if absent or null.
  std::vector<std::string> texts(std::string_view name) const;
  Json object(std::string_view name) const;
  std::vector<Json> objects(std::string_view name) const;
  // Any field for display: text without quotes, all else as JSON.
  std::string shown(std::string_view name) const;

  Json& set(std::string_view name, std::string_view value);
  Json& set(std::string_view name, const char* value) { return set(name, std::string_view(value)); }
  Json& set(std::string_view name, const std::string& value) { return set(name, std::string_view(value)); }
  Json& set(std::string_view name, bool value);
  Json& set(std::string_view name, std::int64_t value);
  Json& set(std::string_view name, std::uint64_t value);
  Json& set(std::string_view name, double value);
  Json& set(std::string_view name, const std::vector<std::string>& values);
  Json& set(std::string_view name, const std::vector<double>& values);
  Json& set(std::string_view name, const std::vector<std::int64_t>& values);
  Json& set(std::string_view name, const Json& value);
  Json& set(std::string_view name, const std::vector<Json>& values);

 private:
  struct Value;
  explicit Json(Value value);
  std::unique_ptr<Value> value_;
};

}  // namespace hinge
