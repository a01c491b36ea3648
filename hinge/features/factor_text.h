// Readable features of tree parts: "h.form=dog m-1.upos=DET". Models store only
// hashes, so texts are rebuilt from templates and words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "hinge/features/factor_keys.h"
#include "hinge/features/factor_template.h"

namespace hinge {

// The word in each role: its number from 1; 0 for the root; more than the number of
// words if there is none. Roles that a template does not have may hold anything.
using FactorWords = std::array<std::uint32_t, kRoles>;

// The texts of one sentence. The templates and the cells must outlive it.
class FactorTexts {
 public:
  FactorTexts(const FactorTemplateSet& templates, std::span<const WordCells> words)
      : templates_(templates), words_(words), hasher_(templates) {}

  // Atoms with their values, after the kind if that is not an arc: "sibling:
  // s.form=a m.form=b". Non-words are <root>, <start>, <end> or <none>.
  std::string text(FactorKind kind, const FactorTemplate& t, const FactorWords& at);
  // The side of the head: "right" or "left"; and the side with the distance bin: "right:6-10".
  std::string side(std::uint32_t head, std::uint32_t modifier) const;
  std::string distance(std::uint32_t head, std::uint32_t modifier) const;

 private:
  std::string value(const FactorAtom& atom, std::uint32_t word);

  const FactorTemplateSet& templates_;
  std::span<const WordCells> words_;
  FieldHasher hasher_;
};

}  // namespace hinge
