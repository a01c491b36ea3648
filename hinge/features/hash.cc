#include "hinge/features/hash.h"

#define XXH_INLINE_ALL  // most texts are short, where a library call would take much of the time
#include <xxhash.h>

namespace hinge {

Key hash_text(std::string_view text) {
  const Key key = XXH3_64bits(text.data(), text.size());
  return key == kAbsent ? 1 : key;
}

}  // namespace hinge
