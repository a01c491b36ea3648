// Word knowledge that templates can use and models store: Brown clusters, lists of
// names, and the tags a word has in the training data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"
#include "hinge/core/state.h"
#include "hinge/features/hash.h"
#include "hinge/files/bytes.h"

namespace hinge {

// Word clusters: lines of bit string, word and count, as in a Brown `paths` file, or of
// word and bit string; tabs or spaces between. The first lines may be a header.
class BrownClusters {
 public:
  static BrownClusters read(const std::string& path);

  // The word's bit string; empty if it has none.
  std::string_view path_of(Key word) const;
  // The same; for a word that has none, that of the word in lower case, or else with only
  // its first letter as it is: headlines are in capitals. Overwrites `buffer`.
  std::string_view path_of_any_case(std::string_view word, Key key, std::string& buffer) const;
  bool empty() const { return paths_.empty(); }

  void write(ByteWriter& out) const;
  static BrownClusters load(ByteReader& in);

 private:
  std::vector<std::string> paths_;
  NumberMap path_of_word_;
};

struct GazetteerMatch {
  std::size_t length = 0;  // tokens; 0: no match
  std::uint32_t type = 0;
};

// Phrases, one per line, words separated by spaces, perhaps with a type and a tab before
// them. The type of a phrase with several types names all: "LOC+ORG".
class Gazetteer {
 public:
  static Gazetteer read(const std::string& path);

  // The longest phrase that begins at words[0].
  GazetteerMatch longest_match(std::span<const Key> words) const;
  // The value of a token that begins a match, or continues it: "B", or with a type "B-LOC".
  Key begin_key(std::uint32_t type) const { return keys_[2 * type]; }
  Key inside_key(std::uint32_t type) const { return keys_[2 * type + 1]; }
  std::string text(Key value) const;

  void write(ByteWriter& out) const;
  static Gazetteer load(ByteReader& in);

 private:
  static std::string name(std::string_view position, std::string_view type);
  void name_types();

  NumberMap phrases_;               // hashes of whole phrases; into types_
  std::vector<std::string> types_;  // "": none
  std::vector<Key> keys_;           // [types][begin, inside]
  std::uint64_t longest_ = 0;
};

// For each word, the cells of another column seen with it, most frequent first.
class TagLexicon {
 public:
  void count(std::string_view word, std::string_view tag);
  // Adds the counts of a later part of the data.
  void add(const TagLexicon& later);
  void visit(State& state);
  void finish();  // after the last count

  // The tag of that rank (from 0), or empty.
  std::string_view tag(Key word, std::size_t rank) const;

  void write(ByteWriter& out) const;
  static TagLexicon load(ByteReader& in);

 private:
  std::uint32_t tag_number(std::string_view tag);
  void count(Key word, std::uint32_t tag, std::uint32_t times);

  std::vector<std::string> tags_;
  NumberMap tag_ids_;
  NumberMap words_;  // into counts_
  std::vector<std::vector<std::pair<std::uint16_t, std::uint32_t>>> counts_;
};

}  // namespace hinge
