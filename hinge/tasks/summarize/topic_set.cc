#include "hinge/tasks/summarize/topic_set.h"

#include <algorithm>
#include <cmath>

namespace hinge::summarize {
namespace {

// Far beyond any feature or gain, and far from what solvers take for infinity.
constexpr double kMost = 1e9;

bool are_starts(const TopicSet& data, std::size_t first, std::size_t last) {
  using Start = TopicSet::Start;
  const auto starts = part_of(data.starts, first, last + 1);
  const Start& end = starts.back();
  return std::ranges::is_sorted(starts, {}, &Start::piece) &&
         std::ranges::is_sorted(starts, {}, &Start::occurrence) &&
         std::ranges::is_sorted(starts, {}, &Start::bigram) && end.piece <= data.pieces.size() &&
         end.occurrence <= data.occurrences.size() && end.bigram <= data.keys.size();
}

template <typename T>
bool are_numbers(std::span<const T> values) {
  return std::ranges::all_of(values, [](T value) { return std::abs(static_cast<double>(value)) <= kMost; });
}

bool is_sound(const TopicView& topic) {
  const CoverageView& problem = topic.coverage;
  const std::size_t pieces = problem.pieces.size();
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint32_t parent = problem.pieces[i].parent;
    if (parent != kNoPiece && parent >= i) return false;
  }
  const auto is_occurrence = [&](const Occurrence& o) {
    return o.id < problem.concepts && o.first < pieces && o.second < pieces;
  };
  return std::ranges::all_of(problem.occurrences, is_occurrence) && are_numbers(topic.bigram_rows) &&
         are_numbers(topic.piece_rows) && are_numbers(topic.gains) && are_numbers(topic.costs) &&
         std::abs(topic.facts.gain) <= kMost &&
         std::ranges::all_of(topic.gold, [](char gold) { return gold == 0 || gold == 1; });
}

}  // namespace

void TopicSet::add(const TopicData& topic) {
  pieces.append(topic.coverage.pieces);
  occurrences.append(topic.coverage.occurrences);
  origins.append(topic.origins);
  keys.append(topic.keys);
  bigram_rows.append(topic.bigram_rows);
  piece_rows.append(topic.piece_rows);
  gains.append(topic.gains);
  costs.append(topic.costs);
  gold.append(topic.gold);
  facts.push_back(topic.facts);
  starts.push_back({pieces.size(), occurrences.size(), keys.size()});
}

TopicView TopicSet::operator[](std::size_t i) const {
  const Start &from = starts[i], &to = starts[i + 1];
  return {.coverage = {.pieces = part_of(pieces, from.piece, to.piece),
                       .concepts = to.bigram - from.bigram,
                       .occurrences = part_of(occurrences, from.occurrence, to.occurrence),
                       .limit = limit},
          .origins = part_of(origins, from.piece, to.piece),
          .keys = part_of(keys, from.bigram, to.bigram),
          .bigram_rows = part_of(bigram_rows, from.bigram * layout.bigrams, to.bigram * layout.bigrams),
          .piece_rows = part_of(piece_rows, from.piece * layout.piece(), to.piece * layout.piece()),
          .gains = part_of(gains, from.bigram, to.bigram),
          .costs = part_of(costs, from.piece, to.piece),
          .gold = part_of(gold, from.piece, to.piece),
          .facts = facts[i]};
}

bool is_sound(const TopicSet& data, std::size_t first, std::size_t last) {
  if (!are_starts(data, first, last)) return false;
  for (std::size_t i = first; i < last; ++i) {
    if (!is_sound(data[i])) return false;
  }
  return true;
}

}  // namespace hinge::summarize
