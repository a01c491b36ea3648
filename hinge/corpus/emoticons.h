// Faces made of punctuation.
#pragma once

#include <string_view>

namespace hinge {

// :) ;-) =D :)) and the like.
inline bool is_emoticon(std::string_view text) {
  constexpr std::string_view kEyes = ":;=", kNoses = "-'^o", kMouths = ")(][DPpO/\\|*3";
  if (text.size() < 2 || text.size() > 4 || kEyes.find(text.front()) == kEyes.npos) return false;
  if (kMouths.find(text.back()) == kMouths.npos) return false;
  return text.size() == 2 || kNoses.find(text[1]) != kNoses.npos || text[1] == text[2];
}

}  // namespace hinge
