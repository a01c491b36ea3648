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

std::span<const Preset> preset_table();

// The templates of a preset, or "" where there is none of that name.
std::string preset_text(std::string_view name);

// What the word-based presets add when Brown clusters are given.
std::string cluster_templates();

}  // namespace hinge
