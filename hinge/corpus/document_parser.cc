#include <algorithm>
#include <charconv>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/corpus/columns.h"
#include "hinge/corpus/document_brackets.h"
#include "hinge/corpus/document_mentions.h"
#include "hinge/corpus/documents.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/split.h"

namespace hinge {
namespace {

bool parse_number(std::string_view text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string_view if_there(std::string_view cell) { return is_nothing(cell) ? std::string_view() : cell; }

void split_at_tabs(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  while (true) {
    const std::size_t end = line.find('\t');
    cells.push_back(trim(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

// What both formats share: the document, its sentences and mentions.
class Builder {
 public:
  explicit Builder(Document& document) : document_(document), mentions_(document) {}

  Document& document() { return document_; }
  MentionReader& mentions() { return mentions_; }
  std::uint32_t sentence() const { return sentence_; }  // its first token
  std::uint32_t tokens() const { return static_cast<std::uint32_t>(document_.tokens.size()); }

  void add_token(DocumentToken token, std::string_view cell, std::string_view brackets) {
    token.line = static_cast<std::uint32_t>(line);
    token.empty_nodes = empty_nodes;
    document_.cells.push_back({cell, tokens()});
    mentions_.add_node(tokens(), brackets, line);
    document_.tokens.push_back(token);
  }

  // False if the sentence has no tokens.
  bool end_sentence() {
    if (sentence_ == tokens()) return false;
    document_.sentences.push_back({sentence_, tokens()});
    sentence_ = tokens();
    return true;
  }

  template <typename... Args>
  [[noreturn]] void refuse(std::size_t at, fmt::format_string<Args...> format, Args&&... args) const {
    fail<InputError>("{}:{}: {}", document_.source, at, fmt::format(format, std::forward<Args>(args)...));
  }

  std::size_t line = 0;  // number of the current one
  std::uint32_t empty_nodes = 0;

 private:
  Document& document_;
  MentionReader mentions_;
  std::uint32_t sentence_ = 0;
};

// Brackets of a parse or of entities, "(S(NP*", "*)", "(PERSON)", over the tokens of a sentence.
class RangeStack {
 public:
  RangeStack(Builder& builder, std::vector<LabelledRange>& ranges, const char* what)
      : builder_(builder), ranges_(ranges), what_(what) {}

  void add(std::string_view cell) {
    const std::uint32_t token = builder_.tokens();
    while (!cell.empty()) {
      const char c = cell[0];
      cell.remove_prefix(1);
      if (c == '(') {
        const std::size_t end = std::min(cell.find_first_of("(*)"), cell.size());
        open_.push_back(ranges_.size());
        ranges_.push_back({cell.substr(0, end), token, token});
        cell.remove_prefix(end);
      } else if (c == ')') {
        if (open_.empty())
          builder_.refuse(builder_.line, "a bracket of the {} closes, but none is open in this sentence",
                          what_);
        ranges_[open_.back()].end = token + 1;
        open_.pop_back();
      }
    }
  }

  void end_sentence() const {
    if (open_.empty()) return;
    const LabelledRange& range = ranges_[open_.front()];
    builder_.refuse(builder_.document().tokens[range.begin].line,
                    "the bracket '({}' of the {} is not closed in its sentence", shown(range.label), what_);
  }

 private:
  Builder& builder_;
  std::vector<LabelledRange>& ranges_;
  const char* what_;
  std::vector<std::size_t> open_;  // into ranges_
};

class Conll2012Parser {
 public:
  explicit Conll2012Parser(Builder& builder)
      : builder_(builder),
        document_(builder.document()),
        parse_(builder, document_.constituents, "parse"),
        entities_(builder, document_.entities, "named entities") {}

  void read(std::string_view line) {
    if (line.starts_with('#')) {
      read_marker(line);
    } else if (trim(line).empty()) {
      end_sentence();
    } else {
      if (!begun_ || ended_)
        builder_.refuse(builder_.line, "is outside a document; expected '#begin document (name); part 000'");
      read_token(line);
    }
  }

  void finish() {
    end_sentence();
    if (begun_ && !ended_)
      builder_.refuse(begun_, "the document that begins here has no '#end document'; is the file complete?");
  }

 private:
  void read_marker(std::string_view line) {
    if (ends_document(line)) {
      if (!begun_) builder_.refuse(builder_.line, "a document ends that did not begin; remove the line");
      ended_ = true;
    }
    if (!begins_document(line)) return;
    begun_ = builder_.line;
    // "(name); part 000". A name may contain brackets.
    line = trim(line.substr(line.find("document") + std::string_view("document").size()));
    const std::size_t end = line.rfind(");");
    document_.name = line;
    if (!line.starts_with('(') || end == std::string_view::npos) return;
    document_.name = line.substr(1, end - 1);
    const std::string_view rest = trim(line.substr(end + 2));
    if (rest.starts_with("part")) document_.part = trim(rest.substr(4));
  }

  void read_token(std::string_view line) {
    split(line);
    const std::size_t n = cells_.size();
    const std::size_t word = n == 3 ? 1 : n == 4 ? 2 : 3;
    // The column, if it comes before the last one, which is coreference.
    const auto column = [&](std::size_t k) { return k + 1 < n ? cells_[k] : std::string_view(); };
    parse_.add(column(5));
    entities_.add(column(10));
    DocumentToken token;
    token.word = cells_[word];
    token.xpos = if_there(column(4));
    token.lemma = if_there(column(6));
    token.speaker = if_there(column(9));
    const std::string_view cell = cells_.back();
    note_style(cell);
    builder_.add_token(token, cell, if_there(cell));
  }

  void split(std::string_view line) {
    if (document_.tokens.empty()) tabs_ = line.find('\t') != std::string_view::npos;
    tabs_ ? split_at_tabs(line, cells_) : split_at_blanks(line, cells_);
    if (columns_ == 0) columns_ = cells_.size();
    if (cells_.size() < 3)
      builder_.refuse(builder_.line,
                      "has {} column{}, but at least number, word and coreference were expected",
                      cells_.size(), cells_.size() == 1 ? "" : "s");
    if (cells_.size() != columns_)
      builder_.refuse(
          builder_.line,
          "has {} columns, but the lines of the sentence before it have {}; check the separators, "
          "or that an empty line ends each sentence",
          cells_.size(), columns_);
  }

  // How the writer should write what is not there yet: as the first cell that shows it.
  void note_style(std::string_view cell) {
    if (is_nothing(cell)) {
      if (!std::exchange(nothing_known_, true)) document_.nothing = cell;
      return;
    }
    MentionBracket bracket;
    if (bars_known_ || !take_bracket(cell, bracket) || cell.empty()) return;
    bars_known_ = true;
    document_.bars = *bracket.text.end() == '|';
  }

  void end_sentence() {
    parse_.end_sentence();
    entities_.end_sentence();
    builder_.end_sentence();
    columns_ = 0;
  }

  Builder& builder_;
  Document& document_;
  RangeStack parse_, entities_;
  std::vector<std::string_view> cells_;
  std::size_t columns_ = 0;  // of the sentence; 0 before its first token
  std::size_t begun_ = 0;    // the line of "#begin document"
  bool ended_ = false;
  bool tabs_ = false;
  bool nothing_known_ = false, bars_known_ = false;
};

class ConlluParser {
 public:
  explicit ConlluParser(Builder& builder) : builder_(builder), document_(builder.document()) {}

  void read(std::string_view line) {
    if (line.starts_with('#')) {
      read_comment(line);
    } else if (trim(line).empty()) {
      end_sentence();
    } else {
      read_node(line);
    }
  }

  void finish() { end_sentence(); }

 private:
  void read_comment(std::string_view line) {
    if (const auto name = new_document(line)) document_.name = *name;
    if (const auto speaker = comment_value(line, "speaker")) speaker_ = *speaker;
    const auto fields = comment_value(line, kEntityComment);
    if (!fields || *fields == document_.entity_fields) return;
    if (!document_.tokens.empty())
      builder_.refuse(builder_.line,
                      "global.Entity changes within a document; give it before the first word");
    document_.entity_fields = *fields;
    if (!builder_.mentions().declare(*fields))
      builder_.refuse(builder_.line, "global.Entity is '{}', but one field must be eid or GRP, the cluster",
                      shown(*fields));
  }

  void read_node(std::string_view line) {
    split_at_tabs(line, cells_);
    if (cells_.size() != kConlluColumns)
      builder_.refuse(
          builder_.line,
          "has {} column{}, but {} separated by tabs were expected (CoNLL-U); check the separators",
          cells_.size(), cells_.size() == 1 ? "" : "s", kConlluColumns);
    const std::string_view id = cells_[kId];
    if (id.find('-') != std::string_view::npos) return;  // 3-4: its words follow
    const std::string_view brackets = read_entity();
    if (id.find('.') != std::string_view::npos) {  // 5.1
      ++builder_.empty_nodes;
      if (!brackets.empty()) document_.cells.push_back({cells_[kMisc], kNoToken});
      builder_.mentions().add_node(kNoToken, brackets, builder_.line);
      return;
    }
    std::uint32_t number = 0;
    const std::uint32_t expected = builder_.tokens() - builder_.sentence() + 1;
    if (!parse_number(id, number) || number != expected)
      builder_.refuse(
          builder_.line,
          "the ID is '{}', but {} was expected; number the words of a sentence 1, 2, 3, ... and end "
          "it with an empty line",
          shown(id), expected);
    builder_.add_token(read_token(), cells_[kMisc], brackets);
  }

  std::string_view read_entity() const {
    const std::string_view misc = cells_[kMisc];
    const std::string_view brackets = entity_of(misc);
    if (brackets.empty()) return brackets;
    const std::string_view rest = misc.substr(static_cast<std::size_t>(brackets.end() - misc.begin()));
    if (!entity_of(rest.substr(std::min<std::size_t>(1, rest.size()))).empty())
      builder_.refuse(builder_.line, "MISC has Entity= twice; write all brackets in one");
    return brackets;
  }

  DocumentToken read_token() const {
    DocumentToken token;
    token.word = cells_[kForm];
    token.lemma = absent(cells_[kLemma]);
    token.upos = absent(cells_[kUpos]);
    token.xpos = absent(cells_[kXpos]);
    token.feats = absent(cells_[kFeats]);
    token.relation = absent(cells_[kDeprel]);
    token.speaker = absent(speaker_);
    const std::string_view head = absent(cells_[kHead]);
    std::uint32_t number = 0;
    if (!head.empty() && !parse_number(head, number))
      builder_.refuse(builder_.line,
                      "the HEAD is '{}', but a number from 0 (the root) on, or _, was expected", shown(head));
    if (number > 0) token.head = builder_.sentence() + std::min(number, kNoToken / 2) - 1;
    return token;
  }

  static std::string_view absent(std::string_view cell) { return cell == "_" ? std::string_view() : cell; }

  void end_sentence() {
    check_tree();
    builder_.end_sentence();
    speaker_ = {};
  }

  // Heads must lead to a root, so that walks up the tree end.
  void check_tree() {
    const std::uint32_t begin = builder_.sentence();
    const std::uint32_t end = builder_.tokens();
    walks_.assign(end - begin, kNoToken);
    for (std::uint32_t start = begin; start < end; ++start) {
      std::uint32_t token = start;
      while (token != kNoToken && walks_[token - begin] == kNoToken) {
        walks_[token - begin] = start;
        const std::uint32_t head = document_.tokens[token].head;
        if (head != kNoToken && head >= end)
          builder_.refuse(
              document_.tokens[token].line,
              "the HEAD is {}, but the sentence has {} words; check that sentence breaks survived "
              "conversion",
              head - begin + 1, end - begin);
        token = head;
      }
      if (token != kNoToken && walks_[token - begin] == start)
        builder_.refuse(document_.tokens[token].line,
                        "the HEADs form a cycle through word {}; make every word lead to the root, HEAD 0",
                        token - begin + 1);
    }
  }

  Builder& builder_;
  Document& document_;
  std::vector<std::string_view> cells_;
  std::vector<std::uint32_t> walks_;  // [words], the word whose walk visited it first
  std::string_view speaker_;
};

template <typename Lines>
void parse_lines(std::string_view text, std::size_t first_line, Builder& builder) {
  Lines lines(builder);
  builder.line = first_line;
  for (; !text.empty(); ++builder.line) {
    const std::size_t end = first_line_end(text);
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.read(line);
    text.remove_prefix(end);
  }
  lines.finish();
  builder.mentions().finish();
}

}  // namespace

Document parse_document(DocumentText input) {
  Document document;
  document.source = std::move(input.source);
  document.text = std::make_unique<const std::string>(std::move(input.text));
  document.format = input.format == DocumentFormat::kConll2012 ? input.format : DocumentFormat::kConllu;
  document.entity_fields = std::move(input.entity_fields);
  document.number = input.number;
  Builder builder(document);
  if (document.format == DocumentFormat::kConll2012) {
    parse_lines<Conll2012Parser>(*document.text, input.first_line, builder);
  } else {
    parse_lines<ConlluParser>(*document.text, input.first_line, builder);
  }
  return document;
}

}  // namespace hinge
