#include "hinge/tasks/tag/support_task.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hinge::tag {
namespace {

template <typename T>
void copy_part(const std::vector<T>& from, std::size_t begin, std::size_t end, std::vector<T>& to) {
  if (!from.empty())
    to.assign(from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(end));
}

std::size_t longest(const ChainData& data) {
  std::size_t most = 0;
  for (std::size_t s = 0; s < data.sentences(); ++s)
    most = std::max(most, data.sentence_begin[s + 1] - data.sentence_begin[s]);
  return most;
}

// One sentence as a chain in which token t has a single feature, number t: its weights
// are the token's scores, so that a ChainTask does the rest.
struct SupportScratch final : Scratch {
  SupportScratch(const ChainData& data, const ChainLayout& full, const ChainTaskOptions& options)
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
    sentence.sentence_begin.assign({0, end - begin});
    copy_part(data.gold, begin, end, sentence.gold);
    copy_part(data.allowed_begin, begin, end, sentence.allowed_begin);
    copy_part(data.allowed_end, begin, end, sentence.allowed_end);
    if (sentence.allowed_labels.size() != data.allowed_labels.size())
      sentence.allowed_labels = data.allowed_labels;
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
  std::vector<float> products;
};

}  // namespace

SupportTask::SupportTask(const ChainData& data, const SupportIndex& index, std::size_t labels,
                         bool transitions, ChainTaskOptions options)
    : data_(data),
      index_(index),
      layout_{.labels = labels,
              .node_features = index.size() + 1,
              .edge_features = 0,
              .transitions = transitions},
      options_(std::move(options)) {}

std::unique_ptr<Scratch> SupportTask::make_scratch() const {
  return std::make_unique<SupportScratch>(data_, layout_, options_);
}

std::vector<std::uint32_t> SupportTask::active(const Weights& w) const {
  std::vector<std::uint32_t> vectors;
  for (std::uint32_t v = 0; v < index_.size(); ++v) {
    const auto row = w.span().subspan(layout_.node(v, 0), layout_.labels);
    if (std::ranges::any_of(row, [](float alpha) { return alpha != 0.0f; })) vectors.push_back(v);
  }
  return vectors;
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

void SupportTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                                Cut& cut) const {
  auto& own = static_cast<SupportScratch&>(scratch);
  own.copy_sentence(data_, i);
  const std::vector<std::uint32_t> vectors = active(w);
  const std::size_t begin = data_.sentence_begin[i];
  const std::size_t labels = layout_.labels;
  for (std::size_t t = 0; t < own.sentence.tokens(); ++t) {
    const std::size_t first = data_.node_begin[begin + t];
    score({data_.node_ids.data() + first, data_.node_begin[begin + t + 1] - first},
          data_.node_values.empty() ? nullptr : data_.node_values.data() + first, vectors, w, own.products,
          own.scores.data() + own.layout.node(t, 0));
  }
  if (layout_.transitions)
    std::copy_n(w.data() + layout_.transitions_begin(), labels * labels,
                own.scores.data() + own.layout.transitions_begin());
  own.task.most_violated(0, own.scores, loss_weight, *own.scratch, own.cut);
  cut.psi.clear();
  cut.loss = own.cut.loss;
  cut.margin = own.cut.margin;
  for (const Entry& entry : own.cut.psi.entries()) {
    if (entry.id >= own.layout.transitions_begin()) {
      cut.psi.add(
          static_cast<FeatureId>(entry.id - own.layout.transitions_begin() + layout_.transitions_begin()),
          entry.value);
      continue;
    }
    const std::size_t label = entry.id % labels;
    cut.psi.add(static_cast<FeatureId>(layout_.node(begin + entry.id / labels, label)), entry.value);
    if (index_.constant() > 0.0)
      cut.psi.add(static_cast<FeatureId>(layout_.node(index_.size(), label)),
                  entry.value * static_cast<float>(index_.constant()));
  }
}

void SupportTask::support(std::size_t, Scratch&, std::vector<Block>& blocks) const {
  blocks.push_back({0, static_cast<FeatureId>(layout_.dimension())});
}

double SupportTask::squared_norm(const Weights& w) const {
  const std::vector<std::uint32_t> vectors = active(w);
  std::vector<float> products, scores(layout_.labels);
  double sum = 0.0;
  const std::size_t others = layout_.node(index_.size(), 0);
  for (std::size_t k = others; k < w.size(); ++k) sum += static_cast<double>(w[k]) * w[k];
  for (const std::uint32_t v : vectors) {
    const std::size_t first = data_.node_begin[v];
    score({data_.node_ids.data() + first, data_.node_begin[v + 1] - first},
          data_.node_values.empty() ? nullptr : data_.node_values.data() + first, vectors, w, products,
          scores.data());
    for (std::size_t y = 0; y < layout_.labels; ++y) {
      // Without the constant, which is among the other weights.
      const double value = scores[y] - index_.constant() * w[others + y];
      sum += w[layout_.node(v, y)] * value;
    }
  }
  return sum;
}

}  // namespace hinge::tag
