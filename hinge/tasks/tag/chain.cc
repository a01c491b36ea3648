#include "hinge/tasks/tag/chain.h"

#include <algorithm>
#include <string_view>

namespace hinge::tag {
namespace {

struct Parts {
  char position;  // B, I, E, S or O
  std::string_view type;
};

Parts parts_of(std::string_view label) {
  if (label.size() > 2 && label[1] == '-') return {label[0], label.substr(2)};
  return {'O', {}};
}

bool opens(char position) { return position == 'B' || position == 'I'; }      // more must follow (IOBES)
bool continues(char position) { return position == 'I' || position == 'E'; }  // needs one before

bool may_follow(Scheme scheme, const Parts& before, const Parts& now) {
  if (scheme == Scheme::kIob2) {
    return now.position != 'I' || (opens(before.position) && before.type == now.type);
  }
  const bool joined = opens(before.position) && continues(now.position) && before.type == now.type;
  return joined || (!opens(before.position) && !continues(now.position));
}

}  // namespace

bool ChainData::is_partial(std::size_t sentence) const {
  for (std::size_t t = sentence_begin[sentence]; t < sentence_begin[sentence + 1]; ++t) {
    if (!allowed(t).empty()) return true;
  }
  return false;
}

std::span<const LabelId> ChainData::allowed(std::size_t token) const {
  if (allowed_begin.empty()) return {};
  return std::span(allowed_labels).subspan(allowed_begin[token], allowed_end[token] - allowed_begin[token]);
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
    const Parts parts = parts_of(label);
    if (label != "O" &&
        (parts.type.empty() || std::string_view("BIES").find(parts.position) == std::string_view::npos)) {
      return Scheme::kNone;
    }
    phrases = phrases || label != "O";
    iobes = iobes || parts.position == 'S' || parts.position == 'E';
  }
  return !phrases ? Scheme::kNone : iobes ? Scheme::kIobes : Scheme::kIob2;
}

Constraints make_constraints(Scheme scheme, std::span<const std::string> labels) {
  Constraints result;
  if (scheme == Scheme::kNone) return result;
  const std::size_t n = labels.size();
  const std::size_t stride = padded_labels(n);
  result.start.assign(stride, 0.0f);
  result.end.assign(stride, 0.0f);
  result.edge.assign(n * stride, 0.0f);
  const Parts outside{'O', {}};
  for (std::size_t to = 0; to < n; ++to) {
    const Parts now = parts_of(labels[to]);
    if (!may_follow(scheme, outside, now)) result.start[to] = kForbidden;
    if (!may_follow(scheme, now, outside)) result.end[to] = kForbidden;
    for (std::size_t from = 0; from < n; ++from) {
      if (!may_follow(scheme, parts_of(labels[from]), now)) result.edge[from * stride + to] = kForbidden;
    }
  }
  return result;
}

bool obeys(const ChainData& data, const Constraints& constraints, std::size_t labels) {
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

void ChainDecoder::reset(std::size_t tokens, bool edges_per_token) {
  tokens_ = tokens;
  edges_per_token_ = edges_per_token;
  node_.resize(tokens * stride_);
  edge_.resize((edges_per_token ? tokens : 1) * labels_ * stride_);
  path_.resize(tokens);
}

void ChainDecoder::fill(const ChainData& data, std::size_t sentence, const ChainLayout& layout,
                        const Weights& w) {
  const std::size_t begin = data.sentence_begin[sentence];
  const std::size_t tokens = data.sentence_begin[sentence + 1] - begin;
  reset(tokens, layout.edge_features > 0);
  const bool valued = !data.node_values.empty();
  for (std::size_t t = 0; t < tokens; ++t) {
    const std::size_t first = data.node_begin[begin + t];
    const std::span ids(data.node_ids.data() + first, data.node_begin[begin + t + 1] - first);
    // Rows lie far apart; those of the next token are fetched while these are summed.
    for (std::size_t k = data.node_begin[begin + t + 1]; t + 1 < tokens && k < data.node_begin[begin + t + 2];
         ++k) {
      const float* row = w.data() + layout.node(data.node_ids[k], 0);
      __builtin_prefetch(row);
      __builtin_prefetch(row + labels_ - 1);
    }
    sum_rows(w.data(), ids, valued ? data.node_values.data() + first : nullptr, labels_, stride_, node(t));
  }
  for (std::size_t t = 0; t < (edges_per_token_ ? tokens : 1); ++t) {
    float* edges = edges_into(t);
    const float* base = w.data() + layout.transitions_begin();
    for (std::size_t i = 0; i < labels_; ++i) {
      float* row = edges + i * stride_;
      if (layout.transitions) {
        std::copy_n(base + i * labels_, labels_, row);
      } else {
        std::fill_n(row, labels_, 0.0f);
      }
      for (std::size_t e = data.edge_begin[begin + t]; edges_per_token_ && e < data.edge_begin[begin + t + 1];
           ++e) {
        const float* weights = w.data() + layout.edge(data.edge_ids[e]) + i * labels_;
        const float value = data.edge_values.empty() ? 1.0f : data.edge_values[e];
        for (std::size_t j = 0; j < labels_; ++j) row[j] += value * weights[j];
      }
    }
  }
}

void ChainDecoder::constrain(const Constraints& constraints) {
  if (constraints.empty() || tokens_ == 0) return;
  for (std::size_t y = 0; y < labels_; ++y) {
    node(0)[y] += constraints.start[y];
    node(tokens_ - 1)[y] += constraints.end[y];
  }
  for (std::size_t t = 0; t < (edges_per_token_ ? tokens_ : 1); ++t) {
    for (std::size_t k = 0; k < labels_ * stride_; ++k) edges_into(t)[k] += constraints.edge[k];
  }
}

void ChainDecoder::allow_only(std::size_t token, std::span<const LabelId> labels) {
  float* scores = node(token);
  for (std::size_t y = 0; y < labels_; ++y) {
    if (std::find(labels.begin(), labels.end(), y) == labels.end()) scores[y] += kForbidden;
  }
}

ChainScores ChainDecoder::scores() const {
  return {.tokens = tokens_,
          .labels = labels_,
          .stride = stride_,
          .node = node_.data(),
          .edge = edge_.data(),
          .edge_step = edges_per_token_ ? labels_ * stride_ : 0};
}

std::span<const LabelId> ChainDecoder::best() {
  viterbi(scores(), forward_, path_);
  return path_;
}

}  // namespace hinge::tag
