#include "hinge/tasks/tag/lookback.h"

#include <string>
#include <vector>

#include "hinge/corpus/scan.h"

namespace hinge::tag {
namespace {

struct Tail {
  std::size_t begin;      // in the text
  std::size_t sentences;  // in it
};

// Where the last n blocks of a text begin that have more than comments. The text ends with a
// whole block.
Tail last_sentences(std::string_view text, std::size_t n) {
  std::size_t found = 0;
  bool in_block = false, tokens = false;
  const auto end_block = [&] {
    found += tokens;
    in_block = tokens = false;
  };
  for (std::size_t end = text.size(); end > 0;) {  // the end of a line, its line end included
    const std::size_t previous = end < 2 ? std::string_view::npos : text.rfind('\n', end - 2);
    const std::size_t begin = previous == std::string_view::npos ? 0 : previous + 1;
    const std::string_view line = trim(text.substr(begin, end - begin));
    const bool blank = line.find_first_not_of("\r\n") == std::string_view::npos;
    if (blank && in_block) end_block();
    if (found == n) return {end, found};
    in_block = in_block || !blank;
    tokens = tokens || (!blank && line[0] != '#');
    end = begin;
  }
  end_block();
  return {0, found};
}

}  // namespace

void each_round_looking_back(const Source& source, ColumnFormat format, std::size_t sentences, Workers& workers,
                             const std::function<void(std::span<const LookbackSlice>)>& body) {
  SliceReader reader(source, format, workers);
  std::string earlier;  // the end of the text before the round
  std::vector<LookbackSlice> slices;
  for (auto round = reader.next(); !round.empty(); round = reader.next()) {
    slices.clear();
    const char* begin = round.front().text.data();  // the slices of a round lie side by side
    for (const Slice& slice : round) {
      LookbackSlice& with = slices.emplace_back(LookbackSlice{slice, {}});
      if (source.memory != nullptr) continue;
      const std::string_view here(begin, static_cast<std::size_t>(slice.text.data() - begin));
      const Tail tail = last_sentences(here, sentences);
      with.before[1] = here.substr(tail.begin);
      with.before[0] = std::string_view(earlier).substr(last_sentences(earlier, sentences - tail.sentences).begin);
    }
    body(slices);
    if (source.memory != nullptr) continue;
    const std::string_view last = round.back().text;
    earlier.append(begin, static_cast<std::size_t>(last.data() + last.size() - begin));
    earlier += "\n\n";  // a file may end without an empty line
    earlier.erase(0, last_sentences(earlier, sentences).begin);
  }
}

}  // namespace hinge::tag
