// Documents as numbers: mentions, their possible antecedents and gold clusters.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/tasks/coref/mentions.h"

namespace hinge::coref {

inline constexpr std::uint32_t kNoCluster = 0xFFFFFFFF;

// An earlier mention that a mention may refer to.
struct Candidate {
  std::uint32_t mention;
  std::uint8_t nearer;  // mentions between that agree with the later one, at most 255
  bool gold = false;    // of the same cluster
};

// Mentions of one document. Candidates of a mention are ordered from the nearest.
struct DocumentData {
  MentionSet set;
  std::vector<std::uint32_t> heads;     // [words], for paths
  std::vector<Key> relations;           // [words]
  std::vector<std::uint32_t> begin{0};  // [mentions + 1], into candidates
  std::vector<Candidate> candidates;
  std::vector<std::uint32_t> clusters;  // [mentions]; kNoCluster: none, or not known
  std::vector<char> anaphoric;          // [mentions]: a candidate is gold

  std::size_t size() const { return set.size(); }
  std::span<const Candidate> candidates_of(std::size_t m) const {
    return std::span(candidates).subspan(begin[m], begin[m + 1] - begin[m]);
  }
};

// Which antecedents are considered.
struct Reach {
  std::int64_t window = 0;  // mentions back; 0: all
  // Farther ones only if they share a word with the mention; 0: none.
  std::int64_t word_window = 0;
};

// Whether two mentions may be the same, as far as gender, number, person and animacy
// are known.
enum class Agreement : std::uint8_t { kYes, kUnknown, kNo };
Agreement agree(const MentionFacts& m, const MentionFacts& a);

// `clusters` are those of the spans, or empty.
DocumentData make_data(const Tokens& tokens, const FoundSpans& found, std::span<const std::uint32_t> clusters,
                       const FrequentWords& frequent, const Reach& reach);

}  // namespace hinge::coref
