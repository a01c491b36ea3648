#include "hinge/tasks/tag/model.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "hinge/core/error.h"
#include "hinge/tasks/heaviest.h"

namespace hinge::tag {
namespace {

FileLayout layout_of(const Description& meta) {
  return {.format = parse_format(meta.text("format", "auto")),
          .label_column = meta.text("column"),
          .observed_columns = static_cast<std::size_t>(meta.whole("observed_columns"))};
}

LabelSet labels_of(const ModelFile& file, const Description& meta) {
  LabelSet labels = read_labels(meta);
  if (labels.size() == 0) fail<ModelError>("{}: has no labels; train it again", file.name());
  return labels;
}

std::size_t columns_read(const TemplateSet& templates) {
  std::size_t columns = 0;
  for (const View& view : templates.views) columns = std::max(columns, view.column + 1);
  for (const auto* list : {&templates.nodes, &templates.edges}) {
    for (const Template& t : *list) columns = std::max(columns, t.has_value ? t.value_column + 1 : 0);
  }
  return columns;
}

}  // namespace

// A sentence's token features: a fixed number per token, or rows of any length.
struct Tagger::NodeRows {
  const Key* keys;
  const float* values;       // null: all ones
  std::size_t width;         // per token, if begin is null
  const std::size_t* begin;  // or null; token t starts at begin[t] - begin[0]

