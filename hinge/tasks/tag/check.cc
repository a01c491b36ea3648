#include "hinge/tasks/tag/check.h"

#include <algorithm>
#include <map>

#include "hinge/check/blocks.h"
#include "hinge/corpus/scan.h"
#include "hinge/features/label_set.h"
#include "hinge/tasks/tag/constraints.h"

namespace hinge::tag {
namespace {

constexpr FindingKind kKinds[] = {
    {"broken-phrase", Severity::kWarning,
     "labels that continue a phrase that did not begin, such as I- after O",
     "mend the labels; otherwise the model learns that this is well formed"},
    {"iob1", Severity::kNote, "phrases begin with I- except after another of their type (IOB1)",
     "leave them, or convert to IOB2, for which there are constraints"},
    {"stray-label", Severity::kWarning, "labels that are neither O nor begin with B-, I- or the like, as nearly all others do",
     "mend them: with any such label training takes all for plain tags, not phrases, or checks no constraints"},
    {"shifted-cells", Severity::kWarning, "cells whose value belongs in another column",
     "look for a missing or added cell before it"},
    {"space-in-cell", Severity::kWarning, "cells that begin or end with a space", "remove it"},
    {"empty-cell", Severity::kWarning, "empty cells", "write _ or the value"},
    {"no-label", Severity::kWarning, "tokens labelled '_', while others have a label", "give them a label"},
};
constexpr const FindingKind& kBroken = kKinds[0];
constexpr const FindingKind& kIob1 = kKinds[1];
constexpr const FindingKind& kStray = kKinds[2];
constexpr const FindingKind& kShifted = kKinds[3];
constexpr const FindingKind& kSpace = kKinds[4];
constexpr const FindingKind& kEmptyCell = kKinds[5];
constexpr const FindingKind& kNoLabel = kKinds[6];

// A value belongs in another column if it is rare here and this much more frequent there.
constexpr std::int64_t kMostRare = 3;
constexpr std::int64_t kMoreFrequent = 50;
// In a column of few different values a new one is odd; words are always new.
constexpr std::size_t kMostValues = 500;
constexpr std::int64_t kLeastUses = 20;  // of a value, on average

class SentenceCheck {
 public:
  SentenceCheck(bool partial, CorpusCheck& check) : partial_(partial), check_(check) {}

  void sentence(const TagReader& reader) {
    const ColumnSentence& sentence = reader.sentence();
    const std::size_t tokens = sentence.tokens();
    Key input = 1;
    Key gold = 1;
    text_.clear();
    for (std::size_t t = 0; t < tokens; ++t) {
      const std::size_t line = sentence.line_number(t);
      const std::string_view text = reader.text(t);
      const std::string_view label = reader.label(t);
      if (text_.size() < kMostText) text_.append(t == 0 ? "" : " ").append(text);
      input = combine(input, hash_text(text));
      gold = combine(gold, hash_text(label));
      if (!partial_) check_.label(label, line);
      if (reader.sentence().columns > 1) cells(reader, t, line);
      labels_.push_back({std::string(label), static_cast<std::uint32_t>(line), t == 0});
    }
    check_.example(
        {.line = sentence.first_line, .text = text_, .input = input, .gold = gold, .length = tokens});
  }

  void finish() {
    if (!partial_) {
      phrases();
      if (format_ == ColumnFormat::kConllu) unlabelled();
    }
    shifted();
  }

  void set_format(ColumnFormat format) { format_ = format; }

 private:
  static constexpr std::size_t kMostText = 200;
  struct Token {
    std::string label;
    std::uint32_t line;
    bool first;  // of its sentence
    bool stray = false;
  };

  void cells(const TagReader& reader, std::size_t t, std::size_t line) {
    const ColumnSentence& sentence = reader.sentence();
    const bool plain = reader.layout().format == ColumnFormat::kColumns;
    if (values_.size() < sentence.columns) values_.resize(sentence.columns);
    for (std::size_t c = 0; c < sentence.columns; ++c) {
      const std::string_view cell = sentence.cell(t, c);
      if (cell.empty()) {
        check_.find(kEmptyCell, line, "column {}", c);
      } else if (trim(cell).size() < cell.size() && reader.tabs()) {
        check_.find(kSpace, line, "'{}' in column {}", shown(cell), c);
      }
      if (!plain) continue;
      Use& use = values_[c][std::string(cell)];
      ++use.count;
      if (use.count == 1) use.line = static_cast<std::uint32_t>(line);
    }
    ++tokens_;
  }

