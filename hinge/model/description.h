// A model's description: task, learner, options, labels, and whatever its task
// adds. Getters throw ModelError, naming the file and the field, if the field has
// another type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/files/json.h"

namespace hinge {

class Description {
 public:
  // `origin` is the name of the model in messages.
  Description(Json json, std::string origin) : json_(std::move(json)), origin_(std::move(origin)) {}

  std::string text(std::string_view name, std::string_view fallback = "") const;
  std::int64_t whole(std::string_view name, std::int64_t fallback = 0) const;
  bool flag(std::string_view name, bool fallback = false) const;
  std::vector<std::string> texts(std::string_view name) const;
  // An object whose values are texts, such as "task_options".
  std::vector<std::pair<std::string, std::string>> options(std::string_view name) const;

  std::string task() const { return text("task"); }
  const Json& json() const { return json_; }

 private:
  template <typename Get>
  auto checked(std::string_view name, const Get& get) const;

  Json json_;
  std::string origin_;
};

}  // namespace hinge
