#include "hinge/features/factor_template.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/corpus/split.h"

namespace hinge {
namespace {

struct KindRow {
  std::string_view name;
  FactorKind kind;
  std::string_view roles;
};
constexpr KindRow kKinds[] = {
    {"arc", FactorKind::kArc, "hmb"},
    {"sibling", FactorKind::kSibling, "hsm"},
    {"grand", FactorKind::kGrand, "ghm"},
    {"label", FactorKind::kLabel, "hmglrpn"},
};

constexpr std::string_view kRoleLetters = "hmbsglrpn";  // in the order of Role
static_assert(kRoleLetters.size() == kRoles);

struct FieldRow {
  std::string_view name;
  FieldKind kind;
};
constexpr FieldRow kFields[] = {
    {"form", FieldKind::kForm},   {"lower", FieldKind::kLower}, {"lemma", FieldKind::kLemma},
    {"upos", FieldKind::kUpos},   {"xpos", FieldKind::kXpos},   {"feats", FieldKind::kFeats},
    {"shape", FieldKind::kShape},
};

template <typename T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// "-1", "+1" or "1".
bool parse_offset(std::string_view text, int& offset) {
  if (text.starts_with("+-")) return false;
  return parse_number(text.substr(text.starts_with('+') ? 1 : 0), offset);
}

class LineParser {
 public:
  LineParser(std::string where, FactorTemplateSet& set) : where_(std::move(where)), set_(set) {}

  void parse(std::string_view line, std::size_t number) {
    std::vector<std::string_view> words;
    split_at_blanks(line, words);
    if (words.empty() || words[0].starts_with('#')) return;
    if (words[0] == "distances") return parse_distances(words);
    const auto row = std::ranges::find(kKinds, words[0], &KindRow::name);
    if (row == std::end(kKinds))
      fail<InputError>("{}: a line begins with arc, sibling, grand, label or distances, not with '{}'",
                       where_, words[0]);
    // Without the space around it: keys of features depend on this text, and must not on line ends.
    const std::string_view source(words.front().data(), words.back().data() + words.back().size());
    FactorTemplate result{.source = std::string(source), .line = number};
    for (std::size_t k = 1; k < words.size(); ++k) parse_atom(words[k], *row, result);
    if (result.atoms.empty() && !result.direction && !result.distance)
      fail<InputError>("{}: '{}' needs atoms, such as h.upos m.form", where_, words[0]);
    check_between(result);
    set_.kinds[static_cast<std::size_t>(row->kind)].push_back(std::move(result));
  }

 private:
  void parse_distances(const std::vector<std::string_view>& words) {
    set_.distances.clear();
    for (std::size_t k = 1; k < words.size(); ++k) {
      std::uint32_t distance = 0;
      if (!parse_number(words[k], distance) || (k == 1 ? distance != 1 : distance <= set_.distances.back()))
        fail<InputError>("{}: '{}' is out of place: distances must rise, starting from 1", where_, words[k]);
      set_.distances.push_back(distance);
    }
    if (set_.distances.empty() || set_.distances.size() > kMaxDistanceBins)
      fail<InputError>("{}: give 1 to {} distance bins, not {}", where_, kMaxDistanceBins,
                       set_.distances.size());
  }

  void parse_atom(std::string_view text, const KindRow& kind, FactorTemplate& result) {
    if (kind.kind == FactorKind::kLabel && (text == "dir" || text == "dist")) {
      (text == "dir" ? result.direction : result.distance) = true;
      return;
    }
    const std::size_t dot = text.find('.');
    const std::string_view place = text.substr(0, dot);
    FactorAtom atom{};
    if (dot == std::string_view::npos || place.empty() ||
        kind.roles.find(place[0]) == std::string_view::npos ||
        (place.size() > 1 && !parse_offset(place.substr(1), atom.offset))) {
      fail<InputError>(
          "{}: '{}' is not an atom of '{}': write role, offset and field, as in {}-1.upos; roles: {}", where_,
          text, kind.name, kind.roles[0], join(kind.roles, " "));
    }
    atom.role = static_cast<Role>(kRoleLetters.find(place[0]));
    atom.field = field(text.substr(dot + 1));
    atom.name = text;
    result.atoms.push_back(atom);
  }

  std::size_t field(std::string_view text) {
    Field wanted;
    const auto row = std::ranges::find(kFields, text, &FieldRow::name);
    if (row != std::end(kFields)) {
      wanted.kind = row->kind;
    } else if (text.starts_with("feats:") && text.size() > 6) {
      wanted = {.kind = FieldKind::kFeature, .name = std::string(text.substr(6))};
    } else if ((text.starts_with("prefix") || text.starts_with("suffix")) &&
               parse_number(text.substr(6), wanted.n) && wanted.n > 0) {
      wanted.kind = text[0] == 'p' ? FieldKind::kPrefix : FieldKind::kSuffix;
    } else {
      fail<InputError>(
          "{}: there is no field '{}'; fields are: form lower lemma upos xpos feats shape prefixN suffixN "
          "feats:Name",
          where_, text);
    }
    const auto found = std::ranges::find(set_.fields, wanted);
    if (found != set_.fields.end()) return static_cast<std::size_t>(found - set_.fields.begin());
    set_.fields.push_back(wanted);
    return set_.fields.size() - 1;
  }

  void check_between(const FactorTemplate& result) const {
    std::size_t between = 0;
    for (const FactorAtom& atom : result.atoms) between += atom.role == Role::kBetween;
    if (between > 1) fail<InputError>("{}: a template may have at most one b atom", where_);
  }

  std::string where_;
  FactorTemplateSet& set_;
};

}  // namespace

std::string_view name_of(FactorKind kind) { return std::ranges::find(kKinds, kind, &KindRow::kind)->name; }

bool FactorTemplate::has(Role role) const {
  return std::ranges::any_of(atoms, [role](const FactorAtom& atom) { return atom.role == role; });
}

std::uint32_t FactorTemplateSet::bin(std::uint32_t distance) const {
  std::uint32_t bin = 0;
  while (bin + 1 < distances.size() && distance >= distances[bin + 1]) ++bin;
  return bin;
}

FactorTemplateSet parse_factor_templates(std::string_view text, const std::string& name) {
  FactorTemplateSet set{
      .source = std::string(text), .fields = {}, .distances = {1, 2, 3, 4, 5, 6, 11}, .kinds = {}};
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++number;
    LineParser(fmt::format("{}:{}", name, number), set).parse(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (set.of(FactorKind::kArc).empty())
    fail<InputError>("{}: has no arc templates; a parser needs some, such as: arc h.upos m.upos", name);
  return set;
}

}  // namespace hinge
