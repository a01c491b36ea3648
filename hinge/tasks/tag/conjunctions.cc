#include "hinge/tasks/tag/conjunctions.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "hinge/core/error.h"
#include "hinge/tasks/tag/data.h"

namespace hinge::tag {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The place of a feature in the data: token t has it as its k-th.
struct Occurrence {
  std::uint32_t token;
  std::uint32_t k;
};

// The occurrences of every feature, in the order of tokens.
struct Occurrences {
  Occurrences(const ChainData& data, std::size_t features) : begin(features + 1), all(data.node_ids.size()) {
    for (const std::uint32_t id : data.node_ids) ++begin[id + 1];
    for (std::size_t f = 0; f < features; ++f) begin[f + 1] += begin[f];
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t t = 0; t < data.tokens(); ++t) {
      for (std::size_t at = data.node_begin[t]; at < data.node_begin[t + 1]; ++at)
        all[next[data.node_ids[at]]++] = {t, static_cast<std::uint32_t>(at - data.node_begin[t])};
    }
  }
  std::span<const Occurrence> of(std::size_t feature) const {
    return std::span(all).subspan(begin[feature], begin[feature + 1] - begin[feature]);
  }

  std::vector<std::size_t> begin;
  std::vector<Occurrence> all;
};

}  // namespace

QuadraticWeights quadratic_weights(const Kernel& kernel, bool valued) {
  const std::vector<double> sets = set_weights(kernel);
  return {.constant = static_cast<float>(sets[0]),
          .single = static_cast<float>(valued ? monomial_weight(kernel, {1}) : sets[1]),
          .square = static_cast<float>(valued ? monomial_weight(kernel, {2}) : 0.0),
          .pair = static_cast<float>(sets[2])};
}

void sort_features(ChainData& data, std::span<const std::uint8_t> paired) {
  const auto is_single = [paired](std::uint32_t id) { return !paired.empty() && paired[id] == 0; };
  std::vector<std::tuple<bool, std::uint32_t, float>> token;
  if (data.node_values.empty()) data.node_values.assign(data.node_ids.size(), 1.0f);
  std::size_t kept = 0;
  std::size_t from = 0;
  for (std::size_t t = 1; t < data.node_begin.size(); ++t) {
    token.clear();
    for (; from < data.node_begin[t]; ++from)
      token.emplace_back(is_single(data.node_ids[from]), data.node_ids[from], data.node_values[from]);
    std::ranges::sort(token);
    const std::size_t begin = kept;
    for (const auto& [single, id, value] : token) {
      if (kept > begin && data.node_ids[kept - 1] == id) {
        data.node_values[kept - 1] += value;
      } else {
        data.node_ids[kept] = id;
        data.node_values[kept++] = value;
      }
    }
    data.node_begin[t] = kept;
  }
  data.node_ids.resize(kept);
  data.node_values.resize(kept);
  if (std::ranges::all_of(data.node_values, [](float value) { return value == 1.0f; })) data.node_values = {};
}

// The expanded features of all tokens: of each the constant, its features, then its
// pairs by their second feature.
class Conjunctions::Expansion {
 public:
  Expansion(const Conjunctions& all, const ChainData& data) : all_(all), data_(data), begin_{0} {
    begin_.reserve(data.tokens() + 1);
    for (std::size_t t = 0; t < data.tokens(); ++t) {
      const std::size_t n = data.node_begin[t + 1] - data.node_begin[t];
      begin_.push_back(begin_.back() + 1 + n + pairs_before(paired(t)));
    }
    ids_.assign(begin_.back(), kNone);
  }

  // How many of the token's features have pairs; they are its first.
  std::size_t paired(std::size_t t) const {
    const auto ids =
        std::span(data_.node_ids).subspan(data_.node_begin[t], data_.node_begin[t + 1] - data_.node_begin[t]);
    const auto has_pairs = [this](std::uint32_t id) { return all_.has_pairs(id); };
    return static_cast<std::size_t>(std::ranges::partition_point(ids, has_pairs) - ids.begin());
  }
  // Where the pairs of the token's k-th feature with those before it are put, and with
  // itself if features have values.
  std::uint32_t* pairs(std::size_t t, std::size_t k) {
    const std::size_t n = data_.node_begin[t + 1] - data_.node_begin[t];
    return ids_.data() + begin_[t] + 1 + n + pairs_before(k);
  }
  std::span<const std::uint32_t> partners(std::size_t t, std::size_t k) const {
    return {data_.node_ids.data() + data_.node_begin[t], k + (all_.valued_ ? 1 : 0)};
  }

