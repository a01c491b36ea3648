#include "hinge/mt/bitext.h"

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/split.h"
#include "hinge/corpus/text_source.h"

namespace hinge::mt {
namespace {

void append(Side& side, const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) side.tokens.push_back(side.words.add(word));
  side.begin.push_back(side.tokens.size());
}

[[noreturn]] void refuse_lengths(LineReader& shorter, LineReader& longer) {
  for (std::string_view line; longer.next(line);) {
  }
  fail<InputError>("{}: ends after {} lines, but {} has {}; line i of one must translate line i of the other",
                   shorter.name(), shorter.number(), longer.name(), longer.number());
}

}  // namespace

void BitextOptions::describe(OptionTable& table) {
  table.add("longest", longest, "pairs with more words on a side are left out").at_least(1).at_most(250);
}

Side read_side(const std::string& path) {
  Side side;
  LineReader lines(path);
  std::vector<std::string_view> words;
  for (std::string_view line; lines.next(line);) {
    check_interrupt();
    split_at_blanks(line, words);
    append(side, words);
  }
  if (side.sentences() == 0)
    fail<InputError>("{}: has no sentences; expected one per line, words separated by spaces", path);
  return side;
}

Bitext read_bitext(const std::string& source, const std::string& target, const BitextOptions& options) {
  Bitext text;
  LineReader source_lines(source), target_lines(target);
  std::vector<std::string_view> source_words, target_words;
  std::string_view source_line, target_line;
  const auto usable = [&](const std::vector<std::string_view>& words) {
    return !words.empty() && words.size() <= static_cast<std::size_t>(options.longest);
  };
  while (true) {
    check_interrupt();
    const bool more = source_lines.next(source_line);
    if (target_lines.next(target_line) != more)
      more ? refuse_lengths(target_lines, source_lines) : refuse_lengths(source_lines, target_lines);
    if (!more) break;
    split_at_blanks(source_line, source_words);
    split_at_blanks(target_line, target_words);
    if (usable(source_words) && usable(target_words)) {
      append(text.source, source_words);
      append(text.target, target_words);
    } else {
      ++text.skipped;
      text.left_out.push_back(source_lines.number() - 1);
    }
  }
  if (text.sentences() == 0)
    fail<InputError>("{}: has no pair of sentences with 1 to {} words on both sides; check both files",
                     source, options.longest);
  return text;
}

}  // namespace hinge::mt
