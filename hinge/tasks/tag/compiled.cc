#include "hinge/tasks/tag/compiled.h"

namespace hinge::tag {
namespace {

// What is small, as it is stored.
struct Record {
  std::string templates, scheme, format, label_column, features, node_names, edge_names;
  std::uint64_t fingerprint = 0, observed_columns = 0;
  std::int64_t hash_bits = 0;
  bool attributes = false;
  std::vector<std::string> labels;
  std::vector<Key> nodes, edges;
  std::vector<LabelId> allowed_labels;
  bool named = false;  // whether there are
  RowNames row_names;

  void visit(State& state) {
    state(templates, scheme, format, label_column, features, node_names, edge_names, fingerprint,
          observed_columns, hash_bits, attributes, labels, nodes, edges, allowed_labels);
    if (named) state(row_names);
  }
};

FeatureNames names_of(std::string bytes, const std::vector<Template>& templates) {
  ByteReader in(bytes, "feature names");
  return FeatureNames::load(in, templates);
}

// Takes the vocabulary, which may be large.
Features features_of(Record& record) {
  ByteReader bytes(record.features, "features");
  Features features(FeatureModel::load(bytes));
  features.counted = true;
  features.attributes = record.attributes;
  features.hash_bits = record.hash_bits;
  split_edge_templates(features);
  features.nodes = Vocabulary::of(std::move(record.nodes));
  features.edges = Vocabulary::of(std::move(record.edges));
  features.node_names = names_of(std::move(record.node_names), node_templates(features));
  features.edge_names = names_of(std::move(record.edge_names), features.model.templates().edges);
  return features;
}

bool fits(const ChainData& data, const Features& features, std::size_t sentences) {
  const std::size_t tokens = data.gold.size();
  const auto is_parallel = [](const auto& values, std::size_t size) {
    return values.empty() || values.size() == size;
  };
  return data.sentence_begin.size() == sentences + 1 && data.node_begin.size() == tokens + 1 &&
         data.edge_begin.size() == tokens + 1 && is_parallel(data.node_values, data.node_ids.size()) &&
         is_parallel(data.edge_values, data.edge_ids.size()) && is_parallel(data.allowed_begin, tokens) &&
         data.allowed_begin.size() == data.allowed_end.size() && features.hash_bits >= 0 &&
         features.hash_bits <= 32;
}

}  // namespace

TagParts read_parts(const Source& source, const TagOptions& options, const Known& known, SpillSpace* space) {
  Choice chosen;
  Features features = choose_features(options, source, known, chosen);
  Corpus corpus = read_training(source, options, known, features, space);
  return {.chosen = std::move(chosen),
          .features = std::move(features),
          .corpus = std::move(corpus),
          .scheme = std::nullopt,
          .fingerprint = std::nullopt,
          .cache = nullptr};
}

void write_parts(const TagParts& parts, const TagOptions& options, BlockCacheWriter& out) {
  const Features& features = parts.features;
  const FileLayout& layout = parts.corpus.layout;
  ByteWriter model;
  features.model.write(model);
  Record record{.templates = parts.chosen.templates,
                .scheme = *parts.scheme,
                .format = std::string(format_name(layout.format)),
                .label_column = layout.label_column,
                .features = model.take(),
                .node_names = features.node_names.bytes(),
                .edge_names = features.edge_names.bytes(),
                .fingerprint = *parts.fingerprint,
                .observed_columns = layout.observed_columns,
                .hash_bits = features.hash_bits,
                .attributes = features.attributes,
                .labels = parts.corpus.labels.names(),
                .nodes = features.nodes.keys(),
                .edges = features.edges.keys(),
                .allowed_labels = parts.corpus.data.allowed_labels,
                .named = options.names,
                .row_names = features.row_names};
  out.add_state(record);
  out.add_columns(parts.corpus.data, parts.corpus.data.sentences());
  out.write();
}

TagParts open_parts(std::shared_ptr<BlockCache> cache, const TagOptions& options) {
  Record record;
  record.named = options.names;
  cache->read_state(record);
  TagParts parts{.chosen = {.templates = record.templates, .columns = {}, .reason = {}},
                 .features = features_of(record),
                 .corpus = {},
                 .scheme = record.scheme,
                 .fingerprint = record.fingerprint,
                 .cache = cache};
  parts.features.kernel = choose_kernel(options);
  parts.features.row_names = std::move(record.row_names);
  Corpus& corpus = parts.corpus;
  corpus.layout = {.format = parse_format(record.format),
                   .label_column = record.label_column,
                   .observed_columns = record.observed_columns};
  for (const std::string& label : record.labels) corpus.labels.intern(label);
  cache->read_columns(corpus.data, cache);
  corpus.data.allowed_labels = std::move(record.allowed_labels);
  corpus.data.use.set(cache);
  if (!fits(corpus.data, parts.features, cache->examples()))
    cache->refuse("has columns that do not fit each other");
  return parts;
}

bool is_sound(const TagParts& parts, std::size_t first, std::size_t last) {
  const ChainData& data = parts.corpus.data;
  const std::size_t tokens = data.tokens();
  if (!is_rising(part_of(data.sentence_begin, first, last + 1), tokens)) return false;
  const std::size_t begin = data.sentence_begin[first], end = data.sentence_begin[last];
  if (!is_rising(part_of(data.node_begin, begin, end + 1), data.node_ids.size()) ||
      !is_rising(part_of(data.edge_begin, begin, end + 1), data.edge_ids.size()))
    return false;
  for (std::size_t t = begin; !data.allowed_begin.empty() && t < end; ++t) {
    const std::size_t from = data.allowed_begin[t], to = data.allowed_end[t];
    if (from > to || to > data.allowed_labels.size() ||
        !are_below(std::span<const LabelId>(data.allowed_labels).subspan(from, to - from),
                   parts.corpus.labels.size()))
      return false;
  }
  return are_below(part_of(data.node_ids, data.node_begin[begin], data.node_begin[end]),
                   parts.features.node_count()) &&
         are_below(part_of(data.edge_ids, data.edge_begin[begin], data.edge_begin[end]),
                   parts.features.edges.size()) &&
         are_below(part_of(data.gold, begin, end), parts.corpus.labels.size());
}

}  // namespace hinge::tag
