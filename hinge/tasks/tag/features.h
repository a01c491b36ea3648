// The features of tokens and of pairs of neighbours: templates, vocabulary, names.
#pragma once

#include <string>
#include <vector>

#include "hinge/features/extractor.h"
#include "hinge/features/vocabulary.h"
#include "hinge/tasks/tag/options.h"
#include "hinge/tasks/tag/reader.h"

namespace hinge::tag {

// What a training file teaches about features. Two vocabularies: of tokens
// (nodes) and of pairs of neighbours (edges) beyond the plain transition.
struct Features {
  explicit Features(FeatureModel feature_model) : model(std::move(feature_model)) {}

  FeatureModel model;
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

// How training files are read, as far as options say.
FileLayout reader_layout(const TagOptions& options);

// The templates an option names: a preset, a file, or "auto".
TemplateSet choose_templates(const TagOptions& options, const Source& train, std::string& chosen);

// Attributes are features as they are: OptionError where templates are given for
// them, or none for cells.
void check_templates(const Features& features, const TagReader& reader);

}  // namespace hinge::tag
