#include "hinge/files/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hinge {

struct Json::Value {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();

  // Null if absent. Throws JsonError if it does not fit.
  const nlohmann::ordered_json* find(std::string_view name, bool (*fits)(const nlohmann::ordered_json&),
                                     std::string_view expected) const {
    const auto found = json.find(name);
    if (found == json.end()) return nullptr;
    if (!fits(*found)) fail<JsonError>("'{}' is not {}", name, expected);
    return &*found;
  }
};

namespace {

using Field = nlohmann::ordered_json;

bool is_text(const Field& field) { return field.is_string(); }
bool is_whole(const Field& field) { return field.is_number_integer(); }
bool is_number(const Field& field) { return field.is_number(); }
bool is_flag(const Field& field) { return field.is_boolean(); }
bool is_texts(const Field& field) {
  return field.is_null() || (field.is_array() && std::ranges::all_of(field, is_text));
}
bool is_object(const Field& field) { return field.is_null() || field.is_object(); }
bool is_objects(const Field& field) {
  return field.is_null() ||
         (field.is_array() && std::ranges::all_of(field, [](const Field& f) { return f.is_object(); }));
}

// Text that is not UTF-8 is written with replacement characters.
std::string written(const auto& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, Field::error_handler_t::replace);
}

}  // namespace

Json::Json() : value_(std::make_unique<Value>()) {}
Json::Json(Value value) : value_(std::make_unique<Value>(std::move(value))) {}
Json::~Json() = default;
Json::Json(const Json& other) : value_(std::make_unique<Value>(*other.value_)) {}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) noexcept {
  value_.swap(other.value_);
  return *this;
}

Json Json::parse(std::string_view text) {
  Value value{Field::parse(text, nullptr, /*allow_exceptions=*/false)};
  if (!value.json.is_object()) fail<JsonError>("it is not a JSON object");
  return Json(std::move(value));
}

std::string Json::dump() const { return written(value_->json, -1); }
std::string Json::dump_sorted() const { return written(nlohmann::json(value_->json), -1); }
std::string Json::dump_indented() const { return written(value_->json, 2); }

std::size_t Json::size() const { return value_->json.size(); }
bool Json::has(std::string_view name) const { return value_->json.contains(name); }

std::vector<std::string> Json::names() const {
  std::vector<std::string> names;
  for (const auto& [name, field] : value_->json.items()) names.push_back(name);
  return names;
}

std::string Json::text(std::string_view name, std::string_view fallback) const {
  const Field* field = value_->find(name, is_text, "text");
  return field == nullptr ? std::string(fallback) : field->get<std::string>();
}

std::int64_t Json::whole(std::string_view name, std::int64_t fallback) const {
  const Field* field = value_->find(name, is_whole, "a whole number");
  return field == nullptr ? fallback : field->get<std::int64_t>();
}

double Json::number(std::string_view name, double fallback) const {
  const Field* field = value_->find(name, is_number, "a number");
  return field == nullptr ? fallback : field->get<double>();
}

bool Json::flag(std::string_view name, bool fallback) const {
  const Field* field = value_->find(name, is_flag, "true or false");
  return field == nullptr ? fallback : field->get<bool>();
}

std::vector<std::string> Json::texts(std::string_view name) const {
  const Field* field = value_->find(name, is_texts, "a list of texts");
  if (field == nullptr || field->is_null()) return {};
  return field->get<std::vector<std::string>>();
}

Json Json::object(std::string_view name) const {
  const Field* field = value_->find(name, is_object, "an object");
  return field == nullptr || field->is_null() ? Json() : Json(Value{*field});
}

std::vector<Json> Json::objects(std::string_view name) const {
  const Field* field = value_->find(name, is_objects, "a list of objects");
  std::vector<Json> all;
  if (field == nullptr || field->is_null()) return all;
  for (const Field& item : *field) all.push_back(Json(Value{item}));
  return all;
}

std::string Json::shown(std::string_view name) const {
  const auto found = value_->json.find(name);
  if (found == value_->json.end()) return "";
  return found->is_string() ? found->get<std::string>() : written(*found, -1);
}

Json& Json::set(std::string_view name, std::string_view value) {
  value_->json[std::string(name)] = value;
  return *this;
}
Json& Json::set(std::string_view name, bool value) {
  value_->json[std::string(name)] = value;
  return *this;
}
Json& Json::set(std::string_view name, std::int64_t value) {
  value_->json[std::string(name)] = value;
  return *this;
}
Json& Json::set(std::string_view name, std::uint64_t value) {
  value_->json[std::string(name)] = value;
  return *this;
}
Json& Json::set(std::string_view name, double value) {
  value_->json[std::string(name)] = value;
  return *this;
}
Json& Json::set(std::string_view name, const std::vector<std::string>& values) {
  value_->json[std::string(name)] = values;
  return *this;
}
Json& Json::set(std::string_view name, const std::vector<double>& values) {
  value_->json[std::string(name)] = values;
  return *this;
}
Json& Json::set(std::string_view name, const std::vector<std::int64_t>& values) {
  value_->json[std::string(name)] = values;
  return *this;
}
Json& Json::set(std::string_view name, const Json& value) {
  value_->json[std::string(name)] = value.value_->json;
  return *this;
}
Json& Json::set(std::string_view name, const std::vector<Json>& values) {
  Field list = Field::array();
  for (const Json& value : values) list.push_back(value.value_->json);
  value_->json[std::string(name)] = std::move(list);
  return *this;
}

}  // namespace hinge