  std::size_t at(std::size_t t) const { return begin == nullptr ? t * width : begin[t] - begin[0]; }
};

Tagger::Tagger(const ModelFile& file)
    : file_(file),
      layout_(layout_of(file.description())),
      labels_(labels_of(file, file.description())),
      features_(read_features(file)),
      columns_read_(columns_read(features_.model.templates())),
      nodes_(file, "node", labels_.size()),
      edges_(file, "edge", labels_.size() * labels_.size()),
      conjunctions_(file, labels_.size()),
      support_(file, labels_.size()),
      kernel_(file.description().text("kernel", "linear")),
      transitions_(labels_.size() * labels_.size(), 0.0f),
      constraints_(
          make_constraints(parse_scheme(file.description().text("constraints", "none")), labels_.names())),
      likelihood_(file.description().flag("likelihood")) {
  const auto matrix = file.array<float>("transitions");
  if (!matrix.empty() && matrix.size() != transitions_.size()) {
    fail<ModelError>("{}: the transitions are damaged; train it again", file.name());
  }
  std::copy(matrix.begin(), matrix.end(), transitions_.begin());
}

Tagger::Workspace::Workspace(const Tagger& tagger)
    : extractor_(tagger.features_.model),
      decoder_(tagger.labels_.size()),
      sums_(std::max<std::size_t>(256, tagger.transitions_.size() + kReadableSlack)) {}

void Tagger::score(const TagReader& reader, Workspace& workspace) const {
  if (features_.attributes) return score_attributes(reader.attributes(), workspace);
  score_cells(reader.cells(), workspace, [&reader](std::size_t token) { return reader.where(token); });
}

void Tagger::score(const Sentences& sentences, std::size_t i, Workspace& workspace) const {
  if (sentences.has_attributes() != features_.attributes)
    fail<InputError>("tokens have {}, but {} was trained on {}; give those",
                     features_.attributes ? "cells" : "attributes", file_.name(),
                     features_.attributes ? "attributes" : "cells");
  if (features_.attributes) return score_attributes(sentences.attributes(i), workspace);
  const std::size_t columns = sentences.observed_columns();
  // A CoNLL-U model could read five cells, but its templates may need fewer.
  if (layout_.format == ColumnFormat::kColumns && columns != layout_.observed_columns)
    fail<InputError>("tokens have {} cell{}, but {} was trained on {} per token; give as many", columns,
                     columns == 1 ? "" : "s", file_.name(), layout_.observed_columns);
  workspace.columns_.resize(columns);
  std::iota(workspace.columns_.begin(), workspace.columns_.end(), std::size_t{0});
  if (lookback() > 0) look_back(sentences, i, workspace);
  score_cells(workspace.cells_of(sentences, i), workspace,
              [i](std::size_t token) { return ColumnMemory::place(i, token); });
}

Cells Tagger::Workspace::cells_of(const Sentences& sentences, std::size_t i) {
  cells_.clear();
  sentences.columns().views(i, cells_);
  return {cells_, sentences.columns().columns(), columns_};
}

void Tagger::begin(const LookbackSlice& slice, TagReader& reader, Workspace& workspace) const {
  workspace.seen_ = 0;
  if (lookback() > 0) {
    workspace.extractor_.begin_text();
    Slice earlier = slice.slice;
    if (const auto memory = memory_of<Sentences>(*earlier.source, "sentences to tag")) {
      earlier.begin = memory->first_before(slice.slice.begin, lookback());
      earlier.end = slice.slice.begin;
    }
    for (const std::string_view text : slice.before) {
      earlier.text = text;
      restart(reader, earlier);
      while (reader.next()) observe(reader.cells(), workspace);
      if (earlier.source->memory != nullptr) break;
    }
  }
  restart(reader, slice.slice);
}

// Observes the sentences before sentence i, except those the workspace has just seen.
void Tagger::look_back(const Sentences& sentences, std::size_t i, Workspace& workspace) const {
  std::size_t first = sentences.first_before(i, lookback());
  if (workspace.seen_ == sentences.serial() && workspace.seen_end_ >= first && workspace.seen_end_ <= i) {
    first = workspace.seen_end_;
  } else {
    workspace.extractor_.begin_text();
  }
  for (; first < i; ++first) observe(workspace.cells_of(sentences, first), workspace);
  workspace.seen_ = sentences.serial();
  workspace.seen_end_ = i + 1;
}

void Tagger::observe(const Cells& cells, Workspace& workspace) const {
  if (cells.columns.size() >= columns_read_) workspace.extractor_.observe(cells);
}

template <typename Where>
void Tagger::score_cells(const Cells& cells, Workspace& workspace, const Where& where) const {
  if (cells.columns.size() < columns_read_)
    fail<InputError>("{}: has {} cell{}, but the templates of {} read {}; give more", where(0),
                     cells.columns.size(), cells.columns.size() == 1 ? "" : "s", file_.name(), columns_read_);
  FeatureKeys& keys = workspace.keys_;
  try {
    workspace.extractor_.extract(cells, keys);
  } catch (const NotANumber& wrong) {
    fail<InputError>("{}: '{}' is not a number, but the model reads it as one (%v); check the column",
                     where(wrong.token), wrong.cell);
  }
  if (features_.hash_bits > 0) {
    for (Key& key : keys.nodes) key = key == kAbsent ? kAbsent : bucket_key(features_.bucket(key));
  }
  score_nodes({.keys = keys.nodes.data(),
               .values = keys.node_values.empty() ? nullptr : keys.node_values.data(),
               .width = features_.model.templates().nodes.size(),
               .begin = nullptr},
              cells.tokens(), workspace);
}

void Tagger::score_attributes(const AttributeRows& rows, Workspace& workspace) const {
  workspace.attributes_ = rows;
  const std::size_t first = rows.begin.front();
  const Key* keys = rows.keys + first;
  if (features_.hash_bits > 0) {
    workspace.keys_.nodes.clear();
    for (std::size_t k = first; k < rows.begin.back(); ++k)
      workspace.keys_.nodes.push_back(bucket_key(features_.bucket(rows.keys[k])));
    keys = workspace.keys_.nodes.data();
  }
  score_nodes({.keys = keys, .values = rows.values + first, .width = 0, .begin = rows.begin.data()},
              rows.tokens(), workspace);
}

// Table slots are prefetched one token ahead, rows while the token's other features
// are looked up: memory, not arithmetic, is the bottleneck.
void Tagger::score_nodes(const NodeRows& rows, std::size_t tokens, Workspace& workspace) const {
  ChainDecoder& decoder = workspace.decoder_;
  workspace.decoded_ = false;
  decoder.reset(tokens, /*edges_per_token=*/!edges_.empty());
  const RowTable nodes = nodes_;  // a few pointers, which a local copy keeps in registers
  for (std::size_t t = 0; t < tokens; ++t) {
    const std::size_t first = rows.at(t);
    const std::size_t width = rows.at(t + 1) - first;
    const Key* keys = rows.keys + first;
    const std::size_t ahead = t + 1 < tokens ? rows.at(t + 2) - first : width;
    for (std::size_t k = width; k < ahead; ++k) nodes.prefetch(keys[k]);
    for (std::size_t k = width; k < ahead && !conjunctions_.empty(); ++k) conjunctions_.prefetch(keys[k]);
    if (workspace.rows_.size() < width) workspace.rows_.resize(width);
    for (std::size_t k = 0; k < width; ++k) {
      workspace.rows_[k] = keys[k] == kAbsent ? RowTable::Row() : nodes.find(keys[k]);
      __builtin_prefetch(workspace.rows_[k].data());
    }
    float* sums = workspace.sums_.data();
    std::fill_n(sums, decoder.stride(), 0.0f);
    for (std::size_t k = 0; k < width; ++k)
      nodes.add_to(workspace.rows_[k], rows.values == nullptr ? 1.0f : rows.values[first + k], sums);
    if (!conjunctions_.empty())
      conjunctions_.add_to({keys, width}, rows.values == nullptr ? nullptr : rows.values + first,
                           workspace.conjunctions_, sums);
    if (!support_.empty())
      support_.add_to({keys, width}, rows.values == nullptr ? nullptr : rows.values + first,
                      workspace.support_, sums);
    std::copy_n(sums, decoder.stride(), decoder.node(t));
  }
  score_edges(tokens, workspace);
  decoder.constrain(constraints_);
}

void Tagger::score_edges(std::size_t tokens, Workspace& workspace) const {
  const std::size_t n = labels_.size();
  const std::size_t width = features_.model.templates().edges.size();
  const FeatureKeys& keys = workspace.keys_;
  for (std::size_t t = 0; t < (edges_.empty() ? 1 : tokens); ++t) {
    std::copy(transitions_.begin(), transitions_.end(), workspace.sums_.begin());
    for (const std::size_t k : features_.edge_templates) {
      if (edges_.empty() || t == 0 || keys.edges[t * width + k] == kAbsent) continue;
      edges_.add_to(edges_.find(keys.edges[t * width + k]),
                    keys.edge_values.empty() ? 1.0f : keys.edge_values[t * width + k],
                    workspace.sums_.data());
    }
    float* edges = workspace.decoder_.edges_into(t);
    for (std::size_t i = 0; i < n; ++i)
      std::copy_n(workspace.sums_.data() + i * n, n, edges + i * workspace.decoder_.stride());
  }
}

void Tagger::allow_only(std::size_t token, std::span<const LabelId> labels, Workspace& workspace) const {
  workspace.decoder_.allow_only(token, labels);
  workspace.decoded_ = false;
}

std::span<const LabelId> Tagger::best(Workspace& workspace) const {
  workspace.decoded_ = true;
  return workspace.decoder_.best();
}

std::vector<ScoredPath> Tagger::n_best(std::size_t n, Workspace& workspace) const {
  return k_best_paths(workspace.decoder_.scores(), n);
}

double Tagger::log_sum(Workspace& workspace) const {
  return workspace.sums_over_all_.run(workspace.decoder_.scores());
}

std::span<const float> Tagger::marginals(Workspace& workspace) const {
  workspace.sums_over_all_.run(workspace.decoder_.scores());
  return workspace.sums_over_all_.nodes();
}

std::span<const float> Tagger::max_marginals(Workspace& workspace) const {
  if (!workspace.decoded_) best(workspace);
  hinge::max_marginals(workspace.decoder_.scores(), workspace.decoder_.forward(), workspace.max_marginals_);
  return workspace.max_marginals_;
}

double Tagger::score_of(std::span<const LabelId> path, const Workspace& workspace) const {
  const ChainScores scores = workspace.decoder_.scores();
  double sum = 0.0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    sum += scores.node[t * scores.stride + path[t]];
    if (t > 0) sum += scores.edges_into(t)[path[t - 1] * scores.stride + path[t]];
  }
  return sum;
}

