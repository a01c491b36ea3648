// Any bytes are either read as trees whose every word leads to the root, or refused
// with an InputError.
#include "fuzz/memory_file.h"
#include "hinge/core/error.h"
#include "hinge/corpus/dependencies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const hinge::fuzz::MemoryFile file(data + 1, size - 1);
  const bool annotated = data[0] & 1;
  try {
    hinge::DependencyReader reader(file.path(), annotated, data[0] & 2);
    while (reader.next(data[0] & 4)) {
      if (reader.words() > hinge::kMaxWords) __builtin_trap();
      if (!annotated) continue;
      const auto heads = reader.heads();
      if (heads.size() != reader.words() + 1) __builtin_trap();
      for (std::size_t word = 1; word < heads.size(); ++word) {
        std::size_t steps = 0;
        for (std::size_t at = word; at != 0; at = heads[at])
          if (++steps > reader.words()) __builtin_trap();
      }
      (void)hinge::is_projective(heads);
    }
  } catch (const hinge::InputError&) {
    return 0;
  }
  return 0;
}
