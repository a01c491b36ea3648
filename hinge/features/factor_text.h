// Features of tree parts as people read them: "h.form=dog m-1.upos=DET". Models
// keep hashes alone, so texts are made again from templates and words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "hinge/features/factor_keys.h"
#include "hinge/features/factor_template.h"

namespace hinge {

// The word in each role: its number from 1, 0 for the root, more than there are
// words for nobody. Roles that a template does not have may hold anything.
using FactorWords = std::array<std::uint32_t, kRoles>;

// The texts of one sentence. The templates and the cells must outlive it.
class FactorTexts {
 public:
  FactorTexts(const FactorTemplateSet& templates, std::span<const WordCells> words)
      : templates_(templates), words_(words), hasher_(templates) {}

  // Atoms with their values, the kind first where it is not an arc: "sibling:
  // s.form=a m.form=b". What is no word is <root>, <start>, <end> or <none>.
  std::string text(FactorKind kind, const FactorTemplate& t, const FactorWords& at);
  // "right" of the head, or "left", and with the bin of the distance: "right:6-10".
  std::string side(std::uint32_t head, std::uint32_t modifier) const;
  std::string distance(std::uint32_t head, std::uint32_t modifier) const;

 private:
  std::string value(const FactorAtom& atom, std::uint32_t word);

  const FactorTemplateSet& templates_;
  std::span<const WordCells> words_;
  FieldHasher hasher_;
};

}  // namespace hinge
