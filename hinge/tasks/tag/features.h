// The features of tokens and of pairs of neighbours: templates, vocabulary, names.
#pragma once

#include <string>
#include <vector>

#include "hinge/features/extractor.h"
#include "hinge/features/label_set.h"
#include "hinge/features/vocabulary.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/tag/options.h"
#include "hinge/tasks/tag/reader.h"

namespace hinge::tag {

// What a training file teaches about features. Two vocabularies: of tokens
// (nodes) and of pairs of neighbours (edges) beyond the plain transition.
struct Features {
  explicit Features(FeatureModel feature_model) : model(std::move(feature_model)) {}

  FeatureModel model;
  bool counted = false;                     // lexicons are those of a model, not to be counted
  bool attributes = false;                  // nodes are attributes, not templates
  bool transitions = false;                 // a template "B"
  std::vector<std::size_t> edge_templates;  // the other B templates
  std::int64_t hash_bits = 0;               // > 0: nodes have no vocabulary, their ids are hashes
  Vocabulary nodes, edges;
  FeatureNames node_names, edge_names;

  std::uint32_t bucket(Key key) const { return static_cast<std::uint32_t>(key >> (64 - hash_bits)); }
  std::size_t node_count() const { return hash_bits > 0 ? std::size_t{1} << hash_bits : nodes.size(); }
};

// The key of a hashed feature's row in a model file.
inline Key bucket_key(std::uint32_t bucket) { return combine(bucket, 1); }

// Settles which B templates are plain transitions.
void split_edge_templates(Features& features);

// As a model stores them, without vocabularies. Throws ModelError if they are damaged.
Features read_features(const ModelFile& file);
// What nodes are named by: the templates, or that of attributes.
std::vector<Template> node_templates(const Features& features);
// "node.names" or "edge.names"; empty if features were hashed.
FeatureNames read_names(const ModelFile& file, std::string_view section,
                        const std::vector<Template>& templates);

// The labels and features of a model that training continues from. They stay, even
// if the new data lacks them; the default has none.
struct Known {
  bool from_model = false;
  LabelSet labels;
  std::string templates;    // as the option named them
  std::string features;     // the section of the model
  std::string constraints;  // the name of its scheme
  bool attributes = false;
  std::vector<Template> node_templates, edge_templates;
  FeatureNames nodes, edges;
};
// Throws ModelError if the model is of another task.
Known read_known(const ModelFile& file);

// How training files are read, as far as options say.
FileLayout reader_layout(const TagOptions& options);

// The features of the templates an option names: a preset, a file, or "auto", which
// means those of the model that is continued, or a guess from the data. `chosen` says
// which. Templates that are those of the model keep its lexicons.
Features choose_features(const TagOptions& options, const Source& train, const Known& known,
                         std::string& chosen);
// Once it is known whether nodes are attributes: puts what is known into the vocabularies.
void keep_known(const Known& known, Features& features);

// Attributes are features as they are: OptionError where templates are given for
// them, or none for cells.
void check_templates(const Features& features, const TagReader& reader);

}  // namespace hinge::tag