std::string Tagger::pair_name(std::size_t pair) const {
  return fmt::format("{} -> {}", labels_.names()[pair / labels_.size()],
                     labels_.names()[pair % labels_.size()]);
}

namespace {

// Of a node or an edge; only nodes may be hashed.
std::string row_name(const FeatureNames& names, const RowNames& hashed, std::size_t row,
                     const std::vector<Template>& templates) {
  if (row < names.size()) return names.text(static_cast<std::uint32_t>(row), templates);
  const std::string name = hashed.text(static_cast<std::uint32_t>(row));
  return name.empty() ? fmt::format("hashed row {}", row) : name;
}

}  // namespace

std::vector<StateWeight> Tagger::state_weights() const {
  const std::vector<Template> templates = node_templates(features_);
  const FeatureNames known = read_names(file_, "node.names", templates);
  const RowNames hashed = RowNames::read(file_, kRowNames);
  std::vector<StateWeight> all;
  nodes_.each([&](std::size_t row, std::size_t column, float weight) {
    all.push_back({row_name(known, hashed, row, templates), static_cast<LabelId>(column), weight});
  });
  if (conjunctions_.empty()) return all;
  const ConjunctionNames names = read_conjunction_names(file_, templates);
  conjunctions_.rows().each([&](std::size_t row, std::size_t column, float weight) {
    all.push_back({names.text(row, templates), static_cast<LabelId>(column), weight});
  });
  return all;
}

