// Feature templates for the parts of a dependency tree, one per line: the kind of
// part, then its atoms, all of which must match.
//
//   distances 1 2 3 4 5 6 11      where each distance bin begins; at most seven
//   arc h.form m.upos             an arc from a head h to a modifier m
//   arc h.upos b.upos m.upos      b: every word between them, each value once
//   sibling h.upos s.upos m.upos  two modifiers of h on one side, s the nearer
//   grand g.upos h.upos m.upos    an arc with the head g of its head
//   label h.form m.form dir       the label of an arc in a given tree
//
// An atom is a role, an offset in words, and a field: "h-1.upos" is the tag of the
// word before the head. Labels have more roles: g, the first and last children l
// and r of m, and the neighbours p and n of m among the modifiers of h. They also
// have two atoms without a field: dir, the side of the head on which m is, and
// dist, the side with the distance bin. All other kinds have both implicitly.
//
// Fields: form lower lemma upos xpos feats shape, prefixN and suffixN of the form,
// and feats:Name, one attribute of FEATS. Treebanks leave columns out: if one kind
// of tag is "_", the other is used, and the form for a missing lemma. Lines that are
// empty or begin with # are ignored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hinge {

enum class FactorKind { kArc, kSibling, kGrand, kLabel };
inline constexpr std::size_t kFactorKinds = 4;
std::string_view name_of(FactorKind kind);  // "arc"

enum class Role { kHead, kModifier, kBetween, kSibling, kGrand, kFirst, kLast, kBefore, kAfter };
inline constexpr std::size_t kRoles = 9;

enum class FieldKind { kForm, kLower, kLemma, kUpos, kXpos, kFeats, kShape, kPrefix, kSuffix, kFeature };

// A function of a word, computed once per word for all templates.
struct Field {
  FieldKind kind = FieldKind::kForm;
  std::size_t n = 0;  // letters
  std::string name;   // for feats:Name
  bool operator==(const Field&) const = default;
};

struct FactorAtom {
  Role role;
  int offset;
  std::size_t field;  // index into FactorTemplateSet::fields
  std::string name;   // as written: "h-1.upos"
};

struct FactorTemplate {
  std::string source;    // the line as written
  std::size_t line = 0;  // from 1
  std::vector<FactorAtom> atoms;
  bool direction = false;  // "dir", only for labels
  bool distance = false;   // "dist"
  bool has(Role role) const;
};

// Which cells of a word fields may read, besides its form. Others count as absent.
struct CellMask {
  bool lemma = true, upos = true, xpos = true, feats = true;
  bool operator==(const CellMask&) const = default;
};
inline constexpr CellMask kNoCells{.lemma = false, .upos = false, .xpos = false, .feats = false};

struct FactorTemplateSet {
  std::string source;  // the whole text, stored in models
  std::vector<Field> fields;
  std::vector<std::uint32_t> distances;
  std::array<std::vector<FactorTemplate>, kFactorKinds> kinds;
  CellMask cells = {};

  const std::vector<FactorTemplate>& of(FactorKind kind) const {
    return kinds[static_cast<std::size_t>(kind)];
  }
  std::uint32_t bin(std::uint32_t distance) const;  // distance: at least 1
};

inline constexpr std::size_t kMaxDistanceBins = 7;

// `name` is the file or preset, for messages. Throws InputError with the line.
FactorTemplateSet parse_factor_templates(std::string_view text, const std::string& name);

}  // namespace hinge
