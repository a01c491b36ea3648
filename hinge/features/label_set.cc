#include "hinge/features/label_set.h"

#include "hinge/core/error.h"

namespace hinge {

std::uint16_t LabelSet::intern(std::string_view label) {
  const Key key = hash_text(label);
  const auto known = ids_.find(key);
  if (known != ids_.end()) return known->second;
  constexpr std::size_t kMost = 65534;
  if (names_.size() == kMost)
    fail<InputError>("there are more than {} different labels; is the label column right?", kMost);
  const auto number = static_cast<std::uint16_t>(names_.size());
  ids_.emplace(key, number);
  names_.emplace_back(label);
  return number;
}

std::size_t LabelSet::find(std::string_view label) const {
  const auto found = ids_.find(hash_text(label));
  return found == ids_.end() ? names_.size() : found->second;
}

}  // namespace hinge
