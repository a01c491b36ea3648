#include "hinge/tasks/coref/document_set.h"

#include <algorithm>

namespace hinge::coref {
namespace {

bool is_flag(const bool& flag) { return *reinterpret_cast<const unsigned char*>(&flag) <= 1; }

bool are_starts(const DocumentSet& data, std::size_t first, std::size_t last) {
  using Start = DocumentSet::Start;
  const auto starts = part_of(data.starts, first, last + 1);
  const Start& end = starts.back();
  return std::ranges::is_sorted(starts, {}, &Start::mention) &&
         std::ranges::is_sorted(starts, {}, &Start::stem) &&
         std::ranges::is_sorted(starts, {}, &Start::token) &&
         std::ranges::is_sorted(starts, {}, &Start::candidate) && end.mention <= data.mentions.size() &&
         end.stem <= data.stems.size() && end.token <= data.heads.size() &&
         end.candidate <= data.candidates.size();
}

bool has_candidates(const DocumentView& document) {
  const auto begin = document.begin;
  if (begin.front() != 0 || begin.back() != document.candidates.size() || !std::ranges::is_sorted(begin))
    return false;
  for (std::size_t m = 0; m < document.size(); ++m) {
    bool gold = false;
    for (const Candidate& candidate : document.candidates_of(m)) {
      if (candidate.mention >= m) return false;
      gold |= candidate.gold != 0;
    }
    if (gold != (document.anaphoric[m] != 0)) return false;
  }
  return true;
}

bool is_sound(const DocumentView& document) {
  const std::size_t tokens = document.heads.size(), stems = document.set.words.size();
  const auto is_mention = [&](const MentionFacts& m) {
    return m.head < tokens && m.words_begin <= m.words_end && m.words_end <= stems && is_flag(m.animate) &&
           is_flag(m.inanimate);
  };
  const auto is_head = [&](std::uint32_t head) { return head == kNoHead || head < tokens; };
  return std::ranges::all_of(document.set.mentions, is_mention) &&
         std::ranges::all_of(document.heads, is_head) && has_candidates(document);
}

}  // namespace

void DocumentSet::add(const DocumentData& document) {
  mentions.append(document.set.mentions);
  fields.append(document.set.fields);
  stems.append(document.set.words);
  heads.append(document.heads);
  relations.append(document.relations);
  begin.append(document.begin);
  candidates.append(document.candidates);
  clusters.append(document.clusters);
  anaphoric.append(document.anaphoric);
  starts.push_back({mentions.size(), stems.size(), heads.size(), candidates.size()});
}

DocumentView DocumentSet::operator[](std::size_t i) const {
  const Start &from = starts[i], &to = starts[i + 1];
  return {.set = {.mentions = part_of(mentions, from.mention, to.mention),
                  .fields = part_of(fields, from.mention, to.mention),
                  .words = part_of(stems, from.stem, to.stem)},
          .heads = part_of(heads, from.token, to.token),
          .relations = part_of(relations, from.token, to.token),
          .begin = part_of(begin, from.mention + i, to.mention + i + 1),
          .candidates = part_of(candidates, from.candidate, to.candidate),
          .clusters = part_of(clusters, from.mention, to.mention),
          .anaphoric = part_of(anaphoric, from.mention, to.mention)};
}

bool is_sound(const DocumentSet& data, std::size_t first, std::size_t last) {
  if (!are_starts(data, first, last)) return false;
  for (std::size_t i = first; i < last; ++i) {
    if (!is_sound(data[i])) return false;
  }
  return true;
}

}  // namespace hinge::coref
