// Keys of the features of tree parts, as the exclusive or of one key (share) per
// word of the part. The shares of a template are hashed once per word as a head and
// once as a modifier; the key of each of the n^2 arcs then costs one operation.
// Shares are independent 64-bit hashes, so their exclusive or is as good a hash
// (Zobrist 1970).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/features/factor_template.h"
#include "hinge/features/hash.h"

namespace hinge {

struct WordCells {
  std::string_view form, lemma, upos, xpos, feats;
};

// Hashes the fields of words.
class FieldHasher {
 public:
  // The templates must outlive the hasher.
  explicit FieldHasher(const FactorTemplateSet& templates)
      : fields_(templates.fields), cells_(templates.cells) {}

  std::size_t fields() const { return fields_.size(); }
  // Appends the fields of the root, which comes before the words.
  void add_root(std::vector<Key>& keys) const;
  void add_word(const WordCells& word, std::vector<Key>& keys);
  // The cells of a word that fields read; others are absent.
  WordCells visible(const WordCells& word) const;
  // The text hashed for a field; valid while the word's cells are, at most until the next call.
  std::string_view text_of(const Field& field, const WordCells& word);

 private:
  std::span<const Field> fields_;
  CellMask cells_;
  std::string buffer_;
};

// The hashed fields of one sentence.
struct SentenceFields {
  std::span<const Key> keys;  // [words + 1][fields], the root first
  std::size_t fields;
  std::size_t words() const { return keys.size() / fields - 1; }
};

// The share of one role in the keys of some templates.
class RoleKeys {
 public:
  RoleKeys(std::span<const FactorTemplate* const> templates, Role role);

  // keys: [words + 2][templates], one row per word in this role: the root, the words
  // and, last, no word at all. Zero if a template does not have the role.
  void fill(const SentenceFields& sentence, std::vector<Key>& keys) const;

 private:
  struct Share {
    std::size_t column;
    Key seed;
    std::vector<FactorAtom> atoms;
  };
  std::vector<Share> shares_;
  std::size_t width_;
};

// Identifies a template: a hash of its text.
Key template_seed(const FactorTemplate& t);

}  // namespace hinge
