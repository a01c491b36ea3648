// The words of a document as features see them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/documents.h"
#include "hinge/features/hash.h"

namespace hinge::coref {

inline constexpr std::uint32_t kNoHead = 0xFFFFFFFF;

// Words [begin, end) of a document.
struct Span {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t size() const { return end - begin; }
  bool contains(const Span& other) const { return begin <= other.begin && other.end <= end; }
  auto operator<=>(const Span&) const = default;
};

// Which columns may be read besides words and speakers.
struct ColumnMask {
  bool upos = true, xpos = true, tree = true, entities = true;
  bool operator==(const ColumnMask&) const = default;
};

// One entry per word; sentences are ranges of words. Strings are views. Cells that
// are missing or masked are empty.
struct Tokens {
  std::vector<std::string_view> forms, upos, xpos, relations;
  std::vector<std::uint32_t> heads;        // a word of the same sentence, or kNoHead
  std::vector<std::uint32_t> sentence_of;  // [words]
  std::vector<Span> sentences;
  std::vector<Key> speakers;                   // [words]; kAbsent if unknown
  std::vector<Span> phrases;                   // noun phrases of constituents
  std::vector<Span> entities;                  // named entities
  std::vector<std::string_view> entity_types;  // [entities]

  std::size_t size() const { return forms.size(); }
  // The more detailed tag, if there is one.
  std::string_view tag(std::size_t i) const { return xpos[i].empty() ? upos[i] : xpos[i]; }
  bool has_tree() const;
};

// Views the document, which must outlive the result.
Tokens tokens_of(const Document& document, const ColumnMask& mask);

// A word in lower case; views `buffer` if that differs.
std::string_view lower(std::string_view form, std::string& buffer);

// The head of a span: the word whose own head is outside, the last one if there are several;
// without a tree the last word before "of", a comma or the like.
std::uint32_t head_of(const Tokens& tokens, const Span& span);

}  // namespace hinge::coref
