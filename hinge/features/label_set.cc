#include "hinge/features/label_set.h"

#include "hinge/core/error.h"
#include "hinge/features/hash.h"

namespace hinge {

std::uint16_t LabelSet::intern(std::string_view label) {
  const Key key = hash_text(label);
  const std::uint32_t known = ids_.find(key);
  if (known != NumberMap::kNone) return static_cast<std::uint16_t>(known);
  constexpr std::size_t kMost = 65534;
  if (names_.size() == kMost)
    fail<InputError>("there are more than {} different labels; is the label column right?", kMost);
  const auto number = static_cast<std::uint16_t>(names_.size());
  ids_.add(key, number);
  names_.emplace_back(label);
  return number;
}

std::size_t LabelSet::find(std::string_view label) const {
  const std::uint32_t found = ids_.find(hash_text(label));
  return found == NumberMap::kNone ? names_.size() : found;
}

std::vector<std::size_t> LabelSet::find_all(const std::vector<std::string>& names) const {
  std::vector<std::size_t> found;
  for (const std::string& name : names) found.push_back(find(name));
  return found;
}

}  // namespace hinge
