#include "hinge/mt/alignment.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <iterator>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/split.h"
#include "hinge/corpus/text_source.h"
#include "hinge/files/output_file.h"

namespace hinge::mt {
namespace {

// A whole number that fills the text.
bool parse(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Reads the links of one line.
class LinkParser {
 public:
  LinkParser(const LineReader& lines, std::size_t source_length, std::size_t target_length)
      : lines_(lines), source_length_(source_length), target_length_(target_length) {}

  Link parse_link(std::string_view text) const {
    const std::size_t dash = text.find('-');
    std::uint64_t source = 0, target = 0;
    if (dash == std::string_view::npos || !parse(text.substr(0, dash), source) ||
        !parse(text.substr(dash + 1), target))
      fail<InputError>("{}:{}: '{}' is not a link; expected source-target, such as 0-2", lines_.name(),
                       lines_.number(), text);
    check(text, "source", source, source_length_);
    check(text, "target", target, target_length_);
    return {static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(target)};
  }

 private:
  void check(std::string_view text, std::string_view side, std::uint64_t position, std::size_t length) const {
    if (position < length) return;
    fail<InputError>(
        "{}:{}: link '{}' is outside of the {} sentence, which has {} words (positions begin at 0); "
        "check that the alignment is of this text and not of the other direction",
        lines_.name(), lines_.number(), text, side, length);
  }

  const LineReader& lines_;
  std::size_t source_length_;
  std::size_t target_length_;
};

// Whether each line of the text's files is left out, asked for in order.
class LeftOut {
 public:
  explicit LeftOut(const Bitext& text) : lines_(text.left_out) {}
  bool operator()(std::size_t line) {
    if (next_ == lines_.size() || lines_[next_] != line) return false;
    ++next_;
    return true;
  }

 private:
  std::span<const std::uint64_t> lines_;
  std::size_t next_ = 0;
};

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void Alignment::add(std::span<Link> pair) {
  std::ranges::sort(pair);
  std::unique_copy(pair.begin(), pair.end(), std::back_inserter(links));
  begin.push_back(links.size());
}

Alignment read_alignment(const std::string& path, const Bitext& text) {
  Alignment alignment;
  LineReader lines(path);
  LeftOut left_out(text);
  const std::size_t expected = text.sentences() + text.left_out.size();
  std::vector<Link> links;
  std::string_view line;
  std::size_t at = 0;
  for (; lines.next(line); ++at) {
    check_interrupt();
    if (at >= expected || left_out(at)) continue;
    const std::size_t pair = alignment.sentences();
    const LinkParser parser(lines, text.source.sentence(pair).size(), text.target.sentence(pair).size());
    links.clear();
    each_word(line, [&](std::string_view word) { links.push_back(parser.parse_link(word)); });
    alignment.add(links);
  }
  if (at != expected)
    fail<InputError>("{}: has {} lines, but the text has {}; line i must align line i of the text", path, at,
                     expected);
  return alignment;
}

void write_alignment(const std::string& path, const Alignment& alignment, const Bitext& text) {
  assert(alignment.sentences() == text.sentences());
  OutputFile file(path);
  LeftOut left_out(text);
  std::string line;
  const std::size_t lines = text.sentences() + text.left_out.size();
  for (std::size_t at = 0, pair = 0; at < lines; ++at) {
    line.clear();
    if (!left_out(at)) {
      for (const Link& link : alignment.pair(pair++)) {
        if (!line.empty()) line += ' ';
        line += fmt::format("{}-{}", link.source, link.target);
      }
    }
    line += '\n';
    file.write(line);
  }
  file.commit();
}

AlignmentError alignment_error(const Alignment& sure, const Alignment& possible,
                               const Alignment& hypothesis) {
  assert(sure.sentences() == hypothesis.sentences() && possible.sentences() == hypothesis.sentences());
  std::size_t hits_sure = 0, hits_possible = 0;
  for (std::size_t i = 0; i < hypothesis.sentences(); ++i) {
    for (const Link& link : hypothesis.pair(i)) {
      const bool is_sure = std::ranges::binary_search(sure.pair(i), link);
      hits_sure += is_sure;
      hits_possible += is_sure || std::ranges::binary_search(possible.pair(i), link);
    }
  }
  const std::size_t made = hypothesis.links.size(), wanted = sure.links.size();
  return {percent(hits_possible, made), percent(hits_sure, wanted),
          100.0 - percent(hits_sure + hits_possible, made + wanted)};
}

}  // namespace hinge::mt
