// Reads a text block by block, so that one that is refused does not hide the rest.
#pragma once

#include "hinge/check/corpus_check.h"
#include "hinge/corpus/columns.h"

namespace hinge {

// Restarts the reader at every sentence of the text; body() reads it. What body() throws is
// reported as refused.
template <typename Reader, typename Body>
void each_block(std::string_view text, std::size_t first_line, const ColumnLayout& layout, Reader& reader,
                CorpusCheck& check, const Body& body) {
  BlockReader blocks(text, first_line);
  for (std::string_view block; blocks.next(block);) {
    reader.restart(block, blocks.first_line(), layout);
    try {
      body();
    } catch (const InputError& error) {
      check.refuse(error);
    }
  }
}

}  // namespace hinge
