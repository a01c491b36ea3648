#include "hinge/tasks/tag/support_task.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hinge::tag {
namespace {

std::size_t longest(const ChainData& data) {
  std::size_t most = 0;
  for (std::size_t s = 0; s < data.sentences(); ++s)
    most = std::max(most, data.sentence_begin[s + 1] - data.sentence_begin[s]);
  return most;
}

}  // namespace

// One sentence as a chain in which token t has a single feature, number t: its weights
// are the token's scores, so that a ChainTask does the rest.
struct SupportTask::SentenceScratch final : Scratch {
  SentenceScratch(const ChainData& data, const ChainLayout& full, const ChainTaskOptions& options)
      : layout{.labels = full.labels,
               .node_features = longest(data),
               .edge_features = 0,
               .transitions = full.transitions},
        scores(layout.dimension()),
        task(sentence, layout, options),
        scratch(task.make_scratch()) {}

  void copy_sentence(const ChainData& data, std::size_t i) {
    const std::size_t begin = data.sentence_begin[i];
    const std::size_t end = data.sentence_begin[i + 1];
    tag::copy_sentence(data, i, sentence);
    sentence.node_ids.resize(end - begin);
    std::iota(sentence.node_ids.begin(), sentence.node_ids.end(), 0u);
    sentence.node_begin.resize(end - begin + 1);
    std::iota(sentence.node_begin.begin(), sentence.node_begin.end(), std::size_t{0});
    sentence.edge_begin.assign(end - begin + 1, 0);
  }

  ChainLayout layout;
  Weights scores;
  ChainData sentence;
  ChainTask task;
  std::unique_ptr<Scratch> scratch;
  Cut cut;
  Gradient features;
  std::vector<std::uint32_t> active;
  std::vector<float> products;
};

SupportTask::SupportTask(const ChainData& data, const SupportIndex& index, std::size_t labels,
                         bool transitions, ChainTaskOptions options, SupportLimits limits)
    : data_(data),
      index_(index),
      layout_{.labels = labels,
              .node_features = index.size() + 1,
              .edge_features = 0,
              .transitions = transitions},
      options_(std::move(options)),
      limits_(limits),
      rows_(index, data.node_begin, data.node_ids, !data.node_values.empty(), limits.cache_bytes) {}

std::unique_ptr<Scratch> SupportTask::make_scratch() const {
  return std::make_unique<SentenceScratch>(data_, layout_, options_);
}

// Asked before every decode, as only the learner knows what it has changed. No branch
// within a row: it would be mispredicted half of the time.
void SupportTask::active(const Weights& w, std::vector<std::uint32_t>& vectors) const {
  vectors.resize(index_.size());
  const float* alpha = w.data();
  std::size_t n = 0;
  for (std::uint32_t v = 0; v < index_.size(); ++v) {
    bool any = false;
    for (std::size_t y = 0; y < layout_.labels; ++y) any |= *alpha++ != 0.0f;
    vectors[n] = v;
    n += any;
  }
  vectors.resize(n);
}

std::vector<std::uint32_t> SupportTask::largest(const Weights& w, std::size_t budget) const {
  std::vector<std::uint32_t> vectors;
  active(w, vectors);
  if (budget == 0 || vectors.size() <= budget) return vectors;
  const auto length = [&](std::uint32_t v) { return squared_length(v, w); };
  std::ranges::stable_sort(vectors, std::ranges::greater(), length);
  vectors.resize(budget);
  std::ranges::sort(vectors);
  return vectors;
}

void SupportTask::trim(Weights& w) const {
  if (limits_.budget == 0) return;
  std::vector<std::uint32_t> all;
  active(w, all);
  const std::vector<std::uint32_t> kept = largest(w, limits_.budget);
  auto next = kept.begin();
  for (const std::uint32_t v : all) {
    if (next != kept.end() && *next == v) {
      ++next;
    } else {
      std::ranges::fill(w.span().subspan(layout_.node(v, 0), layout_.labels), 0.0f);
    }
  }
}

std::span<const std::uint32_t> SupportTask::features(std::uint32_t vector) const {
  const std::size_t first = data_.node_begin[vector];
  return {data_.node_ids.data() + first, data_.node_begin[vector + 1] - first};
}

const float* SupportTask::values(std::uint32_t vector) const {
  return data_.node_values.empty() ? nullptr : data_.node_values.data() + data_.node_begin[vector];
}

