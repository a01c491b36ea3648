#include "hinge/corpus/document_mentions.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <tuple>

#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

bool parse_positive(std::string_view text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

}  // namespace

bool MentionReader::declare(std::string_view fields) {
  name_field_ = 0;
  head_field_ = std::string_view::npos;
  if (document_.format == DocumentFormat::kConll2012 || fields.empty()) return true;
  name_field_ = name_field(fields);
  for (std::size_t k = 0; !fields.empty(); ++k) {
    if (take_field(fields) == "head") head_field_ = k;
  }
  return name_field_ != std::string_view::npos;
}

void MentionReader::add_node(std::uint32_t token, std::string_view brackets, std::size_t line) {
  line_ = line;
  nodes_.push_back(token);
  MentionBracket bracket;
  while (!brackets.empty()) {
    if (!take_bracket(brackets, bracket)) {
      refuse(line, "the coreference is '{}' from here on, but brackets such as (7 or 7) or (7) were expected",
             shown(brackets));
    }
    const std::string_view text = name_in(bracket);
    Name& name = find_name(text);
    const auto node = static_cast<std::uint32_t>(nodes_.size() - 1);
    if (bracket.opens) name.open.push_back({node, line, bracket.inner});
    if (bracket.closes) close(name, text);
  }
}

// CoNLL-2012: all of it. CoNLL-U: a field; a closing bracket has the name alone, in old
// files the fields up to it.
std::string_view MentionReader::name_in(const MentionBracket& bracket) const {
  if (document_.format == DocumentFormat::kConll2012) return bracket.inner;
  std::optional<std::string_view> name = field(bracket.inner, name_field_);
  if (!name && !bracket.opens) name = field(bracket.inner, 0);
  if (!name || name->empty()) {
    refuse(line_, "the bracket '{}' does not name a cluster; expected the fields '{}'", shown(bracket.text),
           shown(document_.entity_fields));
  }
  return *name;
}

MentionReader::Name& MentionReader::find_name(std::string_view text) {
  const auto [found, fresh] = names_by_text_.try_emplace(text, names_.size());
  if (!fresh) return names_[found->second];
  Name name;
  const std::size_t bracket = text.find('[');
  if (document_.format == DocumentFormat::kConllu && bracket != std::string_view::npos) {
    read_part(text, bracket, name);
    text = text.substr(0, bracket);
  }
  name.cluster = find_cluster(text);
  names_.push_back(std::move(name));
  return names_.back();
}

// "[1/2]" at the end of "e7[1/2]".
void MentionReader::read_part(std::string_view text, std::size_t bracket, Name& name) const {
  const std::size_t slash = text.find('/', bracket);
  const bool whole = bracket > 0 && text.ends_with(']') && slash != std::string_view::npos;
  if (!whole || !parse_positive(text.substr(bracket + 1, slash - bracket - 1), name.part) ||
      !parse_positive(text.substr(slash + 1, text.size() - slash - 2), name.parts) ||
      name.part > name.parts) {
    refuse(line_, "the name '{}' should end with a part such as [1/2]", shown(text));
  }
}

std::uint32_t MentionReader::find_cluster(std::string_view name) {
  const auto [found, fresh] =
      clusters_.try_emplace(name, static_cast<std::uint32_t>(document_.cluster_names.size()));
  if (fresh) document_.cluster_names.push_back(name);
  return found->second;
}

void MentionReader::close(Name& name, std::string_view text) {
  if (name.open.empty()) {
    refuse(line_, "a mention of '{}' ends, but none is open; add '({}' where it begins", shown(text),
           shown(text));
  }
  const Open open = name.open.back();
  name.open.pop_back();
  const Piece piece{open.node, static_cast<std::uint32_t>(nodes_.size())};
  if (name.parts == 1) {
    add_mention(name.cluster, open, {&piece, 1});
  } else {
    close_part(name, open, piece);
  }
}

