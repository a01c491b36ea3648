// Readable features of tree parts: "h.form=dog m-1.upos=DET". Models store only
// hashes, so texts are rebuilt from templates and words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"
#include "hinge/features/factor_keys.h"
#include "hinge/features/factor_template.h"

namespace hinge {

// The word in each role: its number from 1; 0 for the root; more than the number of
// words if there is none. Roles that a template does not have may hold anything.
using FactorWords = std::array<std::uint32_t, kRoles>;

// "left", and "right:6-10": the side of the head with a distance bin.
std::string side_text(bool left);
std::string distance_text(const FactorTemplateSet& templates, std::uint32_t bin, bool left);

// The texts of hashed fields, each once.
class FieldTexts {
 public:
  // Those of a word, whose `keys` the hasher has given.
  void add(const WordCells& word, std::span<const Field> fields, std::span<const Key> keys,
           FieldHasher& hasher);
  std::string_view text(Key key) const { return texts_[numbers_.find(key)]; }  // it must be there

 private:
  NumberMap numbers_;
  std::vector<std::string> texts_;
};

// The texts of one sentence. The templates and the cells, or the keys and their texts, must
// outlive it.
class FactorTexts {
 public:
  FactorTexts(const FactorTemplateSet& templates, std::span<const WordCells> words)
      : templates_(templates), count_(words.size()), words_(words), hasher_(templates) {}
  FactorTexts(const FactorTemplateSet& templates, const SentenceFields& keys, const FieldTexts& texts)
      : templates_(templates), count_(keys.words()), keys_(keys), texts_(&texts), hasher_(templates) {}

  // Atoms with their values, after the kind if that is not an arc: "sibling:
  // s.form=a m.form=b". Non-words are <root>, <start>, <end> or <none>.
  std::string text(FactorKind kind, const FactorTemplate& t, const FactorWords& at);
  // The side of the head: "right" or "left"; and the side with the distance bin: "right:6-10".
  std::string side(std::uint32_t head, std::uint32_t modifier) const;
  std::string distance(std::uint32_t head, std::uint32_t modifier) const;

 private:
  std::string value(const FactorAtom& atom, std::uint32_t word);

  const FactorTemplateSet& templates_;
  std::size_t count_;  // of words
  std::span<const WordCells> words_;
  SentenceFields keys_{};
  const FieldTexts* texts_ = nullptr;  // of the keys; null: there are cells
  FieldHasher hasher_;
};

}  // namespace hinge
