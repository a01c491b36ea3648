// Parallel text: two files with the same number of lines, words separated by spaces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/core/options.h"
#include "hinge/mt/words.h"

namespace hinge::mt {

// One side: sentences as word numbers.
struct Side {
  Words words;
  std::vector<std::uint64_t> begin = {0};  // [sentences + 1], into tokens
  std::vector<Word> tokens;

  std::size_t sentences() const { return begin.size() - 1; }
  std::span<const Word> sentence(std::size_t i) const {
    return {tokens.data() + begin[i], tokens.data() + begin[i + 1]};
  }
};

struct Bitext {
  Side source;
  Side target;
  std::size_t skipped = 0;              // pairs left out: a side is empty or longer than the limit
  std::vector<std::uint64_t> left_out;  // their lines in the files, from 0

  std::size_t sentences() const { return source.sentences(); }
};

struct BitextOptions {
  std::int64_t longest = 100;  // words of a side

  void describe(OptionTable& table);
};

// A file of one sentence per line; empty lines are kept. Throws InputError.
Side read_side(const std::string& path);

// Throws InputError if the files differ in their number of lines or no pair is left.
Bitext read_bitext(const std::string& source, const std::string& target, const BitextOptions& options);

}  // namespace hinge::mt
