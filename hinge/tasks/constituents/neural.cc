#include "hinge/tasks/constituents/neural.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "hinge/features/text.h"

namespace hinge::constituents {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMatrix = Eigen::Map<const Matrix>;
using MutableMatrix = Eigen::Map<Matrix>;
using ConstRow = Eigen::Map<const Eigen::RowVectorXf>;
using MutableRow = Eigen::Map<Eigen::RowVectorXf>;

Eigen::Index index(std::size_t n) { return static_cast<Eigen::Index>(n); }

constexpr std::size_t kBefore = 2;  // words of the window before the position
constexpr std::size_t kMarks = 2;   // rows of zeros on either side of the words

}  // namespace

// Words have vectors of variance about one; the hidden layer then has, too. Outputs begin
// at zero: the first steps move them.
void NeuralLayout::initialize(Random& random, Weights& w) const {
  const double scale = std::sqrt(6.0 / static_cast<double>(input * kTables));
  for (std::size_t i = 0; i < input; ++i) {
    for (std::size_t c = 0; c < columns(); ++c)
      w[first + i * columns() + c] = static_cast<float>((2.0 * random.uniform() - 1.0) * scale);
  }
}

std::uint32_t NeuralScorer::output_of(const ParseForest& forest, std::uint32_t edge,
                                      std::uint32_t& rule) const {
  rule = forest.rules[edge];
  return grammars_.projection[forest.nodes[heads_[edge]].symbol];
}

void NeuralScorer::fill_input(std::string_view word, std::span<float> out) {
  constexpr std::size_t kShape = NeuralLayout::kForm / 2;
  embeddings_.find(word, out.first(embeddings_.size()));
  const std::span<float> form = out.subspan(embeddings_.size());
  text_shape(word, text_);
  fill_random(hash_text(text_), embeddings_.scale(), form.first(kShape));
  text_lower(word, text_);
  fill_random(hash_text(text_suffix(text_, 2)), embeddings_.scale(), form.subspan(kShape));
}

void NeuralScorer::start(std::span<const std::string_view> words, const ParseForest& forest) {
  words_ = words.size();
  const std::size_t width = layout_.padded_input();
  inputs_.assign((words_ + 2 * kMarks) * width, 0.0f);
  for (std::size_t i = 0; i < words_; ++i)
    fill_input(words[i], std::span(inputs_).subspan((i + kMarks) * width, layout_.input));
  // Edges of one span with one split share an anchor; spans are contiguous.
  anchors_.clear();
  anchor_of_.assign(forest.forest.edges.size(), kNone);
  heads_.resize(forest.forest.edges.size());
  std::vector<std::uint32_t> of_split(words_ + 1, kNone);
  for (std::uint32_t v = 0; v < forest.nodes.size(); ++v) {
    const Item& node = forest.nodes[v];
    const bool new_span =
        v == 0 || node.begin != forest.nodes[v - 1].begin || node.end != forest.nodes[v - 1].end;
    if (new_span) std::ranges::fill(of_split, kNone);
    for (std::uint32_t e = forest.forest.begin[v]; e < forest.forest.begin[v + 1]; ++e) {
      heads_[e] = v;
      if (node.symbol == kNoSymbol) continue;
      std::uint32_t& anchor = of_split[forest.split[e]];
      if (anchor == kNone) {
        anchor = static_cast<std::uint32_t>(anchors_.size());
        anchors_.push_back({node.begin, forest.split[e], node.end});
      }
      anchor_of_[e] = anchor;
    }
  }
}

void NeuralScorer::add_scores(const ParseForest& forest, const float* w, std::vector<float>& scores) {
  const std::size_t H = layout_.hidden, rows = words_ + 2 * kMarks;
  tables_.resize(rows * layout_.columns());
  MutableMatrix tables(tables_.data(), index(rows), index(layout_.columns()));
  tables.noalias() = ConstMatrix(inputs_.data(), index(rows), index(layout_.padded_input())) *
                     ConstMatrix(w + layout_.first, index(layout_.padded_input()), index(layout_.columns()));
  // Position p lies before word p; its window begins kBefore words earlier.
  places_.assign(NeuralLayout::kPlaces * (words_ + 1) * H, 0.0f);
  for (std::size_t place = 0; place < NeuralLayout::kPlaces; ++place) {
    for (std::size_t p = 0; p <= words_; ++p) {
      MutableRow sum(places_.data() + (place * (words_ + 1) + p) * H, index(H));
      for (std::size_t k = 0; k < NeuralLayout::kWindow; ++k)
        sum += ConstRow(tables_.data() + (p + kMarks - kBefore + k) * layout_.columns() +
                            (place * NeuralLayout::kWindow + k) * H,
                        index(H));
    }
  }
  const ConstRow bias(w + layout_.bias(), index(H));
  const auto at = [&](std::size_t place, std::size_t p) {
    return ConstRow(places_.data() + (place * (words_ + 1) + p) * H, index(H));
  };
  hidden_.resize(anchors_.size() * H);
  for (std::size_t a = 0; a < anchors_.size(); ++a) {
    MutableRow row(hidden_.data() + a * H, index(H));
    row = bias + at(0, anchors_[a].begin) + at(2, anchors_[a].end);
    if (anchors_[a].split != 0) row += at(1, anchors_[a].split);
    row = row.cwiseMax(0.0f);
  }
  for (std::uint32_t e = 0; e < scores.size(); ++e) {
    if (anchor_of_[e] == kNone) continue;
    std::uint32_t rule;
    const std::uint32_t symbol = output_of(forest, e, rule);
    const ConstRow row(hidden_.data() + anchor_of_[e] * H, index(H));
    float score = row.dot(ConstRow(w + layout_.symbol_row(symbol), index(H)));
    if (rule != kNone) score += row.dot(ConstRow(w + layout_.rule_row(rule), index(H)));
    scores[e] += score;
  }
}