  // Labels outside the scheme of nearly all others. What stands beside one is not judged.
  Scheme strays() {
    LabelSet names;
    std::vector<std::size_t> counts;
    for (const Token& token : labels_) {
      const std::size_t y = names.intern(token.label);
      if (y == counts.size()) counts.push_back(0);
      ++counts[y];
    }
    const NearScheme near = nearly_all_follow(names.names(), counts);
    if (near.scheme == Scheme::kNone) return near.scheme;
    std::size_t found = 0;
    for (Token& token : labels_) {
      token.stray = near.stray[names.find(token.label)];
      found += token.stray;
      if (token.stray) check_.find(kStray, token.line, "{}", shown(token.label));
    }
    if (found > 0) check_.add_total(kStray, static_cast<std::int64_t>(labels_.size()));
    return near.scheme;
  }

  bool is_last(std::size_t t) const { return t + 1 == labels_.size() || labels_[t + 1].first; }

  bool is_broken(Scheme scheme, std::size_t t) const {
    const Token& now = labels_[t];
    if (now.stray) return false;
    const bool after_stray = !now.first && labels_[t - 1].stray;
    const std::string_view before = now.first ? std::string_view("O") : labels_[t - 1].label;
    return (!after_stray && !may_follow(scheme, before, now.label)) ||
           (is_last(t) && !may_follow(scheme, now.label, "O"));
  }

  void phrases() {
    const Scheme scheme = strays();
    if (scheme == Scheme::kNone) return;
    std::int64_t begins = 0;
    std::vector<std::size_t> broken;
    for (std::size_t t = 0; t < labels_.size(); ++t) {
      begins += labels_[t].label.starts_with("B-");
      if (is_broken(scheme, t)) broken.push_back(t);
    }
    if (scheme == Scheme::kIob2 && static_cast<std::int64_t>(broken.size()) > begins) {
      check_.find(kIob1, labels_[broken[0]].line, "{} phrases begin with I-, {} with B-", broken.size(),
                  begins);
      return;
    }
    for (const std::size_t t : broken) {
      check_.find(
          kBroken, labels_[t].line, "{} {}{}", shown(labels_[t].label),
          labels_[t].first ? "at the beginning of a sentence" : "after " + shown(labels_[t - 1].label),
          is_last(t) ? ", the last of its sentence" : "");
    }
  }

  void unlabelled() {
    const auto blank = std::ranges::count(labels_, "_", &Token::label);
    if (blank == 0 || blank == static_cast<std::ptrdiff_t>(labels_.size())) return;
    for (const Token& token : labels_) {
      if (token.label == "_") check_.find(kNoLabel, token.line, "_");
    }
    check_.add_total(kNoLabel, static_cast<std::int64_t>(labels_.size()));
  }

  bool is_closed(std::size_t column) const {
    const std::size_t different = values_[column].size();
    return different <= kMostValues && static_cast<std::int64_t>(different) * kLeastUses <= tokens_;
  }

  // Such as right labels and predicted ones: what is rare in one may be frequent in the other.
  bool is_alike(std::size_t column, std::size_t other) const {
    std::size_t frequent = 0;
    std::size_t shared = 0;
    for (const auto& [value, use] : values_[column]) {
      if (use.count <= kMostRare) continue;
      ++frequent;
      const auto found = values_[other].find(value);
      shared += found != values_[other].end() && found->second.count > kMostRare;
    }
    return 2 * shared > frequent;
  }

  void shifted() {
    for (std::size_t c = 0; c < values_.size(); ++c) {
      if (!is_closed(c)) continue;
      for (const auto& [value, use] : values_[c]) {
        if (use.count > kMostRare) continue;
        for (std::size_t other = 0; other < values_.size(); ++other) {
          const auto found = values_[other].find(value);
          if (other == c || found == values_[other].end() || is_alike(c, other)) continue;
          if (found->second.count >= use.count * kMoreFrequent) {
            check_.find(kShifted, use.line, "'{}' in column {}, but {} times in column {}", shown(value), c,
                        found->second.count, other);
            break;
          }
        }
      }
    }
  }

  struct Use {
    std::int64_t count = 0;
    std::uint32_t line = 0;  // the first
  };

  bool partial_;
  CorpusCheck& check_;
  ColumnFormat format_ = ColumnFormat::kAuto;
  std::string text_;
  std::vector<Token> labels_;
  std::vector<std::map<std::string, Use>> values_;  // [columns]
  std::int64_t tokens_ = 0;
};

}  // namespace

void check_sentences(const Source& source, const FileLayout& layout, bool partial, CorpusCheck& check) {
  check.name({"sentences", "tokens"});
  const std::string& text = *source.text;
  const Slice slice{.source = &source, .text = text, .layout = find_layout(text, source.path, layout.format)};
  TagReader reader(slice, layout, /*labelled=*/true);
  SentenceCheck sentences(partial, check);
  each_block(text, 1, slice.layout, reader, check, [&] {
    while (reader.next()) {
      sentences.set_format(reader.layout().format);
      sentences.sentence(reader);
    }
  });
  sentences.finish();
}

std::span<const FindingKind> finding_kinds() { return kKinds; }

}  // namespace hinge::tag
