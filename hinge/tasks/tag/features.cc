#include "hinge/tasks/tag/features.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/features/label_set.h"
#include "hinge/features/presets.h"
#include "hinge/tasks/system.h"
#include "hinge/tasks/tag/constraints.h"

namespace hinge::tag {

void split_edge_templates(Features& features) {
  const auto& edges = features.model.templates().edges;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (edges[k].items.empty() && !edges[k].has_value) {
      features.transitions = true;
    } else {
      features.edge_templates.push_back(k);
    }
  }
}

void check_templates(const Features& features, const TagReader& reader) {
  const TemplateSet& templates = features.model.templates();
  const std::string& name = templates.name;
  if (reader.has_attributes() && !(templates.nodes.empty() && templates.views.empty())) {
    fail<OptionError>(
        "{}: templates read cells, but {} has attributes, which need no templates; use features=attributes",
        name, reader.name());
  }
  check_columns(templates, name, reader.cells().columns.size(), reader.name());
  for (const View& view : templates.views) {
    const std::size_t column = reader.cells().columns[view.column];
    if (reader.has_labels() && column == reader.label_index()) {
      fail<OptionError>(
          "{}: a template reads column {}, the label of {}, which a feature must not read; choose other "
          "templates",
          name, view.column, reader.name());
    }
  }
}

Features read_features(const ModelFile& file) {
  const Description& description = file.description();
  ByteReader bytes(file.section("features"), "features");
  Features features(FeatureModel::load(bytes));
  features.counted = true;
  features.attributes = parse_format(description.text("format", "auto")) == ColumnFormat::kAttributes;
  features.hash_bits = description.whole("hash_bits");
  if (features.hash_bits < 0 || features.hash_bits > 32)
    fail<ModelError>("{}: hash_bits is damaged; train it again", file.name());
  split_edge_templates(features);
  const TemplateSet& templates = features.model.templates();
  if (features.attributes && !(templates.nodes.empty() && features.edge_templates.empty()))
    fail<ModelError>("{}: has attributes and templates; train it again", file.name());
  return features;
}

std::vector<Template> node_templates(const Features& features) {
  return features.attributes ? FeatureNames::attribute_templates() : features.model.templates().nodes;
}

FeatureNames read_names(const ModelFile& file, std::string_view section,
                        const std::vector<Template>& templates) {
  const std::string_view bytes = file.section(section);
  ByteReader reader(bytes, "feature names");
  return bytes.empty() ? FeatureNames() : FeatureNames::load(reader, templates);
}

Known read_known(const ModelFile& file) {
  require_task(file, "tag");
  const Features features = read_features(file);
  Known known{.from_model = true,
              .labels = read_labels(file.description()),
              .templates = file.description().text("templates"),
              .features = std::string(file.section("features")),
              .constraints = file.description().text("constraints", "none"),
              .attributes = features.attributes,
              .node_templates = node_templates(features),
              .edge_templates = features.model.templates().edges,
              .nodes = {},
              .edges = {},
              .conjunctions = {},
              .hashed = RowNames::read(file, kRowNames)};
  known.nodes = read_names(file, "node.names", known.node_templates);
  known.edges = read_names(file, "edge.names", known.edge_templates);
  known.conjunctions = read_conjunction_names(file, known.node_templates);
  return known;
}

