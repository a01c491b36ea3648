#include "hinge/check/text_check.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "hinge/corpus/columns.h"
#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

constexpr FindingKind kKinds[] = {
    {"not-utf-8", Severity::kError, "lines that are not UTF-8",
     "convert the file (iconv -f latin1 -t utf-8)"},
    {"encoded-twice", Severity::kWarning, "text that was turned into UTF-8 twice",
     "convert it back once (iconv -f utf-8 -t cp1252)"},
    {"lost-character", Severity::kWarning, "U+FFFD, left by a conversion that lost a character",
     "convert the original again"},
    {"control-character", Severity::kWarning, "control characters", "remove them"},
    {"odd-space", Severity::kWarning, "unusual or invisible spaces inside text",
     "replace them by plain spaces, or remove them"},
    {"normal-forms", Severity::kWarning, "letters with separate accents, where others have them built in",
     "bring the text into one normal form (uconv -x any-nfc)"},
    {"stray-cr", Severity::kWarning, "a carriage return inside a line", "remove it, or end the line there"},
    {"mixed-line-ends", Severity::kWarning, "lines that end in CR LF, while others end in LF",
     "use one line end (dos2unix); training reads both"},
    {"cr-lf", Severity::kNote, "files whose lines all end in CR LF", "leave them: training reads both line ends"},
    {"byte-order-mark", Severity::kNote, "files that begin with a byte order mark",
     "leave it: training skips it, but other tools may not"},
};
enum KindIndex { kNotUtf8, kTwice, kLost, kControl, kOddSpace, kForms, kStrayCr, kMixedEnds, kCrLf, kMark };

constexpr utf8proc_int32_t kReplacement = 0xFFFD;

// Windows-1252 in 0x80 to 0x9F; 0: not assigned.
constexpr std::uint16_t kWindows[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                        0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

// The byte of a character in Windows-1252 or Latin-1, or 0.
unsigned byte_of(utf8proc_int32_t code) {
  if (code < 0x100) return static_cast<unsigned>(code);
  const auto* found = std::find(std::begin(kWindows), std::end(kWindows), code);
  return found == std::end(kWindows) ? 0 : 0x80 + static_cast<unsigned>(found - kWindows);
}

bool is_later_byte(utf8proc_int32_t code) { return (byte_of(code) & 0xC0) == 0x80; }

// "Ã©" for "é" and "â€™" for an apostrophe. Other pairs occur in honest text, such as a
// capital with an accent before a quotation mark.
bool begins_twice(utf8proc_int32_t first, utf8proc_int32_t second) {
  return ((first == 0xC2 || first == 0xC3) && is_later_byte(second)) || (first == 0xE2 && second == 0x20AC);
}

// Left out: the ideographic space and the joiners, which some scripts need.
bool is_odd_space(utf8proc_int32_t code) {
  return code == 0xA0 || code == 0xAD || code == 0x1680 || (code >= 0x2000 && code <= 0x200B) ||
         code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202F) || code == 0x205F ||
         code == 0x2060 || code == 0xFEFF;
}

bool is_control(utf8proc_int32_t code) {
  return (code < 0x20 && code != '\t' && code != '\r') || (code >= 0x7F && code < 0xA0);
}

bool is_plain_ascii(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return (c >= ' ' && c < 0x7F) || c == '\t'; });
}

bool equals_form(std::string_view line, int option) {
  utf8proc_uint8_t* form = nullptr;
  const utf8proc_ssize_t length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(line.data()),
                                               static_cast<utf8proc_ssize_t>(line.size()), &form,
                                               static_cast<utf8proc_option_t>(UTF8PROC_STABLE | option));
  const bool equal =
      length < 0 || line == std::string_view(reinterpret_cast<char*>(form), static_cast<std::size_t>(length));
  std::free(form);  // NOLINT: allocated by the library
  return equal;
}

class TextCheck {
 public:
  TextCheck(CorpusCheck& check, bool comments) : check_(check), comments_(comments) {}

