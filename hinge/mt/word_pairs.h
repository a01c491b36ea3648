// Numbers for all pairs of words that occur in the same pair of sentences, so that
// the aligner's tables are flat arrays and its loops look nothing up.
//
// A cell is a position of the source sentence with one of the target sentence.
// Memory: 4 bytes per cell, 4 per pair and 16 per source token; 30 MB for 29,000
// pairs of sentences with 13 words a side (5.1 million cells, 0.95 million pairs).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/mt/bitext.h"

namespace hinge::mt {

struct WordPairs {
  struct Row {  // the cells of one source token
    std::uint64_t begin;
    std::uint32_t length;
  };

  std::vector<std::uint64_t> cell_begin;    // [sentences + 1]
  std::vector<std::uint32_t> number;        // [cells]: per sentence [source position][target position]
  std::vector<std::uint32_t> source_begin;  // [source words + 1]: pairs are numbered by source word
  std::vector<Word> target;                 // [pairs]
  std::vector<std::uint64_t> row_begin;     // [source words + 1], into rows
  std::vector<Row> rows;                    // of the tokens of each source word, in text order

  std::size_t cells() const { return number.size(); }
  std::size_t pairs() const { return target.size(); }
  std::size_t source_words() const { return source_begin.size() - 1; }
  std::span<const Row> rows_of(Word source) const {
    return {rows.data() + row_begin[source], rows.data() + row_begin[source + 1]};
  }
};

// The numbers do not depend on the number of threads. Throws InputError if there are
// 2^32 pairs or more.
WordPairs number_pairs(const Bitext& text, Workers& workers);

}  // namespace hinge::mt
