// Ready-made template sets for common jobs.
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

std::span<const Preset> preset_table();         // of tokens, see template.h
std::span<const Preset> factor_preset_table();  // of parts of trees, see factor_template.h

// The templates an option names: a preset of the table, or a file.
std::string template_text(const std::string& features, std::span<const Preset> presets);

// What the word-based presets add when Brown clusters are given.
std::string cluster_templates();

}  // namespace hinge
