// Any bytes are either read as labelled texts or refused with an InputError, and
// features have the keys of their names.
#include "fuzz/memory_file.h"
#include "hinge/core/error.h"
#include "hinge/tasks/classify/features.h"
#include "hinge/tasks/classify/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hinge::classify;
  if (size == 0) return 0;
  const hinge::fuzz::MemoryFile file(data + 1, size - 1);
  const bool labelled = (data[0] & 1) != 0;
  FeatureFinder finder({.lowercase = (data[0] & 2) != 0, .ngrams = 3, .least_chars = 1, .most_chars = 3});
  try {
    TextReader reader(hinge::Source(file.path()),
                      {parse_format((data[0] & 4) != 0 ? "tab" : "auto"), "__label__"}, labelled);
    while (reader.next()) {
      if (labelled && reader.label().empty()) __builtin_trap();
      finder.each(reader.text(), [&](hinge::Key key, const FeatureFinder::Place& place) {
        if (key_of(finder.name(place)) != key) __builtin_trap();
      });
    }
  } catch (const hinge::InputError&) {
    return 0;
  }
  return 0;
}
