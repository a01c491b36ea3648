#include "hinge/features/label_set.h"

#include "hinge/core/error.h"

namespace hinge {

std::uint16_t LabelSet::intern(std::string_view label) {
  const auto [entry, fresh] = ids_.try_emplace(hash_text(label), static_cast<std::uint16_t>(names_.size()));
  if (fresh) {
    constexpr std::size_t kMost = 65534;
    if (names_.size() == kMost)
      fail<InputError>("there are more than {} different labels; is the label column right?", kMost);
    names_.emplace_back(label);
  }
  return entry->second;
}

std::size_t LabelSet::find(std::string_view label) const {
  const auto found = ids_.find(hash_text(label));
  return found == ids_.end() ? names_.size() : found->second;
}

}  // namespace hinge