  // Appends the line as it can be read.
  void line(std::string_view line, std::string& out) {
    ++number_;
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
      if (crlf_++ == 0) first_crlf_ = number_;
    }
    if (is_plain_ascii(line)) {
      out += line;
      return;
    }
    const std::size_t begin = out.size();
    seen_ = 0;
    characters(line, out);
    // In comments of CoNLL-U only what cannot be read matters.
    if (comments_ && line.starts_with('#')) seen_ &= 1u << kNotUtf8;
    report(std::string_view(out).substr(begin));
  }

  void finish(bool mark) {
    if (crlf_ > 0 && crlf_ == number_) check_.find(kKinds[kCrLf], 0, "{} lines", number_);
    if (crlf_ > 0 && crlf_ < number_)
      check_.find(kKinds[kMixedEnds], first_crlf_, "{} of {} lines end in CR LF", crlf_, number_);
    if (mark) check_.find(kKinds[kMark], 1, "U+FEFF");
    if (composed_ == 0) return;
    for (const auto& [at, text] : decomposed_) check_.find(kKinds[kForms], at, "{}", text);
  }

 private:
  void characters(std::string_view line, std::string& out) {
    utf8proc_int32_t before = 0;
    for (std::size_t at = 0; at < line.size();) {
      utf8proc_int32_t code;
      const utf8proc_ssize_t length =
          utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(line.data() + at),
                           static_cast<utf8proc_ssize_t>(line.size() - at), &code);
      if (length < 1) {
        note(kNotUtf8, static_cast<unsigned char>(line[at++]));
        out += "\xEF\xBF\xBD";
        before = 0;
        continue;
      }
      if (code == kReplacement) note(kLost, code);
      if (code == '\r') note(kStrayCr, code);
      if (is_odd_space(code)) note(kOddSpace, code);
      if (is_control(code)) note(kControl, code);
      if (begins_twice(before, code)) note(kTwice, before);
      before = code;
      out += line.substr(at, static_cast<std::size_t>(length));
      at += static_cast<std::size_t>(length);
    }
  }

  void note(KindIndex kind, utf8proc_int32_t code) {
    const unsigned bit = 1u << static_cast<unsigned>(kind);
    if ((seen_ & bit) == 0) codes_[kind] = code;
    seen_ |= bit;
  }

  // Once per line and kind.
  void report(std::string_view line) {
    for (const KindIndex kind : {kNotUtf8, kTwice, kLost, kControl, kOddSpace, kStrayCr}) {
      if ((seen_ >> static_cast<unsigned>(kind) & 1u) == 0) continue;
      if (kind == kNotUtf8) {
        check_.find(kKinds[kind], number_, "byte 0x{:02x} in: {}", codes_[kind], shown(line));
      } else {
        check_.find(kKinds[kind], number_, "U+{:04X} in: {}", codes_[kind], shown(line));
      }
    }
    if (comments_ && line.starts_with('#')) return;
    if (!equals_form(line, UTF8PROC_COMPOSE)) {
      decomposed_.emplace_back(number_, shown(line));
    } else if (composed_ == 0 && !equals_form(line, UTF8PROC_DECOMPOSE)) {
      composed_ = number_;
    }
  }

  CorpusCheck& check_;
  bool comments_;
  std::size_t number_ = 0;
  std::size_t crlf_ = 0, first_crlf_ = 0;
  std::size_t composed_ = 0;  // a line in form NFC that would change in NFD
  std::vector<std::pair<std::size_t, std::string>> decomposed_;
  unsigned seen_ = 0;                               // in this line, one bit per kind
  utf8proc_int32_t codes_[std::size(kKinds)] = {};  // the first character of each kind
};

}  // namespace

std::span<const FindingKind> text_kinds() { return kKinds; }

std::string check_text(const TextInput& input, CorpusCheck& check) {
  TextSource source(input);
  std::optional<TextCheck> text_check;
  std::string text;
  for (std::string_view chunk; source.next_unchecked(chunk);) {
    if (!text_check)
      text_check.emplace(check,
                         find_layout(chunk, input.name, ColumnFormat::kAuto).format == ColumnFormat::kConllu);
    // Chunks end at line ends, except perhaps the last.
    while (!chunk.empty()) {
      const std::size_t end = std::min(chunk.find('\n'), chunk.size());
      text_check->line(chunk.substr(0, end), text);
      if (end < chunk.size()) text += '\n';
      chunk.remove_prefix(std::min(end + 1, chunk.size()));
    }
  }
  if (text_check) text_check->finish(source.had_byte_order_mark());
  return read_text(TextInput(text, input.name));  // refuses NUL bytes
}

}  // namespace hinge