  // Replaces the features of the data. Pairs that were not set are dropped.
  void finish(ChainData& data) {
    Column<float> values;
    values.reserve(ids_.size());
    for (std::size_t t = 0; t < data.tokens(); ++t) {
      const std::size_t first = data.node_begin[t];
      const std::span ids(data.node_ids.data() + first, data.node_begin[t + 1] - first);
      const float* given = data.node_values.empty() ? nullptr : data.node_values.data() + first;
      add_token(t, ids, given, values);
      begin_[t] = values.size();
    }
    ids_.resize(values.size());
    data.node_ids = std::move(ids_);
    data.node_values = std::move(values);
    std::copy(begin_.begin(), begin_.end() - 1, data.node_begin.begin() + 1);
  }

 private:
  std::size_t pairs_before(std::size_t k) const { return all_.valued_ ? k * (k + 1) / 2 : k * (k - 1) / 2; }

  void add_token(std::size_t t, std::span<const std::uint32_t> ids, const float* given,
                 Column<float>& values) {
    const QuadraticWeights& weights = all_.weights_;
    const auto value = [given](std::size_t k) { return given == nullptr ? 1.0f : given[k]; };
    const auto add = [&](std::size_t id, float amount) {
      if (amount == 0.0f) return;
      ids_[values.size()] = static_cast<std::uint32_t>(id);
      values.push_back(amount);
    };
    const std::uint32_t* pair = ids_.data() + begin_[t] + 1 + ids.size();
    add(all_.constant_row(), weights.constant);
    for (std::size_t k = 0; k < ids.size(); ++k) add(ids[k], weights.single * value(k));
    const std::size_t with_pairs = paired(t);
    for (std::size_t k = 0; k < with_pairs; ++k) {
      const std::size_t partners = k + (all_.valued_ ? 1 : 0);
      for (std::size_t i = 0; i < partners; ++i, ++pair) {
        if (*pair == kNone) continue;
        add(all_.pair_row(*pair), (i == k ? weights.square : weights.pair) * value(i) * value(k));
      }
    }
  }

  const Conjunctions& all_;
  const ChainData& data_;
  std::vector<std::size_t> begin_;  // [tokens + 1], into ids_
  Column<std::uint32_t> ids_;       // pairs: their number
};

void Conjunctions::learn(const Kernel& kernel, std::size_t features, PairChoice choice, ChainData& data) {
  paired_ = std::move(choice.paired);
  sort_features(data, paired_);
  valued_ = !data.node_values.empty();
  weights_ = quadratic_weights(kernel, valued_);
  begin_.assign(1, 0);
  const Occurrences occurrences(data, features);
  Expansion expansion(*this, data);
  std::vector<FeaturePair> kept(choice.known.begin(), choice.known.end());
  std::ranges::sort(kept, {}, &FeaturePair::second);
  auto next_kept = kept.begin();
  std::vector<std::uint32_t> count(features), number(features), seen;
  for (std::uint32_t b = 0; b < features; ++b) {
    seen.clear();
    const auto places = has_pairs(b) ? occurrences.of(b) : std::span<const Occurrence>();
    for (const auto [t, k] : places) {
      for (const std::uint32_t a : expansion.partners(t, k)) {
        if (count[a]++ == 0) seen.push_back(a);
      }
    }
    for (; next_kept != kept.end() && next_kept->second == b; ++next_kept) {
      if (count[next_kept->first] == 0) seen.push_back(next_kept->first);
      count[next_kept->first] = kNone;
    }
    std::ranges::sort(seen);
    for (const std::uint32_t a : seen) {
      number[a] = count[a] < choice.min_count ? kNone : static_cast<std::uint32_t>(others_.size());
      if (number[a] != kNone) others_.push_back(a);
      count[a] = 0;
    }
    for (const auto [t, k] : places) {
      std::uint32_t* pairs = expansion.pairs(t, k);
      for (const std::uint32_t a : expansion.partners(t, k)) *pairs++ = number[a];
    }
    begin_.push_back(static_cast<std::uint32_t>(others_.size()));
  }
  others_.shrink_to_fit();
  expansion.finish(data);
}

void Conjunctions::expand(ChainData& data) const {
  sort_features(data, paired_);
  Expansion expansion(*this, data);
  for (std::size_t t = 0; t < data.tokens(); ++t) {
    const std::size_t n = expansion.paired(t);
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t b = data.node_ids[data.node_begin[t] + k];
      auto from = others_.begin() + begin_[b];
      const auto end = others_.begin() + begin_[b + 1];
      std::uint32_t* pairs = expansion.pairs(t, k);
      for (const std::uint32_t a : expansion.partners(t, k)) {
        from = std::lower_bound(from, end, a);
        const bool found = from != end && *from == a;
        *pairs++ = found ? static_cast<std::uint32_t>(from - others_.begin()) : kNone;
      }
    }
  }
  expansion.finish(data);
}

FeaturePair Conjunctions::pair(std::size_t pair) const {
  const auto after = std::ranges::upper_bound(begin_, static_cast<std::uint32_t>(pair));
  return {others_[pair], static_cast<std::uint32_t>(after - begin_.begin() - 1)};
}

}  // namespace hinge::tag
