#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <tuple>

#include "hinge/corpus/document_brackets.h"
#include "hinge/corpus/documents.h"
#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

constexpr std::string_view kNewFields = "eid-etype-head-other";

// The brackets of one cell after the other.
class BracketWriter {
 public:
  BracketWriter(const Document& document, std::span<const Mention> mentions,
                std::span<const std::string_view> names)
      : document_(document), mentions_(mentions), names_(names) {
    fields_ = document.entity_fields;
    if (fields_.empty()) fields_ = document.cluster_names.empty() ? kNewFields : "eid";
    name_field_ = name_field(fields_);
    for (std::uint32_t k = 0; k < mentions.size(); ++k) {
      assert(mentions[k].begin < mentions[k].end && mentions[k].end <= document.tokens.size());
      opening_.push_back(k);
      if (mentions[k].end - mentions[k].begin > 1) closing_.push_back(k);
    }
    std::sort(opening_.begin(), opening_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(mentions[a].begin, mentions[b].end, mentions[a].cluster, a) <
             std::tuple(mentions[b].begin, mentions[a].end, mentions[b].cluster, b);
    });
    std::sort(closing_.begin(), closing_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(mentions[a].end, mentions[b].begin, mentions[b].cluster, b) <
             std::tuple(mentions[b].end, mentions[a].begin, mentions[a].cluster, a);
    });
    find_misread();
  }

  // The brackets of a token; call for every token in order. Closing ones come first: the
  // other way round, a mention that begins where another of its cluster ends would be
  // taken for one of a single token.
  const std::vector<std::string>& brackets(std::uint32_t token) {
    brackets_.clear();
    for (; next_closing_ < closing_.size(); ++next_closing_) {
      const Mention& mention = mentions_[closing_[next_closing_]];
      if (mention.end != token + 1) break;
      brackets_.push_back(name(mention.cluster) + ')');
    }
    for (; next_opening_ < opening_.size(); ++next_opening_) {
      const Mention& mention = mentions_[opening_[next_opening_]];
      if (mention.begin != token) break;
      brackets_.push_back('(' + opening(opening_[next_opening_]) + (mention.end == token + 1 ? ")" : ""));
    }
    return brackets_;
  }

 private:
  // Reads the brackets as a reader does: what closes is the mention opened last.
  void find_misread() {
    misread_.assign(mentions_.size(), 0);
    absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>> open;
    auto next = opening_.begin();
    for (const std::uint32_t closing : closing_) {
      const Mention& closed = mentions_[closing];
      // What opens at the word itself comes after its closing brackets.
      for (; next != opening_.end() && mentions_[*next].begin + 1 < closed.end; ++next) {
        const Mention& opened = mentions_[*next];
        if (opened.end - opened.begin > 1) open[opened.cluster].push_back(*next);
      }
      std::vector<std::uint32_t>& same = open[closed.cluster];
      if (same.back() != closing) misread_[same.back()] = 1;
      same.pop_back();
    }
  }

  bool is_conllu() const { return document_.format == DocumentFormat::kConllu; }

  std::string name(std::uint32_t cluster) const {
    if (cluster < names_.size()) return std::string(names_[cluster]);
    if (!is_conllu()) return fmt::to_string(cluster);
    if (field(fields_, name_field_) == "GRP") return fmt::to_string(cluster + 1);
    if (document_.number == 1) return fmt::format("e{}", cluster + 1);
    return fmt::format("d{}.e{}", document_.number, cluster + 1);
  }

  std::string opening(std::uint32_t index) const {
    const Mention& mention = mentions_[index];
    if (!is_conllu()) return name(mention.cluster);
    const std::string_view given = misread_[index] != 0 ? std::string_view() : mention.fields;
    std::string text;
    std::string_view declared = fields_;
    std::string_view rest = given;
    for (std::size_t k = 0; !declared.empty() || !rest.empty(); ++k) {
      const std::string_view what = take_field(declared);
      const std::string_view value = take_field(rest);
      if (k > 0) text += '-';
      if (k == name_field_) {
        text += name(mention.cluster);
      } else if (!given.empty()) {
        text += value;
      } else if (what == "head" && mention.head != kNoToken && misread_[index] == 0) {
        text += fmt::to_string(node(mention.head) - node(mention.begin) + 1);
      }
    }
    // Empty fields at the end are left out, unless they were there.
    text.erase(text.find_last_not_of('-') + 1);
    return text.append(given.size() - (given.find_last_not_of('-') + 1), '-');
  }

  // Empty nodes count, too.
  std::uint32_t node(std::uint32_t token) const { return token + document_.tokens[token].empty_nodes; }

  const Document& document_;
  std::span<const Mention> mentions_;
  std::span<const std::string_view> names_;
  std::string_view fields_;
  std::size_t name_field_ = 0;
  std::vector<std::uint32_t> opening_, closing_;  // mentions in the order of their brackets
  // [mentions], whether another of the cluster crosses it and its end will be taken for another's,
  // so that its fields would be wrong.
  std::vector<char> misread_;
  std::size_t next_opening_ = 0, next_closing_ = 0;
  std::vector<std::string> brackets_;
};

