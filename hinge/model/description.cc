#include "hinge/model/description.h"

namespace hinge {

template <typename Get>
auto Description::checked(std::string_view name, const Get& get) const {
  try {
    return get();
  } catch (const JsonError&) {
    fail<ModelError>("{}: its description is damaged at '{}'; copy or train it again", origin_, name);
  }
}

std::string Description::text(std::string_view name, std::string_view fallback) const {
  return checked(name, [&] { return json_.text(name, fallback); });
}

std::int64_t Description::whole(std::string_view name, std::int64_t fallback) const {
  return checked(name, [&] { return json_.whole(name, fallback); });
}

bool Description::flag(std::string_view name, bool fallback) const {
  return checked(name, [&] { return json_.flag(name, fallback); });
}

std::vector<std::string> Description::texts(std::string_view name) const {
  return checked(name, [&] { return json_.texts(name); });
}

std::vector<std::pair<std::string, std::string>> Description::options(std::string_view name) const {
  return checked(name, [&] {
    const Json object = json_.object(name);
    std::vector<std::pair<std::string, std::string>> values;
    for (const std::string& option : object.names()) values.emplace_back(option, object.text(option));
    return values;
  });
}

}  // namespace hinge
