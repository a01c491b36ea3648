// Feature templates of coreference, one per line: a kind, then atoms.
//
//   new m.head m.article       the mention m begins a cluster
//   pair m.stem a.stem         m refers to what the earlier mention a means
//   typed distance             the same, also conjoined with the type of m, and with
//                              the types of both, as in Durrett and Klein (EMNLP 2013)
//
// Atoms are properties of a mention (see Field in mentions.h) after "m." or "a.", and
// properties of the pair (see PairField). Lines that are empty or begin with # are
// ignored.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/features/presets.h"
#include "hinge/tasks/coref/mentions.h"

namespace hinge::coref {

// Properties of a mention m and an earlier mention a.
enum class PairField : std::uint8_t {
  kDistance,   // mentions from a to m, binned
  kSentences,  // sentences from a to m, binned
  kString,     // same words; same without articles
  kHead,       // same head; same but for a plural ending
  kInside,     // whether the head of one is a word of the other
  kWords,      // content words in common: all, all of one, some, none
  kModifiers,  // the same for words other than heads, if the heads are equal
  kNested,     // one within the other
  kSpeaker,    // same, different, unknown
  kGender,     // agree, unknown, disagree
  kNumber,
  kPerson,
  kAnimate,
  kAgree,    // the worst of these four
  kNearer,   // how many mentions between agree with m, binned
  kAcronym,  // one is made of the initials of the other
  kPath,     // relations on the way through the tree, in the same sentence
  kParent,   // both depend on the same word
};
inline constexpr std::size_t kPairFields = 18;
std::string_view name_of(PairField field);  // "sentences"

inline constexpr std::size_t kMaxPairAtoms = 3;

// Features of a typed template: alone, with the type of m, with the types of both.
inline constexpr std::size_t kForms = 3;

struct Template {
  std::string source;  // as written
  std::vector<Field> of_mention, of_antecedent;
  // Indices of pair fields; unused ones are kPairFields, whose key is zero.
  std::array<std::uint8_t, kMaxPairAtoms> of_pair;
  bool typed = false;
  Key salt = 0;
};

struct TemplateSet {
  std::string source;            // the whole text, stored in models
  std::vector<Template> starts;  // of new clusters
  // Typed ones first, those of the antecedent alone last.
  std::vector<Template> pairs;
  std::size_t typed = 0;   // of pairs
  std::size_t shared = 0;  // of pairs: before those of the antecedent alone
  std::vector<std::array<std::uint8_t, kMaxPairAtoms>> of_pair;  // [pairs], Template::of_pair
};

// `name` is the file or preset, for messages. Throws InputError with the line.
TemplateSet parse_templates(std::string_view text, const std::string& name);

std::span<const Preset> preset_table();

}  // namespace hinge::coref