// Whether a cell has exactly these brackets, in any order.
bool has_brackets(std::string_view cell, const std::vector<std::string>& brackets) {
  std::vector<std::string_view> found;
  MentionBracket bracket;
  while (take_bracket(cell, bracket)) found.push_back(bracket.text);
  if (found.size() != brackets.size()) return false;
  std::vector<std::string_view> wanted(brackets.begin(), brackets.end());
  std::sort(found.begin(), found.end());
  std::sort(wanted.begin(), wanted.end());
  return found == wanted;
}

void append_joined(const std::vector<std::string>& brackets, std::string_view separator, std::string& out) {
  for (std::size_t k = 0; k < brackets.size(); ++k) {
    if (k > 0) out += separator;
    out += brackets[k];
  }
}

char lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Attributes of MISC are sorted by name, ignoring case.
bool comes_before_entity(std::string_view attribute) {
  const std::string_view key = attribute.substr(0, attribute.find('='));
  return std::lexicographical_compare(key.begin(), key.end(), kEntityKey.begin(), kEntityKey.end() - 1,
                                      [](char a, char b) { return lower(a) < lower(b); });
}

// MISC with other brackets, in the place where they were, or in alphabetical order.
void append_misc(std::string_view misc, const std::vector<std::string>& brackets, std::string& out) {
  bool pending = !brackets.empty();
  bool empty = true;
  const bool there = !entity_of(misc).empty();
  const auto separate = [&] {
    if (!empty) out += '|';
    empty = false;
  };
  const auto append_entity = [&] {
    separate();
    out += kEntityKey;
    append_joined(brackets, "", out);
    pending = false;
  };
  for (std::string_view rest = misc == "_" ? std::string_view() : misc; !rest.empty();) {
    const std::string_view attribute = take_attribute(rest);
    const bool is_entity = attribute.starts_with(kEntityKey);
    if (pending && (there ? is_entity : !comes_before_entity(attribute))) append_entity();
    if (is_entity) continue;
    separate();
    out += attribute;
  }
  if (pending) append_entity();
  if (empty) out += '_';
}

void append_cell(const Document& document, std::string_view cell, const std::vector<std::string>& brackets,
                 std::string& out) {
  const bool conllu = document.format == DocumentFormat::kConllu;
  const std::string_view before = conllu ? entity_of(cell) : is_nothing(cell) ? std::string_view() : cell;
  if (has_brackets(before, brackets)) {
    out += cell;
  } else if (conllu) {
    append_misc(cell, brackets, out);
  } else if (brackets.empty()) {
    out += document.nothing.empty() ? "-" : document.nothing;
  } else {
    append_joined(brackets, document.bars ? "|" : "", out);
  }
}

// Appends the text up to where "# global.Entity" belongs, and the comment; returns how much.
std::size_t append_declaration(std::string_view text, std::string& out) {
  std::size_t at = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  at = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at) + 1;
  for (std::size_t begin = at; begin < text.size() && text[begin] == '#';) {
    const std::size_t end = first_line_end(text, begin);
    std::string_view line = text.substr(begin, end - begin);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (new_document(line)) at = end;
    begin = end;
  }
  out += text.substr(0, at);
  out += fmt::format("# global.Entity = {}", kNewFields);
  const std::size_t line_end = text.find('\n');
  out += line_end != std::string_view::npos && line_end > 0 && text[line_end - 1] == '\r' ? "\r\n" : "\n";
  return at;
}

}  // namespace

void write_document(const Document& document, std::span<const Mention> mentions,
                    std::span<const std::string_view> names, std::string& out) {
  const std::string_view text = *document.text;
  BracketWriter writer(document, mentions, names);
  std::size_t at = 0;
  const bool declare = document.format == DocumentFormat::kConllu && document.entity_fields.empty() &&
                       document.cluster_names.empty();
  if (declare && !mentions.empty()) at = append_declaration(text, out);
  const std::vector<std::string> none;
  for (const Document::Cell& cell : document.cells) {
    const auto begin = static_cast<std::size_t>(cell.text.data() - text.data());
    out += text.substr(at, begin - at);
    append_cell(document, cell.text, cell.token == kNoToken ? none : writer.brackets(cell.token), out);
    at = begin + cell.text.size();
  }
  out += text.substr(at);
}

}  // namespace hinge
