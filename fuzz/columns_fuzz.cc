// Any bytes are either read as sentences or refused with an InputError.
#include "fuzz/memory_file.h"
#include "hinge/core/error.h"
#include "hinge/corpus/columns.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const hinge::fuzz::MemoryFile file(data + 1, size - 1);
  const hinge::ColumnFormat formats[] = {hinge::ColumnFormat::kAuto, hinge::ColumnFormat::kColumns,
                                         hinge::ColumnFormat::kConllu};
  try {
    hinge::ColumnReader reader(file.path(), formats[data[0] % 3]);
    hinge::ColumnSentence sentence;
    while (reader.next(sentence, data[0] & 4)) {
      if (sentence.cells.size() != sentence.tokens() * sentence.columns) __builtin_trap();
      for (std::size_t t = 0; t < sentence.tokens(); ++t) (void)sentence.line_number(t);
    }
  } catch (const hinge::InputError&) {
    return 0;
  }
  return 0;
}
