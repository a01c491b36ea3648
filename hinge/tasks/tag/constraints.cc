#include "hinge/tasks/tag/constraints.h"

#include <algorithm>

#include "hinge/decode/forbidden.h"
#include "hinge/decode/viterbi.h"

namespace hinge::tag {
namespace {

struct PhraseLabel {
  char position;  // B, I, E, S or O
  std::string_view type;
};

// BILOU, as spaCy has it, is IOBES with U for S and L for E.
PhraseLabel split_label(std::string_view label) {
  if (label.size() <= 2 || label[1] != '-') return {'O', {}};
  const char position = label[0] == 'U' ? 'S' : label[0] == 'L' ? 'E' : label[0];
  return {position, label.substr(2)};
}

constexpr char kNoPosition = '?';

// That of a label of phrases, else kNoPosition.
char position_of(std::string_view label) {
  if (label == "O") return 'O';
  const PhraseLabel pieces = split_label(label);
  const bool known =
      !pieces.type.empty() && std::string_view("BIES").find(pieces.position) != std::string_view::npos;
  return known ? pieces.position : kNoPosition;
}

bool opens(char position) { return position == 'B' || position == 'I'; }      // must be continued (IOBES)
bool continues(char position) { return position == 'I' || position == 'E'; }  // must follow B or I

bool follows(Scheme scheme, const PhraseLabel& before, const PhraseLabel& now) {
  if (scheme == Scheme::kIob2) {
    return now.position != 'I' || (opens(before.position) && before.type == now.type);
  }
  const bool joined = opens(before.position) && continues(now.position) && before.type == now.type;
  return joined || (!opens(before.position) && !continues(now.position));
}

bool all_obey(const ChainData& data, const Constraints& constraints, std::size_t labels) {
  const std::size_t stride = padded_labels(labels);
  for (std::size_t s = 0; s < data.sentences(); ++s) {
    const std::size_t begin = data.sentence_begin[s];
    const std::size_t end = data.sentence_begin[s + 1];
    if (begin == end || data.is_partial(s)) continue;
    if (constraints.start[data.gold[begin]] < 0.0f || constraints.end[data.gold[end - 1]] < 0.0f)
      return false;
    for (std::size_t t = begin + 1; t < end; ++t) {
      if (constraints.edge[data.gold[t - 1] * stride + data.gold[t]] < 0.0f) return false;
    }
  }
  return true;
}

}  // namespace

bool may_follow(Scheme scheme, std::string_view before, std::string_view now) {
  return follows(scheme, split_label(before), split_label(now));
}

Scheme parse_scheme(std::string_view name) {
  if (name == "iob2" || name == "bio") return Scheme::kIob2;
  return name == "iobes" ? Scheme::kIobes : Scheme::kNone;
}

std::string_view scheme_name(Scheme scheme) {
  return scheme == Scheme::kIob2 ? "iob2" : scheme == Scheme::kIobes ? "iobes" : "none";
}

Scheme guess_scheme(std::span<const std::string> labels) {
  bool iobes = false;
  bool phrases = false;
  for (const std::string& label : labels) {
    const char position = position_of(label);
    if (position == kNoPosition) return Scheme::kNone;
    phrases = phrases || position != 'O';
    iobes = iobes || position == 'S' || position == 'E';
  }
  return !phrases ? Scheme::kNone : iobes ? Scheme::kIobes : Scheme::kIob2;
}

NearScheme nearly_all_follow(std::span<const std::string> labels, std::span<const std::size_t> counts) {
  constexpr std::size_t kFew = 3;  // tokens, if not even one in a hundred
  std::size_t tokens = 0, begins = 0, ends = 0, strays = 0;
  NearScheme near;
  for (std::size_t y = 0; y < labels.size(); ++y) {
    const char position = position_of(labels[y]);
    tokens += counts[y];
    begins += position == 'B' ? counts[y] : 0;
    ends += position == 'E' || position == 'S' ? counts[y] : 0;
    near.stray.push_back(position == kNoPosition);
  }
  // In IOBES every phrase has one E or S, and at most one B.
  const bool iobes = ends > 0 && 2 * ends >= begins;
  bool phrases = false;
  for (std::size_t y = 0; y < labels.size(); ++y) {
    const char position = position_of(labels[y]);
    if (!iobes && (position == 'E' || position == 'S')) near.stray[y] = true;
    strays += near.stray[y] ? counts[y] : 0;
    phrases = phrases || (!near.stray[y] && position != 'O');
  }
  const bool few = strays <= std::max(kFew, tokens / 100) && 10 * strays <= tokens;
  if (phrases && few) near.scheme = iobes ? Scheme::kIobes : Scheme::kIob2;
  return near;
}

std::string stray_label(const Corpus& corpus) {
  const std::vector<std::string>& labels = corpus.labels.names();
  std::vector<std::size_t> own(labels.size(), 0), counts(labels.size(), 0);
  for (const LabelId label : corpus.data.gold) {
    if (label < own.size()) ++own[label];
  }
  const auto all = gather_values(corpus.own.ranks(), std::span<const std::size_t>(own));
  for (std::size_t k = 0; k < all.size(); ++k) counts[k % labels.size()] += all[k];
  const NearScheme near = nearly_all_follow(labels, counts);
  const auto stray = std::ranges::find(near.stray, true);
  return near.scheme == Scheme::kNone || stray == near.stray.end()
             ? ""
             : labels[static_cast<std::size_t>(stray - near.stray.begin())];
}

Constraints make_constraints(Scheme scheme, std::span<const std::string> labels) {
  Constraints result;
  if (scheme == Scheme::kNone) return result;
  const std::size_t n = labels.size();
  const std::size_t stride = padded_labels(n);
  result.start.assign(stride, 0.0f);
  result.end.assign(stride, 0.0f);
  result.edge.assign(n * stride, 0.0f);
  const PhraseLabel outside{'O', {}};
  for (std::size_t to = 0; to < n; ++to) {
    const PhraseLabel now = split_label(labels[to]);
    if (!follows(scheme, outside, now)) result.start[to] = kForbidden;
    if (!follows(scheme, now, outside)) result.end[to] = kForbidden;
    for (std::size_t from = 0; from < n; ++from) {
      if (!follows(scheme, split_label(labels[from]), now)) result.edge[from * stride + to] = kForbidden;
    }
  }
  return result;
}

bool obeys(const Corpus& corpus, const Constraints& constraints) {
  return !any_rank(corpus.own.ranks(), !all_obey(corpus.data, constraints, corpus.labels.size()));
}

}  // namespace hinge::tag
