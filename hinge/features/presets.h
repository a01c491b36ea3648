// Ready-made template sets for common tasks.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hinge {

struct Preset {
  std::string_view name;
  std::string_view summary;
  std::string (*text)();
};

std::span<const Preset> token_preset_table();   // see template.h
std::span<const Preset> factor_preset_table();  // for parts of trees, see factor_template.h

std::string preset_names(std::span<const Preset> presets);  // "chunk, pos", for messages

// The templates that an option names: a preset or a file.
std::string template_text(const std::string& features, std::span<const Preset> presets);

// Added to word-based presets: if Brown clusters are given (with `earlier`, also those
// around earlier occurrences of the word), if a file of names is given, and for each
// column beside the words.
std::string cluster_templates(bool earlier);
std::string gazetteer_templates(const std::string& path);
std::string column_templates(std::size_t column);

}  // namespace hinge
