// The features of tokens and of pairs of neighbours: templates, vocabulary, names.
#pragma once

#include <string>
#include <vector>

#include "hinge/features/extractor.h"
#include "hinge/features/label_set.h"
#include "hinge/features/vocabulary.h"
#include "hinge/model/model_file.h"
#include "hinge/model/row_names.h"
#include "hinge/tasks/tag/conjunction_table.h"
#include "hinge/tasks/tag/hashed_conjunctions.h"
#include "hinge/tasks/tag/kernel.h"
#include "hinge/tasks/tag/choice.h"
#include "hinge/tasks/tag/options.h"
#include "hinge/tasks/tag/reader.h"

namespace hinge::tag {

// What training data defines about features. Two vocabularies: for tokens (nodes)
// and for pairs of neighbours (edges) beyond plain transitions.
struct Features {
  explicit Features(FeatureModel feature_model) : model(std::move(feature_model)) {}

  FeatureModel model;
  bool counted = false;                     // lexicons come from a model and are not counted again
  bool attributes = false;                  // node features are attributes, not templates
  bool transitions = false;                 // there is a template "B"
  std::vector<std::size_t> edge_templates;  // the other B templates
  std::int64_t hash_bits = 0;               // > 0: node ids are hashes, without a vocabulary
  Kernel kernel;
  std::vector<std::uint8_t> paired;  // [node templates], whether the kernel conjoins them; empty: all
  Conjunctions conjunctions;         // of node features: listed,
  HashedConjunctions hashed;         // or hashed
  Vocabulary nodes, edges;
  FeatureNames node_names, edge_names;
  RowNames row_names;  // of hashed features or conjunctions, if wanted

  std::uint32_t bucket(Key key) const { return static_cast<std::uint32_t>(key >> (64 - hash_bits)); }
  std::size_t node_count() const {
    if (!conjunctions.empty()) return conjunctions.rows();
    if (!hashed.empty()) return hashed.rows();
    return hash_bits > 0 ? std::size_t{1} << hash_bits : nodes.size();
  }
};

// The key of a hashed feature's row in a model file.
inline Key bucket_key(std::uint32_t bucket) { return combine(bucket, 1); }

// Separates plain transitions from other B templates.
void split_edge_templates(Features& features);

// Reads them from a model, without vocabularies. Throws ModelError if damaged.
Features read_features(const ModelFile& file);
// The templates that name node features: the node templates, or that of attributes.
std::vector<Template> node_templates(const Features& features);
// "node.names" or "edge.names"; empty if features were hashed.
FeatureNames read_names(const ModelFile& file, std::string_view section,
                        const std::vector<Template>& templates);

// The labels and features of the model that training continues from; empty by
// default. They stay even if the new data lacks them.
struct Known {
  bool from_model = false;
  LabelSet labels;
  std::string templates;    // the value of the option
  std::string features;     // the section of the model
  std::string constraints;  // the name of its scheme
  bool attributes = false;
  std::vector<Template> node_templates, edge_templates;
  FeatureNames nodes, edges;
  ConjunctionNames conjunctions;
  RowNames hashed;  // features or conjunctions
};
// Throws ModelError if the model belongs to another task.
Known read_known(const ModelFile& file);

// The features of the chosen templates: a preset, a file, or "auto", which means those
// of the model that training continues from, or else a choice by the data (choice.h). Sets
// `chosen`. If the model's templates are equal, its lexicons stay.
Features choose_features(const TagOptions& options, const Source& train, const Known& known, Choice& chosen);
// Adds what is known to the vocabularies; call after `attributes` is set.
void keep_known(const Known& known, Features& features);
// Numbers of the pairs that are known; call when the vocabulary is finished.
std::vector<FeaturePair> known_pairs(const Known& known, const Features& features);

// The same by feature, [nodes]; call when the vocabulary is finished.
std::vector<std::uint8_t> paired_features(const Features& features);

// Throws OptionError if there are templates for attributes, or if templates read
// columns that are missing or hold the label.
void check_templates(const Features& features, const TagReader& reader);

}  // namespace hinge::tag
