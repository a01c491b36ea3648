// Occurrences of translation rules in aligned sentence pairs (Chiang 2007, section
// 3.1): a pair of phrases whose words are aligned only to each other, from which up to
// two smaller such pairs are taken out as gaps. Unaligned words are not allowed at the
// edges of phrases, so the source side determines the target side.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hinge/mt/alignment.h"
#include "hinge/mt/rules.h"

namespace hinge::mt {

struct ExtractOptions;

struct SentencePair {
  std::span<const Word> source;
  std::span<const Word> target;
  std::span<const Link> links;  // by source
};

// A range of positions.
struct Extent {
  std::uint16_t begin = 0, end = 0;

  std::uint16_t size() const { return end - begin; }
  bool operator==(const Extent&) const = default;
};

// A phrase and its gaps on the source side, in 32 bits.
struct Occurrence {
  std::uint32_t begin : 8;  // of the phrase
  std::uint32_t length : 4;
  std::uint32_t first_begin : 4;   // of the gap, within the phrase
  std::uint32_t first_length : 4;  // 0: no gap
  std::uint32_t second_begin : 4;
  std::uint32_t second_length : 4;
  std::uint32_t target_symbols : 4;
};
static_assert(sizeof(Occurrence) == 4);

struct RuleText {
  std::array<Symbol, kMostSourceSymbols> source;
  std::array<Symbol, kMostTargetSymbols> target;
  std::uint8_t source_size = 0, target_size = 0;
  std::uint64_t links = 0;  // as in RuleValues

  std::span<const Symbol> source_symbols() const { return {source.data(), source_size}; }
  std::span<const Symbol> target_symbols() const { return {target.data(), target_size}; }
};

// Both sides of an occurrence.
RuleText text_of(const SentencePair& pair, const Occurrence& occurrence);

// Finds all occurrences in a pair. Keeps its memory between calls.
class OccurrenceFinder {
 public:
  explicit OccurrenceFinder(const ExtractOptions& options) : options_(options) {}

  // In a fixed order. The view is valid until the next call.
  std::span<const Occurrence> find(const SentencePair& pair);

 private:
  void find_phrases(const SentencePair& pair);
  void add_gaps(const Occurrence& phrase);
  void add(Occurrence occurrence);
  bool is_phrase(std::size_t begin, std::size_t length) const {
    return phrases_[begin * kLengths + length].size() > 0;
  }
  Extent target(std::size_t begin, std::size_t length) const { return phrases_[begin * kLengths + length]; }

  static constexpr std::size_t kLengths = 16;

  const ExtractOptions& options_;
  std::vector<Extent> phrases_;            // [begin][length]: the target side; empty: not a phrase
  std::vector<std::uint32_t> link_begin_;  // [source + 1], into the links
  std::vector<std::uint16_t> target_first_, target_last_;  // [target], source positions linked to it
  std::vector<Occurrence> found_;
};

}  // namespace hinge::mt
