#include "hinge/tasks/fingerprint.h"

#include <xxhash.h>

namespace hinge {

void Fingerprint::add_bytes(const void* bytes, std::size_t size) {
  const std::uint64_t before[] = {hash_, size};
  hash_ = XXH3_64bits_withSeed(bytes, size, XXH3_64bits(before, sizeof before));
}

}  // namespace hinge
