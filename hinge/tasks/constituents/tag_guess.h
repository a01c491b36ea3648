// Tags guessed by a hidden Markov model, which is fast: as features, where no grammar
// finds better ones.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hinge/files/bytes.h"
#include "hinge/tasks/constituents/grammar.h"
#include "hinge/tasks/constituents/lexicon.h"

namespace hinge::constituents {

// How often a tag follows another; the mark before and after a sentence is tag T.
struct TagPairs {
  std::size_t tags = 0;
  std::vector<float> counts;  // [tags + 1][tags + 1]

  explicit TagPairs(std::size_t n = 0) : tags(n), counts((n + 1) * (n + 1)) {}
  void add(std::span<const Symbol> sentence, float times);
  // Adds other counts; here: [their tags] those of this.
  void add(const TagPairs& other, std::span<const Symbol> here);
};

class TagGuesser {
 public:
  TagGuesser(TagModel tags, const TagPairs& pairs);

  // Keeps its memory between calls; one per thread.
  struct Workspace {
    std::vector<float> probabilities;
    std::vector<Symbol> candidates;
    std::vector<std::size_t> begin;
    std::vector<float> scores;
    std::vector<std::uint32_t> from;
  };
  // given: kNoSymbol: none; may be empty.
  void guess(std::span<const std::string_view> words, std::span<const Symbol> given, Workspace& workspace,
             std::vector<Symbol>& out) const;

 private:
  TagModel tags_;
  std::size_t n_;
  std::vector<float> pairs_;  // logarithms
};

}  // namespace hinge::constituents
