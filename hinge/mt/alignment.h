// Word alignment: which words of two sentences translate each other.
//
// As text it has one line per pair of sentences, with links "source-target" from
// 0 ("0-0 1-2"), known as Pharaoh format.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/mt/bitext.h"

namespace hinge::mt {

struct Link {
  std::uint16_t source;  // positions, from 0
  std::uint16_t target;

  auto operator<=>(const Link&) const = default;
};

// The links of all pairs, in order of source and target position.
struct Alignment {
  std::vector<std::uint64_t> begin = {0};  // [sentences + 1], into links
  std::vector<Link> links;

  std::size_t sentences() const { return begin.size() - 1; }
  std::span<const Link> pair(std::size_t i) const {
    return {links.data() + begin[i], links.data() + begin[i + 1]};
  }
  // Sorts the links, drops repeated ones.
  void add(std::span<Link> pair);
};

// A file with a line for every line of the text's files; lines of pairs that the
// text leaves out are ignored. Throws InputError.
Alignment read_alignment(const std::string& path, const Bitext& text);

// The same format; lines of pairs that the text leaves out are empty.
void write_alignment(const std::string& path, const Alignment& alignment, const Bitext& text);

// Och and Ney (Computational Linguistics 2003), section 6: recall of sure links,
// precision against possible ones, and their error rate
// 1 - (|A and S| + |A and P|) / (|A| + |S|). All in percent.
struct AlignmentError {
  double precision = 0.0;
  double recall = 0.0;
  double error = 0.0;
};

// A sure link counts as possible, too. All three must have the same number of pairs.
AlignmentError alignment_error(const Alignment& sure, const Alignment& possible, const Alignment& hypothesis);

}  // namespace hinge::mt