double SupportTask::squared_length(std::uint32_t vector, const Weights& w) const {
  double sum = 0.0;
  for (const float alpha : w.span().subspan(layout_.node(vector, 0), layout_.labels))
    sum += double{alpha} * alpha;
  double product = 0.0;
  for (std::size_t k = data_.node_begin[vector]; k < data_.node_begin[vector + 1]; ++k)
    product += data_.node_values.empty() ? 1.0 : double{data_.node_values[k]} * data_.node_values[k];
  return sum * index_.kernel(static_cast<float>(product));
}

void SupportTask::score(std::span<const std::uint32_t> ids, const float* values,
                        std::span<const std::uint32_t> active, const Weights& w, std::vector<float>& products,
                        float* scores) const {
  const std::size_t labels = layout_.labels;
  const float* constant = w.data() + layout_.node(index_.size(), 0);
  for (std::size_t y = 0; y < labels; ++y) scores[y] = static_cast<float>(index_.constant()) * constant[y];
  index_.multiply(ids, values, products);
  for (const std::uint32_t v : active) {
    if (products[v] == 0.0f) continue;
    const float kernel = index_.kernel(products[v]);
    const float* alpha = w.data() + layout_.node(v, 0);
    for (std::size_t y = 0; y < labels; ++y) scores[y] += kernel * alpha[y];
  }
}

template <typename Use>
void SupportTask::each_kernel(std::uint32_t vector, std::span<const std::uint32_t> active,
                              std::vector<float>& products, const Use& use) const {
  if (const std::uint8_t* row = rows_.row(vector); row != nullptr) {
    const auto table = index_.table();
    for (const std::uint32_t v : active) {
      if (row[v] != 0) use(v, table[row[v]]);
    }
    return;
  }
  index_.multiply(features(vector), values(vector), products);
  for (const std::uint32_t v : active) {
    if (products[v] != 0.0f) use(v, index_.kernel(products[v]));
  }
}

void SupportTask::score_vector(std::uint32_t vector, std::span<const std::uint32_t> active, const Weights& w,
                               std::vector<float>& products, float* scores) const {
  const std::size_t labels = layout_.labels;
  const float* constant = w.data() + layout_.node(index_.size(), 0);
  for (std::size_t y = 0; y < labels; ++y) scores[y] = static_cast<float>(index_.constant()) * constant[y];
  each_kernel(vector, active, products, [&](std::uint32_t v, float kernel) {
    const float* alpha = w.data() + layout_.node(v, 0);
    for (std::size_t y = 0; y < labels; ++y) scores[y] += kernel * alpha[y];
  });
}

// Fills own.sentence and own.scores.
void SupportTask::score_sentence(std::size_t i, const Weights& w, SentenceScratch& own) const {
  own.copy_sentence(data_, i);
  active(w, own.active);
  const std::size_t begin = data_.sentence_begin[i];
  const std::size_t labels = layout_.labels;
  for (std::size_t t = 0; t < own.sentence.tokens(); ++t)
    score_vector(static_cast<std::uint32_t>(begin + t), own.active, w, own.products,
                 own.scores.data() + own.layout.node(t, 0));
  if (layout_.transitions)
    std::copy_n(w.data() + layout_.transitions_begin(), labels * labels,
                own.scores.data() + own.layout.transitions_begin());
}

// From the numbers of the sentence's tokens to those of all.
void SupportTask::add_to(std::size_t i, const Gradient& of_sentence, const ChainLayout& layout,
                         Gradient& out) const {
  const std::size_t begin = data_.sentence_begin[i];
  for (const Entry& entry : of_sentence.entries()) {
    if (entry.id >= layout.transitions_begin()) {
      out.add(static_cast<FeatureId>(entry.id - layout.transitions_begin() + layout_.transitions_begin()),
              entry.value);
      continue;
    }
    const std::size_t label = entry.id % layout_.labels;
    out.add(static_cast<FeatureId>(layout_.node(begin + entry.id / layout_.labels, label)), entry.value);
    if (index_.constant() > 0.0)
      out.add(static_cast<FeatureId>(layout_.node(index_.size(), label)),
              entry.value * static_cast<float>(index_.constant()));
  }
}

void SupportTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                                Cut& cut) const {
  auto& own = static_cast<SentenceScratch&>(scratch);
  score_sentence(i, w, own);
  own.task.most_violated(0, own.scores, loss_weight, *own.scratch, own.cut);
  cut.psi.clear();
  cut.loss = own.cut.loss;
  cut.margin = own.cut.margin;
  add_to(i, own.cut.psi, own.layout, cut.psi);
}

void SupportTask::gold_parts(std::size_t i, Scratch& scratch, std::vector<Part>& parts) const {
  auto& own = static_cast<SentenceScratch&>(scratch);
  own.copy_sentence(data_, i);
  own.task.gold_parts(0, *own.scratch, parts);
}

void SupportTask::exchange(std::size_t i, const Weights& w, std::span<const Part> allowed, Search search,
                           Scratch& scratch, Exchange& exchange) const {
  auto& own = static_cast<SentenceScratch&>(scratch);
  score_sentence(i, w, own);
  own.task.exchange(0, own.scores, allowed, search, *own.scratch, exchange);
}

double SupportTask::add_features(std::size_t i, std::span<const Part> parts, std::span<const double> amounts,
                                 Scratch& scratch, Gradient& features) const {
  auto& own = static_cast<SentenceScratch&>(scratch);
  own.copy_sentence(data_, i);
  own.features.clear();
  const double loss = own.task.add_features(0, parts, amounts, *own.scratch, own.features);
  add_to(i, own.features, own.layout, features);
  return loss;
}

double SupportTask::product(const Weights& w, const Gradient& features, Scratch& scratch) const {
  auto& own = static_cast<SentenceScratch&>(scratch);
  active(w, own.active);
  const std::size_t others = layout_.node(index_.size(), 0);
  double sum = 0.0;
  for (const Entry& entry : features.entries()) {
    if (entry.id >= others) {
      sum += double{entry.value} * w[entry.id];
      continue;
    }
    const std::size_t label = entry.id % layout_.labels;
    double value = 0.0;
    each_kernel(static_cast<std::uint32_t>(entry.id / layout_.labels), own.active, own.products,
                [&](std::uint32_t v, float kernel) { value += kernel * w[layout_.node(v, label)]; });
    sum += entry.value * value;
  }
  return sum;
}

// <x_u, x_v> of two tokens: for few of them merging is faster than the index.
double SupportTask::inner(std::uint32_t u, std::uint32_t v) const {
  const auto a = features(u), b = features(v);
  const float* a_values = values(u);
  const float* b_values = values(v);
  double sum = 0.0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) sum += a_values == nullptr ? 1.0 : double{a_values[i]} * b_values[j];
    const bool next_a = a[i] <= b[j], next_b = b[j] <= a[i];
    i += next_a;
    j += next_b;
  }
  return sum;
}

double SupportTask::squared_length(const Gradient& features, Scratch&) const {
  const std::size_t others = layout_.node(index_.size(), 0), labels = layout_.labels;
  const auto entries = features.entries();
  double sum = 0.0;
  for (const Entry& entry : entries) {
    if (entry.id >= others) {
      sum += double{entry.value} * entry.value;
      continue;
    }
    for (const Entry& other : entries) {
      if (other.id >= others || other.id % labels != entry.id % labels) continue;
      const double product =
          inner(static_cast<std::uint32_t>(entry.id / labels), static_cast<std::uint32_t>(other.id / labels));
      sum += double{entry.value} * other.value * index_.kernel(static_cast<float>(product));
    }
  }
  return sum;
}

void SupportTask::support(std::size_t, Scratch&, std::vector<Block>& blocks) const {
  blocks.push_back({0, static_cast<FeatureId>(layout_.dimension())});
}

double SupportTask::squared_norm(const Weights& w) const {
  std::vector<std::uint32_t> vectors;
  active(w, vectors);
  std::vector<float> products, scores(layout_.labels);
  double sum = 0.0;
  const std::size_t others = layout_.node(index_.size(), 0);
  for (std::size_t k = others; k < w.size(); ++k) sum += static_cast<double>(w[k]) * w[k];
  for (const std::uint32_t v : vectors) {
    score_vector(v, vectors, w, products, scores.data());
    for (std::size_t y = 0; y < layout_.labels; ++y) {
      // Without the constant, which is among the other weights.
      const double value = scores[y] - index_.constant() * w[others + y];
      sum += w[layout_.node(v, y)] * value;
    }
  }
  return sum;
}

}  // namespace hinge::tag