std::size_t Tagger::feature_count() const {
  return nodes_.rows() + edges_.rows() + (conjunctions_.empty() ? 0 : conjunctions_.rows().rows());
}

std::size_t Tagger::weight_count() const {
  return nodes_.entries() + edges_.entries() + (conjunctions_.empty() ? 0 : conjunctions_.rows().entries());
}

std::vector<WeightLine> Tagger::heaviest(std::size_t n) const {
  enum class Kind { kNode, kTransition, kEdge, kConjunction };
  struct Heavy {
    float weight;
    Kind kind;
    std::uint32_t row;
    std::size_t column;
  };
  std::vector<Heavy> all;
  const auto collect = [&all](Kind kind) {
    return [&all, kind](std::size_t row, std::size_t column, float weight) {
      all.push_back({weight, kind, static_cast<std::uint32_t>(row), column});
    };
  };
  nodes_.each(collect(Kind::kNode));
  edges_.each(collect(Kind::kEdge));
  if (!conjunctions_.empty()) conjunctions_.rows().each(collect(Kind::kConjunction));
  for (std::size_t k = 0; k < transitions_.size(); ++k) {
    if (transitions_[k] != 0.0f) all.push_back({transitions_[k], Kind::kTransition, 0, k});
  }
  keep_heaviest(n, all);
  const std::vector<Template> nodes = node_templates(features_);
  const std::vector<Template>& edges = features_.model.templates().edges;
  const FeatureNames node_names = read_names(file_, "node.names", nodes);
  const FeatureNames edge_names = read_names(file_, "edge.names", edges);
  const RowNames hashed = RowNames::read(file_, kRowNames);
  const ConjunctionNames conjunctions = read_conjunction_names(file_, nodes);
  const auto name = [&](const Heavy& heavy) -> std::string {
    switch (heavy.kind) {
      case Kind::kNode:
        return row_name(node_names, hashed, heavy.row, nodes);
      case Kind::kEdge:
        return row_name(edge_names, {}, heavy.row, edges);
      case Kind::kConjunction:
        return conjunctions.text(heavy.row, nodes);
      case Kind::kTransition:
        break;
    }
    return "B";
  };
  std::vector<WeightLine> lines;
  for (const Heavy& heavy : all) {
    const bool node = heavy.kind == Kind::kNode || heavy.kind == Kind::kConjunction;
    lines.push_back(
        {name(heavy), node ? labels_.names()[heavy.column] : pair_name(heavy.column), heavy.weight});
  }
  return lines;
}

}  // namespace hinge::tag