void NeuralScorer::add_gradient(const ParseForest& forest, std::span<const Part> parts, const float* w,
                                Gradient& out) {
  const std::size_t H = layout_.hidden, rows = words_ + 2 * kMarks;
  struct Use {
    std::size_t row;  // of weights
    std::uint32_t anchor;
    float coefficient;
  };
  std::vector<Use> uses;
  back_.assign(anchors_.size() * H, 0.0f);
  std::vector<char> used(anchors_.size(), 0);
  for (const Part& part : parts) {
    if (anchor_of_[part.edge] == kNone || part.coefficient == 0.0f) continue;
    const std::uint32_t anchor = anchor_of_[part.edge];
    std::uint32_t rule;
    const std::uint32_t symbol = output_of(forest, part.edge, rule);
    used[anchor] = 1;
    MutableRow back(back_.data() + anchor * H, index(H));
    const auto through = [&](std::size_t row) {
      uses.push_back({row, anchor, part.coefficient});
      back += part.coefficient * ConstRow(w + row, index(H));
    };
    through(layout_.symbol_row(symbol));
    if (rule != kNone) through(layout_.rule_row(rule));
  }
  std::ranges::stable_sort(uses, {}, &Use::row);
  for (std::size_t k = 0; k < uses.size();) {
    const std::size_t row = uses[k].row;
    const std::span<float> values = out.values(H);
    MutableRow sum(values.data(), index(H));
    for (; k < uses.size() && uses[k].row == row; ++k)
      sum += uses[k].coefficient * ConstRow(hidden_.data() + uses[k].anchor * H, index(H));
    out.add_row(static_cast<FeatureId>(row));
  }
  back_places_.assign(places_.size(), 0.0f);
  Eigen::RowVectorXf bias = Eigen::RowVectorXf::Zero(index(H));
  for (std::size_t a = 0; a < anchors_.size(); ++a) {
    if (!used[a]) continue;
    MutableRow back(back_.data() + a * H, index(H));
    back = (ConstRow(hidden_.data() + a * H, index(H)).array() > 0.0f).select(back, 0.0f);
    bias += back;
    const auto at = [&](std::size_t place, std::size_t p) {
      return MutableRow(back_places_.data() + (place * (words_ + 1) + p) * H, index(H));
    };
    at(0, anchors_[a].begin) += back;
    at(2, anchors_[a].end) += back;
    if (anchors_[a].split != 0) at(1, anchors_[a].split) += back;
  }
  back_tables_.assign(rows * layout_.columns(), 0.0f);
  for (std::size_t place = 0; place < NeuralLayout::kPlaces; ++place) {
    for (std::size_t p = 0; p <= words_; ++p) {
      const ConstRow back(back_places_.data() + (place * (words_ + 1) + p) * H, index(H));
      for (std::size_t k = 0; k < NeuralLayout::kWindow; ++k)
        MutableRow(back_tables_.data() + (p + kMarks - kBefore + k) * layout_.columns() +
                       (place * NeuralLayout::kWindow + k) * H,
                   index(H)) += back;
    }
  }
  const std::span<float> layer = out.add_block(static_cast<FeatureId>(layout_.first), layout_.layer_size());
  MutableMatrix(layer.data(), index(layout_.padded_input()), index(layout_.columns())).noalias() =
      ConstMatrix(inputs_.data(), index(rows), index(layout_.padded_input())).transpose() *
      ConstMatrix(back_tables_.data(), index(rows), index(layout_.columns()));
  MutableRow(layer.data() + layout_.padded_input() * layout_.columns(), index(H)) = bias;
}

void NeuralScorer::support(const ParseForest& forest, std::vector<Block>& blocks) const {
  const auto H = static_cast<FeatureId>(layout_.hidden);
  blocks.push_back({static_cast<FeatureId>(layout_.first), static_cast<FeatureId>(layout_.layer_size())});
  for (std::uint32_t e = 0; e < forest.forest.edges.size(); ++e) {
    if (anchor_of_[e] == kNone) continue;
    std::uint32_t rule;
    const std::uint32_t symbol = output_of(forest, e, rule);
    blocks.push_back({static_cast<FeatureId>(layout_.symbol_row(symbol)), H});
    if (rule != kNone) blocks.push_back({static_cast<FeatureId>(layout_.rule_row(rule)), H});
  }
}

}  // namespace hinge::constituents