namespace {

std::vector<Template> paired_templates(const TagOptions& options) {
  return parse_templates(template_text(options.paired, token_preset_table()), options.paired).nodes;
}

// Whether the kernel conjoins the features of each template.
std::vector<std::uint8_t> choose_paired(const TagOptions& options, const std::vector<Template>& templates) {
  if (options.paired.empty()) return {};
  if (options.kernel != "poly" || options.vectors || options.hash_bits > 0)
    fail<OptionError>("paired is '{}', but there are no pairs to list; use kernel=poly and hash_bits=0",
                      options.paired);
  std::vector<std::uint8_t> paired(templates.size());
  for (const Template& wanted : paired_templates(options)) {
    const auto found = std::ranges::find(templates, wanted.source, &Template::source);
    if (found == templates.end())
      fail<OptionError>(
          "paired: the model that training continues from lacks the template '{}'; give --features",
          wanted.source);
    paired[static_cast<std::size_t>(found - templates.begin())] = 1;
  }
  return paired;
}

// The text of the chosen templates.
std::string chosen_text(const TagOptions& options, const Choice& chosen) {
  const std::string& name = chosen.templates;
  if (name == "attributes" && options.format != "auto" && options.format != "attributes")
    fail<OptionError>("features=attributes needs attributes, but format is '{}'; use format=attributes",
                      options.format);
  std::string text = name == "attributes" ? "B\n" : template_text(name, token_preset_table());
  if (!options.clusters.empty() && (name == "pos" || name == "ner")) text += cluster_templates(name == "ner");
  if (!options.gazetteer.empty() && name == "ner") text += gazetteer_templates(options.gazetteer);
  for (const std::size_t column : chosen.columns) text += column_templates(column);
  if (options.paired.empty()) return text;
  const TemplateSet templates = parse_templates(text, name);
  for (const Template& added : paired_templates(options)) {
    if (std::ranges::find(templates.nodes, added.source, &Template::source) == templates.nodes.end())
      text += added.source + "\n";
  }
  return text;
}

FeatureModel known_features(const Known& known) {
  ByteReader bytes(known.features, "features");
  return FeatureModel::load(bytes);
}

Features make_features(FeatureModel model, const TagOptions& options, bool counted) {
  Features features(std::move(model));
  features.counted = counted;
  features.kernel = choose_kernel(options);
  features.paired = choose_paired(options, features.model.templates().nodes);
  features.hash_bits = features.kernel.is_linear() ? options.hash_bits : 0;
  split_edge_templates(features);
  return features;
}

// A feature stays if its template line still exists.
void keep_names(const FeatureNames& names, const std::vector<Template>& theirs,
                const std::vector<Template>& ours, bool attributes, Vocabulary& vocabulary,
                FeatureNames& kept) {
  std::vector<std::size_t> number(theirs.size());  // in ours; ours.size() if gone
  for (std::size_t t = 0; t < theirs.size(); ++t) {
    const auto same = std::ranges::find(ours, theirs[t].source, &Template::source);
    number[t] = static_cast<std::size_t>(same - ours.begin());
  }
  for (std::uint32_t id = 0; id < names.size(); ++id) {
    const std::size_t t = number[names.template_of(id)];
    if (t == ours.size()) continue;
    const Key key = attributes ? hash_text(names.text(id, theirs)) : names.key(id, theirs);
    if (vocabulary.keep(key)) kept.record(names, id, t);
  }
}

void check_clusters(const TagOptions& options, const TemplateSet& templates) {
  const bool used = std::ranges::any_of(templates.views, [](const View& view) {
    return view.kind == ViewKind::kCluster || view.kind == ViewKind::kAnyCluster;
  });
  if (options.clusters.empty() || used) return;
  fail<OptionError>(
      "clusters is '{}', but the features '{}' read no clusters; use features=pos or features=ner, or a template "
      "%cluster",
      options.clusters, templates.name);
}

}  // namespace

Features choose_features(const TagOptions& options, const Source& train, const Known& known,
                         Choice& chosen) {
  if (known.from_model && options.features == "auto") {
    chosen.templates = known.templates;
    return make_features(known_features(known), options, /*counted=*/true);
  }
  chosen = choose_templates(options, train);
  if (!options.gazetteer.empty() && chosen.templates != "ner")
    fail<OptionError>(
        "gazetteer is '{}', but only the preset ner reads it, and the features are '{}'; use features=ner, or a "
        "template %gazetteer",
        options.gazetteer, chosen.templates);
  TemplateSet templates = parse_templates(chosen_text(options, chosen), chosen.templates);
  if (known.from_model) {
    FeatureModel before = known_features(known);
    if (before.templates().source == templates.source)
      return make_features(std::move(before), options, /*counted=*/true);
  }
  check_clusters(options, templates);
  FeatureModel model(std::move(templates));
  model.read_lexicons(options.clusters);
  return make_features(std::move(model), options, /*counted=*/false);
}

void keep_known(const Known& known, Features& features) {
  if (features.hash_bits == 0 && features.attributes == known.attributes) {
    for (const FeatureNames* names : {&known.nodes, &known.conjunctions.members})
      keep_names(*names, known.node_templates, node_templates(features), known.attributes, features.nodes,
                 features.node_names);
  }
  keep_names(known.edges, known.edge_templates, features.model.templates().edges, /*attributes=*/false,
             features.edges, features.edge_names);
}

std::vector<std::uint8_t> paired_features(const Features& features) {
  std::vector<std::uint8_t> paired;
  for (std::uint32_t f = 0; f < features.nodes.size() && !features.paired.empty(); ++f)
    paired.push_back(features.paired[features.node_names.template_of(f)]);
  return paired;
}

std::vector<FeaturePair> known_pairs(const Known& known, const Features& features) {
  const FeatureNames& members = known.conjunctions.members;
  std::vector<std::uint32_t> ids;
  for (std::uint32_t m = 0; m < members.size(); ++m)
    ids.push_back(features.nodes.find(known.attributes ? hash_text(members.text(m, known.node_templates))
                                                       : members.key(m, known.node_templates)));
  std::vector<FeaturePair> pairs;
  for (const auto& [a, b] : known.conjunctions.rows) {
    if (a == ConjunctionNames::kConstant || ids[a] == Vocabulary::kUnknown || ids[b] == Vocabulary::kUnknown)
      continue;
    pairs.push_back({std::min(ids[a], ids[b]), std::max(ids[a], ids[b])});
  }
  return pairs;
}

}  // namespace hinge::tag
