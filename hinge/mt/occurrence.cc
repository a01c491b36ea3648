#include "hinge/mt/occurrence.h"

#include <algorithm>

#include "hinge/mt/extract.h"

namespace hinge::mt {
namespace {

// The target positions linked to source positions [begin, end).
Extent linked(std::span<const Link> links, std::size_t begin, std::size_t end) {
  Extent extent{0xFFFF, 0};
  auto link = std::ranges::lower_bound(links, begin, {}, &Link::source);
  for (; link != links.end() && link->source < end; ++link) {
    extent.begin = std::min(extent.begin, link->target);
    extent.end = std::max<std::uint16_t>(extent.end, link->target + 1);
  }
  return extent;
}

struct Gap {
  Extent source, target;
};

// One side of a rule: the words of the phrase, with symbols for the gaps. `places` gets the
// symbol's number for each word.
template <std::size_t Most>
std::uint8_t write_side(std::span<const Word> words, Extent phrase, std::span<const Extent> gaps,
                        std::array<Symbol, Most>& symbols, std::array<std::uint8_t, 16>& places) {
  std::uint8_t size = 0;
  for (std::uint16_t at = phrase.begin; at < phrase.end;) {
    const auto gap = std::ranges::find(gaps, at, &Extent::begin);
    if (gap != gaps.end()) {
      symbols[size++] = gap == gaps.begin() ? kFirstGap : kSecondGap;
      at = gap->end;
    } else {
      places[at - phrase.begin] = size;
      symbols[size++] = words[at++];
    }
  }
  return size;
}

}  // namespace

RuleText text_of(const SentencePair& pair, const Occurrence& o) {
  const Extent source{static_cast<std::uint16_t>(o.begin), static_cast<std::uint16_t>(o.begin + o.length)};
  const Extent target = linked(pair.links, source.begin, source.end);
  std::array<Extent, 2> source_gaps, target_gaps;
  std::size_t gaps = 0;
  for (const auto& [begin, length] :
       {std::pair(o.first_begin, o.first_length), std::pair(o.second_begin, o.second_length)}) {
    if (length == 0) continue;
    source_gaps[gaps] = {static_cast<std::uint16_t>(source.begin + begin),
                         static_cast<std::uint16_t>(source.begin + begin + length)};
    target_gaps[gaps] = linked(pair.links, source_gaps[gaps].begin, source_gaps[gaps].end);
    ++gaps;
  }
  RuleText text;
  std::array<std::uint8_t, 16> source_places, target_places;
  source_places.fill(0xFF);
  target_places.fill(0xFF);
  text.source_size = write_side(pair.source, source, {source_gaps.data(), gaps}, text.source, source_places);
  text.target_size = write_side(pair.target, target, {target_gaps.data(), gaps}, text.target, target_places);
  auto link = std::ranges::lower_bound(pair.links, source.begin, {}, &Link::source);
  for (; link != pair.links.end() && link->source < source.end; ++link) {
    const unsigned s = source_places[link->source - source.begin],
                   t = target_places[link->target - target.begin];
    if (s != 0xFF) text.links |= std::uint64_t{1} << (s * kMostTargetSymbols + t);
  }
  return text;
}

std::span<const Occurrence> OccurrenceFinder::find(const SentencePair& pair) {
  found_.clear();
  find_phrases(pair);
  for (std::size_t begin = 0; begin < pair.source.size(); ++begin) {
    const std::size_t longest =
        std::min<std::size_t>(pair.source.size() - begin, static_cast<std::size_t>(options_.phrase));
    for (std::size_t length = 1; length <= longest; ++length) {
      if (!is_phrase(begin, length)) continue;
      const Occurrence phrase{.begin = static_cast<std::uint32_t>(begin),
                              .length = static_cast<std::uint32_t>(length)};
      add(phrase);
      if (options_.gaps > 0) add_gaps(phrase);
    }
  }
  return found_;
}

// Fills phrases_: spans whose first and last words are linked, and whose linked target
// words are linked to nothing outside.
void OccurrenceFinder::find_phrases(const SentencePair& pair) {
  const std::size_t n = pair.source.size();
  phrases_.assign(n * kLengths, {});
  link_begin_.assign(n + 1, 0);
  target_first_.assign(pair.target.size(), 0xFFFF);
  target_last_.assign(pair.target.size(), 0);
  for (const Link& link : pair.links) {
    ++link_begin_[link.source + 1];
    target_first_[link.target] = std::min(target_first_[link.target], link.source);
    target_last_[link.target] = std::max(target_last_[link.target], link.source);
  }
  for (std::size_t s = 0; s < n; ++s) link_begin_[s + 1] += link_begin_[s];
  const auto most = static_cast<std::size_t>(options_.phrase);
  for (std::size_t begin = 0; begin < n; ++begin) {
    if (link_begin_[begin] == link_begin_[begin + 1]) continue;
    Extent extent{0xFFFF, 0};
    for (std::size_t end = begin + 1; end <= std::min(n, begin + most); ++end) {
      if (link_begin_[end - 1] == link_begin_[end]) continue;
      for (std::uint32_t l = link_begin_[end - 1]; l < link_begin_[end]; ++l) {
        extent.begin = std::min(extent.begin, pair.links[l].target);
        extent.end = std::max<std::uint16_t>(extent.end, pair.links[l].target + 1);
      }
      if (extent.size() > most) break;
      bool closed = true;
      for (std::uint16_t t = extent.begin; t < extent.end && closed; ++t) {
        closed = target_first_[t] == 0xFFFF || (target_first_[t] >= begin && target_last_[t] < end);
      }
      if (closed) phrases_[begin * kLengths + (end - begin)] = extent;
    }
  }
}

// All ways to take one or two phrases out of this one. What remains has a linked
// source word, and a source word between the gaps.
void OccurrenceFinder::add_gaps(const Occurrence& phrase) {
  const auto least = static_cast<std::uint32_t>(options_.gap);
  for (std::uint32_t first = 0; first + least <= phrase.length; ++first) {
    for (std::uint32_t length = least; first + length <= phrase.length && length < phrase.length; ++length) {
      if (!is_phrase(phrase.begin + first, length)) continue;
      Occurrence one = phrase;
      one.first_begin = first;
      one.first_length = length;
      add(one);
      if (options_.gaps < 2) continue;
      for (std::uint32_t second = first + length + 1; second + least <= phrase.length; ++second) {
        for (std::uint32_t more = least; second + more <= phrase.length; ++more) {
          if (!is_phrase(phrase.begin + second, more)) continue;
          Occurrence two = one;
          two.second_begin = second;
          two.second_length = more;
          add(two);
        }
      }
    }
  }
}

void OccurrenceFinder::add(Occurrence o) {
  const std::uint32_t gaps = (o.first_length > 0) + (o.second_length > 0);
  if (o.length - o.first_length - o.second_length + gaps > static_cast<std::uint32_t>(options_.symbols))
    return;
  std::uint32_t target_symbols = target(o.begin, o.length).size() + gaps;
  if (o.first_length > 0) target_symbols -= target(o.begin + o.first_begin, o.first_length).size();
  if (o.second_length > 0) target_symbols -= target(o.begin + o.second_begin, o.second_length).size();
  if (target_symbols > kMostTargetSymbols) return;
  bool has_link = false;
  for (std::uint32_t s = 0; s < o.length && !has_link; ++s) {
    const bool in_gap =
        s - o.first_begin < o.first_length || s - o.second_begin < o.second_length;  // unsigned
    has_link = !in_gap && link_begin_[o.begin + s] < link_begin_[o.begin + s + 1];
  }
  if (!has_link) return;
  o.target_symbols = target_symbols;
  found_.push_back(o);
}

}  // namespace hinge::mt