void MentionReader::close_part(const Name& name, const Open& open, Piece piece) {
  std::vector<Scattered>& waiting = scattered_[name.cluster];
  if (name.part == 1) {
    waiting.push_back({name.parts, open, {piece}});
    return;
  }
  const auto found = std::find_if(waiting.rbegin(), waiting.rend(), [&](const Scattered& mention) {
    return mention.parts == name.parts && mention.pieces.size() + 1 == name.part;
  });
  if (found == waiting.rend()) {
    refuse(open.line, "part {} of {} of a mention of '{}' has no part {} before it", name.part, name.parts,
           shown(document_.cluster_names[name.cluster]), name.part - 1);
  }
  found->pieces.push_back(piece);
  if (name.part < name.parts) return;
  add_mention(name.cluster, found->first, found->pieces);
  waiting.erase(std::next(found).base());
}

TokenRange MentionReader::tokens_of(Piece piece) const {
  while (piece.begin < piece.end && nodes_[piece.begin] == kNoToken) ++piece.begin;
  while (piece.begin < piece.end && nodes_[piece.end - 1] == kNoToken) --piece.end;
  if (piece.begin == piece.end) return {0, 0};
  return {nodes_[piece.begin], nodes_[piece.end - 1] + 1};
}

void MentionReader::add_mention(std::uint32_t cluster, const Open& open, std::span<const Piece> pieces) {
  const std::uint32_t head = find_head(open, pieces);
  TokenRange range{0, 0};
  for (const Piece& piece : pieces) {
    const TokenRange tokens = tokens_of(piece);
    const bool has_head = head != kNoToken && tokens.begin <= head && head < tokens.end;
    if (range.begin == range.end || has_head) range = tokens;
    if (has_head) break;
  }
  if (range.begin == range.end) {
    ++document_.zeros;
    return;
  }
  Mention mention{range.begin, range.end, cluster, head};
  const bool whole = pieces.size() == 1 && range.begin == nodes_[pieces[0].begin] &&
                     range.end == nodes_[pieces[0].end - 1] + 1;
  if (document_.format == DocumentFormat::kConllu && whole) mention.fields = open.fields;
  document_.mentions.push_back(mention);
}

// The field "head" counts the nodes of the mention from 1.
std::uint32_t MentionReader::find_head(const Open& open, std::span<const Piece> pieces) const {
  if (head_field_ == std::string_view::npos) return kNoToken;
  const std::optional<std::string_view> text = field(open.fields, head_field_);
  if (!text || text->empty() || *text == "_") return kNoToken;
  std::uint32_t number = 0;
  std::uint32_t nodes = 0;
  const bool valid = parse_positive(*text, number);
  for (const Piece& piece : pieces) {
    if (valid && number - nodes <= piece.end - piece.begin) return nodes_[piece.begin + number - nodes - 1];
    nodes += piece.end - piece.begin;
  }
  refuse(open.line, "the head of a mention is '{}', but a number from 1 to {} was expected", shown(*text),
         nodes);
}

void MentionReader::finish() {
  const Open* first = nullptr;
  std::string_view text;
  const auto see = [&](const Open& open, std::string_view name) {
    if (first == nullptr || open.node < first->node) std::tie(first, text) = std::tuple(&open, name);
  };
  for (const auto& [name, index] : names_by_text_) {
    if (!names_[index].open.empty()) see(names_[index].open.front(), name);
  }
  if (first != nullptr) {
    refuse(first->line, "the mention of '{}' that begins here never ends; add '{})' at its last word",
           shown(text), shown(text));
  }
  for (const auto& [cluster, waiting] : scattered_) {
    if (!waiting.empty()) see(waiting.front().first, document_.cluster_names[cluster]);
  }
  if (first != nullptr) {
    refuse(first->line, "the mention of '{}' that begins here lacks its last part", shown(text));
  }
  std::sort(document_.mentions.begin(), document_.mentions.end(), [](const Mention& a, const Mention& b) {
    return std::tuple(a.begin, b.end, a.cluster) < std::tuple(b.begin, a.end, b.cluster);
  });
}

}  // namespace hinge
