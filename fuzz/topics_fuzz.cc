// Any bytes are either read as topics or refused with an InputError.
#include <cstdint>

#include "fuzz/memory_file.h"
#include "hinge/core/error.h"
#include "hinge/tasks/summarize/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hinge::fuzz::MemoryFile file(data, size);
  const hinge::Source source{file.path()};
  try {
    hinge::summarize::TopicReader reader(source, hinge::summarize::Encoding::kUtf8);
    hinge::summarize::Topic topic;
    while (reader.next(topic)) {
    }
  } catch (const hinge::InputError&) {
  }
  return 0;
}
