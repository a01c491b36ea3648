// Any bytes are either read as tokens with attributes or refused with an InputError.
#include "fuzz/memory_file.h"
#include "hinge/core/error.h"
#include "hinge/tasks/tag/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const hinge::fuzz::MemoryFile file(data + 1, size - 1);
  try {
    hinge::tag::TagReader reader(file.path(), {.format = hinge::ColumnFormat::kAttributes}, data[0] & 1);
    while (reader.next(data[0] & 2)) {
      const hinge::tag::AttributeRows rows = reader.attributes();
      if (rows.tokens() != reader.sentence().tokens()) __builtin_trap();
      for (std::size_t k = rows.begin.front(); k < rows.begin.back(); ++k) {
        if (rows.name(k).empty() || !(rows.values[k] - rows.values[k] == 0.0f)) __builtin_trap();
      }
    }
  } catch (const hinge::InputError&) {
    return 0;
  }
  return 0;
}
