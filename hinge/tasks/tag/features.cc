#include "hinge/tasks/tag/features.h"

#include "hinge/core/error.h"
#include "hinge/features/label_set.h"
#include "hinge/features/presets.h"
#include "hinge/tasks/tag/constraints.h"

namespace hinge::tag {
namespace {

// Looks at the first sentences to choose a preset: tags beside the words mean
// chunking, phrase labels on bare words mean entities, all else is tagging.
std::string guess_preset(const TagOptions& options, const Source& source) {
  if (options.format == "attributes") return "attributes";
  if (source.read_once())
    fail<OptionError>(
        "features=auto looks at the data first, which standard input does not allow; give --features");
  TagReader reader(source, reader_layout(options), /*labelled=*/true);
  if (reader.has_attributes()) return "attributes";
  LabelSet labels;
  constexpr int kLookAt = 200;
  for (int s = 0; s < kLookAt && reader.next(); ++s) {
    for (std::size_t t = 0; t < reader.sentence().tokens(); ++t) labels.intern(reader.label(t));
  }
  if (labels.size() == 0)
    fail<InputError>("{}: has no sentences; one token a line was expected, an empty line after each sentence",
                     source.name());
  const bool phrases = guess_scheme(labels.names()) != Scheme::kNone;
  const bool columns = reader.layout().format == ColumnFormat::kColumns;
  if (phrases && columns && reader.cells().columns.size() >= 2) return "np-chunk";
  return phrases ? "ner" : "pos";
}

}  // namespace

FileLayout reader_layout(const TagOptions& options) {
  const bool attributes = options.features == "attributes" && options.format == "auto";
  return {.format = attributes ? ColumnFormat::kAttributes : parse_format(options.format),
          .label_column = options.column};
}

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
  if (reader.has_attributes() && !(templates.nodes.empty() && templates.views.empty())) {
    fail<OptionError>(
        "templates: read cells, but {} has attributes, which are features as they are; use "
        "features=attributes",
        reader.name());
  }
  check_columns(templates, "templates", reader.cells().columns.size(), reader.name());
  for (const View& view : templates.views) {
    const std::size_t column = reader.cells().columns[view.column];
    if (reader.has_labels() && column == reader.label_index()) {
      fail<OptionError>(
          "templates: column {} is the label of {}, which a feature must not read; choose other templates",
          view.column, reader.name());
    }
  }
}

TemplateSet choose_templates(const TagOptions& options, const Source& train, std::string& chosen) {
  chosen = options.features == "auto" ? guess_preset(options, train) : options.features;
  if (chosen == "attributes" && options.format != "auto" && options.format != "attributes")
    fail<OptionError>("features=attributes needs attributes, but format is '{}'; use format=attributes",
                      options.format);
  std::string text = chosen == "attributes" ? "B\n" : template_text(chosen, preset_table());
  if (!options.clusters.empty() && (chosen == "pos" || chosen == "ner")) text += cluster_templates();
  return parse_templates(text, chosen);
}

}  // namespace hinge::tag
