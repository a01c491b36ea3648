// Documents as numbers: mentions, their possible antecedents and gold clusters.
#pragma once

#include <concepts>
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
  std::uint16_t nearer;    // mentions between that agree with the later one, at most 255
  std::uint16_t gold = 0;  // 1: of the same cluster
};

// Mentions of one document. Candidates of a mention are ordered from the nearest.
template <template <typename> typename Array>
struct DocumentArrays {
  MentionArrays<Array> set;
  Array<std::uint32_t> heads;  // [words], for paths
  Array<Key> relations;        // [words]
  Array<std::uint32_t> begin;  // [mentions + 1], into candidates
  Array<Candidate> candidates;
  Array<std::uint32_t> clusters;  // [mentions]; kNoCluster: none, or not known
  Array<char> anaphoric;          // [mentions]: a candidate is gold

  std::size_t size() const { return set.size(); }
  std::span<const Candidate> candidates_of(std::size_t m) const {
    return std::span(candidates).subspan(begin[m], begin[m + 1] - begin[m]);
  }
  operator DocumentArrays<Viewed>() const  // NOLINT: the same, elsewhere
      requires std::same_as<Array<int>, Owned<int>> {
    return {set, heads, relations, begin, candidates, clusters, anaphoric};
  }
};
using DocumentData = DocumentArrays<Owned>;
using DocumentView = DocumentArrays<Viewed>;

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
