// Word knowledge that templates can use and models store: Brown clusters, lists of
// names, and the tags a word has in the training data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"
#include "hinge/features/hash.h"
#include "hinge/files/bytes.h"

namespace hinge {

// A Brown `paths` file: bit string, word, count, separated by tabs.
class BrownClusters {
 public:
  static BrownClusters read(const std::string& path);

  // The word's bit string; empty if it has none.
  std::string_view path_of(Key word) const;
  bool empty() const { return paths_.empty(); }

  void write(ByteWriter& out) const;
  static BrownClusters load(ByteReader& in);

 private:
  std::vector<std::string> paths_;
  NumberMap path_of_word_;
};

// Phrases, one per line, words separated by spaces.
class Gazetteer {
 public:
  static Gazetteer read(const std::string& path);

  // Length in tokens of the longest phrase that begins at words[0], or 0.
  std::size_t longest_match(std::span<const Key> words) const;

  void write(ByteWriter& out) const;
  static Gazetteer load(ByteReader& in);

 private:
  NumberMap phrases_;  // hashes of whole phrases
  std::uint64_t longest_ = 0;
};

// For each word, the cells of another column seen with it, most frequent first.
class TagLexicon {
 public:
  void count(std::string_view word, std::string_view tag);
  void finish();  // after the last count

  // The tag of that rank (from 0), or empty.
  std::string_view tag(Key word, std::size_t rank) const;

  void write(ByteWriter& out) const;
  static TagLexicon load(ByteReader& in);

 private:
  std::vector<std::string> tags_;
  NumberMap tag_ids_;
  NumberMap words_;  // into counts_
  std::vector<std::vector<std::pair<std::uint16_t, std::uint32_t>>> counts_;
};

}  // namespace hinge
