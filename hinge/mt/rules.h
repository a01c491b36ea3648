// Translation rules: pairs of a source and a target side with up to two gaps, which
// other rules fill (Chiang, Computational Linguistics 2007, section 2).
//
// The source sides form a tree of symbols. Nodes are numbered by depth, so children
// are neighbours. The rules of a node translate the symbols on the way to it. All is
// in flat arrays, which are used in place if they come from a model file. A mapped
// file is not checked as a whole; the accessors check every range they follow.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/files/section_file.h"
#include "hinge/mt/words.h"

namespace hinge::mt {

inline constexpr std::size_t kMostSourceSymbols = 5;
inline constexpr std::size_t kMostTargetSymbols = 12;

// A word, or a gap. On the source side gaps are numbered from left to right.
using Symbol = std::uint32_t;
inline constexpr Symbol kFirstGap = 0xFFFFFFFE;
inline constexpr Symbol kSecondGap = 0xFFFFFFFF;
inline bool is_gap(Symbol symbol) { return symbol >= kFirstGap; }

// What is known of a rule besides its sides; probabilities as natural logarithms.
struct RuleValues {
  float target_given_source;      // relative frequency
  float source_given_target;      // relative frequency
  float lex_target_given_source;  // lexical weights (Koehn, Och and Marcu 2003)
  float lex_source_given_target;
  float language_model;  // estimate, of the target words alone
  std::uint32_t count;   // occurrences in the training text
  std::uint64_t links;   // bit s * kMostTargetSymbols + t: symbol s is aligned to t
};

// Sizes in numbers of elements: [nodes] etc.
struct RuleArrays {
  std::vector<std::uint32_t> child_begin;   // [nodes + 1]; child c has the node c + 1
  std::vector<Symbol> child_symbol;         // [nodes - 1], ascending in each node
  std::vector<std::uint32_t> rule_begin;    // [nodes + 1], into rules
  std::vector<std::uint32_t> source_count;  // [nodes], occurrences of the source side
  std::vector<std::uint32_t> target_begin;  // [rules + 1], into target
  std::vector<Symbol> target;
  std::vector<RuleValues> values;  // [rules]
};

class Rules {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kRoot = 0;

  Rules() = default;
  explicit Rules(RuleArrays arrays);
  // Views sections that write() added; the file must outlive it. Target words must be
  // below `words`.
  Rules(const SectionFile& file, std::size_t words);
  Rules(Rules&&) = default;
  Rules& operator=(Rules&&) = default;

  std::size_t nodes() const { return source_count_.size(); }
  std::size_t size() const { return values_.size(); }

  // kNone if the node has no such child.
  std::uint32_t child(std::uint32_t node, Symbol symbol) const;
  struct Range {
    std::uint32_t begin, end;
  };
  Range rules(std::uint32_t node) const;
  std::uint32_t source_count(std::uint32_t node) const { return source_count_[node]; }
  std::span<const Symbol> target(std::uint32_t rule) const;
  const RuleValues& values(std::uint32_t rule) const { return values_[rule]; }
  // Throws ModelError unless the target side has each of the source side's gaps once.
  void check_gaps(std::uint32_t rule, std::uint32_t gaps) const;

  // Calls body(symbol, child) for every child.
  template <typename Body>
  void each_child(std::uint32_t node, const Body& body) const {
    const Range children = child_range(node);
    for (std::uint32_t c = children.begin; c < children.end; ++c) body(child_symbol_[c], c + 1);
  }

  void write(SectionWriter& writer) const;

 private:
  void view(const RuleArrays& arrays);
  Range child_range(std::uint32_t node) const;
  [[noreturn]] void refuse() const;

  RuleArrays own_;
  std::span<const std::uint32_t> child_begin_;
  std::span<const Symbol> child_symbol_;
  std::span<const std::uint32_t> rule_begin_;
  std::span<const std::uint32_t> source_count_;
  std::span<const std::uint32_t> target_begin_;
  std::span<const Symbol> target_;
  std::span<const RuleValues> values_;
  std::size_t words_ = kFirstGap;
  std::string name_;  // of the file, for messages
};

}  // namespace hinge::mt
